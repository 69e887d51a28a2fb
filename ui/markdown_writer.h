#pragma once
/// \file
/// Streams Markdown into a QTextDocument. A block is committed once it is closed (a blank line
/// outside a fence), a long fence and whatever else is long in pieces; only what is open is written
/// again when text arrives, so that the cost of a token does not grow with the length of the
/// answer. Parsed by md4c; raw HTML and images are never interpreted.

#include <QString>
#include <QStringList>
#include <QTextDocument>
#include <QVector>
#include <optional>

namespace lacuna::ui {

struct Theme;

enum class CellSide { Left, Centre, Right };

/// A table of a message as lines of text: columns as wide as their widest cell, for a font of equal
/// widths. Wide signs (CJK, emoji) count two. A value without widgets.
class TextTable {
  public:
    void startRow() { m_rows.emplace_back(); }
    void startCell(CellSide side) { m_rows.back().push_back({QString(), side}); }
    /// To the cell that was started last.
    void addText(const QString& text) { m_rows.back().back().text += text; }
    [[nodiscard]] bool inCell() const { return !m_rows.isEmpty() && !m_rows.back().isEmpty(); }
    /// The first row, a rule, the other rows; every line equally wide.
    [[nodiscard]] QStringList lines() const;

  private:
    struct Cell {
        QString text;
        CellSide side = CellSide::Left;
    };
    QVector<QVector<Cell>> m_rows;
};

/// The block of code that a document has at a place.
struct CodeBlock {
    QString language;  ///< as written after the fence; empty: not said
    int first = 0;     ///< document position of its first sign
    int end = 0;       ///< and behind its last one
};
[[nodiscard]] std::optional<CodeBlock> codeBlockAt(const QTextDocument& document, int place);

/// What stands in the last fence of a message; empty: it has none.
[[nodiscard]] QString lastCodeIn(const QString& markdown);

/// Columns that a text takes in a font of equal widths.
[[nodiscard]] qsizetype columnsOf(const QString& text);

/// Whether a code block ends with the text given or goes on in the next.
enum class CodeEnd { Closed, GoesOn };

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
    void commit(CodeEnd codeEnd);
    void commitPiece();
    [[nodiscard]] qsizetype longestOpen() const;
    void writeOpen();
    void writeBlock(const QString& text, CodeEnd codeEnd);

    QTextDocument& m_document;
    const Theme* m_theme;
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
