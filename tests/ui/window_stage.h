#pragma once
/// \file
/// The window with a scripted engine; base of every test of a user workflow. GUI thread.

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <memory>
#include <utility>

#include "app/state/application_state.h"
#include "app/state/chat/conversation_list.h"
#include "tests/support/fake_engine.h"
#include "tests/ui/offscreen.h"
#include "tests/ui/qt_misuse.h"
#include "ui/style/language.h"
#include "ui/style/theme.h"
#include "ui/window/action_registry.h"
#include "ui/window/main_window.h"

namespace lacuna::ui {

/// First base class of a stage whose window is created in a given language.
class Speaking {
  protected:
    explicit Speaking(Language language) : m_translation((offscreenApplication(), language)) {}

  private:
    Translation m_translation;
};

class WindowStage : public ::testing::Test {
  protected:
    explicit WindowStage(const app::ApplicationOptions& options = {}) {
        offscreenApplication();
        themes = std::make_unique<ThemeSource>(ThemeChoice::Light);
        auto owned = std::make_unique<app::FakeEngine>();
        engine = owned.get();
        state = std::make_unique<app::ApplicationState>(options, std::move(owned), engine->events);
        window = std::make_unique<MainWindow>(*state, *themes);
        window->resize(1280, 800);
        window->show();
        QCoreApplication::processEvents();
    }

    /// Publishes an engine event and delivers it to the window.
    void hear(Event event) {
        engine->post(std::move(event));
        state->drain();
        QCoreApplication::processEvents();
    }
    void load() {
        hear(ModelLoaded{app::smallFacts(), 0.2});
        hear(StateChanged{EngineState::Idle});
    }
    [[nodiscard]] ConversationId here() const {
        return ConversationId(state->conversations().current());
    }
    void trigger(const char* action) {
        window->actions().find(QString::fromLatin1(action))->trigger();
    }
    /// True if a visible label contains these words.
    [[nodiscard]] bool shows(const char* text) const { return shows(*window, text); }
    [[nodiscard]] static bool shows(const QWidget& in, const char* text) {
        QCoreApplication::processEvents();  // widgets added to a layout are shown by its next event
        for (const QLabel* label : in.findChildren<QLabel*>()) {
            if (label->isVisible() && label->text().contains(QString::fromUtf8(text))) return true;
        }
        return false;
    }
    [[nodiscard]] static QPushButton* button(const QWidget& in, const char* text) {
        for (QPushButton* found : in.findChildren<QPushButton*>()) {
            if (found->text() == QString::fromUtf8(text)) return found;
        }
        return nullptr;
    }

    std::unique_ptr<ThemeSource> themes;
    app::FakeEngine* engine = nullptr;
    std::unique_ptr<app::ApplicationState> state;
    std::unique_ptr<MainWindow> window;
};

}  // namespace lacuna::ui
