#include "ui/markdown_writer.h"

#include <md4c.h>

#include <QTextBlock>
#include <QTextCursor>
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "ui/code_colours.h"
#include "ui/long_lines.h"
#include "ui/theme.h"

namespace lacuna::ui {

namespace {

const QString& columnGap() {
    static const QString gap = QStringLiteral(" ") + QChar(0x2502) + QLatin1Char(' ');
    return gap;
}

/// East Asian wide and full-width blocks, and what lies beyond the basic plane: emoji mostly.
bool isWide(char32_t sign) {
    return (sign >= 0x1100 && sign <= 0x115F) || (sign >= 0x2E80 && sign <= 0xA4CF) ||
           (sign >= 0xAC00 && sign <= 0xD7A3) || (sign >= 0xF900 && sign <= 0xFAFF) ||
           (sign >= 0xFE30 && sign <= 0xFE6F) || (sign >= 0xFF00 && sign <= 0xFF60) ||
           sign >= 0x1F000;
}

QString padded(const QString& text, CellSide side, qsizetype width) {
    const qsizetype room = std::max<qsizetype>(width - columnsOf(text), 0);
    const qsizetype before = side == CellSide::Right    ? room
                             : side == CellSide::Centre ? room / 2
                                                        : 0;
    return QString(before, QLatin1Char(' ')) + text + QString(room - before, QLatin1Char(' '));
}

}  // namespace

qsizetype columnsOf(const QString& text) {
    qsizetype columns = 0;
    for (const uint sign : text.toUcs4()) columns += isWide(sign) ? 2 : 1;
    return columns;
}

QStringList TextTable::lines() const {
    QVector<qsizetype> widths;
    for (const QVector<Cell>& row : m_rows) {
        widths.resize(std::max(widths.size(), row.size()));
        for (qsizetype i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columnsOf(row[i].text.trimmed()));
    }
    QStringList lines;
    for (const QVector<Cell>& row : m_rows) {
        QStringList cells;
        for (qsizetype i = 0; i < widths.size(); ++i) {
            const Cell cell = i < row.size() ? row[i] : Cell{};
            cells << padded(cell.text.trimmed(), cell.side, widths[i]);
        }
        lines << cells.join(columnGap());
        if (lines.size() > 1) continue;
        QStringList rules;
        for (const qsizetype width : widths) rules << QString(width, QChar(0x2500));
        lines << rules.join(QChar(0x2500) + QString(QChar(0x253C)) + QChar(0x2500));
    }
    return lines;
}

// Closed blocks never change again. Positions: text [0, m_committed) stands in the document before
// m_openStart; the rest is the open block, deleted and inserted again with each append. Inserts go
// through one cursor, which is linear in the number of runs (setMarkdown is quadratic).

namespace {

constexpr int kLineHeight = 145;  // percent
constexpr qreal kParagraphGap = 6;
constexpr qreal kCodePadding = 8;
/// So many lines of an open fence are written again with each append, not more.
constexpr int kOpenCodeLines = 64;
/// So many signs of anything open; what is longer is committed in pieces, over whose border no mark
/// reaches.
constexpr qsizetype kMaxOpenLength = 16 * 1024;
/// A table is one piece up to here, since rows without their head are none.
constexpr qsizetype kMaxTableLength = 64 * 1024;
/// Lists and quotes that lie deeper stand no further to the right.
constexpr std::size_t kDeepest = 8;
/// Longer lines of code are not coloured: they are data mostly.
constexpr qsizetype kMaxColoured = 500;

/// Properties of the lines of a code block: its language, and that it begins there.
constexpr int kCodeLanguage = QTextFormat::UserProperty + 1;
constexpr int kCodeBegins = QTextFormat::UserProperty + 2;

QTextBlockFormat paragraphFormat() {
    QTextBlockFormat format;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    format.setBottomMargin(kParagraphGap);
    return format;
}

/// Receives md4c's callbacks for one closed or open block and writes it at a cursor.
class BlockRenderer {
  public:
    /// `codeGoesOn`: what begins is the rest of a code block that was begun before.
    BlockRenderer(QTextCursor& cursor, const Theme& theme, CodeEnd codeEnd, bool codeGoesOn)
        : m_cursor(cursor), m_theme(theme), m_codeEnd(codeEnd), m_codeGoesOn(codeGoesOn) {}

