#include "ui/markdown_writer.h"

#include <gtest/gtest.h>

#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <algorithm>

#include "tests/ui/offscreen.h"
#include "ui/long_lines.h"
#include "ui/theme.h"

namespace lacuna::ui {
namespace {

class Markdown : public ::testing::Test {
  protected:
    Markdown() { offscreenApplication(); }
    QString render(const char* text) {
        MarkdownWriter writer(document, theme);
        writer.append(QString::fromUtf8(text));
        return document.toPlainText();
    }
    [[nodiscard]] QTextCharFormat formatOf(const char* word) {
        const QTextCursor found = document.find(QString::fromUtf8(word));
        return found.charFormat();
    }

    const Theme theme = Theme::light();
    QTextDocument document;
};

const char* const kMixed =
    "# Title\n\nA *soft* and **strong** word with `code`.\n\n"
    "- one\n- two\n\n3. three\n4. four\n\n```cpp\nint x = 1;\n\nint y;\n```\n\n> quoted\n\nlast "
    "line";

TEST_F(Markdown, streamedLetterByLetter_equalsWrittenAtOnce) {
    const QString whole = render(kMixed);
    QTextDocument streamed;
    MarkdownWriter writer(streamed, theme);
    for (const QChar letter : QString::fromUtf8(kMixed)) writer.append(letter);
    EXPECT_EQ(streamed.toPlainText(), whole);
    EXPECT_EQ(streamed.blockCount(), document.blockCount());
}

TEST_F(Markdown, closedBlocks_areNotWrittenAgain) {
    MarkdownWriter writer(document, theme);
    writer.append(QStringLiteral("First paragraph.\n\nSecond"));
    EXPECT_EQ(writer.openLength(), 6);
    for (int i = 0; i < 200; ++i) writer.append(QStringLiteral("Next paragraph with words.\n\n"));
    EXPECT_EQ(writer.openLength(), 0);
    EXPECT_EQ(document.firstBlock().text(), QStringLiteral("First paragraph."));
}

TEST_F(Markdown, spans_haveTheirFormats) {
    render(kMixed);
    EXPECT_TRUE(formatOf("soft").fontItalic());
    EXPECT_GE(formatOf("strong").fontWeight(), static_cast<int>(QFont::DemiBold));
    EXPECT_EQ(formatOf("code").background().color(), theme.code);
}

TEST_F(Markdown, listNumbers_goOnFromTheirStart) {
    const QString text = render(kMixed);
    EXPECT_TRUE(text.contains(QStringLiteral("3. three")));
    EXPECT_TRUE(text.contains(QStringLiteral("4. four")));
}

TEST_F(Markdown, blankLineInAFence_doesNotEndTheBlock) {
    const QString text = render("```\na\n\nb\n```\n");
    EXPECT_TRUE(text.contains(QLatin1Char('a')));
    EXPECT_TRUE(text.contains(QLatin1Char('b')));
    EXPECT_FALSE(text.contains(QLatin1String("```")));
}

TEST_F(Markdown, blankLinesOfCode_areKept) {
    EXPECT_EQ(render("```\n\na\n\n\nb\n```\n\nafter"), QStringLiteral("\na\n\n\nb\nafter"));
    EXPECT_EQ(document.lastBlock().previous().blockFormat().background().color(), theme.code);
    EXPECT_GT(document.lastBlock().previous().blockFormat().bottomMargin(), 0);
}

TEST_F(Markdown, longFence_isCommittedInPiecesAndReadsAsOne) {
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

TEST_F(Markdown, lineOfAnyLength_isWrittenInBlocksThatAreCheapToLayOut) {
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
        // What is copied is the line as it was.
        QTextCursor all(&streamed);
        all.select(QTextCursor::Document);
        const QString shown = text.right(run.size());  // without its mark
        EXPECT_TRUE(selectedText(all).trimmed().endsWith(shown.trimmed()))
            << selectedText(all).size() << " of " << shown.size();
    }
}

TEST_F(Markdown, deepQuotesAndLists_stayOnThePage) {
    for (const QString& mark : {QStringLiteral("> "), QStringLiteral("- ")}) {
        QTextDocument page;
        MarkdownWriter(page, theme).append(mark.repeated(7000) + QStringLiteral("deep"));
        EXPECT_TRUE(page.toPlainText().endsWith(QStringLiteral("deep")));
        EXPECT_LT(page.blockCount(), 100);
        for (QTextBlock block = page.begin(); block.isValid(); block = block.next())
            EXPECT_LE(block.blockFormat().leftMargin(), 200);
    }
}

TEST_F(Markdown, table_standsInColumns) {
    const QString text = render(
        "Before\n\n| name | bytes |\n|---|--:|\n| `a` | 7 |\n| \xe4\xb8\x96\xe7\x95\x8c and | 1024 "
        "|\n\nAfter");
    const QStringList lines = text.split(QLatin1Char('\n'));
    ASSERT_EQ(lines.size(), 6);
    EXPECT_EQ(lines[1], QString::fromUtf8("name     \xe2\x94\x82 bytes"));
    EXPECT_EQ(lines[3], QString::fromUtf8("a        \xe2\x94\x82     7"));
    for (int i = 1; i < 5; ++i) EXPECT_EQ(columnsOf(lines[i]), columnsOf(lines[1])) << i;
    EXPECT_EQ(formatOf("1024").background().color(), theme.code);
    EXPECT_NE(formatOf("After").background().color(), theme.code);
}

TEST_F(Markdown, html_staysText) {
    const QString text = render("a <b>bold</b> <img src=x onerror=y>");
    EXPECT_TRUE(text.contains(QStringLiteral("<b>bold</b>")));
    EXPECT_TRUE(text.contains(QStringLiteral("<img")));
}

TEST_F(Markdown, plainText_isLeftAsItIs) {
    EXPECT_EQ(render("The pass key is 482915."), QStringLiteral("The pass key is 482915."));
}

TEST_F(Markdown, emptyText_givesAnEmptyDocument) {
    EXPECT_EQ(render(""), QString());
}

}  // namespace
}  // namespace lacuna::ui
