#include "ui/chat/markdown_source.h"

#include <QSet>
#include <algorithm>

namespace lacuna::ui {

namespace {

/// A private-use character: the parser treats it as a letter, and no entity produces it.
constexpr QChar kHidden(0xE000);
constexpr qsizetype kMaxEnvironmentName = 24;

qsizetype endOfLine(const QString& text, qsizetype at) {
    const qsizetype end = text.indexOf(QLatin1Char('\n'), at);
    return end < 0 ? text.size() : end;
}

/// Length of the quote markers before the content of a line.
qsizetype quoteMarks(QStringView line) {
    qsizetype marks = 0, at = 0;
    for (; at < line.size(); ++at) {
        if (line.at(at) == QLatin1Char('>'))
            marks = at + 1;
        else if (line.at(at) != QLatin1Char(' '))
            break;
    }
    return marks;
}

bool isBlank(QStringView line) {
    return line.mid(quoteMarks(line)).trimmed().isEmpty();
}

bool isFence(QStringView line) {
    return isFenceLine(line.mid(quoteMarks(line)));
}

/// Finds TeX outside of code. Linear: a delimiter that was not found is not searched again in the
/// same paragraph.
class TexFinder {
  public:
    TexFinder(const QString& text, bool inFence) : m_text(text), m_inFence(inFence) {}

    QVector<TextRange> find() {
        while (m_at < m_text.size()) {
            if (m_at == 0 || m_text.at(m_at - 1) == QLatin1Char('\n')) {
                if (skipCodeLine()) continue;
                if (m_at >= m_paragraphEnd) startParagraph();
            }
            step();
        }
        return m_found;
    }

  private:
    bool skipCodeLine() {
        const qsizetype end = endOfLine(m_text, m_at);
        const bool fence = isFence(QStringView(m_text).mid(m_at, end - m_at));
        if (!fence && !m_inFence) return false;
        if (fence) m_inFence = !m_inFence;
        m_at = end + 1;
        return true;
    }

    void startParagraph() {
        m_missing.clear();
        qsizetype line = m_at;
        while (line < m_text.size()) {
            const qsizetype end = endOfLine(m_text, line);
            const QStringView words = QStringView(m_text).mid(line, end - line);
            if (line > m_at && (isBlank(words) || isFence(words))) break;
            line = end + 1;
        }
        m_paragraphEnd = std::min(line, m_text.size());
    }

    [[nodiscard]] QChar at(qsizetype index) const {
        return index >= 0 && index < m_text.size() ? m_text.at(index) : QChar(u'\n');
    }

    void step() {
        switch (m_text.at(m_at).unicode()) {
            case u'\\':
                backslash();
                break;
            case u'`':
                code();
                break;
            case u'$':
                dollar();
                break;
            default:
                ++m_at;
        }
    }

    /// True after an odd number of backslashes.
    [[nodiscard]] bool isEscaped(qsizetype index) const {
        qsizetype before = index;
        while (at(before - 1) == QLatin1Char('\\')) --before;
        return (index - before) % 2 == 1;
    }

    /// Index of `mark` in the rest of the paragraph; -1 if it is absent.
    qsizetype seek(const QString& mark, qsizetype from) {
        if (m_missing.contains(mark)) return -1;
        for (qsizetype found = from;; ++found) {
            found = m_text.indexOf(mark, found);
            if (found < 0 || found + mark.size() > m_paragraphEnd) break;
            if (!isEscaped(found)) return found;
        }
        m_missing.insert(mark);
        return -1;
    }

    void take(qsizetype end) {
        m_found.push_back({m_at, end});
        m_at = end;
    }

