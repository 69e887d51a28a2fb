// User workflow on the page of reusable prefixes with a scripted engine.

#include "app/state/chat/conversation_turns.h"
#include "ui/pages/prefix_page.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QFontMetrics>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include "app/state/models/memory_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/window_stage.h"
#include "ui/panels/setting_row.h"
#include "ui/panels/telemetry_panel.h"

namespace lacuna::ui {
namespace {

class MemoryWindowTest : public WindowStage {
  protected:
    MemoryWindowTest() {
        load();
        trigger("memory.open");
        QCoreApplication::processEvents();
        page = window->findChild<PrefixPage*>();
    }
    /// Publishes 12 lookups, 9 of which were hits.
    void hearOfStore() {
        PrefixCacheChanged event;
        event.stats.lookups = 12;
        event.stats.matches = {3, 2, 0, 6, 1};
        event.stats.tokensQueried = 9'000;
        event.stats.tokensReused = 6'500;
        event.stats.savedSeconds = 3.5;
        event.stats.entries = 4;
        event.stats.bytes = 24 << 20;
        event.stats.limitBytes = 64 << 20;
        event.stats.misses = {2, 0, 1, 0, 0, 0};
        event.disk.lookups = 3;
        event.disk.hits = 1;
        event.disk.misses = {0, 0, 0, 0, 2, 0};
        event.disk.bytes = 5 << 20;
        event.disk.limitBytes = 1 << 30;
        event.disk.files = 20;
        event.disk.tokensReused = 256;
        event.disk.last = {.reason = LoadReason::Faster,
                           .tokens = 256,
                           .bytes = 1 << 20,
                           .loadMs = 12,
                           .computeMs = 300,
                           .tookMs = 10};
        hear(event);
    }
    void hearOfQuestion(std::int64_t prompt, std::int64_t reused, PrefixMatch match,
                        const char* note = "") {
        TurnStarted turn;
        turn.conversation = here();
        turn.promptTokens = prompt;
        turn.reusedTokens = reused;
        turn.match = match;
        turn.reuseNote = note;
        hear(turn);
    }
    [[nodiscard]] QString cell(int row, int column) const {
        const QAbstractItemModel* model = page->findChild<QTableView*>()->model();
        return model->index(row, column).data().toString();
    }

