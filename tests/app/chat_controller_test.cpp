#include "app/state/chat/chat_controller.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QSignalSpy>

#include "app/state/chat/chat_model.h"
#include "app/state/storage/conversation_database.h"
#include "tests/app/core_application.h"
#include "tests/support/fake_engine.h"

namespace lacuna::app {
namespace {

class ChatControllerTest : public ::testing::Test {
  protected:
    ChatControllerTest() {
        coreApplication();
        chat.setModelProblem({});
    }

    void ask(const char* text) {
        PromptDraft draft;
        draft.text = QString::fromUtf8(text);
        chat.submit(draft);
    }
    void answer(const char* text, FinishReason reason = FinishReason::Stop) {
        chat.onText(chat.current(), QString::fromUtf8(text));
        TurnFinished finished;
        finished.conversation = ConversationId(chat.current());
        finished.text = text;
        finished.reason = reason;
        chat.onTurnFinished(finished, TurnRow{});
    }
    [[nodiscard]] const ChatLine& last() { return chat.currentModel().lines().back(); }

    FakeEngine engine;
    ChatController chat{engine};
};

TEST_F(ChatControllerTest, submit_sendsTheFullConversation) {
    ask("one");
    answer("first");
    ask("two");
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    const std::vector<ChatMessage> expected{
        {"user", "one"}, {"assistant", "first"}, {"user", "two"}};
    EXPECT_EQ(submits[1].messages, expected);
    EXPECT_EQ(submits[1].conversation.value, chat.current());
}

TEST_F(ChatControllerTest, attachment_isSentBeforeTheMessageText) {
    PromptDraft draft{QStringLiteral("What is it?"), QStringLiteral("note"),
                      QStringLiteral("A long text.")};
    chat.submit(draft);
    EXPECT_EQ(engine.sent<Submit>()[0].messages[0].content, "A long text.\n\nWhat is it?");
    EXPECT_EQ(chat.currentModel().line(0).text, QStringLiteral("What is it?"));
}

TEST_F(ChatControllerTest, streamedText_isAppendedToTheLastLine) {
    ask("hello");
    EXPECT_EQ(last().state, LineState::Waiting);
    chat.onText(chat.current(), QStringLiteral("Good "));
    chat.onText(chat.current(), QStringLiteral("day"));
    EXPECT_EQ(last().text, QStringLiteral("Good day"));
    EXPECT_EQ(last().state, LineState::Streaming);
    EXPECT_TRUE(chat.answering());
}

TEST_F(ChatControllerTest, submit_duringATurn_isRejectedWithAReason) {
    ask("one");
    EXPECT_FALSE(chat.submitBlocker().isEmpty());
    ask("two");
    EXPECT_EQ(engine.sent<Submit>().size(), 1U);
}

TEST_F(ChatControllerTest, submit_duringModelLoad_isQueuedAndSentAfterTheLoad) {
    chat.setModelProblem(QStringLiteral("The model is being loaded."), true);
    ask("one");
    EXPECT_TRUE(chat.queued() && chat.answering());
    EXPECT_EQ(last().state, LineState::Waiting);
    EXPECT_FALSE(last().problem.isEmpty()) << "it says what it waits for";
    EXPECT_FALSE(chat.submitBlocker().isEmpty()) << "one at a time";
    EXPECT_TRUE(engine.sent<Submit>().empty());
    chat.setModelProblem({});
    chat.sendQueued();
    ASSERT_EQ(engine.sent<Submit>().size(), 1U);
    EXPECT_EQ(engine.sent<Submit>()[0].messages, (std::vector<ChatMessage>{{"user", "one"}}));
    EXPECT_TRUE(last().problem.isEmpty());
    chat.sendQueued();
    EXPECT_EQ(engine.sent<Submit>().size(), 1U);
    answer("first");
    EXPECT_EQ(last().text, QStringLiteral("first"));
}

TEST_F(ChatControllerTest, stop_ofAQueuedMessage_returnsTheDraftAndKeepsLoading) {
    chat.setModelProblem(QStringLiteral("The model is being loaded."), true);
    QSignalSpy returned(&chat, &ChatController::questionReturned);
    ask("one");
    chat.stop();
    ASSERT_EQ(returned.count(), 1);
    EXPECT_TRUE(chat.isEmpty());
    EXPECT_FALSE(chat.answering());
    ask("two");
    chat.remove(chat.current());
    EXPECT_TRUE(engine.sent<CancelTurn>().empty()) << "it would end the loading";
    chat.sendQueued();
    EXPECT_TRUE(engine.sent<Submit>().empty());
}

TEST_F(ChatControllerTest, queuedMessage_ofAnotherConversation_staysThereWhenTheLoadFails) {
    chat.setModelProblem(QStringLiteral("The model is being loaded."), true);
    QSignalSpy returned(&chat, &ChatController::questionReturned);
    ask("one");
    const qint64 first = chat.current();
    chat.newConversation();
    chat.returnQueued();
    EXPECT_EQ(returned.count(), 0);
    chat.select(first);
    EXPECT_EQ(chat.currentModel().line(0).text, QStringLiteral("one"));
    EXPECT_EQ(last().state, LineState::Failed);
    EXPECT_FALSE(chat.answering());
}

TEST_F(ChatControllerTest, modelLoad_allowsNewMessagesAndNothingElse) {
    ask("one");
    answer("first");
    chat.setModelProblem(QStringLiteral("The model is being loaded."), true);
    EXPECT_TRUE(chat.submitBlocker().isEmpty());
    EXPECT_FALSE(chat.regenerateBlocker(1).isEmpty());
    EXPECT_FALSE(chat.editBlocker(0).isEmpty());
    EXPECT_FALSE(chat.continueBlocker().isEmpty());
    EXPECT_FALSE(chat.canRegenerate());
}

TEST_F(ChatControllerTest, stop_keepsTheTextGeneratedSoFar) {
    ask("tell");
    chat.onText(chat.current(), QStringLiteral("Once"));
    chat.stop();
    EXPECT_EQ(engine.sent<CancelTurn>().size(), 1U);
    answer("", FinishReason::Cancelled);
    EXPECT_EQ(last().state, LineState::Stopped);
    EXPECT_FALSE(chat.answering());
}

TEST_F(ChatControllerTest, regenerate_sendsTheSameMessageAgain) {
    ask("one");
    answer("first");
    ASSERT_TRUE(chat.canRegenerate());
    chat.regenerate();
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    EXPECT_EQ(submits[1].messages, submits[0].messages);
    EXPECT_EQ(chat.currentModel().rowCount(), 2);
}

TEST_F(ChatControllerTest, editedMessage_replacesTheLastOne_keptAsABranch) {
    ask("one");
    answer("first");
    ask("two");
    EXPECT_FALSE(chat.canRegenerate());
    answer("second");
    EXPECT_EQ(chat.lastQuestionRow(), 2);
    PromptDraft changed = chat.draftOf(2);
    EXPECT_EQ(changed.text, QStringLiteral("two"));
    chat.edit(2, {});
    chat.edit(2, changed);
    EXPECT_EQ(engine.sent<Submit>().size(), 2U) << "nothing was asked";
    changed.text = QStringLiteral("three");
    chat.edit(2, changed);
    const std::vector<ChatMessage> expected{
        {"user", "one"}, {"assistant", "first"}, {"user", "three"}};
    ASSERT_EQ(engine.sent<Submit>().size(), 3U);
    EXPECT_EQ(engine.sent<Submit>()[2].messages, expected);
    EXPECT_EQ(chat.currentModel().rowCount(), 4);
    EXPECT_FALSE(chat.branchBlocker().isEmpty()) << "while it is answered";
    answer("third");
    EXPECT_EQ(chat.currentModel().branchAt(2), (BranchPosition{2, 2}));
    EXPECT_EQ(chat.currentModel().branchAt(0), (BranchPosition{1, 1}));
    chat.showBranch(2, 1);
    EXPECT_EQ(chat.currentModel().line(2).text, QStringLiteral("two"));
    EXPECT_EQ(last().text, QStringLiteral("second"));
    EXPECT_EQ(engine.sent<Submit>().size(), 3U) << "looking asks nothing";
}

TEST_F(ChatControllerTest, editedFirstMessage_keepsTheOldTurnsAndNestedBranches) {
    ask("one");
    answer("first");
    ask("two");
    answer("second");
    chat.regenerate(1);
    answer("first again");
    EXPECT_EQ(chat.currentModel().rowCount(), 2);
    ask("three");
    answer("third");
    PromptDraft changed = chat.draftOf(0);
    changed.text = QStringLiteral("uno");
    chat.edit(0, changed);
    answer("primo");
    EXPECT_EQ(chat.title(chat.current()), QStringLiteral("uno"));
    EXPECT_EQ(chat.currentModel().branchAt(0), (BranchPosition{2, 2}));
    chat.showBranch(0, 1);
    EXPECT_EQ(last().text, QStringLiteral("third")) << "as it was left";
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{2, 2}));
    chat.showBranch(1, 1);
    EXPECT_EQ(last().text, QStringLiteral("second"));
    EXPECT_EQ(chat.currentModel().rowCount(), 4);
    EXPECT_EQ(chat.record(chat.current()).hidden.size(), 5);
}

