#pragma once
/// \file
/// Streams Markdown into a QTextDocument. A block is committed once it is closed (a blank line
/// outside a fence), a long fence and whatever else is long in pieces; only what is open is written
/// again when text arrives, so that the cost of a token does not grow with the length of the
/// answer. Parsed by md4c; raw HTML and images are never interpreted, and TeX is shown as it is
/// written.

#include <QString>
#include <QTextDocument>
#include <QVector>
#include <optional>

#include "ui/retention_text.h"
#include "ui/text_places.h"

class QTextBlock;

namespace lacuna::ui {

struct Theme;

/// The block of code that a document has at a place.
struct CodeBlock {
    QString language;  ///< as written after the fence; empty: not said
    int first = 0;     ///< document position of its first sign
    int end = 0;       ///< and behind its last one
};
[[nodiscard]] std::optional<CodeBlock> codeBlockAt(const QTextDocument& document, int place);

/// What stands in the last fence of a message; empty: it has none.
[[nodiscard]] QString lastCodeIn(const QString& markdown);

/// The words of a message as they are shown, without the marks of Markdown; a line for each block.
[[nodiscard]] QString plainText(const QString& markdown);

constexpr double kQuoteIndent = 16;  ///< px of one level
/// Depth of the quote that a block of the document belongs to; 0: none.
[[nodiscard]] int quoteDepth(const QTextBlock& block);

/// Whether a code block ends with the text given or goes on in the next.
enum class CodeEnd { Closed, GoesOn };

class MarkdownWriter {
  public:
    /// `document` is emptied and outlives the writer.
    MarkdownWriter(QTextDocument& document, const Theme& theme);
    void append(const QString& text);
    /// Writes everything again, for another theme or another text. `tint` adds to the formats of
    /// what is shown of these parts of the text.
    void reset(const QString& text, const Theme& theme, const QVector<TintRun>& tint = {});
    /// Where the text is shown, ascending.
    [[nodiscard]] const QVector<ShownText>& shown() const { return m_shown; }
    /// Characters of text in the block that is still open.
    [[nodiscard]] qsizetype openLength() const { return m_text.size() - m_committed; }

  private:
    void commitClosed();
    void commit(CodeEnd codeEnd);
    void commitPiece();
    [[nodiscard]] qsizetype longestOpen() const;
    void writeOpen();
    void writeBlock(const QString& text, CodeEnd codeEnd);

    QTextDocument& m_document;
    const Theme* m_theme;
    QVector<TintRun> m_tint;
    QVector<ShownText> m_shown;
    qsizetype m_shownClosed = 0;  ///< entries of m_shown in closed blocks
    QString m_text;
    qsizetype m_committed = 0;  ///< characters of m_text in closed blocks
    qsizetype m_scanned = 0;    ///< start of the first line not looked at for a block's end
    QString m_fence;            ///< mark of the fence that is open at m_scanned; empty: none
    QString m_fenceInfo;        ///< what stands behind it: the language
    bool m_fenceIndented = false;
    bool m_fenceGoesOn = false;  ///< its first lines are committed
    bool m_lineGoesOn = false;   ///< the first part of the open line is committed
    int m_fenceLines = 0;        ///< of it that are not
    int m_openStart = 0;         ///< document position of the open block
};

}  // namespace lacuna::ui