    void render(const QByteArray& markdown) {
        MD_PARSER parser{};
        parser.flags =
            MD_FLAG_NOHTML | MD_FLAG_STRIKETHROUGH | MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_TABLES;
        parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* self) {
            static_cast<BlockRenderer*>(self)->enterBlock(type, detail);
            return 0;
        };
        parser.leave_block = [](MD_BLOCKTYPE type, void*, void* self) {
            static_cast<BlockRenderer*>(self)->leaveBlock(type);
            return 0;
        };
        parser.enter_span = [](MD_SPANTYPE type, void* detail, void* self) {
            static_cast<BlockRenderer*>(self)->enterSpan(type, detail);
            return 0;
        };
        parser.leave_span = [](MD_SPANTYPE, void*, void* self) {
            static_cast<BlockRenderer*>(self)->m_formats.pop_back();
            return 0;
        };
        parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* self) {
            static_cast<BlockRenderer*>(self)->text(
                type, QString::fromUtf8(text, static_cast<qsizetype>(size)));
            return 0;
        };
        m_formats.push_back(baseFormat());
        md_parse(markdown.constData(), static_cast<MD_SIZE>(markdown.size()), &parser, this);
    }

  private:
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
        if (m_quoteDepth > 0) {
            format.setLeftMargin(format.leftMargin() +
                                 16.0 * static_cast<double>(std::min(m_quoteDepth, kDeepest)));
        }
        if (!m_lists.empty())
            format.setLeftMargin(20.0 * static_cast<double>(std::min(m_lists.size(), kDeepest)));
        // The cursor's own block is used while it is empty, so that no blank line precedes the
        // first one.
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
                enterItem();
                break;
            case MD_BLOCK_H: {
                QTextCharFormat format = baseFormat();
                format.setFontWeight(QFont::DemiBold);
                const unsigned level = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                format.setFontPointSize(level <= 1 ? 13 : level == 2 ? 12 : 11);
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
                m_table.emplace();
                break;
            case MD_BLOCK_TR:
                m_table->startRow();
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                m_table->startCell(sideOf(static_cast<MD_BLOCK_TD_DETAIL*>(detail)->align));
                break;
            case MD_BLOCK_DOC:
            case MD_BLOCK_HTML:
            case MD_BLOCK_THEAD:
            case MD_BLOCK_TBODY:
                break;
        }
    }

    void enterItem() {
        QTextBlockFormat format = paragraphFormat();
        format.setBottomMargin(2);
        format.setTextIndent(-14);
        if (m_lists.size() <= kDeepest) startBlock(format);
        OpenList& list = m_lists.back();
        const QString mark = list.ordered ? QString::number(list.next++) + QStringLiteral(". ")
                                          : QString(QChar(0x2022)) + QStringLiteral("  ");
        m_cursor.insertText(mark, m_formats.back());
        m_itemStarted = true;
    }

    static QString languageOf(const MD_BLOCK_CODE_DETAIL& code) {
        return QString::fromUtf8(code.lang.text, static_cast<qsizetype>(code.lang.size));
    }

    /// `language`: nothing for what only looks like code.
    void enterCode(const std::optional<QString>& language) {
        QTextBlockFormat format;
        if (language) format.setProperty(kCodeLanguage, *language);
        m_reader.emplace(language.value_or(QString()));
        format.setBackground(m_theme.code);
        format.setLeftMargin(kCodePadding);
        format.setRightMargin(kCodePadding);
        format.setNonBreakableLines(false);
        m_formats.push_back(codeFormat());
        startBlock(format);
        m_codeFormat = m_cursor.blockFormat();
        m_codeStart = m_cursor.block().position();
        m_inCode = true;
    }

    static CellSide sideOf(MD_ALIGN align) {
        return align == MD_ALIGN_RIGHT    ? CellSide::Right
               : align == MD_ALIGN_CENTER ? CellSide::Centre
                                          : CellSide::Left;
    }

    /// On the surface of code, since its columns need a font of equal widths.
    void writeTable(const QStringList& lines) {
        enterCode(std::nullopt);
        codeText(lines.join(QLatin1Char('\n')));
        leaveCode();
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        if (type == MD_BLOCK_TABLE) writeTable(std::exchange(m_table, std::nullopt)->lines());
        if (type == MD_BLOCK_QUOTE) --m_quoteDepth;
        if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) m_lists.pop_back();
        if (type == MD_BLOCK_LI) m_itemStarted = false;
        if (type == MD_BLOCK_H) m_formats.pop_back();
        if (type == MD_BLOCK_CODE) leaveCode();
    }

    void leaveCode() {
        if (m_codeEnd == CodeEnd::Closed) {
            QTextBlockFormat last = m_cursor.blockFormat();
            last.setBottomMargin(kParagraphGap);
            m_cursor.setBlockFormat(last);
        }
        if (!m_codeGoesOn) {
            QTextBlockFormat begins;
            begins.setProperty(kCodeBegins, true);
            QTextCursor first(m_cursor);
            first.setPosition(m_codeStart);
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

    void codeLine(const QString& line) {
        if (line.size() > kMaxColoured) return insertInBlocks(m_cursor, line, m_formats.back());
        for (const CodeRun& run : m_reader->read(line))
            m_cursor.insertText(line.mid(run.from, run.length), formatOf(run.kind));
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
                format.setAnchorHref(
                    QString::fromUtf8(href.text, static_cast<qsizetype>(href.size)));
                format.setForeground(m_theme.accent);
                format.setFontUnderline(true);
                break;
            }
            case MD_SPAN_IMG:
            case MD_SPAN_LATEXMATH:
            case MD_SPAN_LATEXMATH_DISPLAY:
            case MD_SPAN_WIKILINK:
                break;
        }
        m_formats.push_back(format);
    }

    void text(MD_TEXTTYPE type, const QString& text) {
        if (m_table && m_table->inCell()) {
            m_table->addText(type == MD_TEXT_ENTITY ? entity(text) : text);
            return;
        }
        if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
            insertLineBreak(m_cursor, m_formats.back());
            return;
        }
        if (type == MD_TEXT_NULLCHAR) return;
        if (m_inCode) {
            codeText(text);
            return;
        }
        insertInBlocks(m_cursor, type == MD_TEXT_ENTITY ? entity(text) : text, m_formats.back());
    }

    /// Lines of a code block are blocks of their own, so that its surface is one rectangle. A line
    /// begins with what stands in it, or with the next one's break: the last break begins none.
    void codeText(const QString& text) {
        const QStringList lines = text.split(QLatin1Char('\n'));
        for (qsizetype i = 0; i < lines.size(); ++i) {
            if (i > 0) startCodeLine();
            if (i > 0) m_pendingLine = true;
            if (lines.at(i).isEmpty()) continue;
            startCodeLine();
            codeLine(lines.at(i));
        }
    }

    void startCodeLine() {
        if (std::exchange(m_pendingLine, false))
            m_cursor.insertBlock(m_codeFormat, m_formats.back());
    }

    static QString entity(const QString& name) {
        if (name == QLatin1String("&amp;")) return QStringLiteral("&");
        if (name == QLatin1String("&lt;")) return QStringLiteral("<");
        if (name == QLatin1String("&gt;")) return QStringLiteral(">");
        if (name == QLatin1String("&quot;")) return QStringLiteral("\"");
        return name;
    }

    QTextCursor& m_cursor;
    const Theme& m_theme;
    const CodeEnd m_codeEnd;
    const bool m_codeGoesOn;
    std::vector<QTextCharFormat> m_formats;
    std::vector<OpenList> m_lists;
    QTextBlockFormat m_codeFormat;
    int m_codeStart = 0;                 ///< document position of the code block's first line
    std::optional<CodeReader> m_reader;  ///< of the code block that is open
    std::optional<TextTable> m_table;    ///< that is open
    std::size_t m_quoteDepth = 0;
    bool m_itemStarted = false;
    bool m_inCode = false;
    bool m_pendingLine = false;
};