TEST_F(ChatControllerTest, editedAnswer_isTheTextThatContinueExtends) {
    ask("count");
    answer("One, two, five");
    PromptDraft changed = chat.draftOf(1);
    changed.text = QStringLiteral("One, two,");
    chat.edit(1, changed);
    EXPECT_EQ(last().state, LineState::Stopped);
    EXPECT_FALSE(last().figures) << "nobody measured it";
    ASSERT_TRUE(chat.continueBlocker().isEmpty());
    chat.continueAnswer();
    const std::vector<ChatMessage> expected{{"user", "count"}, {"assistant", "One, two,"}};
    EXPECT_EQ(engine.sent<Submit>().back().messages, expected);
    answer(" three");
    EXPECT_EQ(last().text, QStringLiteral("One, two, three"));
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{2, 2}));
}

TEST_F(ChatControllerTest, deletedBranch_isRemovedWithItsTurns_undoRestoresThem) {
    ask("one");
    answer("first");
    chat.regenerate();
    answer("second");
    ask("two");
    answer("of the second");
    const auto before = chat.record(chat.current());
    chat.removeBranch(1);
    EXPECT_EQ(last().text, QStringLiteral("first"));
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{1, 1}));
    EXPECT_TRUE(chat.currentModel().hidden().isEmpty());
    chat.removeBranch(1);
    EXPECT_EQ(chat.currentModel().rowCount(), 2) << "the only one stays";
    ASSERT_TRUE(chat.canUndoRemoveBranch());
    chat.undoRemoveBranch();
    EXPECT_EQ(last().text, QStringLiteral("of the second"));
    EXPECT_EQ(chat.currentModel().rowCount(), 4);
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{2, 2}));
    EXPECT_EQ(chat.record(chat.current()).hidden.size(), before.hidden.size());
    EXPECT_FALSE(chat.canUndoRemoveBranch());
}