    PrefixPage* page = nullptr;
};

TEST_F(MemoryWindowTest, prefixCacheContentAndReuse_areShownInWords) {
    EXPECT_TRUE(shows(*page, "No questions in this run yet"));
    hearOfStore();
    EXPECT_TRUE(shows(*page, "24.0 MiB of 64.0 MiB, 4 texts"));
    EXPECT_TRUE(shows(*page, "9 of 12 lookups were hits: 6,500 tokens"));
    EXPECT_TRUE(shows(*page, "Hit, a text that continues differently: 6"));
    EXPECT_TRUE(
        shows(*page, "Miss, no stored text shares a prefix: 2\nMiss, too few tokens in common: 1"));
    EXPECT_TRUE(shows(*page, "5.0 MiB of 1.0 GiB, 20 pages"));
    EXPECT_TRUE(shows(*page, "1 of 3 lookups were hits: 256 tokens"));
    EXPECT_TRUE(shows(*page, "Miss, reading it is predicted to be slower than computing: 2"));
    EXPECT_TRUE(shows(*page, "256 tokens read in 10.0 ms; predicted: reading 12.0 ms, computing "));
    hearOfQuestion(1'000, 750, PrefixMatch::Diverging);
    EXPECT_TRUE(shows(*page, "750 of 1,000 prompt tokens came from a cache (75 %)"));
}

TEST_F(MemoryWindowTest, noPrefixCacheReport_isShownAsOffOnlyIfTheSettingIsOff) {
    // The memory limit is set, the disk limit is not.
    EXPECT_TRUE(shows(*page, "Nothing has been stored in this run yet."));
    EXPECT_TRUE(shows(*page, "Off: nothing is stored."));
    hearOfStore();
    EXPECT_FALSE(shows(*page, "Nothing has been stored in this run yet."));
    EXPECT_FALSE(shows(*page, "Off: nothing is stored."));
}

TEST_F(MemoryWindowTest, numberColumns_areNarrowerThanTextColumns) {
    hearOfStore();
    hearOfQuestion(1'000, 750, PrefixMatch::Diverging);
    page->resize(780, 560);
    QCoreApplication::processEvents();
    auto* table = page->findChild<QTableView*>();
    const QFontMetrics letters(table->font());
    int numbers = 0;
    for (const int column : {1, 2, 3}) {
        // A right-aligned column and a left-aligned one next to it do not touch.
        EXPECT_GE(table->columnWidth(column), letters.horizontalAdvance(cell(0, column)) + 12);
        numbers += table->columnWidth(column);
    }
    EXPECT_LT(numbers, table->width() / 3);
    EXPECT_GT(table->columnWidth(0), table->width() / 4);
    EXPECT_GT(table->columnWidth(4), table->width() / 4);
}

TEST_F(MemoryWindowTest, turnsWithoutReuse_areReported) {
    hearOfStore();
    EXPECT_FALSE(shows(*page, "were misses"));
    PrefixCacheChanged one;
    one.disk.lookups = 1;
    one.disk.misses = {1, 0, 0, 0, 0, 0};
    one.disk.limitBytes = 1 << 30;
    hear(one);
    EXPECT_TRUE(shows(*page, "The only lookup so far was a miss."));
    PrefixCacheChanged event;
    event.disk.lookups = 2;
    event.disk.misses = {2, 0, 0, 0, 0, 0};
    event.disk.bytes = 1 << 20;
    event.disk.limitBytes = 1 << 30;
    hear(event);
    EXPECT_TRUE(shows(*page, "All 2 lookups were misses."));
    hearOfQuestion(300, 0, PrefixMatch::None);
    EXPECT_EQ(cell(0, 4), QStringLiteral("no stored text shares a prefix"));
}

TEST_F(MemoryWindowTest, conversationRow_showsTheSourceOfItsPrompt) {
    hearOfQuestion(200, 0, PrefixMatch::None, "the cache was compacted");
    EXPECT_EQ(cell(0, 3), QStringLiteral("0 of 200"));
    EXPECT_EQ(cell(0, 4), QStringLiteral("the cache was compacted"));
    StepSample step;
    step.conversation = here();
    step.kv.tokens = 210;
    step.kv.liveBytes = 5 << 20;
    step.liveBytesAll = 6 << 20;
    hear(step);
    hearOfQuestion(300, 250, PrefixMatch::Exact);
    EXPECT_EQ(cell(0, 1), QStringLiteral("210"));
    EXPECT_EQ(cell(0, 2), QStringLiteral("5.0 MiB"));
    EXPECT_EQ(cell(0, 4), QStringLiteral("from a prefix entry: the same text"));
    EXPECT_TRUE(shows(*page, "Conversation caches take 6.0 MiB now"));
}

TEST_F(MemoryWindowTest, clear_runsAfterTheUndoTimeUnlessUndone) {
    hearOfStore();
    button(*page, "Clear")->click();
    EXPECT_TRUE(shows(*page, "The prefix cache in memory is cleared in"));
    EXPECT_TRUE(engine->sent<ClearPrefixCache>().empty());
    button(*page, "Undo")->click();
    EXPECT_FALSE(shows(*page, "The prefix cache in memory is cleared in"));
    EXPECT_FALSE(state->memory().clearing());
    button(*page, "Clear")->click();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !engine->sent<ClearPrefixCache>().empty(); },
                                2 * app::MemoryController::kUndoMs));
    EXPECT_EQ(engine->sent<ClearPrefixCache>().size(), 1U);
    EXPECT_FALSE(state->memory().clearing());
    EXPECT_TRUE(engine->sent<ClearPrefixCache>()[0].memory);
    EXPECT_FALSE(engine->sent<ClearPrefixCache>()[0].disk);
}

TEST_F(MemoryWindowTest, privateConversation_sharesNothing) {
    auto* table = page->findChild<QTableView*>();
    state->turns().submit({QStringLiteral("first"), {}, {}});
    ASSERT_EQ(engine->sent<Submit>().size(), 1U);
    EXPECT_TRUE(engine->sent<Submit>()[0].prefix.shared);
    TurnFinished end;
    end.conversation = here();
    end.text = "yes";
    hear(end);
    const QModelIndex box = table->model()->index(0, 5);
    ASSERT_TRUE(table->model()->setData(box, Qt::Checked, Qt::CheckStateRole));
    EXPECT_EQ(box.data(Qt::CheckStateRole).toInt(), Qt::Checked);
    state->turns().submit({QStringLiteral("second"), {}, {}});
    ASSERT_EQ(engine->sent<Submit>().size(), 2U);
    EXPECT_FALSE(engine->sent<Submit>()[1].prefix.shared);
}

TEST_F(MemoryWindowTest, limitSlider_sendsTheSetting) {
    for (SettingRow* row : page->findChildren<SettingRow*>())
        if (row->key() == QLatin1String("prefix_cache")) Q_EMIT row->settled(row->key(), 128.0);
    QCoreApplication::processEvents();
    ASSERT_FALSE(engine->sent<SetConfig>().empty());
    EXPECT_EQ(engine->sent<SetConfig>().back().config.prefixCacheMiB, 128);
}

TEST_F(MemoryWindowTest, chartsAndTable_showReuseAndStoredBytes) {
    hearOfStore();
    TurnFinished end;
    end.conversation = here();
    end.turn = 1;
    end.stats.promptTokens = 400;
    end.stats.reusedTokens = 100;
    hear(end);
    const auto& reuse = state->metrics().series(app::Metric::ReuseShare);
    ASSERT_EQ(reuse.size(), 1U);
    EXPECT_DOUBLE_EQ(reuse.at(0).value, 0.25);
    EXPECT_DOUBLE_EQ(state->metrics().series(app::Metric::StoredBytes).at(0).value, 24 << 20);
    const QByteArray table = metricsCsv(state->metrics());
    EXPECT_TRUE(table.contains("prompt_reused_share"));
    EXPECT_TRUE(table.contains("stored_bytes_memory"));
}

// A property of the folder: it is sent to the engine immediately and shown as the engine reports
// it.
TEST_F(MemoryWindowTest, pageFidelityOnDisk_isSelectedThere) {
    hearOfStore();
    const auto boxes = page->findChildren<QComboBox*>();
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_EQ(boxes.front()->currentData().toInt(), static_cast<int>(PageFidelity::Auto));
    const int exact = boxes.front()->findData(static_cast<int>(PageFidelity::Exact));
    ASSERT_GE(exact, 0);
    boxes.front()->setCurrentIndex(exact);
    Q_EMIT boxes.front()->activated(exact);
    const auto sent = engine->sent<SetPageFidelity>();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent[0].fidelity, PageFidelity::Exact);
    PrefixCacheChanged event;
    event.disk.fidelity = PageFidelity::EightBits;
    hear(event);
    EXPECT_EQ(boxes.front()->currentData().toInt(), static_cast<int>(PageFidelity::EightBits));
}

}  // namespace
}  // namespace lacuna::ui
