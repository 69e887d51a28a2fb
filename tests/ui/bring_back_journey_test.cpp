// User workflow from words evicted by a compaction to a cache that holds them again, with a
// scripted engine, and with the live engine and the test model.

#include <gtest/gtest.h>

#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTest>
#include <QTextCursor>
#include <algorithm>
#include <functional>
#include <memory>

#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/models/model_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/chart_builders.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/message_view.h"
#include "ui/panels/telemetry_panel.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 60'000;

MessageText* textOf(MainWindow& window, const QString& part) {
    for (MessageText* text : window.chatView().findChildren<MessageText*>())
        if (text->toPlainText().contains(part)) return text;
    return nullptr;
}

void mark(MessageText& text, int from, int to) {
    QTextCursor cursor(text.document());
    cursor.setPosition(from);
    cursor.setPosition(to, QTextCursor::KeepAnchor);
    text.setTextCursor(cursor);
}

class RestoreSpanJourney : public WindowStage {
  protected:
    /// A conversation of six tokens; the compaction evicted " the" and " key.".
    RestoreSpanJourney() {
        load();
        state->turns().submit({QStringLiteral("Find the key."), {}, {}});
        TurnFinished finished;
        finished.conversation = here();
        finished.text = "Here.";
        hear(finished);
        StepSample step;
        step.conversation = here();
        step.kv.tokens = 6;
        step.kv.logicalBytes = 6 * 512;
        hear(step);
        action = window->actions().find(QStringLiteral("cache.bringBack"));
    }
    void look() {
        trigger("view.retention");
        RetentionSnapshot snapshot;
        snapshot.conversation = here();
        snapshot.pieces = {"<user>", "Find", " the", " key.", "<model>", "Here."};
        snapshot.row.tokens = 6;
        snapshot.row.layers = 1;
        snapshot.row.kvHeads = 1;
        snapshot.row.share = {1, 1, 0, 0, 1, 1};
        snapshot.row.holders = {1, 1, 0, 0, 1, 1};
        snapshot.row.slots = {4};
        hear(snapshot);
        question = textOf(*window, QStringLiteral("Find the key."));
        ASSERT_NE(question, nullptr);
    }
    [[nodiscard]] QString reason() const { return ActionRegistry::reasonOf(action); }
    [[nodiscard]] SpanRestored said(bool ended) const {
        return {.at = {},
                .conversation = here(),
                .first = 2,
                .count = 2,
                .restoredTokens = 5,
                .rereadTokens = 1,
                .keptTokens = ended ? 2 : 0,
                .seconds = ended ? 0.024 : 0,
                .ended = ended};
    }
    QAction* action = nullptr;
    MessageText* question = nullptr;
};

TEST_F(RestoreSpanJourney, action_reportsWhatIsMissingUntilEvictedWordsAreSelected) {
    EXPECT_TRUE(reason().contains(QStringLiteral("retention overlay"))) << reason().toStdString();
    look();
    EXPECT_TRUE(reason().contains(QStringLiteral("Select evicted words")))
        << reason().toStdString();
    mark(*question, 0, 4);
    EXPECT_TRUE(reason().contains(QStringLiteral("holds all"))) << reason().toStdString();
    EXPECT_FALSE(action->isEnabled());
    mark(*question, 0, 8);
    EXPECT_TRUE(action->isEnabled());
    state->turns().submit({QStringLiteral("And now?"), {}, {}});
    QCoreApplication::processEvents();
    EXPECT_TRUE(reason().contains(QStringLiteral("being written"))) << reason().toStdString();
}

TEST_F(RestoreSpanJourney, selection_requestsTheSpanFromItsFirstToItsLastToken) {
    look();
    mark(*question, 4, 13);
    action->trigger();
    const auto sent = engine->sent<BringBack>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].conversation, here());
    EXPECT_EQ(sent[0].first, 2);
    EXPECT_EQ(sent[0].count, 2);
    EXPECT_FALSE(sent[0].restored) << "no replay";
}

