#pragma once
/// \file
/// Shows a recorded session in the window in place of the live one: chat, tinted words, cache maps,
/// charts, timeline and context of the moment that the time bar stands at, read-only. Closed, the
/// panels show the live session again, which went on untouched. GUI thread.

#include <QObject>
#include <memory>

#include "app/state/chat_model.h"

namespace lacuna::app {
class ApplicationState;
}  // namespace lacuna::app

namespace lacuna::ui {

class CacheMapPanel;
class ChatView;
class ContextStrip;
class FindBar;
class NoticeBar;
class PromptBox;
class RetentionPresenter;
class RetentionStrip;
class TelemetryPanel;
class TimeBar;
class TimelinePanel;

/// Why something of the live session cannot be done now, because a recorded one is shown in its
/// place; empty: it can.
[[nodiscard]] QString recordedInstead(app::ApplicationState& state);

class RecordedView final : public QObject {
    Q_OBJECT

  public:
    /// The panels it borrows; all outlive it.
    struct Panels {
        TimeBar& bar;
        ChatView& chat;
        RetentionStrip& strip;
        CacheMapPanel& maps;
        RetentionPresenter& presenter;
        TelemetryPanel& telemetry;
        TimelinePanel& timeline;
        ContextStrip& context;
        PromptBox& prompt;
        FindBar& find;
        NoticeBar& notice;
    };
    RecordedView(app::ApplicationState& state, const Panels& panels);

    /// Whether a recorded session is shown.
    [[nodiscard]] bool shown() const { return m_shown; }
    /// Why something of the live session cannot be done now, a sentence; empty: it can.
    [[nodiscard]] QString whyLiveRests() const;
    /// Its words tinted by what the cache held, and plain again.
    void toggleOverlay();
    void close();

  Q_SIGNALS:
    /// One is shown, or the live session again.
    void changed();

  private:
    void follow();
    void enter();
    void leave();
    void showMoment();
    void showHeld();

    app::ApplicationState& m_state;
    const Panels m_on;
    std::unique_ptr<app::ChatModel> m_lines;
    bool m_shown = false;
    bool m_overlay = true;
    bool m_liveOverlay = false;  ///< that was shown before
};

}  // namespace lacuna::ui
