// Figures and sentences that must agree. Each case was once found to be inconsistent.

#include <gtest/gtest.h>

#include <QAbstractScrollArea>
#include <QComboBox>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QToolButton>
#include <utility>

#include "app/state/chat/conversation_turns.h"
#include "app/state/engine/engine_text.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/support/compaction_notes.h"
#include "tests/ui/window_stage.h"
#include "ui/charts/chart_builders.h"
#include "ui/chat/context_full_dialog.h"
#include "ui/panels/preview_panel.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/settings_panel.h"
#include "ui/window/status_line.h"
#include "ui/window/window_notices.h"

namespace lacuna::ui {
namespace {

class ConsistencyTest : public WindowStage {
  protected:
    ConsistencyTest() { load(); }
    /// Acknowledges the newest requested settings as active.
    void apply() {
        const auto sent = engine->sent<SetConfig>();
        ASSERT_FALSE(sent.empty());
        ConfigApplied applied;
        applied.revision = sent.back().revision;
        applied.config = sent.back().config;
        hear(applied);
    }
    void edit(const char* key, const char* value) {
        state->config().edit(QString::fromLatin1(key), QString::fromLatin1(value),
                             app::EditPace::Settled);
        QCoreApplication::processEvents();
    }
    void skipped(CompactionNote note) {
        CompactionHappened happened;
        happened.conversation = here();
        happened.report.result = CompactionResult::Skipped;
        happened.report.cause = CompactionCause::Manual;
        happened.report.notes = {std::move(note)};
        hear(happened);
    }
    /// The first visible label that begins with these words.
    [[nodiscard]] QString labelled(const QWidget& in, const char* words) const {
        for (const QLabel* label : in.findChildren<QLabel*>())
            if (label->isVisible() &&
                label->text().startsWith(QString::fromUtf8(words), Qt::CaseInsensitive))
                return label->text();
        return {};
    }
};

TEST_F(ConsistencyTest, noMethodNotice_isClearedWhenAMethodIsSet) {
    skipped({CompactionReason::NoMethod});
    EXPECT_TRUE(shows("Not compacted: no method is chosen"));
    edit("method", "am");
    apply();
    EXPECT_FALSE(shows("no method is chosen")) << "it stopped being true";
    skipped(noteOf(CompactionReason::NothingToGain, 12, 52));
    EXPECT_TRUE(shows("Not compacted: nothing to gain"));
    state->turns().submit({QStringLiteral("something"), {}, {}});
    trigger("chat.new");
    EXPECT_FALSE(shows("Not compacted: nothing to gain")) << "of another conversation";
}

TEST_F(ConsistencyTest, rejectedSetting_keepsThePanelWidth) {
    for (const int width : {800, 1280}) {
        window->resize(width, width == 800 ? 600 : 800);
        QCoreApplication::processEvents();
        edit("method", "l2");
        edit("budget", "1");
        ASSERT_TRUE(shows("allowed is")) << width;
        for (const SettingRow* row : window->findChildren<SettingRow*>()) {
            if (!row->isVisible()) continue;
            const auto* area = [row]() -> const QScrollArea* {
                for (const QWidget* up = row->parentWidget(); up != nullptr;
                     up = up->parentWidget())
                    if (const auto* found = qobject_cast<const QScrollArea*>(up)) return found;
                return nullptr;
            }();
            ASSERT_NE(area, nullptr);
            EXPECT_LE(row->mapTo(area->viewport(), QPoint(row->width(), 0)).x(),
                      area->viewport()->width())
                << "at a window of " << width;
        }
        edit("budget", "off");
        edit("method", "none");
    }
}

TEST_F(ConsistencyTest, slotCount_ofUnequalHeads_hasOneValueAndOneLabel) {
    window->tuning().reveal(QStringLiteral("keep_recent"));  // unfolds the prediction
    // Eight layers of four heads: one head is full, the others hold a quarter of it on average.
    StepSample sample;
    sample.conversation = here();
    sample.timeNs = 1'000'000'000;
    sample.phase = EngineState::Decode;
    sample.tokens = 1;
    sample.stepMs = 10;
    sample.kv.tokens = 1000;
    sample.kv.slotsTotal = 32 * 250;
    sample.kv.slotsLargestHead = 1000;
    sample.kv.logicalBytes = 4 << 20;
    sample.kv.liveBytes = 1 << 20;
    hear(sample);
    state->feed().flush();
    QCoreApplication::processEvents();
    EXPECT_TRUE(shows("held in 250 slots per head (largest 1,000)"));
    const ChartContent ratio = buildChart(ChartId::Ratio, state->metrics(), {});
    EXPECT_EQ(ratio.headline, QStringLiteral("4.00x"));
    EXPECT_TRUE(ratio.notes.contains(QStringLiteral("tokens 4.00x")))
        << "tokens and bytes of the same cache: "
        << ratio.notes.join(QLatin1Char('|')).toStdString();
    CompactionHappened happened;
    happened.conversation = here();
    happened.report.result = CompactionResult::Done;
    happened.report.slotsBefore = 32'000;
    happened.report.slotsAfter = 8'000;
    hear(happened);
    EXPECT_TRUE(state->feed().timeline().back().title.endsWith(
        QStringLiteral("32,000 to 8,000 slots in all heads")))
        << state->feed().timeline().back().title.toStdString();
    EXPECT_TRUE(shows(window->whatIf(), "Slots, all heads"));
    // A budget is per head, and so is the offered value.
    edit("method", "l2");
    edit("budget", "1");
    EXPECT_TRUE(shows("A budget of 125 keeps half of the 250 slots that a head holds now"));
}

TEST_F(ConsistencyTest, methodName_inMessages_equalsTheChoiceLabel) {
    auto* panel = window->findChild<SettingsPanel*>();
    edit("method", "l2");
    edit("budget", "off");
    EXPECT_TRUE(
        shows("while method is Evict tokens, because eviction needs a budget of slots to keep"));
    edit("budget", "500");
    apply();
    EXPECT_TRUE(shows("unused by eviction"));
    edit("method", "am");
    apply();
    for (const SettingRow* row : panel->findChildren<SettingRow*>())
        for (const QLabel* label : row->findChildren<QLabel*>())
            EXPECT_FALSE(label->text().contains(
                QRegularExpression(QStringLiteral("\\bmethod is (l2|am)\\b"))))
                << label->text().toStdString();
}

TEST_F(ConsistencyTest, settingName_inMessages_equalsTheRowLabel) {
    skipped(noteOf(CompactionReason::Recorded, "nothing to gain: am_ratio is 1"));
    EXPECT_TRUE(shows("Not compacted: nothing to gain: \u201cAM ratio\u201d is 1"))
        << window->notice().sentence().toStdString();
    EXPECT_EQ(app::keysInWords(QStringLiteral("`lacuna chat --set am_ratio=4`, keep_recent")),
              QStringLiteral("`lacuna chat --set am_ratio=4`, \u201cKeep recent\u201d"))
        << "what is meant for a command line stays";
    EXPECT_EQ(app::keysInWords(QStringLiteral("no_such_key stays")),
              QStringLiteral("no_such_key stays"));
}

TEST_F(ConsistencyTest, rebuildFullCache_revertsACompaction) {
    edit("am_ratio", "20");
    apply();
    const auto asked = [this](const char* question) {
        state->turns().submit({QString::fromUtf8(question), {}, {}});
        TurnFinished finished;
        finished.conversation = here();
        finished.text = "Of stone.";
        hear(finished);
    };
    asked("What is the lighthouse built of?");
    StepSample sample;
    sample.conversation = here();
    sample.phase = EngineState::Decode;
    sample.kv.tokens = 1500;
    sample.kv.slotsTotal = 75 * 32;
    sample.kv.slotsLargestHead = 75;
    hear(sample);
    state->feed().flush();
    EXPECT_TRUE(shows("Context 1,500 / 4,096 tokens, held in 75 slots"));

    trigger("cache.rebuild");
    ASSERT_EQ(engine->sent<ReleaseConversation>().size(), 1U);
    EXPECT_EQ(engine->sent<ReleaseConversation>().front().conversation, here());
    EXPECT_EQ(engine->sent<SetConfig>().back().config.kv.method, CompactionMethod::None);
    apply();
    EXPECT_TRUE(shows("Context 0 / 4,096 tokens")) << "nothing is held any more";
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("about 1,500 tokens")))
        << window->notice().sentence().toStdString();

