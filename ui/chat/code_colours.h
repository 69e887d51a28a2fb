#pragma once
/// \file
/// Classifies the words of source code as keywords, strings, comments and numbers by tables of
/// keywords and delimiters per language. There is no grammar: it is accurate enough for reading and
/// runs in linear time. Values without widgets.

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

/// Reads one block of code line by line; a comment or string may span several lines.
class CodeReader {
  public:
    /// `name` is the info string of a fence: "cpp", "python". Code in an unknown language stays
    /// plain.
    explicit CodeReader(const QString& name);
    /// Splits a line without line break into contiguous runs; empty for an empty line.
    [[nodiscard]] QVector<CodeRun> read(const QString& line);

  private:
    const CodeLanguage* m_language;  ///< null if the language is unknown
    QString m_until;  ///< delimiter that closes the construct open at the start of the line; empty
                      ///< if there is none
    CodeKind m_open = CodeKind::Plain;
};

}  // namespace lacuna::ui
