#include "ui/chat/markdown_writer.h"

#include <gtest/gtest.h>

#include <QElapsedTimer>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextTable>
#include <algorithm>

#include "tests/ui/offscreen.h"
#include "ui/chat/markdown_source.h"
#include "ui/style/long_lines.h"
#include "ui/style/theme.h"

namespace lacuna::ui {
namespace {

class MarkdownWriterTest : public ::testing::Test {
  protected:
    MarkdownWriterTest() { offscreenApplication(); }
    QString render(const char* text) {
        MarkdownWriter writer(document, theme);
        writer.append(QString::fromUtf8(text));
        return document.toPlainText();
    }
    [[nodiscard]] QTextCharFormat formatOf(const char* word) {
        const QTextCursor found = document.find(QString::fromUtf8(word));
        return found.charFormat();
    }

    [[nodiscard]] static const QTextTable* tableOf(const QTextDocument& page) {
        for (QTextFrame* frame : page.rootFrame()->childFrames())
            if (const auto* table = qobject_cast<QTextTable*>(frame)) return table;
        return nullptr;
    }
    [[nodiscard]] static QStringList cellsOf(const QTextTable& table) {
        QStringList cells;
        for (int row = 0; row < table.rows(); ++row)
            for (int column = 0; column < table.columns(); ++column) {
                QTextCursor cell = table.cellAt(row, column).firstCursorPosition();
                cell.setPosition(table.cellAt(row, column).lastPosition(), QTextCursor::KeepAnchor);
                cells << cell.selectedText();
            }
        return cells;
    }