TEST_F(ChatControllerTest, edit_overTheContext_returnsItsTextAndShowsThePreviousBranch) {
    ask("one");
    answer("first");
    QSignalSpy returned(&chat, &ChatController::questionReturned);
    PromptDraft changed = chat.draftOf(0);
    changed.text = QStringLiteral("far too long");
    chat.edit(0, changed);
    TurnFinished refused;
    refused.conversation = ConversationId(chat.current());
    refused.reason = FinishReason::Error;
    refused.error = Error{ErrorCode::ContextFull, "The prompt has 5,000 tokens.", {}};
    chat.onTurnFinished(refused, std::nullopt);
    ASSERT_EQ(returned.count(), 1);
    EXPECT_EQ(chat.currentModel().rowCount(), 2);
    EXPECT_EQ(last().text, QStringLiteral("first"));
    EXPECT_TRUE(chat.currentModel().hidden().isEmpty());
}

TEST_F(ChatControllerTest, rejectedTurn_returnsTheDraftWithItsAttachmentsAndReportsTheCause) {
    QSignalSpy returned(&chat, &ChatController::questionReturned);
    QSignalSpy full(&chat, &ChatController::contextFull);
    const auto refuse = [this] {
        TurnFinished refused;
        refused.conversation = ConversationId(chat.current());
        refused.reason = FinishReason::Error;
        refused.error = Error{ErrorCode::ContextFull,
                              "the prompt has 13866 tokens and the context has room for 8164; "
                              "shorten the conversation or raise the context",
                              {}};
        chat.onTurnFinished(refused, std::nullopt);
    };
    const auto sentence = [&full] { return full.back().at(1).toString(); };
    PromptDraft draft;
    draft.text = QStringLiteral("Sum both up.");
    draft.attachmentName = QStringLiteral("a.txt, b.txt");
    draft.attachmentText = QStringLiteral("a.txt:\n\nA\n\nb.txt:\n\n") + QString(500, u'B');
    draft.parts = {{QStringLiteral("a.txt"), 8, 1}, {QStringLiteral("b.txt"), 19, 500}};
    chat.submit(draft);
    refuse();
    ASSERT_EQ(returned.count(), 1);
    EXPECT_EQ(returned.back().at(0).value<PromptDraft>().parts, draft.parts);
    EXPECT_TRUE(sentence().contains(QStringLiteral("Shorten or remove \u201cb.txt\u201d")))
        << sentence().toStdString();
    EXPECT_TRUE(sentence().contains(QStringLiteral("13,866 tokens")));
    EXPECT_FALSE(sentence().contains(QStringLiteral("shorten the conversation")));
    ask(QStringLiteral("long ").repeated(100).toUtf8().constData());
    refuse();
    EXPECT_TRUE(sentence().contains(QStringLiteral("Shorten the question")));
    ask("one");
    answer(QStringLiteral("many words ").repeated(100).toUtf8().constData());
    ask("two");
    refuse();
    EXPECT_TRUE(sentence().contains(QStringLiteral("shorten the conversation")));
}

