#pragma once
/// \file
/// What the words of source code are: keywords, strings, comments, numbers; by a table of keywords
/// and marks for each language. No grammar: good enough to read by, and linear. Values without
/// widgets.

#include <QString>
#include <QVector>

namespace lacuna::ui {

enum class CodeKind { Plain, Keyword, String, Comment, Number };

struct CodeRun {
    qsizetype from = 0, length = 0;
    CodeKind kind = CodeKind::Plain;
    friend bool operator==(const CodeRun&, const CodeRun&) = default;
};

struct CodeLanguage;

/// Reads one block of code line by line; a comment or string may go over several lines.
class CodeReader {
  public:
    /// `name` as it stands after a fence: "cpp", "python". One that is not known is all plain.
    explicit CodeReader(const QString& name);
    /// The line, which has no break, in runs without gaps; none for an empty one.
    [[nodiscard]] QVector<CodeRun> read(const QString& line);

  private:
    const CodeLanguage* m_language;  ///< null: not known
    QString m_until;                 ///< mark that ends what the line begins in; empty: nothing
    CodeKind m_open = CodeKind::Plain;
};

}  // namespace lacuna::ui
