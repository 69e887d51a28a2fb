#pragma once
/// \file
/// Streams Markdown into a QTextDocument. A block is committed once it is closed (a blank line
/// outside a fence); only the open block is written again when text arrives, so that the cost of a
/// token does not grow with the length of the answer. Parsed by md4c; raw HTML and images are never
/// interpreted.

#include <QString>
#include <QTextDocument>

namespace lacuna::ui {

struct Theme;

class MarkdownWriter {
  public:
    /// `document` is emptied and outlives the writer.
    MarkdownWriter(QTextDocument& document, const Theme& theme);
    void append(const QString& text);
    /// Writes everything again, for another theme or another text.
    void reset(const QString& text, const Theme& theme);
    /// Characters of text in the block that is still open.
    [[nodiscard]] qsizetype openLength() const { return m_text.size() - m_committed; }

  private:
    void commitClosed();
    void writeOpen();
    void writeBlock(const QString& markdown);

    QTextDocument& m_document;
    const Theme* m_theme;
    QString m_text;
    qsizetype m_committed = 0;  ///< characters of m_text in closed blocks
    qsizetype m_scanned = 0;    ///< start of the first line not looked at for a block's end
    bool m_inFence = false;     ///< at m_scanned
    int m_openStart = 0;        ///< document position of the open block
};

}  // namespace lacuna::ui
