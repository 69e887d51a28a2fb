#include "app/state/engine/compaction_text.h"

#include <QCoreApplication>
#include <QStringList>
#include <variant>
#include <vector>

#include "app/state/engine/engine_text.h"
#include "app/state/figure_language.h"
#include "app/state/number_format.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna::app {

namespace {

QString valueText(const NoteValue& value) {
    constexpr int kDigits = 3;
    if (const auto* count = std::get_if<std::int64_t>(&value)) return countText(*count);
    if (const auto* figure = std::get_if<double>(&value)) return shortText(*figure, kDigits);
    return engineText(std::get<std::string>(value));
}

QString phraseText(const Phrase& phrase) {
    const QString form = QCoreApplication::translate("Engine", phrase.text);
    QString text;
    for (qsizetype i = 0; i < form.size(); ++i) {
        const bool place = form.at(i) == QLatin1Char('%') && i + 1 < form.size();
        const int index = place ? form.at(i + 1).digitValue() - 1 : -1;
        if (index < 0 || index >= static_cast<int>(phrase.values.size())) {
            text += form.at(i);
            continue;
        }
        text += valueText(phrase.values[static_cast<std::size_t>(index)]);
        ++i;
    }
    return text;
}

QString joined(const std::vector<Phrase>& phrases) {
    QStringList parts;
    for (const Phrase& phrase : phrases) parts << phraseText(phrase);
    return parts.join(QCoreApplication::translate("EngineTexts", "; "));
}

}  // namespace

QString compactionText(const CompactionNotes& notes) {
    return joined(phrasesOf(notes));
}

QString compactionText(const CompactionState& state) {
    return joined(phrasesOf(state));
}

}  // namespace lacuna::app
