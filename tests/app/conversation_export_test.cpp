#include "app/state/chat/conversation_export.h"

#include <gtest/gtest.h>

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/state/storage/conversation_database.h"

namespace lacuna::app {
namespace {

/// A conversation with everything that a message can have.
ConversationRecord fullRecord() {
    ConversationRecord record;
    record.title = QStringLiteral("Two & two");
    ChatLine question;
    question.id = 1;
    question.text = QStringLiteral("What is $2+2$?");
    question.attachment = QStringLiteral("a.txt, b.md");
    question.attachmentText = QStringLiteral("a.txt:\n\nfirst\n\nb.md:\n\n```\nsecond\n```");
    question.parts = {{QStringLiteral("a.txt"), 8, 5}, {QStringLiteral("b.md"), 22, 14}};
    ChatLine answer;
    answer.id = 2;
    answer.speaker = MessageRole::Model;
    answer.model = QStringLiteral("Qwen");
    answer.text = QStringLiteral("It is **4**.");
    answer.thought = {QStringLiteral("Two and two."), 12, 431};
    answer.figures = TurnRow{};
    answer.figures->answerTokens = 5;
    record.lines = {question, answer};
    ChatLine other = answer;
    other.id = 3;
    other.text = QStringLiteral("It is 5.");
    record.hidden = {{other, 1}};
    return record;
}

TEST(ConversationExport, json_readsBackWithEveryBranch) {
    const ConversationRecord record = fullRecord();
    const QJsonObject root = QJsonDocument::fromJson(conversationJson(record)).object();
    EXPECT_EQ(root[QLatin1String("title")].toString(), record.title);
    const QJsonArray messages = root[QLatin1String("messages")].toArray();
    ASSERT_EQ(messages.size(), 2);
    EXPECT_EQ(messages[0][QLatin1String("role")].toString(), QStringLiteral("user"));
    EXPECT_EQ(messages[0][QLatin1String("content")].toString(), record.lines[0].text);
    const QJsonArray attached = messages[0][QLatin1String("attachments")].toArray();
    ASSERT_EQ(attached.size(), 2);
    EXPECT_EQ(attached[0][QLatin1String("content")].toString(), QStringLiteral("first"));
    EXPECT_EQ(attached[1][QLatin1String("content")].toString(), QStringLiteral("```\nsecond\n```"));
    EXPECT_EQ(messages[1][QLatin1String("model")].toString(), QStringLiteral("Qwen"));
    const QJsonValue reasoning = messages[1][QLatin1String("reasoning")];
    EXPECT_EQ(reasoning[QLatin1String("content")].toString(), QStringLiteral("Two and two."));
    EXPECT_EQ(reasoning[QLatin1String("tokens")].toInteger(), 431);
    EXPECT_EQ(messages[1][QLatin1String("figures")][QLatin1String("answerTokens")].toInteger(), 5);
    const QJsonArray others = root[QLatin1String("otherBranches")].toArray();
    ASSERT_EQ(others.size(), 1);
    EXPECT_EQ(others[0][QLatin1String("after")].toInteger(), 1);
}

TEST(ConversationExport, markdown_hasTheShownBranchInOrder) {
    const QString page = conversationMarkdown(fullRecord());
    EXPECT_EQ(page, QStringLiteral("# Two & two\n"
                                   "\n## You\n"
                                   "\n**a.txt**\n\n```\nfirst\n```\n"
                                   "\n**b.md**\n\n````\n```\nsecond\n```\n````\n"
                                   "\nWhat is $2+2$?\n"
                                   "\n## Qwen\n"
                                   "\n<details><summary>Thought for 12.0 s, 431 tokens</summary>"
                                   "\n\nTwo and two.\n\n</details>\n"
                                   "\nIt is **4**.\n"));
}

TEST(ConversationExport, authorOfAnOldAnswer_isTheModelWithoutAName) {
    ChatLine line;
    line.speaker = MessageRole::Model;
    EXPECT_EQ(authorOf(line), QStringLiteral("Model"));
    line.model = QStringLiteral("SmolLM2");
    EXPECT_EQ(authorOf(line), QStringLiteral("SmolLM2"));
}

}  // namespace
}  // namespace lacuna::app