TEST_F(ChatControllerTest, continuedAnswer_hasCombinedFiguresAndAllModelNames) {
    const auto end = [this](const char* text, int tokens, double seconds, FinishReason reason) {
        TurnFinished finished;
        finished.conversation = ConversationId(chat.current());
        finished.text = text;
        finished.reason = reason;
        TurnRow figures;
        figures.answerTokens = tokens;
        figures.promptTokens = 10 * tokens;
        figures.decodeSeconds = seconds;
        chat.onTurnFinished(finished, figures);
    };
    chat.setModelName(QStringLiteral("First"));
    ask("Count.");
    EXPECT_EQ(last().model, QStringLiteral("First"));
    end("One, two,", 57, 3, FinishReason::Cancelled);
    chat.continueAnswer();
    end(" three.", 7, 1, FinishReason::Stop);
    ASSERT_TRUE(last().figures);
    EXPECT_EQ(last().figures->answerTokens, 64);
    EXPECT_EQ(last().figures->promptTokens, 570) << "of the question";
    EXPECT_DOUBLE_EQ(last().figures->decodeSeconds, 4);
    EXPECT_EQ(last().model, QStringLiteral("First"));
    EXPECT_DOUBLE_EQ(answerRate(chat.currentModel().lines()), 16);
    chat.setModelName(QStringLiteral("Second"));
    ask("Again.");
    EXPECT_EQ(last().model, QStringLiteral("Second"));
    EXPECT_EQ(chat.currentModel().line(1).model, QStringLiteral("First"));
    EXPECT_DOUBLE_EQ(answerRate(chat.currentModel().lines()), 0) << "not known yet";
}

TEST_F(ChatControllerTest, branches_areRestoredFromDiskWithTheirLines) {
    ConversationRecord record;
    record.id = 7;
    record.messages = 2;
    chat.restore({record});
    ChatLine question, answered, other;
    question.id = 1;
    question.text = QStringLiteral("one");
    answered.id = 2;
    answered.speaker = other.speaker = MessageRole::Model;
    answered.text = QStringLiteral("first");
    other.id = 9;
    other.text = QStringLiteral("second");
    chat.fill(7, {question, answered}, {{other, 1}});
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{1, 2}));
    EXPECT_FALSE(chat.showLine(77));
    EXPECT_TRUE(chat.showLine(9));
    EXPECT_EQ(last().text, QStringLiteral("second"));
    ask("two");
    EXPECT_GT(last().id, 9) << "numbers are not given twice";
}

TEST_F(ChatControllerTest, systemPromptChange_createsNoBranch) {
    ask("one");
    answer("first");
    chat.setSystemPrompt(QStringLiteral("Be brief."));
    PromptDraft changed = chat.draftOf(1);
    changed.text = QStringLiteral("uno");
    chat.edit(1, changed);
    answer("primo");
    EXPECT_EQ(chat.currentModel().branchAt(1), (BranchPosition{2, 2}));
    EXPECT_EQ(chat.currentModel().branchAt(0), (BranchPosition{1, 1}));
    chat.setSystemPrompt({});
    chat.showBranch(0, 1);
    EXPECT_EQ(last().text, QStringLiteral("first")) << "also when it is gone";
}

TEST_F(ChatControllerTest, regenerateCost_isRequestedFromTheEngine) {
    ask("one");
    answer("first");
    chat.regenerate();
    answer("second");
    QSignalSpy said(&chat, &ChatController::rereadingEstimated);
    chat.showBranch(1, 1);
    const auto asked = engine.sent<EstimateReading>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].messages, (std::vector<ChatMessage>{{"user", "one"}}));
    ReadingEstimated estimate{.conversation = asked[0].conversation,
                              .request = asked[0].request,
                              .promptTokens = 900,
                              .readTokens = 812};
    chat.onEstimated(estimate);
    ASSERT_EQ(said.count(), 1);
    EXPECT_EQ(said[0][0].toLongLong(), last().id);
    EXPECT_EQ(last().figures->regenerateTokens, 812);
    chat.onEstimated(estimate);
    EXPECT_EQ(said.count(), 1) << "one answer each";
}