    asked("And how high is it?");
    const std::vector<ChatMessage>& messages = engine->sent<Submit>().back().messages;
    ASSERT_EQ(messages.size(), 3U) << "the whole text goes to the engine";
    EXPECT_EQ(window->notice().sentence(), QString()) << "the text is read by now";
    // Undo restores the settings; the cache stays full until they compact it again.
    trigger("settings.undo");
    EXPECT_EQ(engine->sent<SetConfig>().back().config.kv.method,
              CompactionMethod::AttentionMatching);
}

TEST_F(ConsistencyTest, contextAndMemory_areCurrentAfterLoadAndUndo) {
    StepSample sample;
    sample.conversation = here();
    sample.phase = EngineState::Decode;
    sample.tokens = 1;
    sample.stepMs = 10;
    sample.kv.tokens = 700;
    sample.kv.slotsTotal = 700 * 32;
    sample.kv.slotsLargestHead = 700;
    sample.rssBytes = std::int64_t{900} << 20;
    hear(sample);
    state->feed().flush();
    EXPECT_TRUE(shows("Process 900.0 MiB"));
    EXPECT_TRUE(shows("Context 700 / 4,096 tokens"));
    edit("context", "1024");
    apply();
    EXPECT_TRUE(shows("Context 700 / 1,024 tokens"));
    trigger("settings.undo");
    apply();
    EXPECT_TRUE(shows("Context 700 / 4,096 tokens")) << "an undone setting is out of force";
    hear(ModelUnloaded{});
    EXPECT_TRUE(shows("Context: no model"));
    EXPECT_FALSE(shows("Process 900")) << "the memory of the model that went";
    ModelFacts other = app::smallFacts();
    other.path = "other.gguf";
    other.context = 2048;
    hear(ModelLoaded{other, 0.2});
    EXPECT_TRUE(shows("Context 0 / 2,048 tokens"));
    EXPECT_FALSE(shows("Process 900"));
    EXPECT_TRUE(shows("Process "));
}