/// The first word behind the marks of a fence.
QString languageAfter(QStringView fence) {
    qsizetype at = 0;
    while (at < fence.size() && fence.at(at) == fence.front()) ++at;
    const QString rest = fence.mid(at).trimmed().toString();
    return rest.left(rest.indexOf(QLatin1Char(' ')));
}

bool isFenceLine(QStringView line) {
    const QStringView trimmed = line.trimmed();
    return trimmed.startsWith(QLatin1String("```")) || trimmed.startsWith(QLatin1String("~~~"));
}

QTextBlock codeBegin(QTextBlock block) {
    while (block.previous().isValid() && !block.blockFormat().hasProperty(kCodeBegins) &&
           block.previous().blockFormat().hasProperty(kCodeLanguage))
        block = block.previous();
    return block;
}

bool goesOnIn(const QTextBlock& next) {
    const QTextBlockFormat format = next.blockFormat();
    return next.isValid() && format.hasProperty(kCodeLanguage) && !format.hasProperty(kCodeBegins);
}

}  // namespace

std::optional<CodeBlock> codeBlockAt(const QTextDocument& document, int place) {
    QTextBlock last = document.findBlock(place);
    if (!last.isValid() || !last.blockFormat().hasProperty(kCodeLanguage)) return std::nullopt;
    const QTextBlock first = codeBegin(last);
    while (goesOnIn(last.next())) last = last.next();
    return CodeBlock{first.blockFormat().stringProperty(kCodeLanguage), first.position(),
                     last.position() + last.length() - 1};
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

MarkdownWriter::MarkdownWriter(QTextDocument& document, const Theme& theme)
    : m_document(document), m_theme(&theme) {
    m_document.clear();
}

void MarkdownWriter::append(const QString& text) {
    m_text += text;
    commitClosed();
    writeOpen();
}

void MarkdownWriter::reset(const QString& text, const Theme& theme) {
    m_theme = &theme;
    m_document.clear();
    m_text.clear();
    m_committed = m_scanned = 0;
    m_openStart = 0;
    m_fence.clear();
    m_fenceGoesOn = m_lineGoesOn = false;
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
            // A blank line at the end would be taken for the room of what follows; an indented
            // fence belongs to a list, which its rest would leave.
            commit(CodeEnd::GoesOn);
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
    const bool table = m_fence.isEmpty() && m_scanned > m_committed &&
                       QStringView(m_text).mid(m_committed, 1) == QLatin1String("|");
    return table ? kMaxTableLength : kMaxOpenLength;
}

/// Whole lines where there are some, or else a part of one.
void MarkdownWriter::commitPiece() {
    const CodeEnd end = m_fence.isEmpty() ? CodeEnd::Closed : CodeEnd::GoesOn;
    m_fenceLines = 0;
    if (m_scanned > m_committed) return commit(end);
    m_scanned = m_committed + cutOfLine(m_text, m_committed, kMaxOpenLength);
    commit(end);
    m_lineGoesOn = true;
    QTextCursor last(&m_document);
    last.movePosition(QTextCursor::End);
    // Prose loses the space at its end.
    if (m_fence.isEmpty() && m_text.at(m_committed - 1) == QLatin1Char(' '))
        last.insertText(QStringLiteral(" "));
    QTextBlockFormat close;
    close.setBottomMargin(0);
    last.mergeBlockFormat(close);
    m_openStart = m_document.characterCount() - 1;
}

void MarkdownWriter::commit(CodeEnd codeEnd) {
    writeBlock(m_text.mid(m_committed, m_scanned - m_committed), codeEnd);
    m_lineGoesOn = false;
    m_fenceGoesOn = codeEnd == CodeEnd::GoesOn;
    m_committed = m_scanned;
    m_openStart = m_document.characterCount() - 1;
}

void MarkdownWriter::writeOpen() {
    writeBlock(m_text.mid(m_committed), CodeEnd::Closed);
}

void MarkdownWriter::writeBlock(const QString& text, CodeEnd codeEnd) {
    QString markdown = text;
    // The rest of a fence begins with its mark again, or it would be read as prose.
    const bool onlyItsEnd = m_fenceGoesOn && isFenceLine(text);
    if (m_fenceGoesOn) markdown.prepend(m_fence + m_fenceInfo + QLatin1Char('\n'));
    QTextCursor cursor(&m_document);
    cursor.beginEditBlock();
    cursor.setPosition(m_openStart);
    cursor.movePosition(QTextCursor::End, QTextCursor::KeepAnchor);
    cursor.removeSelectedText();
    if (!text.trimmed().isEmpty() && !onlyItsEnd) {
        if (!cursor.block().text().isEmpty()) cursor.insertBlock(QTextBlockFormat());
        const int start = cursor.position();
        BlockRenderer(cursor, *m_theme, codeEnd, m_fenceGoesOn).render(markdown.toUtf8());
        if (m_lineGoesOn) {
            cursor.setPosition(start);
            markAsGoingOn(cursor);
        }
    }
    cursor.endEditBlock();
}

}  // namespace lacuna::ui
