#pragma once
/// \file
/// A folder with a conversation store, for tests of code that reads and writes it.

#include <gtest/gtest.h>

#include <QTemporaryDir>
#include <utility>

#include "app/state/storage/conversation_database.h"
#include "tests/app/core_application.h"

namespace lacuna::app {

/// A question with an attachment and its answer, not stored yet.
inline ConversationRecord someRecord(qint64 id, const char* title) {
    ConversationRecord record;
    record.id = id;
    record.title = QString::fromUtf8(title);
    record.settings = QStringLiteral("Method am");
    ChatLine question;
    question.speaker = MessageRole::Person;
    question.text = QStringLiteral("Where is the boathouse key? \U0001F511");
    question.attachment = QStringLiteral("note");
    question.attachmentText = QStringLiteral("Oscar hid it under the third plank.");
    ChatLine answer;
    answer.speaker = MessageRole::Model;
    answer.text = QStringLiteral("Under a plank.");
    TurnRow figures;
    figures.promptTokens = 812;
    figures.decodeSeconds = 0.25;
    figures.finish = QStringLiteral("stop");
    answer.figures = figures;
    answer.model = QStringLiteral("SmolLM2");
    record.lines = {question, answer};
    return record;
}

[[nodiscard]] inline QVector<qint64> idsOf(const Result<QVector<FoundConversation>>& found) {
    QVector<qint64> ids;
    for (const FoundConversation& one : found.value()) ids << one.id;
    return ids;
}

class StoreStage : public ::testing::Test {
  protected:
    StoreStage() { coreApplication(); }
    [[nodiscard]] ConversationDatabase open() {
        auto opened = ConversationDatabase::open(folder.path());
        notice = opened.notice;
        EXPECT_TRUE(opened.database.has_value() && opened.problem.isEmpty())
            << opened.problem.toStdString();
        return std::move(*opened.database);
    }
    [[nodiscard]] QString file() const {
        return folder.filePath(QStringLiteral("conversations.sqlite"));
    }
    /// Opens the store as a second reader.
    [[nodiscard]] ConversationDatabase look() {
        auto opened = ConversationDatabase::open(folder.path());
        EXPECT_TRUE(opened.database.has_value()) << opened.problem.toStdString();
        return std::move(*opened.database);
    }
    [[nodiscard]] QVector<ChatLine> linesOnDisk(qint64 conversation) {
        const auto read = look().lines(conversation);
        EXPECT_TRUE(read.has_value());
        return read ? read->lines : QVector<ChatLine>();
    }
    /// Runs statements as another program would.
    void runRaw(const char* sql) const {
        auto raw = SqliteFile::open(file());
        ASSERT_TRUE(raw.has_value());
        const Status done = raw->run(sql);
        ASSERT_TRUE(done.has_value()) << done.error().what;
    }
    [[nodiscard]] qint64 numberRaw(const char* sql) const {
        auto raw = SqliteFile::openToRead(file());
        return raw ? raw->number(sql).value_or(-1) : -1;
    }

    QTemporaryDir folder;
    QString notice;
};

}  // namespace lacuna::app
