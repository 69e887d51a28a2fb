#include "ui/chat/code_colours.h"

#include <QSet>
#include <QStringList>
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace lacuna::ui {

struct CodeLanguage {
    QStringList names;
    QSet<QString> keywords;
    QStringList lineComments;
    QString commentFrom, commentTo;  ///< delimiters of multi-line comments; empty: not supported
    QStringList quotes;              ///< string delimiters within a line
    QStringList longQuotes;          ///< delimiters of multi-line strings
    bool anyCase = false;            ///< keywords are case-insensitive
};

namespace {

QSet<QString> words(const char* list) {
    const QStringList all = QString::fromLatin1(list).split(QLatin1Char(' '));
    return {all.begin(), all.end()};
}

QStringList marks(const char* list) {
    return QString::fromLatin1(list).split(QLatin1Char(' '), Qt::SkipEmptyParts);
}

CodeLanguage braces(const char* names, const char* keywords) {
    return {marks(names),         words(keywords), marks("//"), QStringLiteral("/*"),
            QStringLiteral("*/"), marks("\" '"),   {},          false};
}

const std::array<CodeLanguage, 11>& languages() {
    static const std::array<CodeLanguage, 11> all{
        braces("c h cpp c++ cc cxx hpp cuda",
               "alignas auto bool break case catch char class concept const consteval constexpr "
               "continue co_await co_return default delete do double else enum explicit export "
               "extern false final float for friend if inline int long mutable namespace new "
               "noexcept nullptr operator override private protected public requires return short "
               "signed sizeof static struct switch template this throw true try typedef typename "
               "union unsigned using virtual void volatile while"),
        {marks("python py python3"),
         words("False None True and as assert async await break case class continue def del elif "
               "else except finally for from global if import in is lambda match nonlocal not or "
               "pass raise return try while with yield self"),
         marks("#"),
         {},
         {},
         marks("\" '"),
         marks("\"\"\" '''"),
         false},
        braces("javascript js typescript ts jsx tsx",
               "any as async await boolean break case catch class const continue default delete do "
               "else enum export extends false finally for from function if implements import in "
               "instanceof interface let new null number of return static string super switch this "
               "throw true try type typeof undefined var void while yield"),
        braces("java kotlin kt csharp cs scala",
               "abstract boolean break byte case catch char class const continue default do double "
               "else enum extends false final finally float for fun if implements import in int "
               "interface internal is long namespace new null object override package private "
               "protected public return short static string super switch this throw throws true "
               "try using val var virtual void when while"),
        braces("rust rs",
               "as async await break const continue crate dyn else enum extern false fn for if "
               "impl in let loop match mod move mut pub ref return self Self static struct super "
               "trait true type unsafe use where while"),
        braces("go golang",
               "break case chan const continue default defer else fallthrough false for func go "
               "goto if import interface map nil package range return select struct switch true "
               "type var"),
        {marks("bash sh shell zsh console"),
         words("case do done elif else esac exit export fi for function if in local return set "
               "shift then until while"),
         marks("#"),
         {},
         {},
         marks("\" '"),
         {},
         false},
        {marks("sql"),
         words("add all alter and as asc between by case create cross delete desc distinct drop "
               "else end exists from full group having in index inner insert into is join key left "
               "like limit not null on or order outer primary references right select set table "
               "then union unique update values view when where with"),
         marks("--"),
         QStringLiteral("/*"),
         QStringLiteral("*/"),
         marks("'"),
         {},
         true},
        {marks("json jsonc"),
         words("true false null"),
         marks("//"),
         {},
         {},
         marks("\""),
         {},
         false},
        {marks("yaml yml toml ini"),
         words("true false null yes no"),
         marks("#"),
         {},
         {},
         marks("\" '"),
         {},
         false},
        {marks("cmake"),
         words("add_executable add_library else elseif endforeach endfunction endif foreach "
               "function if include option set target_link_libraries"),
         marks("#"),
         {},
         {},
         marks("\""),
         {},
         true}};
    return all;
}

const CodeLanguage* languageOf(const QString& name) {
    const QString wanted = name.toLower();
    for (const CodeLanguage& one : languages())
        if (one.names.contains(wanted)) return &one;
    return nullptr;
}

bool isWord(QChar sign) {
    return sign.isLetterOrNumber() || sign == QLatin1Char('_');
}

std::optional<QString> markAt(const QString& line, qsizetype at, const QStringList& marks) {
    for (const QString& mark : marks)
        if (QStringView(line).mid(at).startsWith(mark)) return mark;
    return std::nullopt;
}

/// Index after the next unescaped `mark` at or after `at`; nullopt if there is none.
std::optional<qsizetype> behind(const QString& line, qsizetype at, const QString& mark) {
    for (; at < line.size(); ++at) {
        if (line.at(at) == QLatin1Char('\\'))
            ++at;
        else if (QStringView(line).mid(at).startsWith(mark))
            return at + mark.size();
    }
    return std::nullopt;
}

void add(QVector<CodeRun>& runs, qsizetype from, qsizetype to, CodeKind kind) {
    if (to == from) return;
    if (!runs.isEmpty() && runs.back().kind == kind)
        runs.back().length += to - from;
    else
        runs.push_back({from, to - from, kind});
}

}  // namespace

CodeReader::CodeReader(const QString& name) : m_language(languageOf(name)) {}

QVector<CodeRun> CodeReader::read(const QString& line) {
    QVector<CodeRun> runs;
    if (m_language == nullptr) {
        add(runs, 0, line.size(), CodeKind::Plain);
        return runs;
    }
    const CodeLanguage& language = *m_language;
    qsizetype at = 0;
    /// Reads to the end of a string or comment, which may be in a later line.
    const auto readTo = [&](qsizetype from, qsizetype inside, const QString& mark, CodeKind kind,
                            bool severalLines) {
        const auto end = behind(line, inside, mark);
        at = end.value_or(line.size());
        add(runs, from, at, kind);
        m_until = end || !severalLines ? QString() : mark;
        m_open = kind;
    };
    if (!m_until.isEmpty()) readTo(0, 0, QString(m_until), m_open, true);
    while (at < line.size()) {
        if (markAt(line, at, language.lineComments)) {
            add(runs, at, line.size(), CodeKind::Comment);
            break;
        }
        if (!language.commentFrom.isEmpty() &&
            QStringView(line).mid(at).startsWith(language.commentFrom)) {
            readTo(at, at + language.commentFrom.size(), language.commentTo, CodeKind::Comment,
                   true);
        } else if (const auto open = markAt(line, at, language.longQuotes)) {
            readTo(at, at + open->size(), *open, CodeKind::String, true);
        } else if (const auto quote = markAt(line, at, language.quotes)) {
            readTo(at, at + quote->size(), *quote, CodeKind::String, false);
        } else if (isWord(line.at(at))) {
            qsizetype end = at;
            while (end < line.size() && isWord(line.at(end))) ++end;
            const QString word = line.mid(at, end - at);
            const bool number = word.front().isDigit();
            const bool keyword =
                language.keywords.contains(language.anyCase ? word.toLower() : word);
            add(runs, at, end,
                number    ? CodeKind::Number
                : keyword ? CodeKind::Keyword
                          : CodeKind::Plain);
            at = end;
        } else {
            add(runs, at, at + 1, CodeKind::Plain);
            ++at;
        }
    }
    return runs;
}

}  // namespace lacuna::ui
