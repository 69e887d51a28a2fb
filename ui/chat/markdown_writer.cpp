#include "ui/chat/markdown_writer.h"

#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ui/chat/code_colours.h"
#include "ui/chat/markdown_input.h"
#include "ui/style/long_lines.h"
#include "ui/style/theme.h"

namespace lacuna::ui {

// Closed blocks never change. Text [0, m_committed) is in the document before m_openStart; the rest
// is the open block, deleted and inserted again with each append. All inserts use one cursor, which
// is linear in the number of runs (setMarkdown is quadratic).

namespace {

constexpr int kLineHeight = 145;  // percent
constexpr qreal kParagraphGap = 6;
/// px between a code block and the text around it. Margins of adjacent blocks overlap.
constexpr qreal kCodeGap = 8;
constexpr qreal kCellPadding = 4;
constexpr qreal kTableGap = 12;  ///< px below a table
/// Maximum number of lines of an open fence that are rewritten with each append.
constexpr int kOpenCodeLines = 64;
/// Maximum length of any open block; longer ones are committed in pieces, and no markup spans their
/// boundaries.
constexpr qsizetype kMaxOpenLength = 16 * 1024;
/// Tables stay in one piece up to this length, because rows without their header are not a table.
constexpr qsizetype kMaxTableLength = 64 * 1024;
/// Deeper lists and quotes are not indented further.
constexpr std::size_t kDeepest = 8;
/// Longer lines of code are not coloured: they mostly contain data.
constexpr qsizetype kMaxColoured = 500;

/// Larger tables are too expensive; their rows are written as lines.
constexpr unsigned kMaxCells = 2000;

/// Format properties: language and start of a code block on each of its lines; depth on blocks in
/// quotes.
constexpr int kCodeLanguage = QTextFormat::UserProperty + 1;
constexpr int kCodeBegins = QTextFormat::UserProperty + 2;
constexpr int kQuoteDepth = QTextFormat::UserProperty + 3;

QTextBlockFormat paragraphFormat() {
    QTextBlockFormat format;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    format.setBottomMargin(kParagraphGap);
    return format;
}

/// Marker before a list item.
QString itemMark(bool ordered, int number, const MD_BLOCK_LI_DETAIL& item) {
    if (item.is_task != 0)
        return QString(item.task_mark == ' ' ? QChar(0x2610) : QChar(0x2611)) + QLatin1Char(' ');
    return ordered ? QString::number(number) + QStringLiteral(". ")
                   : QString(QChar(0x2022)) + QStringLiteral("  ");
}

/// Receives md4c's callbacks for one closed or open block and writes it at a cursor.
class BlockRenderer {
  public:
    /// `codeContinues`: the text starts with the rest of a code block. `tint` must outlive the
    /// renderer.
    BlockRenderer(QTextCursor& cursor, const Theme& theme, CodeEnd codeEnd, bool codeContinues,
                  const QVector<TintRun>& tint)
        : m_cursor(cursor),
          m_theme(theme),
          m_codeEnd(codeEnd),
          m_codeContinues(codeContinues),
          m_tint(tint) {}

    /// `letter` is the index of the source in the message. Shown ranges are appended to `shown`.
    void render(const MarkdownSource& source, qsizetype letter, QVector<ShownText>& shown) {
        m_source = &source;
        m_letter = letter;
        m_shown = &shown;
        const MarkdownInput input(source);
        m_input = &input;
        m_formats.push_back(baseFormat());
        input.parse(*this);
    }

  private:
    friend lacuna::ui::MarkdownInput;
    struct OpenList {
        bool ordered = false;
        int next = 1;
    };

    [[nodiscard]] QTextCharFormat baseFormat() const {
        QTextCharFormat format;
        format.setForeground(m_theme.text);
        format.setFont(Theme::font(FontRole::Base));
        return format;
    }

    [[nodiscard]] QTextCharFormat codeFormat() const {
        QTextCharFormat format;
        format.setFont(Theme::font(FontRole::Mono));
        format.setForeground(m_theme.text);
        format.setBackground(m_theme.code);
        return format;
    }