TEST_F(ChatControllerTest, pinnedSpans_areSentWithEveryTurn_removedWhenRejected) {
    ask("K\u00e4se und Brot");
    answer("Gut.");
    const qint64 question = chat.currentModel().line(0).id;
    chat.pin({question, 9, 13});
    auto told = engine.sent<PinText>();
    ASSERT_EQ(told.size(), 1U);
    EXPECT_EQ(told[0].pins, (std::vector<TextPin>{{0, 10, 14}})) << "bytes, not letters";
    EXPECT_EQ(told[0].messages.size(), 2U);
    TextPinned said{.conversation = ConversationId(chat.current()), .asked = true};
    said.pins = {{.first = 4, .count = 3, .evicted = 0}};
    chat.onPinned(said);
    ASSERT_EQ(chat.pins().size(), 1);
    EXPECT_EQ(chat.pins()[0].text, QStringLiteral("Brot"));
    EXPECT_EQ(chat.pins()[0].tokens, 3);
    QSignalSpy refused(&chat, &ChatController::pinRefused);
    chat.pin({question, 0, 13});
    EXPECT_EQ(chat.pins()[0].text.size(), 13) << "taken in by the larger one";
    TextPinned no{.conversation = ConversationId(chat.current()), .asked = true};
    no.error = Error{ErrorCode::Range, "too many", {}};
    chat.onPinned(no);
    EXPECT_EQ(refused.count(), 1);
    ASSERT_EQ(chat.pins().size(), 1);
    EXPECT_EQ(chat.pins()[0].text, QStringLiteral("Brot")) << "as before";
    ask("more");
    EXPECT_EQ(engine.sent<Submit>().back().pins, (std::vector<TextPin>{{0, 10, 14}}));
    answer("Ja.");
    chat.unpin({question, 10, 12});
    EXPECT_EQ(chat.pins().size(), 2) << "its ends";
    chat.unpinAll();
    EXPECT_TRUE(engine.sent<PinText>().back().pins.empty());
    EXPECT_TRUE(chat.record(chat.current()).pins.isEmpty());
}

TEST_F(ChatControllerTest, pinsOfAHiddenBranch_areNotSent) {
    ask("one two");
    answer("first");
    chat.pin({chat.currentModel().line(0).id, 4, 7});
    PromptDraft changed = chat.draftOf(0);
    changed.text = QStringLiteral("uno");
    chat.edit(0, changed);
    EXPECT_TRUE(engine.sent<Submit>().back().pins.empty());
    answer("primo");
    EXPECT_TRUE(chat.pins().isEmpty());
    chat.showBranch(0, 1);
    ASSERT_EQ(chat.pins().size(), 1);
    EXPECT_EQ(chat.pins()[0].text, QStringLiteral("two"));
}

TEST_F(ChatControllerTest, failedTurn_showsItsErrorAndAllowsTheNextTurn) {
    ask("one");
    TurnFinished finished;
    finished.conversation = ConversationId(chat.current());
    finished.reason = FinishReason::Error;
    finished.error = Error{ErrorCode::Internal, "The cache could not grow.", {}};
    chat.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().state, LineState::Failed);
    EXPECT_EQ(last().problem, QStringLiteral("The cache could not grow."));
    ask("again");
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    for (const ChatMessage& message : submits[1].messages) EXPECT_FALSE(message.content.empty());
}

TEST_F(ChatControllerTest, textForADeletedConversation_isIgnored) {
    ask("one");
    const qint64 gone = chat.current();
    chat.remove(gone);
    EXPECT_NE(chat.current(), gone);
    EXPECT_FALSE(chat.answering());
    EXPECT_EQ(engine.sent<ReleaseConversation>().size(), 1U);
    chat.onText(gone, QStringLiteral("late"));
    EXPECT_TRUE(chat.currentModel().isEmpty());
}

TEST_F(ChatControllerTest, text_ofAnotherConversation_isAppendedThere) {
    ask("one");
    const qint64 first = chat.current();
    const qint64 second = chat.newConversation();
    ASSERT_NE(first, second);
    chat.onText(first, QStringLiteral("hello"));
    EXPECT_TRUE(chat.currentModel().isEmpty());
    chat.select(first);
    EXPECT_EQ(last().text, QStringLiteral("hello"));
}

