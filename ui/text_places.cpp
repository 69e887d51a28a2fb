#include "ui/text_places.h"

#include <QTextDocument>
#include <algorithm>

#include "ui/long_lines.h"

namespace lacuna::ui {

namespace {

/// So far on a word is looked for: behind an address that is not shown, and no further.
constexpr qsizetype kWordReach = 4000, kSignReach = 80;

qsizetype wordEnd(QStringView text, qsizetype at) {
    if (!text.at(at).isLetterOrNumber()) return at + 1;
    while (at < text.size() && text.at(at).isLetterOrNumber()) ++at;
    return at;
}

/// Where `word` stands alone in `text` from `at` on; -1: not within reach.
qsizetype findWord(QStringView text, QStringView word, qsizetype at) {
    const bool letters = word.front().isLetterOrNumber();
    const qsizetype end = std::min(text.size(), at + (letters ? kWordReach : kSignReach));
    for (qsizetype from = at;;) {
        const qsizetype found = text.first(end).indexOf(word, from);
        if (found < 0 || !letters) return found;
        const bool begins = found == 0 || !text.at(found - 1).isLetterOrNumber();
        const qsizetype behind = found + word.size();
        if (begins && (behind >= text.size() || !text.at(behind).isLetterOrNumber())) return found;
        from = found + 1;
    }
}

/// The first place of a document whose letter is not before `letter`.
qsizetype placeOf(const QTextDocument& document, qsizetype letter) {
    int low = 0, high = document.characterCount() - 1;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (placeInText(document, middle) < letter)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

}  // namespace

TextPlaces TextPlaces::verbatim(const QTextDocument& document, qsizetype before) {
    return TextPlaces(document, before);
}

TextPlaces TextPlaces::formatted(const QTextDocument& document, const QString& source,
                                 qsizetype before) {
    TextPlaces places(document, before);
    places.m_formatted = true;
    const QString shown = document.toRawText();
    qsizetype at = 0;
    for (qsizetype place = 0; place < shown.size();) {
        if (shown.at(place).isSpace()) {
            ++place;
            continue;
        }
        const qsizetype end = wordEnd(shown, place);
        const QStringView word = QStringView(shown).mid(place, end - place);
        if (const qsizetype found = findWord(source, word, at); found >= 0) {
            places.m_words.push_back({place, before + found, word.size()});
            at = found + word.size();
        }
        place = end;
    }
    return places;
}

TextRange TextPlaces::inText(TextRange places) const {
    if (places.isEmpty()) return {};
    if (!m_formatted)
        return {m_before + placeInText(*m_document, static_cast<int>(places.from)),
                m_before + placeInText(*m_document, static_cast<int>(places.to))};
    TextRange letters;
    for (const Word& word : m_words) {
        if (word.place + word.length <= places.from) continue;
        if (word.place >= places.to) break;
        const qsizetype from = word.letter + std::max<qsizetype>(0, places.from - word.place);
        if (letters.isEmpty()) letters.from = from;
        letters.to = word.letter + std::min(word.length, places.to - word.place);
    }
    return letters;
}

TextRange TextPlaces::inDocument(TextRange letters) const {
    if (!m_formatted) {
        const qsizetype from = std::max<qsizetype>(0, letters.from - m_before);
        const qsizetype to = std::max<qsizetype>(0, letters.to - m_before);
        if (to <= from) return {};
        return {placeOf(*m_document, from), placeOf(*m_document, to)};
    }
    TextRange places;
    for (const Word& word : m_words) {
        if (word.letter + word.length <= letters.from) continue;
        if (word.letter >= letters.to) break;
        if (places.isEmpty())
            places.from = word.place + std::max<qsizetype>(0, letters.from - word.letter);
        places.to = word.place + std::min(word.length, letters.to - word.letter);
    }
    return places;
}

}  // namespace lacuna::ui
