#include "app/state/chat/conversation_turns.h"

#include <gtest/gtest.h>

#include <QSignalSpy>

#include "app/state/storage/conversation_database.h"
#include "tests/app/conversation_stage.h"

namespace lacuna::app {
namespace {

using ConversationTurnsTest = ConversationStage;

TEST_F(ConversationTurnsTest, submit_sendsTheFullConversation) {
    ask("one");
    answer("first");
    ask("two");
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    const std::vector<ChatMessage> expected{
        {"user", "one"}, {"assistant", "first"}, {"user", "two"}};
    EXPECT_EQ(submits[1].messages, expected);
    EXPECT_EQ(submits[1].conversation.value, list.current());
}

TEST_F(ConversationTurnsTest, attachment_isSentBeforeTheMessageText) {
    PromptDraft draft{QStringLiteral("What is it?"), QStringLiteral("note"),
                      QStringLiteral("A long text.")};
    turns.submit(draft);
    EXPECT_EQ(engine.sent<Submit>()[0].messages[0].content, "A long text.\n\nWhat is it?");
    EXPECT_EQ(list.currentModel().line(0).text, QStringLiteral("What is it?"));
}

TEST_F(ConversationTurnsTest, streamedText_isAppendedToTheLastLine) {
    ask("hello");
    EXPECT_EQ(last().state, LineState::Waiting);
    turns.onText(list.current(), QStringLiteral("Good "));
    turns.onText(list.current(), QStringLiteral("day"));
    EXPECT_EQ(last().text, QStringLiteral("Good day"));
    EXPECT_EQ(last().state, LineState::Streaming);
    EXPECT_TRUE(list.answering());
}

TEST_F(ConversationTurnsTest, submit_duringATurn_isRejectedWithAReason) {
    ask("one");
    EXPECT_FALSE(turns.submitBlocker().isEmpty());
    ask("two");
    EXPECT_EQ(engine.sent<Submit>().size(), 1U);
}

TEST_F(ConversationTurnsTest, submit_duringModelLoad_isQueuedAndSentAfterTheLoad) {
    turns.setModelProblem(QStringLiteral("The model is being loaded."), true);
    ask("one");
    EXPECT_TRUE(turns.queued() && list.answering());
    EXPECT_EQ(last().state, LineState::Waiting);
    EXPECT_FALSE(last().problem.isEmpty()) << "it says what it waits for";
    EXPECT_FALSE(turns.submitBlocker().isEmpty()) << "one at a time";
    EXPECT_TRUE(engine.sent<Submit>().empty());
    turns.setModelProblem({});
    turns.sendQueued();
    ASSERT_EQ(engine.sent<Submit>().size(), 1U);
    EXPECT_EQ(engine.sent<Submit>()[0].messages, (std::vector<ChatMessage>{{"user", "one"}}));
    EXPECT_TRUE(last().problem.isEmpty());
    turns.sendQueued();
    EXPECT_EQ(engine.sent<Submit>().size(), 1U);
    answer("first");
    EXPECT_EQ(last().text, QStringLiteral("first"));
}

TEST_F(ConversationTurnsTest, stop_ofAQueuedMessage_returnsTheDraftAndKeepsLoading) {
    turns.setModelProblem(QStringLiteral("The model is being loaded."), true);
    QSignalSpy returned(&turns, &ConversationTurns::questionReturned);
    ask("one");
    turns.stop();
    ASSERT_EQ(returned.count(), 1);
    EXPECT_TRUE(list.isEmpty());
    EXPECT_FALSE(list.answering());
    ask("two");
    list.remove(list.current());
    EXPECT_TRUE(engine.sent<CancelTurn>().empty()) << "it would end the loading";
    turns.sendQueued();
    EXPECT_TRUE(engine.sent<Submit>().empty());
}

TEST_F(ConversationTurnsTest, queuedMessage_ofAnotherConversation_staysThereWhenTheLoadFails) {
    turns.setModelProblem(QStringLiteral("The model is being loaded."), true);
    QSignalSpy returned(&turns, &ConversationTurns::questionReturned);
    ask("one");
    const qint64 first = list.current();
    list.newConversation();
    turns.returnQueued();
    EXPECT_EQ(returned.count(), 0);
    list.select(first);
    EXPECT_EQ(list.currentModel().line(0).text, QStringLiteral("one"));
    EXPECT_EQ(last().state, LineState::Failed);
    EXPECT_FALSE(list.answering());
}

TEST_F(ConversationTurnsTest, modelLoad_allowsNewMessagesAndNothingElse) {
    ask("one");
    answer("first");
    turns.setModelProblem(QStringLiteral("The model is being loaded."), true);
    EXPECT_TRUE(turns.submitBlocker().isEmpty());
    EXPECT_FALSE(turns.regenerateBlocker(1).isEmpty());
    EXPECT_FALSE(turns.editBlocker(0).isEmpty());
    EXPECT_FALSE(turns.continueBlocker().isEmpty());
    EXPECT_FALSE(turns.canRegenerate());
}

TEST_F(ConversationTurnsTest, stop_keepsTheTextGeneratedSoFar) {
    ask("tell");
    turns.onText(list.current(), QStringLiteral("Once"));
    turns.stop();
    EXPECT_EQ(engine.sent<CancelTurn>().size(), 1U);
    answer("", FinishReason::Cancelled);
    EXPECT_EQ(last().state, LineState::Stopped);
    EXPECT_FALSE(list.answering());
}

TEST_F(ConversationTurnsTest, regenerate_sendsTheSameMessageAgain) {
    ask("one");
    answer("first");
    ASSERT_TRUE(turns.canRegenerate());
    turns.regenerate();
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    EXPECT_EQ(submits[1].messages, submits[0].messages);
    EXPECT_EQ(list.currentModel().rowCount(), 2);
}

TEST_F(ConversationTurnsTest, editedMessage_replacesTheLastOne_keptAsABranch) {
    ask("one");
    answer("first");
    ask("two");
    EXPECT_FALSE(turns.canRegenerate());
    answer("second");
    EXPECT_EQ(list.lastQuestionRow(), 2);
    PromptDraft changed = turns.draftOf(2);
    EXPECT_EQ(changed.text, QStringLiteral("two"));
    turns.edit(2, {});
    turns.edit(2, changed);
    EXPECT_EQ(engine.sent<Submit>().size(), 2U) << "nothing was asked";
    changed.text = QStringLiteral("three");
    turns.edit(2, changed);
    const std::vector<ChatMessage> expected{
        {"user", "one"}, {"assistant", "first"}, {"user", "three"}};
    ASSERT_EQ(engine.sent<Submit>().size(), 3U);
    EXPECT_EQ(engine.sent<Submit>()[2].messages, expected);
    EXPECT_EQ(list.currentModel().rowCount(), 4);
    EXPECT_FALSE(list.changeBlocker().isEmpty()) << "while it is answered";
    answer("third");
    EXPECT_EQ(list.currentModel().branchAt(2), (BranchPosition{2, 2}));
    EXPECT_EQ(list.currentModel().branchAt(0), (BranchPosition{1, 1}));
    list.showBranch(2, 1);
    EXPECT_EQ(list.currentModel().line(2).text, QStringLiteral("two"));
    EXPECT_EQ(last().text, QStringLiteral("second"));
    EXPECT_EQ(engine.sent<Submit>().size(), 3U) << "looking asks nothing";
}

TEST_F(ConversationTurnsTest, editedFirstMessage_keepsTheOldTurnsAndNestedBranches) {
    ask("one");
    answer("first");
    ask("two");
    answer("second");
    turns.regenerate(1);
    answer("first again");
    EXPECT_EQ(list.currentModel().rowCount(), 2);
    ask("three");
    answer("third");
    PromptDraft changed = turns.draftOf(0);
    changed.text = QStringLiteral("uno");
    turns.edit(0, changed);
    answer("primo");
    EXPECT_EQ(list.title(list.current()), QStringLiteral("uno"));
    EXPECT_EQ(list.currentModel().branchAt(0), (BranchPosition{2, 2}));
    list.showBranch(0, 1);
    EXPECT_EQ(last().text, QStringLiteral("third")) << "as it was left";
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{2, 2}));
    list.showBranch(1, 1);
    EXPECT_EQ(last().text, QStringLiteral("second"));
    EXPECT_EQ(list.currentModel().rowCount(), 4);
    EXPECT_EQ(list.record(list.current()).hidden.size(), 5);
}