TEST_F(RestoreSpanJourney, contextMenu_offersRestore) {
    look();
    mark(*question, 0, 8);
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(4, 4),
                            question->mapToGlobal(QPoint(4, 4)));
    QCoreApplication::sendEvent(question->viewport(), &event);
    QCoreApplication::processEvents();
    QMenu* menu = nullptr;
    for (QMenu* one : question->findChildren<QMenu*>())
        if (one->actions().contains(action)) menu = one;
    ASSERT_NE(menu, nullptr);
    menu->close();
}

TEST_F(RestoreSpanJourney, result_isReportedWithItsCountsAndCharted) {
    look();
    mark(*question, 4, 13);
    action->trigger();
    hear(said(false));
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("1 tokens of the text")))
        << window->notice().sentence().toStdString();
    EXPECT_EQ(state->metrics().series(app::Metric::RestoredTokens).size(), 0U);
    hear(said(true));
    const QString sentence = window->notice().sentence();
    EXPECT_TRUE(sentence.startsWith(QStringLiteral("Restored 2 tokens in 24")))
        << sentence.toStdString();
    EXPECT_TRUE(sentence.contains(QStringLiteral("keep 2 tokens"))) << sentence.toStdString();
    EXPECT_TRUE(sentence.contains(QStringLiteral("1.0 KiB"))) << sentence.toStdString();
    EXPECT_EQ(state->feed().timeline().back().title, sentence);
    const app::MetricsStore& store = state->metrics();
    EXPECT_EQ(store.series(app::Metric::RestoredTokens).last()->value, 2);
    EXPECT_EQ(store.series(app::Metric::KeptTokens).last()->value, 2);
    EXPECT_EQ(store.series(app::Metric::KeptBytes).last()->value, 1024);
    ChartRequest whole;
    whole.window = dataRange(store, app::XAxis::Time);
    const ChartContent chart = buildChart(ChartId::Restored, store, whole);
    EXPECT_EQ(chart.headline, QStringLiteral("2"));
    EXPECT_TRUE(metricsCsv(store).contains("restored_tokens,"));
}

TEST_F(RestoreSpanJourney, rejection_isReportedWithItsReasonAndNotCounted) {
    SpanRestored refused = said(true);
    refused.error = Error{ErrorCode::Unsupported, "private conversations are not stored", {}};
    hear(refused);
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("Not restored")));
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("private conversation")));
    EXPECT_TRUE(state->feed().timeline().back().problem);
    EXPECT_EQ(state->metrics().series(app::Metric::RestoredTokens).size(), 0U);
}

TEST_F(RestoreSpanJourney, autoRestore_isShownBelowTheAnswerAndCharted) {
    state->turns().submit({QStringLiteral("And now?"), {}, {}});
    SpanRestored came = said(true);
    came.forQuestion = true;
    came.count = 12;
    hear(came);
    EXPECT_TRUE(window->notice().sentence().isEmpty()) << "it stands in the chat";
    EXPECT_TRUE(state->feed().timeline().back().title.startsWith(
        QStringLiteral("12 tokens restored for this question")));
    EXPECT_EQ(state->metrics().series(app::Metric::RestoredTokens).last()->value, 12);
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 2;
    finished.text = "There.";
    finished.stats.restoredTokens = 12;
    hear(finished);
    const auto labels = window->chatView().findChildren<QLabel*>();
    EXPECT_TRUE(std::ranges::any_of(labels, [](const QLabel* label) {
        return label->text()
            .replace(QChar(0x00A0), QLatin1Char(' '))
            .contains(QStringLiteral("12 tokens restored for this question"));
    }));
}

TEST_F(RestoreSpanJourney, autoRestoreWithoutResult_isNotedAndNotCounted) {
    SpanRestored nothing = said(true);
    nothing.forQuestion = true;
    nothing.count = 0;
    hear(nothing);
    EXPECT_TRUE(
        state->feed().timeline().back().title.contains(QStringLiteral("no evicted tokens")));
    nothing.error = Error{ErrorCode::Unsupported, "private conversations are not stored", {}};
    hear(nothing);
    EXPECT_TRUE(
        state->feed().timeline().back().title.contains(QStringLiteral("private conversation")));
    EXPECT_TRUE(window->notice().sentence().isEmpty());
    EXPECT_EQ(state->metrics().series(app::Metric::RestoredTokens).size(), 0U);
}

