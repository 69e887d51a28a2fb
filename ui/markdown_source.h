#pragma once
/// \file
/// Prepares a piece of Markdown for the parser. TeX is hidden from it, so that no backslash is read
/// as an escape, and a table that directly follows a line of text gets the blank line that the
/// parser needs. Values without widgets.

#include <QString>
#include <QVector>
#include <utility>

#include "ui/text_places.h"

namespace lacuna::ui {

/// Whether the line opens or closes a fenced block of code.
[[nodiscard]] bool isFenceLine(QStringView line);

class MarkdownSource {
  public:
    /// `prefix` is a line that the parser reads before the text: the mark of the fence that the
    /// text continues. Empty: none.
    explicit MarkdownSource(const QString& text, const QString& prefix = {});

    /// The input of the parser.
    [[nodiscard]] const QString& markdown() const { return m_markdown; }
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Index in text() of a character of markdown(); -1: the character was added.
    [[nodiscard]] qsizetype indexInText(qsizetype at) const;
    /// TeX in text() with its delimiters, ascending: $, $$, \(, \[ and \begin{...}.
    [[nodiscard]] const QVector<TextRange>& tex() const { return m_tex; }

  private:
    void add(qsizetype at, const QString& added);
    void separateTables();

    QString m_text, m_markdown;
    QVector<TextRange> m_tex;
    QVector<std::pair<qsizetype, qsizetype>> m_added;  ///< index in m_markdown and length
};

}  // namespace lacuna::ui