    void startBlock(QTextBlockFormat format) {
        if (m_quoteDepth > 0)
            format.setProperty(kQuoteDepth, static_cast<int>(std::min(m_quoteDepth, kDeepest)));
        const double own = m_lists.empty() ? format.leftMargin() : 0;
        format.setLeftMargin(own + leftMargin());
        // The cursor's own block is used if it is empty, so no blank line precedes the first one.
        if (m_cursor.block().text().isEmpty()) {
            m_cursor.setBlockFormat(format);
        } else {
            m_cursor.insertBlock(format);
        }
        m_cursor.setBlockCharFormat(m_formats.back());
    }

    void enterBlock(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_QUOTE:
                ++m_quoteDepth;
                break;
            case MD_BLOCK_UL:
                m_lists.push_back({false, 0});
                break;
            case MD_BLOCK_OL:
                m_lists.push_back(
                    {true, static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start)});
                break;
            case MD_BLOCK_LI:
                enterItem(*static_cast<MD_BLOCK_LI_DETAIL*>(detail));
                break;
            case MD_BLOCK_H: {
                QTextCharFormat format = baseFormat();
                const unsigned level = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                format.setFont(Theme::font(level <= 2 ? FontRole::Headline : FontRole::Title));
                m_formats.push_back(format);
                startBlock(paragraphFormat());
                break;
            }
            case MD_BLOCK_CODE:
                enterCode(languageOf(*static_cast<MD_BLOCK_CODE_DETAIL*>(detail)));
                break;
            case MD_BLOCK_HR:
                startBlock(paragraphFormat());
                m_cursor.insertText(QString(12, QChar(0x2500)), m_formats.back());
                break;
            case MD_BLOCK_P:
                if (!m_itemStarted) startBlock(paragraphFormat());
                m_itemStarted = false;
                break;
            case MD_BLOCK_TABLE:
                enterTable(*static_cast<MD_BLOCK_TABLE_DETAIL*>(detail));
                break;
            case MD_BLOCK_TR:
                ++m_row;
                m_column = -1;
                if (m_table == nullptr) startBlock(paragraphFormat());
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                enterCell(type == MD_BLOCK_TH, static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align);
                break;
            case MD_BLOCK_DOC:
            case MD_BLOCK_HTML:
            case MD_BLOCK_THEAD:
            case MD_BLOCK_TBODY:
                break;
        }
    }

    void enterTable(const MD_BLOCK_TABLE_DETAIL& table) {
        m_row = -1;
        m_itemStarted = false;
        const unsigned rows = table.head_row_count + table.body_row_count;
        if (rows == 0 || table.col_count == 0 || rows > kMaxCells / table.col_count) return;
        QTextTableFormat format;
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(m_theme.hairline);
        format.setBorderCollapse(true);
        format.setCellPadding(kCellPadding);
        format.setCellSpacing(0);
        format.setTopMargin(2);
        format.setBottomMargin(kTableGap);
        format.setLeftMargin(leftMargin());
        format.setHeaderRowCount(static_cast<int>(table.head_row_count));
        // The content of the cursor's block stays above the table.
        m_table =
            m_cursor.insertTable(static_cast<int>(rows), static_cast<int>(table.col_count), format);
    }

    void enterCell(bool head, MD_ALIGN align) {
        ++m_column;
        QTextCharFormat letters = m_formats.back();
        if (head) letters.setFontWeight(QFont::DemiBold);
        m_formats.push_back(letters);
        if (m_table == nullptr) {
            if (m_column > 0) m_cursor.insertText(QStringLiteral(" | "), m_formats.back());
            return;
        }
        m_cursor = m_table->cellAt(m_row, m_column).firstCursorPosition();
        QTextBlockFormat format;
        format.setAlignment(align == MD_ALIGN_RIGHT    ? Qt::AlignRight
                            : align == MD_ALIGN_CENTER ? Qt::AlignHCenter
                                                       : Qt::AlignLeft);
        m_cursor.setBlockFormat(format);
        m_cursor.setBlockCharFormat(letters);
    }

    void leaveTable() {
        m_table = nullptr;
        m_cursor.movePosition(QTextCursor::End);
    }

    [[nodiscard]] double leftMargin() const {
        return kQuoteIndent * static_cast<double>(std::min(m_quoteDepth, kDeepest)) +
               20.0 * static_cast<double>(std::min(m_lists.size(), kDeepest));
    }

    void enterItem(const MD_BLOCK_LI_DETAIL& item) {
        QTextBlockFormat format = paragraphFormat();
        format.setBottomMargin(2);
        format.setTextIndent(-14);
        if (m_lists.size() <= kDeepest) startBlock(format);
        OpenList& list = m_lists.back();
        m_cursor.insertText(itemMark(list.ordered, list.next++, item), m_formats.back());
        m_itemStarted = true;
    }

