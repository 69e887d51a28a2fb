#include "ui/style/long_lines.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>

namespace lacuna::ui {

namespace {

constexpr int kContinues = QTextFormat::UserProperty + 1;
/// How far back to search for a space to split at.
constexpr qsizetype kBack = 200;

bool goesOn(const QTextBlock& block) {
    return block.blockFormat().boolProperty(kContinues);
}

void continueInNextBlock(QTextCursor& cursor, const QTextCharFormat& format) {
    const QTextBlockFormat whole = cursor.blockFormat();
    QTextBlockFormat ended = whole;
    ended.setBottomMargin(0);
    cursor.setBlockFormat(ended);
    QTextBlockFormat next = whole;
    next.setTopMargin(0);
    next.setTextIndent(0);
    next.setProperty(kContinues, true);
    cursor.insertBlock(next, format);
}

void startLine(QTextCursor& cursor, const QTextCharFormat& format) {
    QTextBlockFormat next = cursor.blockFormat();
    next.clearProperty(kContinues);
    cursor.insertBlock(next, format);
}

}  // namespace

qsizetype cutOfLine(const QString& text, qsizetype at, qsizetype room) {
    const qsizetype back = std::min(room, kBack);
    const qsizetype space =
        QStringView(text).mid(at + room - back, back).lastIndexOf(QLatin1Char(' '));
    if (space >= 0) return room - back + space + 1;
    // Keeps a surrogate pair together.
    const bool pair = text.at(at + room - 1).isHighSurrogate();
    return pair && room > 1 ? room - 1 : room;
}

void insertInBlocks(QTextCursor& cursor, const QString& text, const QTextCharFormat& format,
                    qsizetype letter, QVector<ShownText>* shown) {
    qsizetype at = 0, lineEnd = -1;
    const auto insert = [&](qsizetype length) {
        if (length == 0) return;
        if (shown != nullptr) shown->push_back({cursor.position(), letter + at, length, length});
        cursor.insertText(text.mid(at, length), format);
    };
    while (at < text.size()) {
        if (lineEnd < at) {
            lineEnd = text.indexOf(QLatin1Char('\n'), at);
            if (lineEnd < 0) lineEnd = text.size();
        }
        const qsizetype room = kMaxBlockLength - cursor.positionInBlock();
        if (lineEnd - at > room) {
            const qsizetype taken = room > 0 ? cutOfLine(text, at, room) : 0;
            insert(taken);
            continueInNextBlock(cursor, format);
            at += taken;
            continue;
        }
        const bool ends = lineEnd < text.size();
        const bool twoSigns = ends && lineEnd > at && text.at(lineEnd - 1) == QLatin1Char('\r');
        insert(lineEnd - at - (twoSigns ? 1 : 0));
        at = lineEnd;
        if (ends) {
            startLine(cursor, format);
            ++at;
        }
    }
}

void insertLineBreak(QTextCursor& cursor, const QTextCharFormat& format) {
    if (cursor.positionInBlock() < kMaxBlockLength / 2)
        return cursor.insertText(QString(QChar::LineSeparator), format);
    continueInNextBlock(cursor, format);
    QTextBlockFormat line = cursor.blockFormat();
    line.clearProperty(kContinues);
    cursor.setBlockFormat(line);
}

void markAsContinued(QTextCursor& cursor) {
    QTextBlockFormat mark;
    mark.setProperty(kContinues, true);
    mark.setTextIndent(0);
    cursor.mergeBlockFormat(mark);
}

qsizetype positionInText(const QTextDocument& document, int place) {
    qsizetype added = 0;
    for (QTextBlock block = document.begin(); block.isValid() && block.position() <= place;
         block = block.next())
        added += goesOn(block) ? 1 : 0;
    return place - added;
}

QString selectedText(const QTextCursor& cursor) {
    const int from = cursor.selectionStart(), to = cursor.selectionEnd();
    const QTextDocument& document = *cursor.document();
    QString text;
    for (QTextBlock block = document.findBlock(from); block.isValid() && block.position() <= to;
         block = block.next()) {
        if (block.position() > from && !goesOn(block)) text += QLatin1Char('\n');
        const int begin = std::max(from - block.position(), 0);
        const int end = std::min(to - block.position(), block.length() - 1);
        text += block.text().mid(begin, end - begin);
    }
    return text.replace(QChar::LineSeparator, QLatin1Char('\n'));
}

bool selectsCutLines(const QTextCursor& cursor) {
    const QTextDocument& document = *cursor.document();
    for (QTextBlock block = document.findBlock(cursor.selectionStart());
         block.isValid() && block.position() <= cursor.selectionEnd(); block = block.next())
        if (block.position() > cursor.selectionStart() && goesOn(block)) return true;
    return false;
}

}  // namespace lacuna::ui
