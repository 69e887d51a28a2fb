#pragma once
/// \file
/// Text in blocks that are cheap to lay out. The layout of one block without spaces costs with the
/// square of its length (a line of 1 MB: tens of seconds), so a longer line goes on in a further
/// block, which is marked: what is copied is the line as it was. GUI thread.

#include <QString>
#include <QVector>

#include "ui/text_places.h"

class QTextCharFormat;
class QTextCursor;
class QTextDocument;

namespace lacuna::ui {

/// Signs of a block, at most.
constexpr qsizetype kMaxBlockLength = 2048;

/// Inserts `text` as QTextCursor::insertText does, a block for each of its lines, in blocks of no
/// more than kMaxBlockLength signs.
/// `letter`: index of the text in a larger one; what is shown of it is added to `shown`.
void insertInBlocks(QTextCursor& cursor, const QString& text, const QTextCharFormat& format,
                    qsizetype letter = 0, QVector<ShownText>* shown = nullptr);
/// Inserts a line break within a paragraph.
void insertLineBreak(QTextCursor& cursor, const QTextCharFormat& format);
/// The block begun last goes on with the line of the one before it.
void markAsGoingOn(QTextCursor& cursor);
/// The place in the text that was inserted of a place in the document.
[[nodiscard]] qsizetype placeInText(const QTextDocument& document, int place);
/// Of a line from `at` on that is longer than `room`: how many signs to take, up to a space where
/// one is near.
[[nodiscard]] qsizetype cutOfLine(const QString& text, qsizetype at, qsizetype room);
/// What is selected, with the lines as they were inserted.
[[nodiscard]] QString selectedText(const QTextCursor& cursor);
/// Is a line cut where the selection lies?
[[nodiscard]] bool selectsCutLines(const QTextCursor& cursor);

}  // namespace lacuna::ui
