// User workflow of changing the number format while an answer streams: cache formats page,
// settings, bytes and messages, with the live engine and the test model.

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QLabel>
#include <QMetaObject>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QSpinBox>
#include <QStatusBar>
#include <QTest>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/state/application_state.h"
#include "app/state/chat/chat_controller.h"
#include "app/state/models/model_controller.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/metrics_store.h"
#include "app/state/telemetry/session_feed.h"
#include "engine/host/engine_host.h"
#include "engine/session/read_facts.h"
#include "engine/settings/setting_value.h"
#include "tests/ui/offscreen.h"
#include "ui/chat/prompt_box.h"
#include "ui/pages/format_page.h"
#include "ui/panels/cache_format_panel.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 60'000;

/// The real engine, slowed down: it recodes only a few rows between two steps and can be paused
/// there, so user actions interleave on any machine. It takes no step before the window has
/// received the previous one, so an answer cannot end while the window is busy.
class PacedEngine final : public CommandSink {
  public:
    PacedEngine()
        : host_({.machine = oneCore(),
                 .config = withSettings({}, settings()).value(),
                 .precision = {.given = Precision::Fast},
                 .recodedAtOnce = 3 * kNumbersOfToken}),
          // Subscribed before the window, so it receives each event first.
          paces_(host_.events().subscribe({}, [this](const Event& event) { pace(event); })) {}
    ~PacedEngine() override {
        host_.requestStop();
        runSlice(kAll);
        {
            const std::scoped_lock lock(window_->mutex);
            window_->gone = true;
        }
        window_->moved.notify_all();
        host_.stop();
    }
    void start() { host_.start(); }
    [[nodiscard]] EventHub& events() { return host_.events(); }
    void send(Command command) override { host_.send(std::move(command)); }
    /// Lets the engine publish `slices` more progress events, then pauses it.
    void runSlice(int slices) {
        {
            const std::scoped_lock lock(mutex_);
            left_ = slices;
        }
        moved_.notify_all();
    }

    [[nodiscard]] static std::vector<std::string> settings() {
        return {"precision=fast", "threads=1", "temperature=0", "exact_window=0",
                "max_tokens=1500"};
    }
    static constexpr int kAll = 1'000'000;

  private:
    [[nodiscard]] static MachineFacts oneCore() {
        MachineFacts machine = machineFacts();
        machine.cores = 1;
        return machine;
    }
    void pace(const Event& event) {
        if (std::holds_alternative<StepSample>(event)) waitForWindow();
        const auto* recoded = std::get_if<CacheRecoded>(&event);
        if (recoded == nullptr || recoded->ended) return;
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [this] { return left_ > 0; });
        --left_;
    }

    /// Steps received by the window; outlives the engine because queued calls may run later.
    struct Heard {
        std::mutex mutex;
        std::condition_variable moved;
        int steps = 0;
        bool gone = false;
    };
    void waitForWindow() {
        const int step = ++steps_;
        QMetaObject::invokeMethod(
            QCoreApplication::instance(),
            [window = window_, step] {
                {
                    const std::scoped_lock lock(window->mutex);
                    window->steps = step;
                }
                window->moved.notify_all();
            },
            Qt::QueuedConnection);
        std::unique_lock lock(window_->mutex);
        window_->moved.wait(lock, [&] { return window_->steps >= step || window_->gone; });
    }

    static constexpr std::int64_t kNumbersOfToken = 4096;  ///< numbers per token of the test model
    const std::shared_ptr<Heard> window_ = std::make_shared<Heard>();
    int steps_ = 0;  ///< used by the engine's thread only
    std::mutex mutex_;
    std::condition_variable moved_;
    int left_ = kAll;  ///< remaining slices before the pause
    EngineHost host_;
    EventSubscription paces_;
};

class LiveFormatJourney : public ::testing::Test {
  protected:
    LiveFormatJourney() {
        offscreenApplication();
        themes = std::make_unique<ThemeSource>(ThemeChoice::Light);
        app::ApplicationOptions options{.settings = {}, .workerNiceness = 0, .dataFolder = {}};
        for (const std::string& one : PacedEngine::settings())
            options.settings << QString::fromStdString(one);
        auto paced = std::make_unique<PacedEngine>();
        engine = paced.get();
        state =
            std::make_unique<app::ApplicationState>(options, std::move(paced), engine->events());
        engine->start();
        window = std::make_unique<MainWindow>(*state, *themes);
        window->resize(1280, 800);
        window->show();
    }
    [[nodiscard]] static bool wait(const std::function<bool()>& until) {
        return QTest::qWaitFor(until, kPatienceMs);
    }
    [[nodiscard]] bool answering() const {
        return state->feed().engine().activity == EngineState::Decode;
    }
    /// Live bytes as a share of the 16-bit size, in 64ths; 0 if there are none yet.
    [[nodiscard]] qint64 share() const {
        const auto& latest = state->metrics().latest();
        return latest && latest->logicalBytes > 0 ? latest->liveBytes * 64 / latest->logicalBytes
                                                  : 0;
    }
    [[nodiscard]] bool told(const char* part) const {
        for (const app::EventRow& row : state->feed().timeline())
            if (row.title.contains(QString::fromUtf8(part))) return true;
        return false;
    }
    [[nodiscard]] QString inEffect(const char* key) const {
        return state->config().spec(QString::fromLatin1(key)).effectiveText();
    }