TEST_F(ConversationTurnsTest, editedAnswer_isTheTextThatContinueExtends) {
    ask("count");
    answer("One, two, five");
    PromptDraft changed = turns.draftOf(1);
    changed.text = QStringLiteral("One, two,");
    turns.edit(1, changed);
    EXPECT_EQ(last().state, LineState::Stopped);
    EXPECT_FALSE(last().figures) << "nobody measured it";
    ASSERT_TRUE(turns.continueBlocker().isEmpty());
    turns.continueAnswer();
    const std::vector<ChatMessage> expected{{"user", "count"}, {"assistant", "One, two,"}};
    EXPECT_EQ(engine.sent<Submit>().back().messages, expected);
    answer(" three");
    EXPECT_EQ(last().text, QStringLiteral("One, two, three"));
    EXPECT_EQ(list.currentModel().branchAt(1), (BranchPosition{2, 2}));
}

TEST_F(ConversationTurnsTest, edit_overTheContext_returnsItsTextAndShowsThePreviousBranch) {
    ask("one");
    answer("first");
    QSignalSpy returned(&turns, &ConversationTurns::questionReturned);
    PromptDraft changed = turns.draftOf(0);
    changed.text = QStringLiteral("far too long");
    turns.edit(0, changed);
    TurnFinished refused;
    refused.conversation = ConversationId(list.current());
    refused.reason = FinishReason::Error;
    refused.error = Error{ErrorCode::ContextFull, "The prompt has 5,000 tokens.", {}};
    turns.onTurnFinished(refused, std::nullopt);
    ASSERT_EQ(returned.count(), 1);
    EXPECT_EQ(list.currentModel().rowCount(), 2);
    EXPECT_EQ(last().text, QStringLiteral("first"));
    EXPECT_TRUE(list.currentModel().hidden().isEmpty());
}