TEST_F(ConsistencyTest, previewOfEarlierSettings_isReportedAsStale) {
    window->tuning().reveal(QStringLiteral("keep_recent"));  // unfolds the prediction
    state->turns().submit({QStringLiteral("something"), {}, {}});
    TurnFinished finished;
    finished.conversation = here();
    finished.turn = 1;
    finished.text = "else";
    hear(finished);
    state->preview().estimate();
    CompactionPreviewed event;
    event.conversation = here();
    event.kv = engine->sent<RequestPreview>().back().kv;
    event.preview.compacts = true;
    event.preview.headsFitted = event.preview.heads = 8;
    event.preview.liveBytesNow = 4 << 20;
    event.preview.liveBytesAfter = 1 << 20;
    hear(event);
    EXPECT_FALSE(shows(window->whatIf(), "Settings have changed since"));
    edit("keep_recent", "99");
    EXPECT_TRUE(shows(window->whatIf(), "Settings have changed since"));
    edit("keep_recent", "64");
}

TEST_F(ConsistencyTest, notices_areClearedWhenTheyNoLongerApply) {
    hear(ModelFailed{"x.gguf", Error{ErrorCode::NotFound, "x.gguf: no such file.", {}}, false});
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("x.gguf")));
    load();
    EXPECT_EQ(window->notice().sentence(), QString()) << "a model is loaded";

    state->config().edit(QStringLiteral("am_ratio"), QStringLiteral("3"), app::EditPace::Settled);
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("Method is now")));
    edit("method", "none");
    EXPECT_EQ(window->notice().sentence(), QString()) << "it is another method now";

    state->turns().submit({QStringLiteral("Short?"), {}, {}});
    TurnFinished answered;
    answered.conversation = here();
    answered.turn = 1;
    answered.text = "Yes.";
    hear(answered);
    state->turns().submit({QStringLiteral("A long question."), {}, {}});
    TurnFinished refused;
    refused.conversation = here();
    refused.reason = FinishReason::Error;
    refused.error = Error{ErrorCode::ContextFull, "The prompt has 5,000 tokens.", {}};
    hear(refused);
    EXPECT_TRUE(window->notice().sentence().contains(QStringLiteral("5,000 tokens")));
    if (auto* full = window->findChild<ContextFullDialog*>()) full->close();
    trigger("chat.new");
    EXPECT_EQ(window->notice().sentence(), QString()) << "of another conversation";

    skipped(noteOf(CompactionReason::NothingToGain, 12, 52));
    EXPECT_TRUE(shows("Not compacted: nothing to gain"));
    CompactionHappened done;
    done.conversation = here();
    done.report.result = CompactionResult::Done;
    hear(done);
    EXPECT_FALSE(shows("Not compacted")) << "it is compacted now";
}

TEST_F(ConsistencyTest, longBackgroundCompaction_showsItsDurationFirst) {
    CompactionHappened happened;
    happened.conversation = here();
    happened.report.result = CompactionResult::Done;
    happened.report.background = true;
    happened.report.stallMs = 0.07;
    happened.report.backgroundMs = 9'800;
    happened.report.totalMs = 9'800;
    happened.report.tokens = 8192;
    hear(happened);
    QString title;
    for (const app::EventRow& row : state->feed().timeline())
        if (row.kind == app::EventKind::Compaction) title = row.title;
    ASSERT_FALSE(title.isEmpty());
    EXPECT_TRUE(title.contains(QStringLiteral("9.80 s"))) << title.toStdString();
}

}  // namespace
}  // namespace lacuna::ui
