#include "app/state/chat/line_search.h"

#include <gtest/gtest.h>

namespace lacuna::app {
namespace {

ChatLine line(const char* text, const char* attached = "") {
    ChatLine one;
    one.text = QString::fromUtf8(text);
    one.attachmentText = QString::fromUtf8(attached);
    return one;
}

TEST(LineSearch, matches_areFoundInOrderWithTheirLineNumber) {
    const QVector<ChatLine> lines{line("A key."), line("None."), line("Key, key."),
                                  line("question", "the KEY")};
    const LineHits found = findInLines(lines, QStringLiteral("key"), 100);
    ASSERT_EQ(found.hits.size(), 4);
    EXPECT_FALSE(found.more);
    EXPECT_EQ(found.hits[0].row, 0);
    EXPECT_EQ(found.hits[1].row, 2);
    EXPECT_EQ(found.hits[1].words, QStringLiteral("Key"));
    EXPECT_EQ(found.hits[2].number, 1);
    EXPECT_EQ(found.hits[2].before, QStringLiteral("Key, "));
    EXPECT_TRUE(found.hits[3].attached);
    EXPECT_EQ(found.hits[3].number, 0);
}

TEST(LineSearch, matchesOverTheLimit_areReportedAsMore) {
    const QVector<ChatLine> lines{line("a a a a")};
    EXPECT_EQ(findInLines(lines, QStringLiteral("a"), 4).hits.size(), 4);
    EXPECT_FALSE(findInLines(lines, QStringLiteral("a"), 4).more);
    EXPECT_EQ(findInLines(lines, QStringLiteral("a"), 3).hits.size(), 3);
    EXPECT_TRUE(findInLines(lines, QStringLiteral("a"), 3).more);
}

TEST(LineSearch, snippet_isOneLineElidedOnBothSides) {
    const QString text = QStringLiteral("before ").repeated(20) + QStringLiteral("the\n needle ") +
                         QStringLiteral("after ").repeated(30);
    ChatLine one;
    one.text = text;
    const LineHits found = findInLines({one}, QStringLiteral("needle"), 5);
    ASSERT_EQ(found.hits.size(), 1);
    EXPECT_TRUE(found.hits[0].before.startsWith(QChar(0x2026)));
    EXPECT_TRUE(found.hits[0].before.endsWith(QStringLiteral("the ")));
    EXPECT_TRUE(found.hits[0].after.endsWith(QChar(0x2026)));
    EXPECT_TRUE(findInLines({one}, QStringLiteral("  "), 5).hits.isEmpty());
}

}  // namespace
}  // namespace lacuna::app
