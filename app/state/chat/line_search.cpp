#include "app/state/chat/line_search.h"

#include <algorithm>

namespace lacuna::app {

namespace {

constexpr qsizetype kBefore = 24, kAfter = 60;  ///< characters of a snippet before and after the
                                                ///< match

/// Collapses line breaks and runs of spaces to one space; leading and trailing blanks are kept.
QString onOneLine(const QString& text) {
    QString line;
    for (const QChar sign : text) {
        if (!sign.isSpace())
            line += sign;
        else if (!line.endsWith(QLatin1Char(' ')))
            line += QLatin1Char(' ');
    }
    return line;
}

LineHit hitAt(const QString& text, qsizetype at, qsizetype length) {
    const qsizetype from = std::max<qsizetype>(0, at - kBefore);
    const qsizetype to = std::min(text.size(), at + length + kAfter);
    LineHit hit;
    hit.before =
        (from > 0 ? QString(QChar(0x2026)) : QString()) + onOneLine(text.mid(from, at - from));
    hit.words = onOneLine(text.mid(at, length));
    hit.after = onOneLine(text.mid(at + length, to - at - length)) +
                (to < text.size() ? QString(QChar(0x2026)) : QString());
    return hit;
}

/// Returns false if there are more than `most` matches.
bool findInText(const QString& text, const QString& words, LineHit place, int most,
                QVector<LineHit>& hits) {
    qsizetype at = text.indexOf(words, 0, Qt::CaseInsensitive);
    for (int number = 0; at >= 0; ++number) {
        if (hits.size() == most) return false;
        LineHit hit = hitAt(text, at, words.size());
        hit.row = place.row;
        hit.attached = place.attached;
        hit.number = number;
        hits.push_back(std::move(hit));
        at = text.indexOf(words, at + words.size(), Qt::CaseInsensitive);
    }
    return true;
}

}  // namespace

LineHits findInLines(const QVector<ChatLine>& lines, const QString& words, int most) {
    LineHits found;
    if (words.trimmed().isEmpty()) return found;
    for (int row = 0; row < lines.size() && !found.more; ++row) {
        LineHit place;
        place.row = row;
        place.attached = true;
        found.more = !findInText(lines[row].attachmentText, words, place, most, found.hits);
        place.attached = false;
        found.more = found.more || !findInText(lines[row].text, words, place, most, found.hits);
    }
    return found;
}

}  // namespace lacuna::app