TEST_F(ChatControllerTest, title_isTakenFromTheFirstMessageUnlessSetByTheUser) {
    ask("What is the code of the boathouse of Oscar, and where does he live now?");
    EXPECT_TRUE(chat.title(chat.current()).startsWith(QStringLiteral("What is the code")));
    EXPECT_LE(chat.title(chat.current()).size(), 44);
    chat.rename(chat.current(), QStringLiteral("  Oscar  "));
    EXPECT_EQ(chat.title(chat.current()), QStringLiteral("Oscar"));
}

TEST_F(ChatControllerTest, conversationTooltip_hasTheFullTitleAndTheChangeTime) {
    const auto tip = [this] {
        return chat.conversations().index(0).data(Qt::ToolTipRole).toString();
    };
    EXPECT_FALSE(tip().contains(QStringLiteral("Last changed"))) << "nothing was said yet";
    ConversationRecord stored;
    stored.id = 7;
    stored.title = QStringLiteral("Where the boathouse key was hidden");
    stored.messages = 2;
    stored.changed = QDateTime(QDate(2026, 3, 9), QTime(8, 5)).toMSecsSinceEpoch();
    chat.restore({stored});
    EXPECT_TRUE(tip().contains(stored.title));
    EXPECT_TRUE(tip().contains(QStringLiteral("Last changed 9 Mar 2026, 08:05.")))
        << tip().toStdString();
    const qint64 before = QDateTime::currentMSecsSinceEpoch();
    chat.rename(7, QStringLiteral("Key"));
    EXPECT_GE(chat.record(7).changed, before);
    chat.newConversation();
    ask("one");
    EXPECT_GE(chat.record(chat.current()).changed, before);
    EXPECT_TRUE(tip().contains(QStringLiteral("Last changed")));
}

TEST_F(ChatControllerTest, newConversation_reusesAnEmptyOne) {
    const qint64 here = chat.current();
    EXPECT_EQ(chat.newConversation(), here);
    EXPECT_EQ(chat.conversations().rowCount(), 1);
}

TEST_F(ChatControllerTest, restoredConversations_replaceTheInitialEmptyOne) {
    ConversationRecord record;
    record.id = 7;
    record.title = QStringLiteral("old");
    record.lines.push_back(
        ChatLine{1, MessageRole::Person, QStringLiteral("hi"), {}, {}, LineState::Done, {}, {}});
    chat.restore({record});
    EXPECT_EQ(chat.conversations().rowCount(), 1);
    EXPECT_EQ(chat.current(), 7);
    EXPECT_EQ(chat.currentModel().rowCount(), 1);
}

TEST_F(ChatControllerTest, restoredConversation_requestsItsLinesWhenFirstShown) {
    QSignalSpy wanted(&chat, &ChatController::linesRequested);
    ConversationRecord record;
    record.id = 7;
    record.title = QStringLiteral("old");
    record.messages = 1;
    chat.restore({record});
    ASSERT_EQ(wanted.count(), 1);
    EXPECT_EQ(chat.conversations().rows().front().messages, 1);
    EXPECT_FALSE(chat.submitBlocker().isEmpty()) << "a question now would lose the stored ones";
    EXPECT_EQ(chat.record(7).messages, 1);
    ChatLine line;
    line.text = QStringLiteral("hi");
    chat.fill(7, {line});
    EXPECT_TRUE(chat.submitBlocker().isEmpty());
    EXPECT_EQ(chat.currentModel().rowCount(), 1);
    EXPECT_NE(chat.newConversation(), 7);
}

TEST_F(ChatControllerTest, removedConversation_isRestoredWithItsLinesByUndo) {
    ask("one");
    answer("first");
    const qint64 id = chat.current();
    chat.remove(id);
    ASSERT_TRUE(chat.canUndoRemove());
    QSignalSpy returned(&chat, &ChatController::conversationRestored);
    chat.undoRemove();
    EXPECT_EQ(returned.count(), 1);
    EXPECT_EQ(chat.current(), id);
    EXPECT_EQ(chat.currentModel().rowCount(), 2);
    EXPECT_FALSE(chat.canUndoRemove());
    chat.undoRemove();
    EXPECT_EQ(returned.count(), 1);
}

TEST_F(ChatControllerTest, submit_withoutAModel_sendsNothing) {
    chat.setModelProblem(QStringLiteral("Load a model first."));
    ask("one");
    EXPECT_TRUE(engine.sent<Submit>().empty());
    EXPECT_TRUE(chat.currentModel().isEmpty());
}