    void backslash() {
        const QChar next = at(m_at + 1);
        QString mark;
        if (next == QLatin1Char('(')) mark = QStringLiteral("\\)");
        if (next == QLatin1Char('[')) mark = QStringLiteral("\\]");
        if (QStringView(m_text).mid(m_at).startsWith(QLatin1String("\\begin{"))) {
            const qsizetype name = m_at + 6;
            const qsizetype end = m_text.indexOf(QLatin1Char('}'), name);
            if (end > 0 && end - name < kMaxEnvironmentName)
                mark = QStringLiteral("\\end") + m_text.mid(name, end + 1 - name);
        }
        const qsizetype end = mark.isEmpty() ? -1 : seek(mark, m_at + 2);
        if (end >= 0)
            take(end + mark.size());
        else
            m_at += next == QLatin1Char('\n') ? 1 : 2;
    }

    /// A code span ends with a run of the same number of backticks.
    void code() {
        const auto runAt = [this](qsizetype from) {
            qsizetype end = from;
            while (end < m_paragraphEnd && m_text.at(end) == QLatin1Char('`')) ++end;
            return end - from;
        };
        const qsizetype length = std::max<qsizetype>(runAt(m_at), 1);
        const QString mark(length, QLatin1Char('`'));
        qsizetype from = m_at + length;
        m_at = from;
        if (m_missing.contains(mark)) return;
        while (from < m_paragraphEnd) {
            from = m_text.indexOf(QLatin1Char('`'), from);
            if (from < 0 || from >= m_paragraphEnd) break;
            const qsizetype run = runAt(from);
            if (run == length) {
                m_at = from + run;
                return;
            }
            from += run;
        }
        m_missing.insert(mark);
    }

    void dollar() {
        if (at(m_at + 1) == QLatin1Char('$')) {
            const QString mark = QStringLiteral("$$");
            const qsizetype end = seek(mark, m_at + 2);
            const bool empty =
                end < 0 || QStringView(m_text).mid(m_at + 2, end - m_at - 2).trimmed().isEmpty();
            if (empty)
                m_at += 2;
            else
                take(end + 2);
            return;
        }
        const qsizetype end = endOfDollars();
        if (end < 0)
            ++m_at;
        else
            take(end + 1);
    }

    /// Pandoc's rules, plus: no letter or digit directly outside a dollar sign, so amounts of money
    /// and shell variables are not TeX.
    [[nodiscard]] qsizetype endOfDollars() {
        static const QString kMark = QStringLiteral("$");
        if (m_missing.contains(kMark)) return -1;
        if (at(m_at - 1).isLetterOrNumber() || at(m_at + 1).isSpace()) return -1;
        for (qsizetype i = m_at + 1; i < m_paragraphEnd; ++i) {
            const QChar sign = m_text.at(i);
            if (sign == QLatin1Char('`')) return -1;
            if (sign == QLatin1Char('\\')) ++i;
            if (sign != QLatin1Char('$')) continue;
            const bool closes = !at(i - 1).isSpace() && !at(i + 1).isLetterOrNumber();
            return closes && at(i + 1) != kMark.front() && !isAmount(m_at + 1, i) ? i : -1;
        }
        m_missing.insert(kMark);
        return -1;
    }

    /// True for the "5 and 10" of "$5 and 10$".
    [[nodiscard]] bool isAmount(qsizetype from, qsizetype to) const {
        const QStringView words = QStringView(m_text).mid(from, to - from);
        return words.front().isDigit() && words.contains(QLatin1Char(' ')) &&
               std::none_of(words.begin(), words.end(),
                            [](QChar sign) { return QStringLiteral("\\^_={}").contains(sign); });
    }

