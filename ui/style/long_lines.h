#pragma once
/// \file
/// Inserts text in blocks that are cheap to lay out. Layout time of one block without spaces is
/// quadratic in its length (1 MB takes tens of seconds), so a longer line continues in further,
/// marked blocks. Copied text restores the original line. GUI thread.

#include <QString>
#include <QVector>

#include "ui/style/text_position_map.h"

class QTextCharFormat;
class QTextCursor;
class QTextDocument;

namespace lacuna::ui {

/// Maximum number of characters of a block.
constexpr qsizetype kMaxBlockLength = 2048;

/// Inserts `text` like QTextCursor::insertText, one block per line, in blocks of at most
/// kMaxBlockLength characters. `letter` is the index of the text within a larger one; the inserted
/// ranges are appended to `shown`.
void insertInBlocks(QTextCursor& cursor, const QString& text, const QTextCharFormat& format,
                    qsizetype letter = 0, QVector<ShownText>* shown = nullptr);
/// Inserts a line break within a paragraph.
void insertLineBreak(QTextCursor& cursor, const QTextCharFormat& format);
/// Marks the current block as the continuation of the line in the previous block.
void markAsContinued(QTextCursor& cursor);
/// Converts a document position to an index in the inserted text.
[[nodiscard]] qsizetype positionInText(const QTextDocument& document, int place);
/// Returns how many characters to take from `at` of a line longer than `room`: up to a space if one
/// is near.
[[nodiscard]] qsizetype cutOfLine(const QString& text, qsizetype at, qsizetype room);
/// Selected text with the original lines.
[[nodiscard]] QString selectedText(const QTextCursor& cursor);
/// True if the selection contains a line that was split.
[[nodiscard]] bool selectsCutLines(const QTextCursor& cursor);

}  // namespace lacuna::ui