TEST_F(ConversationTurnsTest, rejectedTurn_returnsTheDraftWithItsAttachmentsAndReportsTheCause) {
    QSignalSpy returned(&turns, &ConversationTurns::questionReturned);
    QSignalSpy full(&turns, &ConversationTurns::contextFull);
    const auto refuse = [this] {
        TurnFinished refused;
        refused.conversation = ConversationId(list.current());
        refused.reason = FinishReason::Error;
        refused.error = Error{ErrorCode::ContextFull,
                              "the prompt has 13866 tokens and the context has room for 8164; "
                              "shorten the conversation or raise the context",
                              {}};
        turns.onTurnFinished(refused, std::nullopt);
    };
    const auto sentence = [&full] { return full.back().at(1).toString(); };
    PromptDraft draft;
    draft.text = QStringLiteral("Sum both up.");
    draft.attachmentName = QStringLiteral("a.txt, b.txt");
    draft.attachmentText = QStringLiteral("a.txt:\n\nA\n\nb.txt:\n\n") + QString(500, u'B');
    draft.parts = {{QStringLiteral("a.txt"), 8, 1}, {QStringLiteral("b.txt"), 19, 500}};
    turns.submit(draft);
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

TEST_F(ConversationTurnsTest, continuedAnswer_hasCombinedFiguresAndAllModelNames) {
    const auto end = [this](const char* text, int tokens, double seconds, FinishReason reason) {
        TurnFinished finished;
        finished.conversation = ConversationId(list.current());
        finished.text = text;
        finished.reason = reason;
        TurnRow figures;
        figures.answerTokens = tokens;
        figures.promptTokens = 10 * tokens;
        figures.decodeSeconds = seconds;
        turns.onTurnFinished(finished, figures);
    };
    turns.setModelName(QStringLiteral("First"));
    ask("Count.");
    EXPECT_EQ(last().model, QStringLiteral("First"));
    end("One, two,", 57, 3, FinishReason::Cancelled);
    turns.continueAnswer();
    end(" three.", 7, 1, FinishReason::Stop);
    ASSERT_TRUE(last().figures);
    EXPECT_EQ(last().figures->answerTokens, 64);
    EXPECT_EQ(last().figures->promptTokens, 570) << "of the question";
    EXPECT_DOUBLE_EQ(last().figures->decodeSeconds, 4);
    EXPECT_EQ(last().model, QStringLiteral("First"));
    EXPECT_DOUBLE_EQ(answerRate(list.currentModel().lines()), 16);
    turns.setModelName(QStringLiteral("Second"));
    ask("Again.");
    EXPECT_EQ(last().model, QStringLiteral("Second"));
    EXPECT_EQ(list.currentModel().line(1).model, QStringLiteral("First"));
    EXPECT_DOUBLE_EQ(answerRate(list.currentModel().lines()), 0) << "not known yet";
}

TEST_F(ConversationTurnsTest, regenerateCost_isRequestedFromTheEngine) {
    ask("one");
    answer("first");
    turns.regenerate();
    answer("second");
    QSignalSpy said(&turns, &ConversationTurns::rereadingEstimated);
    list.showBranch(1, 1);
    const auto asked = engine.sent<EstimateReading>();
    ASSERT_EQ(asked.size(), 1U);
    EXPECT_EQ(asked[0].messages, (std::vector<ChatMessage>{{"user", "one"}}));
    ReadingEstimated estimate{.conversation = asked[0].conversation,
                              .request = asked[0].request,
                              .promptTokens = 900,
                              .readTokens = 812};
    turns.onEstimated(estimate);
    ASSERT_EQ(said.count(), 1);
    EXPECT_EQ(said[0][0].toLongLong(), last().id);
    EXPECT_EQ(last().figures->regenerateTokens, 812);
    turns.onEstimated(estimate);
    EXPECT_EQ(said.count(), 1) << "one answer each";
}

TEST_F(ConversationTurnsTest, failedTurn_showsItsErrorAndAllowsTheNextTurn) {
    ask("one");
    TurnFinished finished;
    finished.conversation = ConversationId(list.current());
    finished.reason = FinishReason::Error;
    finished.error = Error{ErrorCode::Internal, "The cache could not grow.", {}};
    turns.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().state, LineState::Failed);
    EXPECT_EQ(last().problem, QStringLiteral("The cache could not grow."));
    ask("again");
    const auto submits = engine.sent<Submit>();
    ASSERT_EQ(submits.size(), 2U);
    for (const ChatMessage& message : submits[1].messages) EXPECT_FALSE(message.content.empty());
}

