#include "app/state/chat/conversation_list.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QSignalSpy>

#include "app/state/storage/conversation_database.h"
#include "tests/app/conversation_stage.h"

namespace lacuna::app {
namespace {

using ConversationListTest = ConversationStage;

TEST_F(ConversationListTest, deletedBranch_isRemovedWithItsTurns_undoRestoresThem) {
    ask("one");
    answer("first");
    turns.regenerate();
    answer("second");
    ask("two");
    answer("of the second");
    const auto before = list.record(list.current());
    list.removeBranch(1);
    EXPECT_EQ(last().text, QStringLiteral("first"));
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{1, 1}));
    EXPECT_TRUE(list.currentModel().hidden().isEmpty());
    list.removeBranch(1);
    EXPECT_EQ(list.currentModel().rowCount(), 2) << "the only one stays";
    ASSERT_TRUE(list.canUndoRemoveBranch());
    list.undoRemoveBranch();
    EXPECT_EQ(last().text, QStringLiteral("of the second"));
    EXPECT_EQ(list.currentModel().rowCount(), 4);
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{2, 2}));
    EXPECT_EQ(list.record(list.current()).hidden.size(), before.hidden.size());
    EXPECT_FALSE(list.canUndoRemoveBranch());
}

TEST_F(ConversationListTest, branches_areRestoredFromDiskWithTheirLines) {
    ConversationRecord record;
    record.id = 7;
    record.messages = 2;
    list.restore({record});
    ChatLine question, answered, other;
    question.id = 1;
    question.text = QStringLiteral("one");
    answered.id = 2;
    answered.speaker = other.speaker = MessageRole::Model;
    answered.text = QStringLiteral("first");
    other.id = 9;
    other.text = QStringLiteral("second");
    list.fill(7, {question, answered}, {{other, 1}});
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{1, 2}));
    EXPECT_FALSE(list.showLine(77));
    EXPECT_TRUE(list.showLine(9));
    EXPECT_EQ(last().text, QStringLiteral("second"));
    ask("two");
    EXPECT_GT(last().id, 9) << "numbers are not given twice";
}

TEST_F(ConversationListTest, systemPromptChange_createsNoBranch) {
    ask("one");
    answer("first");
    list.setSystemPrompt(QStringLiteral("Be brief."));
    PromptDraft changed = turns.draftOf(1);
    changed.text = QStringLiteral("uno");
    turns.edit(1, changed);
    answer("primo");
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{2, 2}));
    EXPECT_EQ(list.currentModel().branchAt(0), (BranchPosition{1, 1}));
    list.setSystemPrompt({});
    list.showBranch(0, 1);
    EXPECT_EQ(last().text, QStringLiteral("first")) << "also when it is gone";
}

TEST_F(ConversationListTest, title_isTakenFromTheFirstMessageUnlessSetByTheUser) {
    ask("What is the code of the boathouse of Oscar, and where does he live now?");
    EXPECT_TRUE(list.title(list.current()).startsWith(QStringLiteral("What is the code")));
    EXPECT_LE(list.title(list.current()).size(), 44);
    list.rename(list.current(), QStringLiteral("  Oscar  "));
    EXPECT_EQ(list.title(list.current()), QStringLiteral("Oscar"));
}

TEST_F(ConversationListTest, conversationTooltip_hasTheFullTitleAndTheChangeTime) {
    const auto tip = [this] { return list.itemModel().index(0).data(Qt::ToolTipRole).toString(); };
    EXPECT_FALSE(tip().contains(QStringLiteral("Last changed"))) << "nothing was said yet";
    ConversationRecord stored;
    stored.id = 7;
    stored.title = QStringLiteral("Where the boathouse key was hidden");
    stored.messages = 2;
    stored.changed = QDateTime(QDate(2026, 3, 9), QTime(8, 5)).toMSecsSinceEpoch();
    list.restore({stored});
    EXPECT_TRUE(tip().contains(stored.title));
    EXPECT_TRUE(tip().contains(QStringLiteral("Last changed 9 Mar 2026, 08:05.")))
        << tip().toStdString();
    const qint64 before = QDateTime::currentMSecsSinceEpoch();
    list.rename(7, QStringLiteral("Key"));
    EXPECT_GE(list.record(7).changed, before);
    list.newConversation();
    ask("one");
    EXPECT_GE(list.record(list.current()).changed, before);
    EXPECT_TRUE(tip().contains(QStringLiteral("Last changed")));
}

TEST_F(ConversationListTest, newConversation_reusesAnEmptyOne) {
    const qint64 here = list.current();
    EXPECT_EQ(list.newConversation(), here);
    EXPECT_EQ(list.itemModel().rowCount(), 1);
}

TEST_F(ConversationListTest, restoredConversations_replaceTheInitialEmptyOne) {
    ConversationRecord record;
    record.id = 7;
    record.title = QStringLiteral("old");
    record.lines.push_back(
        ChatLine{1, MessageRole::Person, QStringLiteral("hi"), {}, {}, LineState::Done, {}, {}});
    list.restore({record});
    EXPECT_EQ(list.itemModel().rowCount(), 1);
    EXPECT_EQ(list.current(), 7);
    EXPECT_EQ(list.currentModel().rowCount(), 1);
}

TEST_F(ConversationListTest, restoredConversation_requestsItsLinesWhenFirstShown) {
    QSignalSpy wanted(&list, &ConversationList::linesRequested);
    ConversationRecord record;
    record.id = 7;
    record.title = QStringLiteral("old");
    record.messages = 1;
    list.restore({record});
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(list.itemModel().rows().front().messages, 1);
    EXPECT_FALSE(turns.submitBlocker().isEmpty()) << "a question now would lose the stored ones";
    EXPECT_EQ(list.record(7).messages, 1);
    ChatLine line;
    line.text = QStringLiteral("hi");
    list.fill(7, {line});
    EXPECT_TRUE(turns.submitBlocker().isEmpty());
    EXPECT_EQ(list.currentModel().rowCount(), 1);
    EXPECT_NE(list.newConversation(), 7);
}

TEST_F(ConversationListTest, removedConversation_isRestoredWithItsLinesByUndo) {
    ask("one");
    answer("first");
    const qint64 id = list.current();
    list.remove(id);
    ASSERT_TRUE(list.canUndoRemove());
    QSignalSpy returned(&list, &ConversationList::returned);
    list.undoRemove();
    EXPECT_EQ(returned.count(), 1);
    EXPECT_EQ(list.current(), id);
    EXPECT_EQ(list.currentModel().rowCount(), 2);
    EXPECT_FALSE(list.canUndoRemove());
    list.undoRemove();
    EXPECT_EQ(returned.count(), 1);
}

TEST_F(ConversationListTest, itemModels_passTheModelTester) {
    QAbstractItemModelTester rows(&list.itemModel(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModelTester lines(&list.currentModel(),
                                   QAbstractItemModelTester::FailureReportingMode::Fatal);
    ask("one");
    answer("first");
    turns.regenerate();
    answer("second");
    list.newConversation();
    ask("two");
    answer("third");
    list.rename(list.current(), QStringLiteral("x"));
    EXPECT_EQ(list.itemModel().rowCount(), 2);
    list.remove(list.current());
    EXPECT_EQ(list.itemModel().rowCount(), 1);
}

}  // namespace
}  // namespace lacuna::app
