#pragma once
/// \file
/// Prepares Markdown for the parser. TeX is masked, so no backslash in it is read as an escape, and
/// a table directly after a line of text gets the blank line that the parser requires. Values
/// without widgets.

#include <QString>
#include <QVector>
#include <utility>

#include "ui/style/text_position_map.h"

namespace lacuna::ui {

/// True if the line opens or closes a fenced code block.
[[nodiscard]] bool isFenceLine(QStringView line);

class MarkdownSource {
  public:
    /// `prefix` is a line parsed before the text: the fence that the text continues; may be empty.
    explicit MarkdownSource(const QString& text, const QString& prefix = {});

    /// Input for the parser.
    [[nodiscard]] const QString& markdown() const { return m_markdown; }
    [[nodiscard]] const QString& text() const { return m_text; }
    /// Index in text() of a character of markdown(); -1 for an inserted character.
    [[nodiscard]] qsizetype indexInText(qsizetype at) const;
    /// Ranges of TeX in text() including delimiters, ascending: $, $$, \(, \[ and \begin{...}.
    [[nodiscard]] const QVector<TextRange>& tex() const { return m_tex; }

  private:
    void add(qsizetype at, const QString& added);
    void separateTables();

    QString m_text, m_markdown;
    QVector<TextRange> m_tex;
    QVector<std::pair<qsizetype, qsizetype>> m_added;  ///< index in m_markdown and length
};

}  // namespace lacuna::ui
