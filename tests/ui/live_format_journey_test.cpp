// A person's way to another number format while an answer streams: the page of cache formats, the
// settings, the bytes and the sentences, with the live engine and the pilot model.

#include <gtest/gtest.h>

#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>
#include <functional>
#include <memory>

#include "app/state/application_state.h"
#include "app/state/chat_controller.h"
#include "app/state/config_controller.h"
#include "app/state/metrics_store.h"
#include "app/state/model_controller.h"
#include "app/state/session_feed.h"
#include "tests/ui/offscreen.h"
#include "ui/action_registry.h"
#include "ui/format_window.h"
#include "ui/main_window.h"
#include "ui/prompt_box.h"
#include "ui/theme.h"

namespace lacuna::ui {
namespace {

constexpr int kPatienceMs = 60'000;

class LiveFormatJourney : public ::testing::Test {
  protected:
    LiveFormatJourney() {
        offscreenApplication();
        themes = std::make_unique<ThemeSource>(ThemeChoice::Light);
        state = std::make_unique<app::ApplicationState>(app::ApplicationOptions{
            .settings = {QStringLiteral("precision=fast"), QStringLiteral("threads=1"),
                         QStringLiteral("temperature=0"), QStringLiteral("exact_window=0"),
                         QStringLiteral("max_tokens=1500")},
            .workerNiceness = 0,
            .dataFolder = {}});
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
    /// Live bytes of 64 that 16 bits would take; 0 before there is any.
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
    [[nodiscard]] QString inForce(const char* key) const {
        return state->config().knob(QString::fromLatin1(key)).effective;
    }

    std::unique_ptr<ThemeSource> themes;
    std::unique_ptr<app::ApplicationState> state;
    std::unique_ptr<MainWindow> window;
};

TEST_F(LiveFormatJourney, bitsSteppedDownAndUpWhileAnAnswerStreams_areSeenInBytesAndSentences) {
    state->model().load(QStringLiteral(LACUNA_RESOURCE_DIR "/models/pilot-29m-q8_0.gguf"));
    ASSERT_TRUE(wait([&] { return state->model().view().state == app::ModelState::Ready; }));
    QPlainTextEdit* const prompt = window->prompt().edit();
    prompt->setFocus();
    // The pilot repeats itself until it is stopped.
    QTest::keyClicks(prompt, QStringLiteral("Repeat the word sea a thousand times."));
    QTest::keyClick(prompt, Qt::Key_Return);
    ASSERT_TRUE(wait([&] { return answering() && share() == 64; })) << "16 bits at first";

    window->actions().find(QStringLiteral("measure.formats"))->trigger();
    QCoreApplication::processEvents();
    auto* const page = window->findChild<FormatWindow*>();
    ASSERT_NE(page, nullptr);
    EXPECT_EQ(page->keyBits().text(), QStringLiteral("16"));
    page->keyBits().setValue(4);
    page->valueBits().setValue(4);
    page->useBitsButton().click();
    ASSERT_TRUE(wait([&] { return inForce("kv_type") == QStringLiteral("t4"); }));
    ASSERT_TRUE(wait([&] { return told("is in t4 now"); }));
    ASSERT_TRUE(wait([&] { return share() < 20; })) << share();
    EXPECT_TRUE(answering()) << "the same answer goes on";
    EXPECT_FALSE(told("stays lost")) << "nothing is promised on the way down";
    const qint64 tokens = state->metrics().latest()->contextTokens;

    page->keyBits().setValue(9);  // the step above 8 is 16
    page->valueBits().setValue(9);
    page->useBitsButton().click();
    ASSERT_TRUE(wait([&] { return told("what was rounded away so far stays lost"); }));
    ASSERT_TRUE(wait([&] { return told("is in f16 now"); }));
    ASSERT_TRUE(wait([&] { return share() == 64; })) << share();
    EXPECT_EQ(inForce("kv_type"), QStringLiteral("f16"));
    EXPECT_GT(state->metrics().latest()->contextTokens, tokens) << "nothing is read again";
    state->chat().stop();
    EXPECT_TRUE(wait([&] { return !answering(); }));
}

}  // namespace
}  // namespace lacuna::ui