    /// Sends a question and waits until the test model, which repeats itself until stopped, has
    /// begun to answer.
    void ask(const QString& text) {
        state->model().load(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
        ASSERT_TRUE(wait([&] { return state->model().view().state == app::ModelState::Ready; }));
        QPlainTextEdit* const prompt = window->prompt().edit();
        prompt->setFocus();
        prompt->setPlainText(text);
        QTest::keyClick(prompt, Qt::Key_Return);
        ASSERT_TRUE(wait([&] { return answering() && share() == 64; })) << "16 bits at first";
    }
    [[nodiscard]] FormatPage& formats() {
        window->actions().find(QStringLiteral("measure.formats"))->trigger();
        QCoreApplication::processEvents();
        return *window->findChild<FormatPage*>();
    }
    static void useBits(FormatPage& page, int steps) {
        page.keyBits().setValue(steps);
        page.valueBits().setValue(steps);
        page.useBitsButton().click();
    }
    [[nodiscard]] bool recodes() const {
        const auto& view = state->feed().recoding();
        return view && !view->ended;
    }

    std::unique_ptr<ThemeSource> themes;
    std::unique_ptr<app::ApplicationState> state;
    PacedEngine* engine = nullptr;
    std::unique_ptr<MainWindow> window;
};

TEST_F(LiveFormatJourney, bitsChangedDuringATurn_areShownInBytesAndTexts) {
    ASSERT_NO_FATAL_FAILURE(ask(QStringLiteral("Repeat the word sea a thousand times.")));
    FormatPage& page = formats();
    EXPECT_EQ(page.keyBits().text(), QStringLiteral("16"));
    useBits(page, 4);
    ASSERT_TRUE(wait([&] { return inEffect("kv_type") == QStringLiteral("t4"); }));
    ASSERT_TRUE(wait([&] { return told("is now in t4"); }));
    ASSERT_TRUE(wait([&] { return share() < 20; })) << share();
    EXPECT_TRUE(answering()) << "the same answer goes on";
    EXPECT_FALSE(told("cannot be restored")) << "nothing is promised on the way down";
    const qint64 tokens = state->metrics().latest()->contextTokens;

    useBits(page, 9);  // the step above 8 stands for 16 bits
    ASSERT_TRUE(wait([&] { return told("rounded-away bits cannot be restored"); }));
    ASSERT_TRUE(wait([&] { return told("is now in f16"); }));
    ASSERT_TRUE(wait([&] { return share() == 64; })) << share();
    EXPECT_EQ(inEffect("kv_type"), QStringLiteral("f16"));
    EXPECT_GT(state->metrics().latest()->contextTokens, tokens) << "nothing is read again";
    state->chat().stop();
    EXPECT_TRUE(wait([&] { return !answering(); }));
}

TEST_F(LiveFormatJourney, migrationCancelledDuringATurn_thenRepeated_finishes) {
    ASSERT_NO_FATAL_FAILURE(ask(QStringLiteral("Repeat the word sea a thousand times.")));
    ASSERT_TRUE(wait([&] { return state->metrics().latest()->contextTokens > 150; }));
    FormatPage& page = formats();
    EXPECT_FALSE(page.recoding().isVisible()) << "nothing was changed yet";

    engine->runSlice(2);
    useBits(page, 4);
    ASSERT_TRUE(wait([&] { return recodes() && page.recoding().progress().value() > 0; }));
    const int first = page.recoding().progress().value();
    engine->runSlice(2);
    ASSERT_TRUE(wait([&] { return page.recoding().progress().value() > first; })) << "it rises";
    EXPECT_TRUE(page.recoding().isVisible());
    EXPECT_TRUE(page.recoding().text().contains(QStringLiteral("converted from f16 to t4")));
    EXPECT_EQ(share(), 64) << "until its end the cache is what it was";
    page.recoding().cancelButton().click();
    engine->runSlice(PacedEngine::kAll);
    ASSERT_TRUE(wait([&] { return told("was cancelled at"); }));
    ASSERT_TRUE(wait([&] { return inEffect("kv_type") == QStringLiteral("f16"); }));
    EXPECT_EQ(page.recoding().text(),
              QStringLiteral("The cache stays in f16: it was cancelled and nothing has changed."));
    EXPECT_FALSE(page.recoding().cancelButton().isVisible());
    EXPECT_FALSE(told("is now in t4"));
    EXPECT_EQ(page.useBitsButton().isEnabled(), true) << "it can be asked for again";
    const qint64 tokens = state->metrics().latest()->contextTokens;
    ASSERT_TRUE(wait([&] { return state->metrics().latest()->contextTokens > tokens + 5; }));
    EXPECT_EQ(share(), 64);
    EXPECT_TRUE(answering()) << "the same answer goes on";

    page.useBitsButton().click();
    ASSERT_TRUE(wait([&] { return told("is now in t4"); }));
    ASSERT_TRUE(wait([&] { return share() < 20; })) << share();
    EXPECT_EQ(page.recoding().text(), QStringLiteral("The cache changed from f16 to t4."));
    EXPECT_FALSE(told("cannot be restored"));
    state->chat().stop();
    EXPECT_TRUE(wait([&] { return !answering(); }));
}

}  // namespace
}  // namespace lacuna::ui