    static QString languageOf(const MD_BLOCK_CODE_DETAIL& code) {
        return QString::fromUtf8(code.lang.text, static_cast<qsizetype>(code.lang.size));
    }

    void enterCode(const QString& language) {
        QTextBlockFormat format;
        format.setProperty(kCodeLanguage, language);
        m_reader.emplace(language);
        format.setBackground(m_theme.code);
        format.setLeftMargin(kCodePadding);
        format.setRightMargin(kCodePadding);
        format.setNonBreakableLines(true);
        m_formats.push_back(codeFormat());
        startBlock(format);
        m_codeFormat = m_cursor.blockFormat();
        m_codeStart = m_cursor.block().position();
        m_inCode = true;
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_TABLE) leaveTable();
        if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) m_formats.pop_back();
        if (type == MD_BLOCK_QUOTE) --m_quoteDepth;
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) m_lists.pop_back();
        if (type == MD_BLOCK_LI) m_itemStarted = false;
        if (type == MD_BLOCK_H) m_formats.pop_back();
        if (type == MD_BLOCK_CODE) leaveCode();
    }

    void leaveCode() {
        if (m_codeEnd == CodeEnd::Closed) {
            QTextBlockFormat last = m_cursor.blockFormat();
            last.setBottomMargin(kCodePadding + kCodeGap);
            m_cursor.setBlockFormat(last);
        }
        if (!m_codeContinues) {
            QTextBlockFormat begins;
            begins.setProperty(kCodeBegins, true);
            QTextCursor first(m_cursor);
            first.setPosition(m_codeStart);
            const bool follows = first.block().previous().blockFormat().hasProperty(kCodeLanguage);
            begins.setTopMargin(kCodeBarHeight + kCodeGap + (follows ? kCodePadding : 0));
            first.mergeBlockFormat(begins);
        }
        m_formats.pop_back();
        m_inCode = m_pendingLine = false;
    }

    [[nodiscard]] QTextCharFormat formatOf(CodeKind kind) const {
        QTextCharFormat format = m_formats.back();
        switch (kind) {
            case CodeKind::Plain:
                break;
            case CodeKind::Keyword:
                format.setForeground(m_theme.accent);
                break;
            case CodeKind::String:
                format.setForeground(m_theme.good);
                break;
            case CodeKind::Comment:
                format.setForeground(m_theme.secondary);
                format.setFontItalic(true);
                break;
            case CodeKind::Number:
                format.setForeground(m_theme.pending);
                break;
        }
        return format;
    }

    void codeLine(const MarkdownInput::Part& line) {
        if (line.text.size() > kMaxColoured) return write(line, m_formats.back());
        for (const CodeRun& run : m_reader->read(line.text))
            write(within(line, run.from, run.length), formatOf(run.kind));
    }

    [[nodiscard]] static MarkdownInput::Part within(const MarkdownInput::Part& part, qsizetype from,
                                                    qsizetype length) {
        return {part.text.mid(from, length), part.index < 0 ? -1 : part.index + from};
    }

    /// Writes a part at the cursor, split into runs of equal tint and TeX state.
    void write(const MarkdownInput::Part& part, const QTextCharFormat& format) {
        if (part.index < 0) return insertInBlocks(m_cursor, part.text, format);
        for (qsizetype at = 0; at < part.text.size();) {
            qsizetype end = part.text.size();
            QTextCharFormat own = format;
            const auto border = [&end, &part](qsizetype index) {
                end = std::min(end, index - part.index);
            };
            applyTex(part.index + at, own, border);
            const auto tintBorder = [&border, this](qsizetype letter) {
                border(letter - m_letter);
            };
            applyTint(m_letter + part.index + at, own, tintBorder);
            insertInBlocks(m_cursor, part.text.mid(at, end - at), own, m_letter + part.index + at,
                           m_shown);
            at = end;
        }
    }

    template <class Border>
    void applyTex(qsizetype index, QTextCharFormat& format, const Border& border) const {
        const QVector<TextRange>& tex = m_source->tex();
        const auto after =
            std::upper_bound(tex.begin(), tex.end(), index,
                             [](qsizetype at, const TextRange& one) { return at < one.to; });
        if (after == tex.end() || m_inCode) return;
        if (index < after->from) return border(after->from);
        format.setFontFamilies(Theme::font(FontRole::Mono).families());
        border(after->to);
    }

    template <class Border>
    void applyTint(qsizetype letter, QTextCharFormat& format, const Border& border) const {
        const auto after = std::upper_bound(
            m_tint.begin(), m_tint.end(), letter,
            [](qsizetype at, const auto& one) { return at < one.start + one.length; });
        if (after == m_tint.end()) return;
        if (letter < after->start) return border(after->start);
        format.merge(tintFormat(*after, m_theme));
        border(after->start + after->length);
    }

    void enterSpan(MD_SPANTYPE type, void* detail) {
        QTextCharFormat format = m_formats.back();
        switch (type) {
            case MD_SPAN_EM:
                format.setFontItalic(true);
                break;
            case MD_SPAN_STRONG:
                format.setFontWeight(QFont::DemiBold);
                break;
            case MD_SPAN_DEL:
                format.setFontStrikeOut(true);
                break;
            case MD_SPAN_U:
                format.setFontUnderline(true);
                break;
            case MD_SPAN_CODE:
                format = codeFormat();
                break;
            case MD_SPAN_A: {
                const auto& href = static_cast<MD_SPAN_A_DETAIL*>(detail)->href;
                format.setAnchor(true);
                format.setAnchorHref(m_input->text(href));
                format.setForeground(m_theme.accent);
                format.setFontUnderline(true);
                break;
            }
            case MD_SPAN_IMG:
                format.setForeground(m_theme.secondary);
                break;
            case MD_SPAN_LATEXMATH:
            case MD_SPAN_LATEXMATH_DISPLAY:
            case MD_SPAN_WIKILINK:
                break;
        }
        m_formats.push_back(format);
    }

    /// An image is not loaded: its address follows its description.
    void leaveSpan(MD_SPANTYPE type, void* detail) {
        if (type == MD_SPAN_IMG) {
            const auto& source = static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src;
            m_cursor.insertText(imageText(m_input->text(source)), m_formats.back());
        }
        m_formats.pop_back();
    }

    void text(MD_TEXTTYPE type, const MarkdownInput::Part& part) {
        if (type == MD_TEXT_NULLCHAR) return;
        if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
            insertLineBreak(m_cursor, m_formats.back());
        } else if (type == MD_TEXT_ENTITY) {
            writeEntity(part);
        } else if (m_inCode) {
            codeText(part);
        } else {
            write(part, m_formats.back());
        }
    }

    /// Writes an entity: one character represents several letters.
    void writeEntity(const MarkdownInput::Part& part) {
        const QString sign = unescaped(part.text);
        if (sign == part.text || part.index < 0) return write(part, m_formats.back());
        QTextCharFormat format = m_formats.back();
        applyTint(m_letter + part.index, format, [](qsizetype) {});
        m_shown->push_back(
            {m_cursor.position(), m_letter + part.index, sign.size(), part.text.size()});
        m_cursor.insertText(sign, format);
    }

    /// Lines of a code block are separate text blocks, so its background is one rectangle. A break
    /// is written with the content that follows it, so the last one starts no line.
    void codeText(const MarkdownInput::Part& part) {
        qsizetype from = 0;
        for (const QString& line : part.text.split(QLatin1Char('\n'))) {
            if (from > 0) {
                startCodeLine();
                m_pendingLine = true;
            }
            if (!line.isEmpty()) {
                startCodeLine();
                codeLine(within(part, from, line.size()));
            }
            from += line.size() + 1;
        }
    }

    void startCodeLine() {
        if (std::exchange(m_pendingLine, false))
            m_cursor.insertBlock(m_codeFormat, m_formats.back());
    }

    QTextCursor& m_cursor;
    const Theme& m_theme;
    const CodeEnd m_codeEnd;
    const bool m_codeContinues;
    const QVector<TintRun>& m_tint;
    const MarkdownSource* m_source = nullptr;
    const MarkdownInput* m_input = nullptr;
    qsizetype m_letter = 0;
    QVector<ShownText>* m_shown = nullptr;
    std::vector<QTextCharFormat> m_formats;
    std::vector<OpenList> m_lists;
    QTextBlockFormat m_codeFormat;
    int m_codeStart = 0;                 ///< document position of the code block's first line
    std::optional<CodeReader> m_reader;  ///< reader of the open code block
    QTextTable* m_table = nullptr;  ///< open table; null: none, or its rows are written as lines
    int m_row = -1, m_column = -1;  ///< position in the open table
    std::size_t m_quoteDepth = 0;
    bool m_itemStarted = false;
    bool m_inCode = false;
    bool m_pendingLine = false;
};