    const Theme theme = Theme::light();
    QTextDocument document;
};

const char* const kMixed =
    "# Title\n\nA *soft* and **strong** word with `code`.\n\n"
    "- one\n- two\n\n3. three\n4. four\n\n```cpp\nint x = 1;\n\nint y;\n```\n\n> quoted\n\nlast "
    "line";

TEST_F(MarkdownWriterTest, charactersStreamedOneByOne_equalOneWrite) {
    const QString whole = render(kMixed);
    QTextDocument streamed;
    MarkdownWriter writer(streamed, theme);
    for (const QChar letter : QString::fromUtf8(kMixed)) writer.append(letter);
    EXPECT_EQ(streamed.toPlainText(), whole);
    EXPECT_EQ(streamed.blockCount(), document.blockCount());
}

TEST_F(MarkdownWriterTest, closedBlocks_areNotRewritten) {
    MarkdownWriter writer(document, theme);
    writer.append(QStringLiteral("First paragraph.\n\nSecond"));
    EXPECT_EQ(writer.openLength(), 6);
    for (int i = 0; i < 200; ++i) writer.append(QStringLiteral("Next paragraph with words.\n\n"));
    EXPECT_EQ(writer.openLength(), 0);
    EXPECT_EQ(document.firstBlock().text(), QStringLiteral("First paragraph."));
}

TEST_F(MarkdownWriterTest, inlineSpans_haveTheirFormats) {
    render(kMixed);
    EXPECT_TRUE(formatOf("soft").fontItalic());
    EXPECT_GE(formatOf("strong").fontWeight(), static_cast<int>(QFont::DemiBold));
    EXPECT_EQ(formatOf("code").background().color(), theme.code);
}

TEST_F(MarkdownWriterTest, listNumbers_continueFromTheirStart) {
    const QString text = render(kMixed);
    EXPECT_TRUE(text.contains(QStringLiteral("3. three")));
    EXPECT_TRUE(text.contains(QStringLiteral("4. four")));
}

TEST_F(MarkdownWriterTest, blankLineInAFence_doesNotEndTheBlock) {
    const QString text = render("```\na\n\nb\n```\n");
    EXPECT_TRUE(text.contains(QLatin1Char('a')));
    EXPECT_TRUE(text.contains(QLatin1Char('b')));
    EXPECT_FALSE(text.contains(QLatin1String("```")));
}

TEST_F(MarkdownWriterTest, blankLinesOfCode_areKept) {
    EXPECT_EQ(render("```\n\na\n\n\nb\n```\n\nafter"), QStringLiteral("\na\n\n\nb\nafter"));
    EXPECT_EQ(document.lastBlock().previous().blockFormat().background().color(), theme.code);
    EXPECT_GT(document.lastBlock().previous().blockFormat().bottomMargin(), 0);
}

TEST_F(MarkdownWriterTest, longFence_isWrittenInPiecesAndRendersAsOneBlock) {
    QString code;
    for (int i = 0; i < 1000; ++i)
        code += i % 7 == 0 ? QStringLiteral("\n") : QStringLiteral("line %1;\n").arg(i);
    MarkdownWriter writer(document, theme);
    writer.append(QStringLiteral("Before\n\n```cpp\n"));
    qsizetype longest = 0;
    for (const QString& line : code.chopped(1).split(QLatin1Char('\n'))) {
        writer.append(line + QLatin1Char('\n'));
        longest = std::max(longest, writer.openLength());
    }
    EXPECT_LT(longest, 1500) << "what is written again with each token";
    writer.append(QStringLiteral("```\n\nAfter"));
    const QString shown = QStringLiteral("Before\n") + code + QStringLiteral("After");
    EXPECT_EQ(document.toPlainText(), shown);
    for (QTextBlock block = document.firstBlock().next(); block != document.lastBlock();
         block = block.next())
        ASSERT_EQ(block.blockFormat().background().color(), theme.code) << block.blockNumber();
}

TEST_F(MarkdownWriterTest, longLine_isSplitIntoBlocksOfBoundedLength) {
    const QString words = QStringLiteral("word ").repeated(20'000);
    const QString run(100'000, QLatin1Char('x'));
    for (const QString& text :
         {words, run, QStringLiteral("```\n") + run, QStringLiteral("- ") + run}) {
        QTextDocument streamed, atOnce;
        MarkdownWriter writer(streamed, theme);
        for (qsizetype at = 0; at < text.size(); at += 977) {
            writer.append(text.mid(at, 977));
            ASSERT_LE(writer.openLength(), 16 * 1024) << "what is written again with each token";
        }
        MarkdownWriter(atOnce, theme).append(text);
        EXPECT_EQ(streamed.toPlainText(), atOnce.toPlainText());
        for (QTextBlock block = streamed.begin(); block.isValid(); block = block.next())
            ASSERT_LE(block.text().size(), kMaxBlockLength);
        // Copying restores the original line.
        QTextCursor all(&streamed);
        all.select(QTextCursor::Document);
        const QString shown = text.right(run.size());  // without its marker
        EXPECT_TRUE(selectedText(all).trimmed().endsWith(shown.trimmed()))
            << selectedText(all).size() << " of " << shown.size();
    }
}

TEST_F(MarkdownWriterTest, deeplyNestedQuotesAndLists_areLimited) {
    for (const QString& mark : {QStringLiteral("> "), QStringLiteral("- ")}) {
        QTextDocument page;
        MarkdownWriter(page, theme).append(mark.repeated(7000) + QStringLiteral("deep"));
        EXPECT_TRUE(page.toPlainText().endsWith(QStringLiteral("deep")));
        EXPECT_LT(page.blockCount(), 100);
        for (QTextBlock block = page.begin(); block.isValid(); block = block.next())
            EXPECT_LE(block.blockFormat().leftMargin(), 200);
    }
}

TEST_F(MarkdownWriterTest, table_hasCellsWithAlignmentAndFormats) {
    render(
        "Before\n\n| name | bytes |\n|---|--:|\n| `key` | 7 |\n| \xe4\xb8\x96\xe7\x95\x8c and | "
        "1024 "
        "|\n\nAfter");
    const QTextTable* table = tableOf(document);
    ASSERT_NE(table, nullptr);
    EXPECT_EQ(cellsOf(*table),
              (QStringList{QStringLiteral("name"), QStringLiteral("bytes"), QStringLiteral("key"),
                           QStringLiteral("7"), QString::fromUtf8("\xe4\xb8\x96\xe7\x95\x8c and"),
                           QStringLiteral("1024")}));
    EXPECT_EQ(table->cellAt(1, 1).firstCursorPosition().blockFormat().alignment() &
                  Qt::AlignHorizontal_Mask,
              Qt::AlignRight);
    EXPECT_GE(formatOf("bytes").fontWeight(), static_cast<int>(QFont::DemiBold));
    EXPECT_EQ(formatOf("key").background().color(), theme.code);
    EXPECT_EQ(document.firstBlock().text(), QStringLiteral("Before"));
    EXPECT_EQ(document.lastBlock().text(), QStringLiteral("After"));
}

TEST_F(MarkdownWriterTest, tableDirectlyBelowALineOfText_isATable) {
    for (const char* text :
         {"Text:\n| a | b |\n|---|---|\n| 1 | 2 |\n", "Text:\na | b\n--- | ---\n1 | 2",
          "- Item:\n  | a | b |\n  |---|:-:|\n  | 1 | 2 |",
          "1. Item:\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n\n   more",
          "> Quoted:\n> | a | b |\n> |---|---|\n> | 1 | 2 |",
          "**Bold**\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\nAfter",
          "```\n| x | y |\n|---|---|\n```\nText\n| a | b |\n|---|---|\n| 1 | 2 |",
          "$|x|$ is a length:\n| a | b |\n|---|---|\n| 1 | 2 |"}) {
        render(text);
        const QTextTable* table = tableOf(document);
        ASSERT_NE(table, nullptr) << text;
        EXPECT_EQ(cellsOf(*table), (QStringList{QStringLiteral("a"), QStringLiteral("b"),
                                                QStringLiteral("1"), QStringLiteral("2")}))
            << text;
    }
}

TEST_F(MarkdownWriterTest, tableLikeLines_areText) {
    for (const char* text : {"Text\na | b", "Text\n---", "Text a | b\n\n---|---\nmore",
                             "```\nText\n| a | b |\n|---|---|\n| 1 | 2 |\n```"}) {
        render(text);
        EXPECT_EQ(tableOf(document), nullptr) << text;
    }
}

TEST_F(MarkdownWriterTest, ruleWithinATable_doesNotEndIt) {
    render("| a | b |\n|---|---|\n| 1 | 2 |\n|---|---|\n| 3 | 4 |\n");
    ASSERT_NE(tableOf(document), nullptr);
    EXPECT_EQ(tableOf(document)->rows(), 4);
}

TEST_F(MarkdownWriterTest, oversizedTable_isRenderedAsLines) {
    QString text = QStringLiteral("|a").repeated(100) + QStringLiteral("|\n") +
                   QStringLiteral("|-").repeated(100) + QStringLiteral("|\n");
    text += QStringLiteral("| cell | of | many |\n").repeated(200);
    render(text.toUtf8().constData());
    EXPECT_EQ(tableOf(document), nullptr);
    EXPECT_TRUE(document.toPlainText().contains(QStringLiteral("cell | of | many")));
}

TEST_F(MarkdownWriterTest, tex_isShownVerbatim) {
    for (const char* tex :
         {"$a_1 + b_1$", "$\\frac{1}{2}\\,x$", "$$\\sum_{i=1}^n i\\; *a* *b*$$", "\\(x^2 \\, y\\)",
          "\\[x = y \\\\ z\\]", "\\[\n\\int_0^1 x^2\\,dx = \\frac13\n\\]", "$$\nE = mc^2\n$$",
          "\\begin{align}\na &= b \\\\\nc &= d\n\\end{align}", "\\[\n- a\n+ b\n= c\n\\]",
          "$\\{1, 2\\}$", "$x_1$, $x_2$ and $x_3$"}) {
        const QString written = QString::fromUtf8(tex);
        for (const QString& text :
             {written, QStringLiteral("So ") + written + QStringLiteral(" holds.")}) {
            const QString shown = render(text.toUtf8().constData());
            EXPECT_EQ(QString(shown).replace(QChar::LineSeparator, QLatin1Char('\n')), text)
                << text.toStdString();
        }
    }
    EXPECT_EQ(render("**bold \\(a\\_b\\)** and *soft*"),
              QStringLiteral("bold \\(a\\_b\\) and soft"));
    EXPECT_GE(formatOf("a\\_b").fontWeight(), static_cast<int>(QFont::DemiBold));
    render("- one: $x\\,y$\n- two");
    EXPECT_TRUE(document.toPlainText().contains(QStringLiteral("one: $x\\,y$")));
    render("| $|x|\\,$ | b |\n|---|---|\n| \\(c\\) | d |");
    ASSERT_NE(tableOf(document), nullptr);
    EXPECT_EQ(cellsOf(*tableOf(document)).front(), QStringLiteral("$|x|\\,$"));
}

TEST_F(MarkdownWriterTest, moneyAmountsAndVariables_areNotTex) {
    EXPECT_EQ(render("It costs $5 *and* $10."), QStringLiteral("It costs $5 and $10."));
    EXPECT_EQ(render("$5 *to* 10$ each"), QStringLiteral("$5 to 10$ each"));
    EXPECT_EQ(render("US$ 3, *or* $4"), QStringLiteral("US$ 3, or $4"));
    EXPECT_EQ(render("$HOME *and* $PATH"), QStringLiteral("$HOME and $PATH"));
    EXPECT_EQ(render("`$a` *x* `b$`"), QStringLiteral("$a x b$"));
    EXPECT_EQ(render("\\$5 *and* 6$"), QStringLiteral("$5 and 6$"));
    EXPECT_EQ(render("An open \\( and *soft*"), QStringLiteral("An open ( and soft"));
}

TEST_F(MarkdownWriterTest, texInCode_isCode) {
    EXPECT_EQ(render("```\n$a *b* $\n\\(c\\)\n```\n\n`\\(d\\)` and *soft*"),
              QStringLiteral("$a *b* $\n\\(c\\)\n\\(d\\) and soft"));
    EXPECT_EQ(formatOf("d").background().color(), theme.code);
}

TEST_F(MarkdownWriterTest, unclosedDelimiters_areParsedInLinearTime) {
    const QString marks = QStringLiteral("\\( \\[ $a `b \\begin{c} ").repeated(4000);
    QElapsedTimer clock;
    clock.start();
    EXPECT_TRUE(MarkdownSource(marks).tex().isEmpty());
    EXPECT_LT(clock.elapsed(), 5000);
}

TEST_F(MarkdownWriterTest, tasks_haveCheckBoxes_quotesHaveTheirDepth) {
    const QString text = render("- [ ] open\n- [x] done\n\n> quoted\n>> twice\n\nplain");
    EXPECT_TRUE(text.contains(QStringLiteral("\u2610 open"))) << text.toStdString();
    EXPECT_TRUE(text.contains(QStringLiteral("\u2611 done")));
    EXPECT_EQ(quoteDepth(document.find(QStringLiteral("quoted")).block()), 1);
    EXPECT_EQ(quoteDepth(document.find(QStringLiteral("twice")).block()), 2);
    EXPECT_EQ(quoteDepth(document.lastBlock()), 0);
}

/// Expects every displayed character of the text to be the one in the document.
void expectPlaces(const QTextDocument& document, const MarkdownWriter& writer,
                  const QString& source) {
    ASSERT_FALSE(writer.shown().isEmpty());
    qsizetype place = -1, letter = -1;
    for (const ShownText& one : writer.shown()) {
        EXPECT_GT(one.place, place);
        EXPECT_GT(one.letter, letter);
        place = one.place;
        letter = one.letter;
        if (one.length != one.letters) continue;
        for (qsizetype i = 0; i < one.length; ++i)
            ASSERT_EQ(document.characterAt(static_cast<int>(one.place + i)),
                      source.at(one.letter + i))
                << one.place << " + " << i << " of " << source.toStdString();
    }
}

TEST_F(MarkdownWriterTest, renderedWords_areMappedToTheSource) {
    for (const QString& source :
         {QString::fromUtf8(kMixed), QString::fromUtf8(kMixed) + QString(QChar(0x4E16)),
          QStringLiteral(
              "Text \U0001F600 *soft*\n| a \U0001F600 | b |\n|---|---|\n| &lt;1 | 2 |\n\n"
              "\\(x\\,y\\) &amp; [link](http://a.b/words) words"),
          QStringLiteral("```py\n") + QStringLiteral("x = 1 # note\n").repeated(200) +
              QStringLiteral("```\n\nafter"),
          QStringLiteral("word ").repeated(3000)}) {
        MarkdownWriter atOnce(document, theme);
        atOnce.append(source);
        expectPlaces(document, atOnce, source);
        QTextDocument page;
        MarkdownWriter streamed(page, theme);
        for (qsizetype at = 0; at < source.size(); at += 7) streamed.append(source.mid(at, 7));
        expectPlaces(page, streamed, source);
        EXPECT_EQ(page.toPlainText(), document.toPlainText());
    }
}

TEST_F(MarkdownWriterTest, tint_keepsTheFormats) {
    const QString source = QStringLiteral("A **strong** word and `code`.");
    MarkdownWriter writer(document, theme);
    const auto strong = source.indexOf(QStringLiteral("strong"));
    const auto word = source.indexOf(QStringLiteral("word"));
    writer.reset(source, theme,
                 {{strong, 6, RetentionState::Evicted},
                  {word, 4, RetentionState::Kept},
                  {source.indexOf(QStringLiteral("code")), 2, RetentionState::Merged}});
    EXPECT_EQ(document.toPlainText(), QStringLiteral("A strong word and code."));
    EXPECT_TRUE(formatOf("strong").fontStrikeOut());
    EXPECT_GE(formatOf("strong").fontWeight(), static_cast<int>(QFont::DemiBold));
    EXPECT_FALSE(formatOf("word").fontStrikeOut());
    EXPECT_NE(formatOf("word").background().style(), Qt::NoBrush);
    EXPECT_EQ(formatOf("and").background().style(), Qt::NoBrush);
    EXPECT_EQ(formatOf("co").underlineStyle(), QTextCharFormat::SingleUnderline);
    EXPECT_EQ(formatOf("de").underlineStyle(), QTextCharFormat::NoUnderline);
}

TEST_F(MarkdownWriterTest, plainTextExport_equalsTheRenderedText) {
    for (const char* text :
         {kMixed, "| a | b |\n|---|---|\n| *1* | 2 |\n\nSee [link](http://a.b) &amp; \\(x\\)",
          "- [x] done\n- open\n\n1. one\n   - nested\n2. two"}) {
        const QString shown = plainText(QString::fromUtf8(text));
        EXPECT_EQ(shown.simplified(), render(text).simplified());
    }
}

TEST_F(MarkdownWriterTest, html_isShownAsText) {
    const QString text = render("a <b>bold</b> <img src=x onerror=y>");
    EXPECT_TRUE(text.contains(QStringLiteral("<b>bold</b>")));
    EXPECT_TRUE(text.contains(QStringLiteral("<img")));
}

TEST_F(MarkdownWriterTest, plainText_isUnchanged) {
    EXPECT_EQ(render("The pass key is 482915."), QStringLiteral("The pass key is 482915."));
}

TEST_F(MarkdownWriterTest, emptyText_givesAnEmptyDocument) {
    EXPECT_EQ(render(""), QString());
}

TEST_F(MarkdownWriterTest, image_isNamedWithItsAddress) {
    EXPECT_EQ(render("See ![a cat](https://e.org/c.png \"t\") there."),
              QStringLiteral("See a cat [image not loaded: https://e.org/c.png] there."));
    const QString data =
        render((std::string("![](data:image/png;base64,") + std::string(5000, 'A') + ")").c_str());
    EXPECT_LT(data.size(), 200) << "an address may contain the whole image";
}

TEST_F(MarkdownWriterTest, adjacentCodeBlocks_areTwo) {
    render("Text\n\n```cpp\na\n\nb\n```\n\n```\nc\n```\n");
    const QVector<CodeBlock> blocks = codeBlocksIn(document);
    ASSERT_EQ(blocks.size(), 2);
    EXPECT_EQ(blocks[0].language, QStringLiteral("cpp"));
    EXPECT_EQ(document.toPlainText().mid(blocks[0].first, blocks[0].end - blocks[0].first),
              QStringLiteral("a\n\nb"));
    EXPECT_EQ(document.toPlainText().mid(blocks[1].first), QStringLiteral("c"));
}

}  // namespace
}  // namespace lacuna::ui