TEST_F(RestoreSpanJourney, suggestedSpan_isOfferedAndTheTurnRepeatedWithIt) {
    SpanRestored offer = said(true);
    offer.forQuestion = true;
    offer.offered = true;
    offer.count = 5;
    hear(offer);
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("needs 5 evicted tokens")));
    EXPECT_EQ(state->metrics().series(app::Metric::RestoredTokens).size(), 0U);
    const auto asked = engine->sent<Submit>().size();
    window->notice().findChild<QPushButton*>()->click();
    const auto sent = engine->sent<Submit>();
    ASSERT_EQ(sent.size(), asked + 1);
    EXPECT_EQ(sent.back().bringBack, BringBackMode::Auto);
    EXPECT_EQ(sent.back().messages.back().content, "Find the key.");
    // A running answer is stopped first.
    hear(offer);
    window->notice().findChild<QPushButton*>()->click();
    EXPECT_EQ(engine->sent<Submit>().size(), asked + 1);
    EXPECT_FALSE(engine->sent<CancelTurn>().empty());
    TurnFinished stopped;
    stopped.conversation = here();
    stopped.reason = FinishReason::Cancelled;
    hear(stopped);
    ASSERT_EQ(engine->sent<Submit>().size(), asked + 2);
    EXPECT_EQ(engine->sent<Submit>().back().bringBack, BringBackMode::Auto);
}

TEST(LiveRestoreSpanJourney, evictedWords_areInTheCacheAgain) {
    offscreenApplication();
    app::ApplicationState state(app::ApplicationOptions{
        .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                     QStringLiteral("temperature=0"), QStringLiteral("max_tokens=4"),
                     QStringLiteral("method=l2"), QStringLiteral("compaction_floor=0"),
                     QStringLiteral("loss_limit=off"), QStringLiteral("norm_policy=keydiff"),
                     QStringLiteral("budget=96"), QStringLiteral("keep_recent=8"),
                     QStringLiteral("margin=16"), QStringLiteral("prefix_cache=64")},
        .workerNiceness = 0,
        .dataFolder = {}});
    ThemeSource look(ThemeChoice::Light);
    MainWindow window(state, look);
    window.resize(1280, 800);
    window.show();
    const auto wait = [](const std::function<bool()>& until) {
        return QTest::qWaitFor(until, kPatienceMs);
    };
    state.model().load(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
    ASSERT_TRUE(wait([&] { return state.model().view().state == app::ModelState::Ready; }));
    QString text = QStringLiteral("The code of the harbour is 4711.");
    for (int i = 0; i < 40; ++i)
        text += QStringLiteral("\nGate %1 opens at %2 and is painted grey.").arg(i).arg(i % 24);
    state.turns().submit({text + QStringLiteral("\n\nWhat is the code of the harbour?"), {}, {}});
    ASSERT_TRUE(wait([&] { return !state.conversations().answering(); }));
    ASSERT_GT(state.feed().compactionsDone(), 0);
    window.actions().find(QStringLiteral("view.retention"))->trigger();
    ASSERT_TRUE(wait([&] { return window.chatView().tinted(); }));
    MessageText* words = textOf(window, QStringLiteral("Gate 3 opens"));
    ASSERT_NE(words, nullptr);
    const int at = static_cast<int>(words->toPlainText().indexOf(QStringLiteral("Gate 3 opens")));
    mark(*words, at, at + 12);
    ASSERT_GT(window.chatView().markedTokens().evicted, 0) << "some of it was evicted";
    QAction* const bringBack = window.actions().find(QStringLiteral("cache.bringBack"));
    ASSERT_TRUE(bringBack->isEnabled()) << ActionRegistry::reasonOf(bringBack).toStdString();
    bringBack->trigger();
    ASSERT_TRUE(wait([&] {
        return window.notice().sentence().startsWith(QStringLiteral("Restored"));
    })) << window.notice().sentence().toStdString();
    // The overlay refreshes automatically.
    ASSERT_TRUE(wait([&] {
        words = textOf(window, QStringLiteral("Gate 3 opens"));
        if (words == nullptr) return false;
        mark(*words, at, at + 12);
        const ChatView::MarkedTokens marked = window.chatView().markedTokens();
        return marked.count > 0 && marked.evicted == 0;
    }));
}

}  // namespace
}  // namespace lacuna::ui
