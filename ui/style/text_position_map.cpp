#include "ui/style/text_position_map.h"

#include <QTextDocument>
#include <algorithm>

#include "ui/style/long_lines.h"

namespace lacuna::ui {

namespace {

/// The first document position whose letter is at or after `letter`.
qsizetype placeOf(const QTextDocument& document, qsizetype letter) {
    int low = 0, high = document.characterCount() - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (positionInText(document, middle) < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace

TextPositionMap TextPositionMap::verbatim(const QTextDocument& document, qsizetype before) {
    return TextPositionMap(document, before);
}

TextPositionMap TextPositionMap::formatted(const QTextDocument& document,
                                           const QVector<ShownText>& shown, qsizetype before) {
    TextPositionMap places(document, before);
    places.m_formatted = true;
    places.m_shown = shown;
    for (ShownText& one : places.m_shown) one.letter += before;
    return places;
}

TextRange TextPositionMap::inText(TextRange places) const {
    if (places.isEmpty()) return {};
    if (!m_formatted)
        return {m_before + positionInText(*m_document, static_cast<int>(places.from)),
                m_before + positionInText(*m_document, static_cast<int>(places.to))};
    TextRange letters;
    for (const ShownText& one : m_shown) {
        if (one.place + one.length <= places.from) continue;
        if (one.place >= places.to) break;
        const bool same = one.length == one.letters;
        const qsizetype into = same ? std::max<qsizetype>(0, places.from - one.place) : 0;
        if (letters.isEmpty()) letters.from = one.letter + into;
        letters.to =
            one.letter + (same ? std::min(one.length, places.to - one.place) : one.letters);
    }
    return letters;
}

TextRange TextPositionMap::inDocument(TextRange letters) const {
    if (!m_formatted) {
        const qsizetype from = std::max<qsizetype>(0, letters.from - m_before);
        const qsizetype to = std::max<qsizetype>(0, letters.to - m_before);
        if (to <= from) return {};
        return {placeOf(*m_document, from), placeOf(*m_document, to)};
    }
    TextRange places;
    for (const ShownText& one : m_shown) {
        if (one.letter + one.letters <= letters.from) continue;
        if (one.letter >= letters.to) break;
        const bool same = one.length == one.letters;
        const qsizetype into = same ? std::max<qsizetype>(0, letters.from - one.letter) : 0;
        if (places.isEmpty()) places.from = one.place + into;
        places.to = one.place + (same ? std::min(one.length, letters.to - one.letter) : one.length);
    }
    return places;
}

}  // namespace lacuna::ui
