#include "ui/chat/conversation_html.h"

#include <gtest/gtest.h>

#include <QRegularExpression>

#include "app/state/storage/conversation_database.h"
#include "tests/ui/offscreen.h"

namespace lacuna::ui {
namespace {

QString htmlOf(const char* answer) {
    offscreenApplication();
    app::ConversationRecord record;
    record.title = QStringLiteral("Two & <two>");
    app::ChatLine question;
    question.text = QStringLiteral("Is 1 < 2?\nSay *yes*.");
    app::ChatLine line;
    line.speaker = app::MessageRole::Model;
    line.model = QStringLiteral("Qwen");
    line.text = QString::fromUtf8(answer);
    line.thought = {QStringLiteral("Of **course**."), 12, 431};
    record.lines = {question, line};
    return conversationHtml(record);
}

TEST(ConversationHtml, page_hasAllMessages_escaped) {
    const QString page = htmlOf("Yes.");
    EXPECT_TRUE(page.contains(QStringLiteral("<title>Two &amp; &lt;two&gt;</title>")));
    EXPECT_TRUE(page.contains(QStringLiteral("<div>Is 1 &lt; 2?\nSay *yes*.</div>")))
        << "what the user types is not Markdown";
    EXPECT_TRUE(page.contains(QStringLiteral("<header>Qwen</header>")));
    EXPECT_TRUE(page.contains(
        QStringLiteral("<details><summary>Thought for 12.0 s, 431 tokens</summary>\n<p>Of "
                       "<strong>course</strong>.</p>\n</details>")));
    EXPECT_LT(page.indexOf(QStringLiteral("Of <strong>")), page.indexOf(QStringLiteral("<p>Yes.")));
}

TEST(ConversationHtml, everyElement_isClosed) {
    const QString page = htmlOf(
        "# Head\n\nText *a* **b** ~~c~~ `d` [e](https://e.org)\n\n- one\n- [x] two\n  1. three\n\n"
        "> quote\n\n| A | B |\n|---|--:|\n| 1 | 2 |\n\n```cpp\nint a<b>;\n```\n\n---\nEnd");
    static const QRegularExpression tag(QStringLiteral("<(/?)([a-z0-9]+)[^>]*>"));
    const QStringList empty{QStringLiteral("meta"), QStringLiteral("hr"), QStringLiteral("br"),
                            QStringLiteral("input")};
    QStringList open;
    for (auto found = tag.globalMatch(page); found.hasNext();) {
        const QRegularExpressionMatch one = found.next();
        if (empty.contains(one.captured(2))) continue;
        if (one.captured(1).isEmpty()) {
            open << one.captured(2);
        } else {
            ASSERT_FALSE(open.isEmpty());
            ASSERT_EQ(open.takeLast(), one.captured(2))
                << page.mid(one.capturedStart(), 40).toStdString();
        }
    }
    EXPECT_TRUE(open.isEmpty());
    EXPECT_TRUE(page.contains(
        QStringLiteral("<pre><code class=\"language-cpp\">int a&lt;b&gt;;\n</code></pre>")));
    EXPECT_TRUE(page.contains(QStringLiteral("<td style=\"text-align: right\">2</td>")));
    EXPECT_TRUE(page.contains(QStringLiteral("<input type=\"checkbox\" checked disabled> two")));
}

TEST(ConversationHtml, texAndRawHtml_stayVerbatim_imagesAreNotLoaded) {
    const QString page = htmlOf(
        "A \\(a\\,b_1*c*d\\) and $$x_1\\\\y_2$$.\n\n<script>alert(1)</script>\n\n"
        "![cat](https://e.org/c.png)");
    EXPECT_TRUE(page.contains(QStringLiteral("A \\(a\\,b_1*c*d\\) and $$x_1\\\\y_2$$.")));
    EXPECT_FALSE(page.contains(QStringLiteral("<script")));
    EXPECT_FALSE(page.contains(QStringLiteral("<img")));
    EXPECT_TRUE(page.contains(QStringLiteral(
        "<span class=\"image\">cat [image not loaded: https://e.org/c.png]</span>")));
    EXPECT_TRUE(page.contains(QStringLiteral("Content-Security-Policy")));
}

}  // namespace
}  // namespace lacuna::ui