TEST_F(ConversationTurnsTest, textForADeletedConversation_isIgnored) {
    ask("one");
    const qint64 gone = list.current();
    list.remove(gone);
    EXPECT_NE(list.current(), gone);
    EXPECT_FALSE(list.answering());
    EXPECT_EQ(engine.sent<ReleaseConversation>().size(), 1U);
    turns.onText(gone, QStringLiteral("late"));
    EXPECT_TRUE(list.currentModel().isEmpty());
}

TEST_F(ConversationTurnsTest, text_ofAnotherConversation_isAppendedThere) {
    ask("one");
    const qint64 first = list.current();
    const qint64 second = list.newConversation();
    ASSERT_NE(first, second);
    turns.onText(first, QStringLiteral("hello"));
    EXPECT_TRUE(list.currentModel().isEmpty());
    list.select(first);
    EXPECT_EQ(last().text, QStringLiteral("hello"));
}

TEST_F(ConversationTurnsTest, submit_withoutAModel_sendsNothing) {
    turns.setModelProblem(QStringLiteral("Load a model first."));
    ask("one");
    EXPECT_TRUE(engine.sent<Submit>().empty());
    EXPECT_TRUE(list.currentModel().isEmpty());
}

TEST_F(ConversationTurnsTest, prefillProgress_isShownUntilTheFirstText) {
    ask("one");
    TurnStarted started;
    started.conversation = ConversationId(list.current());
    started.promptTokens = 1000;
    turns.onTurnStarted(started);
    PrefillProgress progress;
    progress.conversation = started.conversation;
    progress.done = 256;
    progress.total = 1000;
    turns.onPrefill(progress);
    ASSERT_TRUE(turns.prefill().has_value());
    EXPECT_EQ(turns.prefill()->done, 256);
    turns.onText(list.current(), QStringLiteral("a"));
    EXPECT_FALSE(turns.prefill().has_value());
}