TEST_F(ChatControllerTest, itemModels_passTheModelTester) {
    QAbstractItemModelTester list(&chat.conversations(),
                                  QAbstractItemModelTester::FailureReportingMode::Fatal);
    QAbstractItemModelTester lines(&chat.currentModel(),
                                   QAbstractItemModelTester::FailureReportingMode::Fatal);
    ask("one");
    answer("first");
    chat.regenerate();
    answer("second");
    chat.newConversation();
    ask("two");
    answer("third");
    chat.rename(chat.current(), QStringLiteral("x"));
    EXPECT_EQ(chat.conversations().rowCount(), 2);
    chat.remove(chat.current());
    EXPECT_EQ(chat.conversations().rowCount(), 1);
}

TEST_F(ChatControllerTest, prefillProgress_isShownUntilTheFirstText) {
    ask("one");
    TurnStarted started;
    started.conversation = ConversationId(chat.current());
    started.promptTokens = 1000;
    chat.onTurnStarted(started);
    PrefillProgress progress;
    progress.conversation = started.conversation;
    progress.done = 256;
    progress.total = 1000;
    chat.onPrefill(progress);
    ASSERT_TRUE(chat.prefill().has_value());
    EXPECT_EQ(chat.prefill()->done, 256);
    chat.onText(chat.current(), QStringLiteral("a"));
    EXPECT_FALSE(chat.prefill().has_value());
}

TEST_F(ChatControllerTest, turnsOfTwoConversations_streamAtOnce_textReachesItsOwn) {
    ask("one");
    const qint64 first = chat.current();
    const qint64 second = chat.newConversation();
    ASSERT_NE(first, second);
    EXPECT_TRUE(chat.submitBlocker().isEmpty());
    EXPECT_FALSE(chat.answering());
    ask("two");
    ASSERT_EQ(engine.sent<Submit>().size(), 2U);
    EXPECT_EQ(engine.sent<Submit>()[1].conversation, ConversationId(second));
    EXPECT_TRUE(chat.answering(first));
    EXPECT_TRUE(chat.answering(second));
    chat.onText(first, QStringLiteral("alpha "));
    chat.onText(second, QStringLiteral("beta "));
    chat.onText(first, QStringLiteral("gamma"));
    EXPECT_EQ(last().text, QStringLiteral("beta "));
    TurnFinished finished;
    finished.conversation = ConversationId(second);
    finished.text = "beta done";
    chat.onTurnFinished(finished, TurnRow{});
    EXPECT_FALSE(chat.answering(second));
    EXPECT_TRUE(chat.answering(first));
    EXPECT_EQ(last().text, QStringLiteral("beta done"));
    chat.select(first);
    EXPECT_EQ(last().text, QStringLiteral("alpha gamma"));
    EXPECT_TRUE(chat.answering());
    EXPECT_FALSE(chat.submitBlocker().isEmpty());
}

TEST_F(ChatControllerTest, stop_cancelsTheCurrentConversationOnly) {
    ask("one");
    const qint64 first = chat.current();
    chat.newConversation();
    chat.stop();
    EXPECT_TRUE(engine.sent<CancelTurn>().empty());
    ask("two");
    chat.stop();
    ASSERT_EQ(engine.sent<CancelTurn>().size(), 1U);
    EXPECT_EQ(engine.sent<CancelTurn>()[0].conversation, ConversationId(chat.current()));
    EXPECT_TRUE(chat.answering(first));
}

TEST_F(ChatControllerTest, prefillProgress_belongsToTheCurrentConversation) {
    ask("one");
    const qint64 first = chat.current();
    TurnStarted started;
    started.conversation = ConversationId(first);
    started.promptTokens = 1000;
    chat.onTurnStarted(started);
    const qint64 second = chat.newConversation();
    EXPECT_FALSE(chat.prefill().has_value());
    chat.onText(second, QStringLiteral("late"));
    chat.select(first);
    ASSERT_TRUE(chat.prefill().has_value());
    EXPECT_EQ(chat.prefill()->total, 1000);
}

TEST_F(ChatControllerTest, reasoning_isSeparatedFromTheAnswerAndNotSentAgain) {
    ask("one");
    chat.onText(chat.current(), QStringLiteral("<thi"));
    EXPECT_TRUE(last().text.isEmpty()) << "it may be a mark";
    chat.onText(chat.current(), QStringLiteral("nk>\nhm, "));
    chat.onText(chat.current(), QStringLiteral("so\n</think>\n\nYes"));
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    EXPECT_EQ(last().text, QStringLiteral("Yes"));
    TurnFinished finished;
    finished.conversation = ConversationId(chat.current());
    finished.text = "<think>\nhm, so\n</think>\n\nYes.";
    chat.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().text, QStringLiteral("Yes.")) << "lost text is repaired";
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    ask("two");
    EXPECT_EQ(engine.sent<Submit>().back().messages[1].content, "Yes.");
}