/// The first word after the marker of a fence.
QString languageAfter(QStringView fence) {
    qsizetype at = 0;
    while (at < fence.size() && fence.at(at) == fence.front()) ++at;
    const QString rest = fence.mid(at).trimmed().toString();
    return rest.left(rest.indexOf(QLatin1Char(' ')));
}

}  // namespace

QVector<CodeBlock> codeBlocksIn(const QTextDocument& document) {
    QVector<CodeBlock> blocks;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        const QTextBlockFormat format = block.blockFormat();
        if (!format.hasProperty(kCodeLanguage)) continue;
        const bool goesOn = !format.hasProperty(kCodeBegins) && !blocks.isEmpty() &&
                            blocks.back().end + 1 == block.position();
        if (!goesOn) blocks.push_back({format.stringProperty(kCodeLanguage), block.position(), 0});
        blocks.back().end = block.position() + block.length() - 1;
    }
    return blocks;
}

QString lastCodeIn(const QString& markdown) {
    QStringList last, open;
    bool inside = false;
    for (const QString& line : markdown.split(QLatin1Char('\n'))) {
        if (!isFenceLine(line)) {
            if (inside) open << line;
            continue;
        }
        if (inside) last = open;
        open.clear();
        inside = !inside;
    }
    return (open.isEmpty() ? last : open).join(QLatin1Char('\n'));
}