TEST_F(ConversationTurnsTest, turnsOfTwoConversations_streamAtOnce_textReachesItsOwn) {
    ask("one");
    const qint64 first = list.current();
    const qint64 second = list.newConversation();
    ASSERT_NE(first, second);
    EXPECT_TRUE(turns.submitBlocker().isEmpty());
    EXPECT_FALSE(list.answering());
    ask("two");
    ASSERT_EQ(engine.sent<Submit>().size(), 2U);
    EXPECT_EQ(engine.sent<Submit>()[1].conversation, ConversationId(second));
    EXPECT_TRUE(list.answering(first));
    EXPECT_TRUE(list.answering(second));
    turns.onText(first, QStringLiteral("alpha "));
    turns.onText(second, QStringLiteral("beta "));
    turns.onText(first, QStringLiteral("gamma"));
    EXPECT_EQ(last().text, QStringLiteral("beta "));
    TurnFinished finished;
    finished.conversation = ConversationId(second);
    finished.text = "beta done";
    turns.onTurnFinished(finished, TurnRow{});
    EXPECT_FALSE(list.answering(second));
    EXPECT_TRUE(list.answering(first));
    EXPECT_EQ(last().text, QStringLiteral("beta done"));
    list.select(first);
    EXPECT_EQ(last().text, QStringLiteral("alpha gamma"));
    EXPECT_TRUE(list.answering());
    EXPECT_FALSE(turns.submitBlocker().isEmpty());
}

TEST_F(ConversationTurnsTest, stop_cancelsTheCurrentConversationOnly) {
    ask("one");
    const qint64 first = list.current();
    list.newConversation();
    turns.stop();
    EXPECT_TRUE(engine.sent<CancelTurn>().empty());
    ask("two");
    turns.stop();
    ASSERT_EQ(engine.sent<CancelTurn>().size(), 1U);
    EXPECT_EQ(engine.sent<CancelTurn>()[0].conversation, ConversationId(list.current()));
    EXPECT_TRUE(list.answering(first));
}

TEST_F(ConversationTurnsTest, prefillProgress_belongsToTheCurrentConversation) {
    ask("one");
    const qint64 first = list.current();
    TurnStarted started;
    started.conversation = ConversationId(first);
    started.promptTokens = 1000;
    turns.onTurnStarted(started);
    const qint64 second = list.newConversation();
    EXPECT_FALSE(turns.prefill().has_value());
    turns.onText(second, QStringLiteral("late"));
    list.select(first);
    ASSERT_TRUE(turns.prefill().has_value());
    EXPECT_EQ(turns.prefill()->total, 1000);
}

TEST_F(ConversationTurnsTest, reasoning_isSeparatedFromTheAnswerAndNotSentAgain) {
    ask("one");
    turns.onText(list.current(), QStringLiteral("<thi"));
    EXPECT_TRUE(last().text.isEmpty()) << "it may be a mark";
    turns.onText(list.current(), QStringLiteral("nk>\nhm, "));
    turns.onText(list.current(), QStringLiteral("so\n</think>\n\nYes"));
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    EXPECT_EQ(last().text, QStringLiteral("Yes"));
    TurnFinished finished;
    finished.conversation = ConversationId(list.current());
    finished.text = "<think>\nhm, so\n</think>\n\nYes.";
    turns.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().text, QStringLiteral("Yes.")) << "lost text is repaired";
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    ask("two");
    EXPECT_EQ(engine.sent<Submit>().back().messages[1].content, "Yes.");
}