TEST_F(ChatControllerTest, reasoningInChannels_isSeparatedByControlTokens) {
    const std::vector<std::string> marks{"<|channel|>", "<|message|>", "<|end|>", "<|start|>"};
    ThoughtForm form;
    form.begins = ThoughtStream::Begins::Channels;
    form.markText = [&marks](TokenId token) {
        const auto at = static_cast<std::size_t>(token);
        return at < marks.size() ? marks[at] : std::string();
    };
    chat.setThoughtForm(form);
    ask("one");
    std::int64_t index = 0;
    const auto token = [&](TokenId id, const char* text) {
        TokenText event;
        event.conversation = ConversationId(chat.current());
        event.index = index++;
        event.token = id;
        event.text = text;
        chat.onText(event);
    };
    token(0, "");
    token(9, "analysis");
    token(1, "");
    token(9, "The user");
    token(9, " asks.");
    chat.flushText();
    EXPECT_EQ(last().thought.text, QStringLiteral("The user asks."));
    EXPECT_TRUE(last().text.isEmpty());
    token(2, "");
    token(3, "");
    token(9, "assistant");
    token(0, "");
    token(9, "final");
    token(1, "");
    token(9, "Yes.");
    chat.flushText();
    TurnFinished finished;
    finished.conversation = ConversationId(chat.current());
    finished.text = "analysisThe user asks.assistantfinalYes.";
    finished.reason = FinishReason::Cancelled;
    chat.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().text, QStringLiteral("Yes."));
    EXPECT_EQ(last().thought.text, QStringLiteral("The user asks."));
    EXPECT_EQ(last().thought.tokens, 4) << "two of the text, and the marks around it";
    EXPECT_FALSE(chat.continueBlocker().isEmpty()) << "a prompt cannot end within a channel";
}

TEST_F(ChatControllerTest, answerStoppedWhileReasoning_isContinuedInItsReasoning) {
    ask("one");
    answer("<think>\nhm", FinishReason::Cancelled);
    EXPECT_EQ(last().thought.text, QStringLiteral("hm"));
    ASSERT_TRUE(chat.continueBlocker().isEmpty());
    chat.continueAnswer();
    EXPECT_EQ(engine.sent<Submit>().back().messages.back().content, "<think>\nhm");
    answer(", so</think>Yes.", FinishReason::Cancelled);
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    EXPECT_EQ(last().text, QStringLiteral("Yes."));
    const qint64 line = last().id;
    chat.pin({line, 0, 3});
    chat.continueAnswer();
    const Submit question = engine.sent<Submit>().back();
    const std::string& content = question.messages.back().content;
    EXPECT_EQ(content, "<think>\nhm, so\n</think>\n\nYes.");
    ASSERT_EQ(question.pins.size(), 1U);
    EXPECT_EQ(content.substr(static_cast<std::size_t>(question.pins[0].first), 3), "Yes");
    answer(" No.");
    EXPECT_EQ(last().text, QStringLiteral("Yes. No."));
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
}

TEST_F(ChatControllerTest, answerOfAHiddenConversation_changesOnlyThatConversation) {
    chat.setModelName(QStringLiteral("A"));
    ask("one");
    const qint64 first = chat.current();
    TurnStarted started;
    started.conversation = ConversationId(first);
    started.promptTokens = 100;
    chat.onTurnStarted(started);
    EXPECT_TRUE(chat.prefill().has_value());
    chat.newConversation();
    EXPECT_FALSE(chat.prefill().has_value()) << "the progress belongs to the other conversation";
    EXPECT_FALSE(chat.answering());
    EXPECT_EQ(chat.otherAnswering(), QVector<qint64>{first});
    chat.setModelName(QStringLiteral("B"));
    ask("two");
    const qint64 second = chat.current();
    chat.onText(first, QStringLiteral("Of one"));
    chat.onText(second, QStringLiteral("Of two"));
    EXPECT_EQ(last().text, QStringLiteral("Of two"));
    answer("Of two");
    EXPECT_EQ(last().model, QStringLiteral("B"));
    chat.select(first);
    EXPECT_TRUE(chat.answering());
    EXPECT_EQ(last().text, QStringLiteral("Of one"));
    EXPECT_EQ(last().model, QStringLiteral("A"));
    EXPECT_FALSE(last().figures.has_value()) << "the figures are those of the other answer";
}

}  // namespace
}  // namespace lacuna::app
