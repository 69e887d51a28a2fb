// A conversation reopened after a restart: its prefix is read from disk, and the window reports
// that. With the live engine and the test model.

#include <gtest/gtest.h>

#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <functional>
#include <memory>

#include "app/state/application_state.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/chat/conversation_turns.h"
#include "app/state/models/memory_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "tests/ui/offscreen.h"
#include "ui/pages/prefix_page.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 60'000;

bool wait(const std::function<bool()>& until) {
    return QTest::qWaitFor(until, kPatienceMs);
}

/// One run of the program.
struct Program {
    explicit Program(const QString& folder)
        : themes(ThemeChoice::Light),
          state(app::ApplicationOptions{
              .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                           QStringLiteral("temperature=0"), QStringLiteral("max_tokens=8"),
                           QStringLiteral("prefix_cache=64"), QStringLiteral("prefix_disk=256")},
              .workerNiceness = 0,
              .dataFolder = folder}),
          window(state, themes) {
        window.resize(1280, 800);
        window.show();
        state.model().load(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
        EXPECT_TRUE(wait([&] { return state.model().view().state == app::ModelState::Ready; }));
    }
    void ask(const QString& words) {
        EXPECT_TRUE(wait([&] {
            return state.model().problem().isEmpty() && state.turns().submitBlocker().isEmpty();
        }));
        state.turns().submit({words, {}, {}});
        EXPECT_TRUE(wait([&] { return !state.conversations().answering(); }));
    }
    /// Figures of the newest answer.
    [[nodiscard]] app::TurnRow newest() {
        const auto& lines = state.conversations().currentModel().lines();
        return lines.isEmpty() || !lines.back().figures ? app::TurnRow() : *lines.back().figures;
    }
    ThemeSource themes;
    app::ApplicationState state;
    MainWindow window;
};

TEST(ReopenedConversationJourney, conversation_reusesTheDiskTier_windowShowsItsSource) {
    offscreenApplication();
    const QTemporaryDir folder;
    QString text = QStringLiteral("Notes of the harbour.");
    for (int i = 0; i < 60; ++i)
        text += QStringLiteral("\nGate %1 opens at %2 and is painted grey.").arg(i).arg(i % 24);
    qint64 conversation = 0;
    {
        Program first(folder.path());
        first.ask(text + QStringLiteral("\n\nWhat is painted grey?"));
        conversation = first.state.conversations().current();
        EXPECT_EQ(first.newest().reusedTokens, 0);
        EXPECT_GT(first.newest().promptTokens, 512);
        ASSERT_TRUE(wait([&] { return first.state.memory().view().disk.bytes > 0; }));
    }
    Program second(folder.path());
    ASSERT_TRUE(wait([&] { return second.state.conversations().current() == conversation; }));
    ASSERT_TRUE(wait([&] { return second.state.conversations().currentModel().rowCount() == 2; }));
    second.ask(QStringLiteral("And which gates?"));
    const app::TurnRow figures = second.newest();
    EXPECT_GT(figures.reusedTokens, 512) << "of " << figures.promptTokens;
    EXPECT_LT(figures.promptTokens - figures.reusedTokens, 128) << "little more than the question";
    const app::MemoryView memory = second.state.memory().view();
    EXPECT_EQ(memory.disk.hits, 1);
    EXPECT_GT(memory.disk.tokensReused, 512);
    bool told = false;
    for (const app::EventRow& row : second.state.feed().timeline())
        told |= row.detail.contains(QStringLiteral("from the prefix cache"));
    EXPECT_TRUE(told);
    second.window.actions().find(QStringLiteral("memory.open"))->trigger();
    QCoreApplication::processEvents();
    auto* const page = second.window.findChild<PrefixPage*>();
    ASSERT_NE(page, nullptr);
    const QAbstractItemModel* table = page->findChild<QTableView*>()->model();
    EXPECT_TRUE(
        table->index(0, 4).data().toString().contains(QStringLiteral("from a prefix entry")))
        << table->index(0, 4).data().toString().toStdString();
}

}  // namespace
}  // namespace lacuna::ui