    const QString& m_text;
    bool m_inFence;
    qsizetype m_at = 0;
    qsizetype m_paragraphEnd = 0;
    QSet<QString> m_missing;  ///< delimiters absent from the rest of the paragraph
    QVector<TextRange> m_found;
};

/// Keeps line breaks and block markers at the start of lines, which determine the block.
void hide(QString& text, const TextRange& range) {
    bool begins = range.from == 0 || text.at(range.from - 1) == QLatin1Char('\n');
    for (qsizetype at = range.from; at < range.to; ++at) {
        const QChar sign = text.at(at);
        if (sign == QLatin1Char('\n')) {
            begins = true;
            continue;
        }
        begins = begins && (sign.isSpace() || sign == QLatin1Char('>'));
        if (!begins) text[at] = kHidden;
    }
}

/// Number of table cells in a line; 0 if it has no separator.
qsizetype cellsOf(QStringView line) {
    const QStringView row = line.mid(quoteMarks(line)).trimmed();
    qsizetype marks = 0;
    for (qsizetype at = 0; at < row.size(); ++at) {
        if (row.at(at) == QLatin1Char('\\'))
            ++at;
        else if (row.at(at) == QLatin1Char('|'))
            ++marks;
    }
    if (marks == 0) return 0;
    const bool first = row.startsWith(QLatin1Char('|'));
    const bool last = row.size() > 1 && row.endsWith(QLatin1Char('|'));
    return std::max<qsizetype>(1, marks + 1 - (first ? 1 : 0) - (last ? 1 : 0));
}

/// "|---|:-:|" below the header of a table.
bool isRuleOfTable(QStringView line) {
    const QStringView rule = line.mid(quoteMarks(line)).trimmed();
    return rule.contains(QLatin1Char('|')) && rule.contains(QLatin1Char('-')) &&
           std::all_of(rule.begin(), rule.end(), [](QChar sign) {
               return sign == QLatin1Char('|') || sign == QLatin1Char('-') ||
                      sign == QLatin1Char(':') || sign == QLatin1Char(' ') ||
                      sign == QLatin1Char('\t');
           });
}

}  // namespace

bool isFenceLine(QStringView line) {
    const QStringView words = line.trimmed();
    if (words.startsWith(QLatin1String("~~~"))) return true;
    if (!words.startsWith(QLatin1String("```"))) return false;
    qsizetype marks = 3;
    while (marks < words.size() && words.at(marks) == QLatin1Char('`')) ++marks;
    return !words.mid(marks).contains(QLatin1Char('`'));  // otherwise a code span
}

MarkdownSource::MarkdownSource(const QString& text, const QString& prefix)
    : m_text(text), m_markdown(text) {
    m_tex = TexFinder(m_text, !prefix.isEmpty()).find();
    for (const TextRange& range : m_tex) hide(m_markdown, range);
    if (!prefix.isEmpty()) add(0, prefix);
    if (text.contains(QLatin1Char('|'))) separateTables();
}

void MarkdownSource::add(qsizetype at, const QString& added) {
    m_markdown.insert(at, added);
    m_added.push_back({at, added.size()});
}

qsizetype MarkdownSource::indexInText(qsizetype at) const {
    qsizetype before = 0;
    for (const auto& [from, length] : m_added) {
        if (at < from) break;
        if (at < from + length) return -1;
        before += length;
    }
    return at - before;
}

/// As on GitHub, a table can interrupt a paragraph.
void MarkdownSource::separateTables() {
    bool inFence = false, inTable = false;
    // Starts of the two preceding lines.
    qsizetype second = -1, first = -1;
    const auto line = [this](qsizetype from) {
        return QStringView(m_markdown).mid(from, endOfLine(m_markdown, from) - from);
    };
    for (qsizetype at = 0; at < m_markdown.size(); at = endOfLine(m_markdown, at) + 1) {
        const QStringView here = line(at);
        if (isFence(here)) inFence = !inFence;
        if (inFence || isBlank(here)) {
            inTable = false;
        } else if (!inTable && first >= 0 && isRuleOfTable(here) &&
                   cellsOf(here) == cellsOf(line(first))) {
            inTable = true;
            if (second >= 0 && !isBlank(line(second)) && !isFence(line(second))) {
                const QStringView head = line(first);
                const QString blank = head.first(quoteMarks(head)) + QLatin1Char('\n');
                add(first, blank);
                at += blank.size();
            }
        }
        second = first;
        first = at;
    }
}

}  // namespace lacuna::ui