TEST_F(ConversationTurnsTest, reasoningInChannels_isSeparatedByControlTokens) {
    const std::vector<std::string> marks{"<|channel|>", "<|message|>", "<|end|>", "<|start|>"};
    ThoughtForm form;
    form.begins = ThoughtStream::Begins::Channels;
    form.markText = [&marks](TokenId token) {
        const auto at = static_cast<std::size_t>(token);
        return at < marks.size() ? marks[at] : std::string();
    };
    turns.setThoughtForm(form);
    ask("one");
    std::int64_t index = 0;
    const auto token = [&](TokenId id, const char* text) {
        TokenText event;
        event.conversation = ConversationId(list.current());
        event.index = index++;
        event.token = id;
        event.text = text;
        turns.onText(event);
    };
    token(0, "");
    token(9, "analysis");
    token(1, "");
    token(9, "The user");
    token(9, " asks.");
    turns.flushText();
    EXPECT_EQ(last().thought.text, QStringLiteral("The user asks."));
    EXPECT_TRUE(last().text.isEmpty());
    token(2, "");
    token(3, "");
    token(9, "assistant");
    token(0, "");
    token(9, "final");
    token(1, "");
    token(9, "Yes.");
    turns.flushText();
    TurnFinished finished;
    finished.conversation = ConversationId(list.current());
    finished.text = "analysisThe user asks.assistantfinalYes.";
    finished.reason = FinishReason::Cancelled;
    turns.onTurnFinished(finished, TurnRow{});
    EXPECT_EQ(last().text, QStringLiteral("Yes."));
    EXPECT_EQ(last().thought.text, QStringLiteral("The user asks."));
    EXPECT_EQ(last().thought.tokens, 4) << "two of the text, and the marks around it";
    EXPECT_FALSE(turns.continueBlocker().isEmpty()) << "a prompt cannot end within a channel";
}

TEST_F(ConversationTurnsTest, answerStoppedWhileReasoning_isContinuedInItsReasoning) {
    ask("one");
    answer("<think>\nhm", FinishReason::Cancelled);
    EXPECT_EQ(last().thought.text, QStringLiteral("hm"));
    ASSERT_TRUE(turns.continueBlocker().isEmpty());
    turns.continueAnswer();
    EXPECT_EQ(engine.sent<Submit>().back().messages.back().content, "<think>\nhm");
    answer(", so</think>Yes.", FinishReason::Cancelled);
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
    EXPECT_EQ(last().text, QStringLiteral("Yes."));
    const qint64 line = last().id;
    pins.pin({line, 0, 3});
    turns.continueAnswer();
    const Submit question = engine.sent<Submit>().back();
    const std::string& content = question.messages.back().content;
    EXPECT_EQ(content, "<think>\nhm, so\n</think>\n\nYes.");
    ASSERT_EQ(question.pins.size(), 1U);
    EXPECT_EQ(content.substr(static_cast<std::size_t>(question.pins[0].first), 3), "Yes");
    answer(" No.");
    EXPECT_EQ(last().text, QStringLiteral("Yes. No."));
    EXPECT_EQ(last().thought.text, QStringLiteral("hm, so"));
}

TEST_F(ConversationTurnsTest, answerOfAHiddenConversation_changesOnlyThatConversation) {
    turns.setModelName(QStringLiteral("A"));
    ask("one");
    const qint64 first = list.current();
    TurnStarted started;
    started.conversation = ConversationId(first);
    started.promptTokens = 100;
    turns.onTurnStarted(started);
    EXPECT_TRUE(turns.prefill().has_value());
    list.newConversation();
    EXPECT_FALSE(turns.prefill().has_value()) << "the progress belongs to the other conversation";
    EXPECT_FALSE(list.answering());
    EXPECT_EQ(list.otherAnswering(), QVector<qint64>{first});
    turns.setModelName(QStringLiteral("B"));
    ask("two");
    const qint64 second = list.current();
    turns.onText(first, QStringLiteral("Of one"));
    turns.onText(second, QStringLiteral("Of two"));
    EXPECT_EQ(last().text, QStringLiteral("Of two"));
    answer("Of two");
    EXPECT_EQ(last().model, QStringLiteral("B"));
    list.select(first);
    EXPECT_TRUE(list.answering());
    EXPECT_EQ(last().text, QStringLiteral("Of one"));
    EXPECT_EQ(last().model, QStringLiteral("A"));
    EXPECT_FALSE(last().figures.has_value()) << "the figures are those of the other answer";
}

}  // namespace
}  // namespace lacuna::app