int quoteDepth(const QTextBlock& block) {
    return block.blockFormat().intProperty(kQuoteDepth);
}

namespace {

/// Receives md4c's callbacks and collects the words.
class PlainText {
  public:
    QString read(const MarkdownSource& source) {
        MarkdownInput(source).parse(*this);
        return m_text;
    }

  private:
    friend lacuna::ui::MarkdownInput;
    void enterBlock(MD_BLOCKTYPE type, void* detail) {
        // Numbers of open lists; 0: bullets.
        if (type == MD_BLOCK_UL) m_lists.push_back(0);
        if (type == MD_BLOCK_OL)
            m_lists.push_back(static_cast<int>(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start));
        if (m_afterMark && type == MD_BLOCK_P) return;
        if (!m_text.isEmpty() && !m_text.endsWith(QLatin1Char('\n'))) m_text += QLatin1Char('\n');
        if (type != MD_BLOCK_LI || m_lists.empty()) return;
        const bool ordered = m_lists.back() > 0;
        m_text += itemMark(ordered, m_lists.back(), *static_cast<MD_BLOCK_LI_DETAIL*>(detail));
        if (ordered) ++m_lists.back();
        m_afterMark = true;
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) m_lists.pop_back();
    }
    void enterSpan(MD_SPANTYPE, void*) {}
    void leaveSpan(MD_SPANTYPE, void*) {}

    void text(MD_TEXTTYPE type, const MarkdownInput::Part& part) {
        m_afterMark = false;
        if (type == MD_TEXT_NULLCHAR) return;
        m_text += type == MD_TEXT_BR || type == MD_TEXT_SOFTBR ? QStringLiteral("\n")
                  : type == MD_TEXT_ENTITY                     ? unescaped(part.text)
                                                               : part.text;
    }

    QString m_text;
    std::vector<int> m_lists;
    bool m_afterMark = false;
};

}  // namespace

QString plainText(const QString& markdown) {
    return PlainText().read(MarkdownSource(markdown));
}

MarkdownWriter::MarkdownWriter(QTextDocument& document, const Theme& theme)
    : m_document(document), m_theme(&theme) {
    m_document.clear();
}

void MarkdownWriter::append(const QString& text) {
    m_text += text;
    commitClosed();
    writeOpen();
}

void MarkdownWriter::reset(const QString& text, const Theme& theme, const QVector<TintRun>& tint) {
    m_theme = &theme;
    m_tint = tint;
    m_shown.clear();
    m_shownClosed = 0;
    m_document.clear();
    m_text.clear();
    m_committed = m_scanned = 0;
    m_openStart = 0;
    m_fence.clear();
    m_fenceContinues = m_lineContinues = false;
    append(text);
}

