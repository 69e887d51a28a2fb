#pragma once
/// \file
/// Streams Markdown into a QTextDocument. A block is committed once it is closed (a blank line
/// outside a fence); long fences and other long blocks are committed in pieces. Only the open block
/// is rewritten when text arrives, so the cost per token does not depend on the length of the
/// answer. Parsed by md4c; raw HTML is never interpreted, images are named but not loaded, and TeX
/// is shown verbatim.

#include <QString>
#include <QTextDocument>
#include <QVector>

#include "ui/charts/retention_text.h"
#include "ui/style/text_position_map.h"

class QTextBlock;

namespace lacuna::ui {

struct Theme;

/// A code block of a document.
struct CodeBlock {
    QString language;  ///< info string of the fence; empty if there is none
    int first = 0;     ///< document position of its first character
    int end = 0;       ///< one past its last character
};
/// Code blocks of a document, in order.
[[nodiscard]] QVector<CodeBlock> codeBlocksIn(const QTextDocument& document);
/// px; room above a code block for its bar, and around its lines.
constexpr int kCodeBarHeight = 24;
constexpr int kCodePadding = 8;

/// Content of the last code fence of a message; empty if there is none.
[[nodiscard]] QString lastCodeIn(const QString& markdown);

/// The displayed words of a message without Markdown markup, one line per block.
[[nodiscard]] QString plainText(const QString& markdown);

constexpr double kQuoteIndent = 16;  ///< px per level
/// Quote depth of a block of the document; 0: not in a quote.
[[nodiscard]] int quoteDepth(const QTextBlock& block);

/// States if a code block ends with the given text or continues in the next.
enum class CodeEnd { Closed, Open };

class MarkdownWriter {
  public:
    /// `document` is cleared and must outlive the writer.
    MarkdownWriter(QTextDocument& document, const Theme& theme);
    void append(const QString& text);
    /// Rewrites everything for another theme or text. `tint` adds to the formats of the given parts
    /// of the text.
    void reset(const QString& text, const Theme& theme, const QVector<TintRun>& tint = {});
    /// Ranges of the text and where the document shows them, ascending.
    [[nodiscard]] const QVector<ShownText>& shown() const { return m_shown; }
    /// Number of characters in the open block.
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
    qsizetype m_shownClosed = 0;  ///< entries of m_shown that belong to closed blocks
    QString m_text;
    qsizetype m_committed = 0;  ///< characters of m_text that belong to closed blocks
    qsizetype m_scanned = 0;    ///< start of the first line not yet scanned for a block end
    QString m_fence;            ///< marker of the fence open at m_scanned; empty: none
    QString m_fenceInfo;        ///< info string of that fence: the language
    bool m_fenceIndented = false;
    bool m_fenceContinues = false;  ///< first lines of that fence are committed
    bool m_lineContinues = false;   ///< first part of the open line is committed
    int m_fenceLines = 0;           ///< number of its lines that are not committed
    int m_openStart = 0;            ///< document position of the open block
};

}  // namespace lacuna::ui
