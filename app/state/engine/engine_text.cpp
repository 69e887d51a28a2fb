#include "app/state/engine/engine_text.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>
#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/figure_language.h"
#include "app/state/number_format.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {

namespace {

constexpr int kDeepest = 6;   ///< maximum nesting depth
constexpr int kFewWords = 3;  ///< patterns with fewer words are ambiguous, so their placeholders
                              ///< match single words only

struct Joiners {
    Q_DECLARE_TR_FUNCTIONS(EngineTexts)
};

const QRegularExpression& place() {
    static const QRegularExpression form(QStringLiteral("%([1-9])"));
    return form;
}

QString translated(const QString& text) {
    return QCoreApplication::translate("Engine", text.toUtf8().constData());
}

/// A text with placeholders and the expression that matches it.
struct Pattern {
    QString text;
    QString longest;  ///< longest fixed part, used as a fast filter
    int fixed = 0;    ///< number of characters outside placeholders
    QRegularExpression form;
};

Pattern patternOf(const QString& text) {
    Pattern pattern{text, {}, 0, {}};
    const QStringList parts = text.split(place());
    static const QRegularExpression letter(QStringLiteral("\\pL"));
    int words = 0;
    for (const QString& part : parts) {
        pattern.fixed += static_cast<int>(part.size());
        for (const QString& word : part.split(QLatin1Char(' '), Qt::SkipEmptyParts))
            words += word.contains(letter) ? 1 : 0;
        if (part.size() > pattern.longest.size()) pattern.longest = part;
    }
    // After a colon, any text may follow.
    const bool vague = (parts.front().isEmpty() || parts.size() > 2) && words < kFewWords &&
                       !text.contains(QLatin1Char(':'));
    // Matches a word, or a figure with its unit.
    const QString any =
        vague ? QStringLiteral("(\\S*(?: (?:[KMGT]iB|B|%|ms|s))?)") : QStringLiteral("(.*?)");
    QStringList quoted;
    for (const QString& part : parts) quoted << QRegularExpression::escape(part);
    pattern.form.setPattern(QRegularExpression::anchoredPattern(quoted.join(any)));
    pattern.form.setPatternOptions(QRegularExpression::DotMatchesEverythingOption);
    return pattern;
}

/// Replaces each placeholder in `text` once; placeholders within values are not replaced.
QString filled(const QString& text, const QStringList& values) {
    QString result;
    qsizetype from = 0;
    auto places = place().globalMatch(text);
    while (places.hasNext()) {
        const QRegularExpressionMatch one = places.next();
        result += text.mid(from, one.capturedStart() - from);
        result += values.value(one.captured(1).toInt() - 1);
        from = one.capturedEnd();
    }
    return result + text.mid(from);
}

class EngineTexts {
  public:
    explicit EngineTexts(const QByteArray& list) {
        for (const QString& text :
             QString::fromUtf8(list).split(QLatin1Char('\n'), Qt::SkipEmptyParts))
            if (text.contains(place())) m_patterns.push_back(patternOf(text));
        // The pattern with the most fixed text is the most specific match.
        std::ranges::stable_sort(m_patterns, std::greater{}, &Pattern::fixed);
    }

    /// Translates a text and keeps the blanks around it.
    [[nodiscard]] QString of(const QString& english, int depth = 0) const {
        const QString inner = english.trimmed();
        const std::optional<QString> said = known(inner, depth);
        if (!said) return figureText(english);
        const qsizetype from = english.indexOf(inner);
        return english.left(from) + *said + english.mid(from + inner.size());
    }

  private:
    [[nodiscard]] std::optional<QString> known(const QString& english, int depth) const {
        if (english.isEmpty() || depth > kDeepest) return std::nullopt;
        if (QString whole = translated(english); whole != english) return whole;
        for (const Pattern& pattern : m_patterns) {
            if (!english.contains(pattern.longest)) continue;
            const QRegularExpressionMatch found = pattern.form.match(english);
            if (!found.hasMatch()) continue;
            QStringList values;
            for (const QString& value : found.capturedTexts().mid(1))
                values << of(value, depth + 1);
            return filled(translated(pattern.text), values);
        }
        return joined(english, depth);
    }

    /// Translates a sequence of texts: split into sentences, then clauses, then list items.
    [[nodiscard]] std::optional<QString> joined(const QString& english, int depth) const {
        const std::pair<QString, QString> joiners[] = {
            {QStringLiteral(". "), Joiners::tr(". ")},
            {QStringLiteral("; "), Joiners::tr("; ")},
            {QStringLiteral(", "), Joiners::tr(", ")},
        };
        for (const auto& [between, joiner] : joiners) {
            if (!english.contains(between)) continue;
            const bool sentences = between.startsWith(QLatin1Char('.'));
            bool any = false;
            QStringList parts;
            for (const QString& part : english.split(between)) {
                // Splitting removes the full stop of every sentence except the last.
                const QString whole =
                    sentences && !part.endsWith(QLatin1Char('.')) ? part + QLatin1Char('.') : part;
                std::optional<QString> said = known(whole, depth + 1);
                if (!said && whole != part) said = known(part, depth + 1);
                any = any || said.has_value();
                parts << said.value_or(figureText(part));
            }
            if (!any) continue;
            if (!sentences) return parts.join(joiner);
            for (QString& part : parts)
                if (part.endsWith(QLatin1Char('.')) || part.endsWith(QChar(0x3002))) part.chop(1);
            return parts.join(joiner) + joiner.trimmed();
        }
        return std::nullopt;
    }

    std::vector<Pattern> m_patterns;
};

std::unique_ptr<const EngineTexts>& texts() {
    static std::unique_ptr<const EngineTexts> inUse;
    return inUse;
}

}  // namespace

void setEngineTexts(const QByteArray& list) {
    texts() = list.isEmpty() ? nullptr : std::make_unique<const EngineTexts>(list);
}

QString engineText(const QString& english) {
    return texts() ? texts()->of(english) : english;
}

QString engineText(std::string_view english) {
    return engineText(QString::fromUtf8(english.data(), static_cast<qsizetype>(english.size())));
}

QString keysInWords(QString sentence) {
    static const QRegularExpression key(
        QStringLiteral("(?<![-\\w=`])([a-z]+(?:_[a-z]+)+)(?![\\w=`])"));
    for (auto found = key.match(sentence); found.hasMatch();) {
        const SettingSpec* spec = findSetting(found.captured(1).toStdString());
        qsizetype after = found.capturedEnd();
        if (spec != nullptr) {
            const QString label = Joiners::tr("\u201c%1\u201d").arg(engineText(spec->label));
            sentence.replace(found.capturedStart(), found.capturedLength(), label);
            after = found.capturedStart() + label.size();
        }
        found = key.match(sentence, after);
    }
    return sentence;
}

QString asSentence(QString text) {
    static const QRegularExpression thousands(QStringLiteral("(?<![\\w.,/-])\\d{4,15}(?![\\w/-])"));
    for (auto found = thousands.match(text); found.hasMatch();) {
        const QString parted = countText(found.captured().toLongLong());
        text.replace(found.capturedStart(), found.capturedLength(), parted);
        found = thousands.match(text, found.capturedStart() + parted.size());
    }
    if (text.isEmpty()) return text;
    text[0] = text.at(0).toUpper();
    static const QString ends = QStringLiteral(".!?\u3002\uff01\uff1f");
    if (ends.contains(text.back())) return text;
    return Joiners::tr("%1.").arg(text);
}

}  // namespace lacuna::app