void MarkdownWriter::commitClosed() {
    while (true) {
        const qsizetype end = m_text.indexOf(QLatin1Char('\n'), m_scanned);
        if ((end < 0 ? m_text.size() : end) - m_committed > longestOpen()) {
            commitPiece();
            continue;
        }
        if (end < 0) return;
        const QStringView line = QStringView(m_text).mid(m_scanned, end - m_scanned);
        const bool blank = line.trimmed().isEmpty();
        const bool fence = isFenceLine(line);
        const bool inside = !m_fence.isEmpty();
        m_scanned = end + 1;
        if (inside ? fence : blank) {
            commit(CodeEnd::Closed);
        } else if (inside && ++m_fenceLines >= kOpenCodeLines && !blank && !m_fenceIndented) {
            // A blank line at the end could be mistaken for block spacing. An indented fence
            // belongs to a list, which its rest would leave.
            commit(CodeEnd::Open);
            m_fenceLines = 0;
        }
        if (!fence) continue;
        m_fence = inside ? QString() : line.trimmed().left(3).toString();
        m_fenceInfo = inside ? QString() : languageAfter(line.trimmed());
        m_fenceIndented = line.front().isSpace();
        m_fenceLines = 0;
    }
}

qsizetype MarkdownWriter::longestOpen() const {
    if (!m_fence.isEmpty() || m_scanned <= m_committed) return kMaxOpenLength;
    const QStringView lines = QStringView(m_text).mid(m_committed, m_scanned - m_committed - 1);
    const QStringView last = lines.mid(lines.lastIndexOf(QLatin1Char('\n')) + 1);
    return last.trimmed().startsWith(QLatin1Char('|')) ? kMaxTableLength : kMaxOpenLength;
}

/// Commits complete lines if there are any, otherwise part of one.
void MarkdownWriter::commitPiece() {
    const CodeEnd end = m_fence.isEmpty() ? CodeEnd::Closed : CodeEnd::Open;
    m_fenceLines = 0;
    if (m_scanned > m_committed) return commit(end);
    m_scanned = m_committed + cutOfLine(m_text, m_committed, kMaxOpenLength);
    commit(end);
    m_lineContinues = true;
    QTextCursor last(&m_document);
    last.movePosition(QTextCursor::End);
    // Prose loses the trailing space of a block.
    if (m_fence.isEmpty() && m_text.at(m_committed - 1) == QLatin1Char(' '))
        last.insertText(QStringLiteral(" "));
    QTextBlockFormat close;
    close.setBottomMargin(0);
    last.mergeBlockFormat(close);
    m_openStart = m_document.characterCount() - 1;
}

void MarkdownWriter::commit(CodeEnd codeEnd) {
    writeBlock(m_text.mid(m_committed, m_scanned - m_committed), codeEnd);
    m_lineContinues = false;
    m_fenceContinues = codeEnd == CodeEnd::Open;
    m_committed = m_scanned;
    m_shownClosed = m_shown.size();
    m_openStart = m_document.characterCount() - 1;
}

void MarkdownWriter::writeOpen() {
    writeBlock(m_text.mid(m_committed), CodeEnd::Closed);
}

void MarkdownWriter::writeBlock(const QString& text, CodeEnd codeEnd) {
    // The rest of a fence starts with the fence marker again; otherwise it would be parsed as
    // prose.
    const bool onlyItsEnd = m_fenceContinues && isFenceLine(text);
    const QString fence =
        m_fenceContinues ? QString(m_fence + m_fenceInfo + QLatin1Char('\n')) : QString();
    m_shown.resize(m_shownClosed);
    QTextCursor cursor(&m_document);
    cursor.beginEditBlock();
    cursor.setPosition(m_openStart);
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    if (!text.trimmed().isEmpty() && !onlyItsEnd) {
        if (!cursor.block().text().isEmpty()) cursor.insertBlock(QTextBlockFormat());
        const int start = cursor.position();
        BlockRenderer(cursor, *m_theme, codeEnd, m_fenceContinues, m_tint)
            .render(MarkdownSource(text, fence), m_committed, m_shown);
        if (m_lineContinues) {
            cursor.setPosition(start);
            markAsContinued(cursor);
        }
    }
    cursor.endEditBlock();
}

}  // namespace lacuna::ui
