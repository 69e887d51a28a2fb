#pragma once
/// \file
/// Shows a recorded session in place of the live one, read-only: chat, tinted words, cache maps,
/// charts, timeline and context at the time selected in the time bar. Closing it shows the live
/// session again, which continued unaffected. GUI thread.

#include <QObject>
#include <memory>

#include "app/state/chat/chat_model.h"

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

/// Returns why actions on the live session are disabled while a recorded one is shown; empty if
/// none is.
[[nodiscard]] QString recordedInstead(app::ApplicationState& state);

class RecordedView final : public QObject {
    Q_OBJECT

  public:
    /// The borrowed panels; all must outlive this object.
    struct Panels {
        TimeBar& bar;
        ChatView& chat;
        RetentionStrip& strip;
        CacheMapPanel& maps;
        RetentionPresenter& presenter;
        TelemetryPanel& telemetry;
        TelemetryPanel& charts;  ///< those below the chat
        TimelinePanel& timeline;
        ContextStrip& context;
        PromptBox& prompt;
        FindBar& find;
        NoticeBar& notice;
    };
    RecordedView(app::ApplicationState& state, const Panels& panels);

    /// True while a recorded session is shown.
    [[nodiscard]] bool shown() const { return m_shown; }
    /// Sentence that states why actions on the live session are disabled; empty if they are
    /// enabled.
    [[nodiscard]] QString liveMeasurementBlocker() const;
    /// Toggles the tint of the words by what the cache held.
    void toggleOverlay();
    void close();

  Q_SIGNALS:
    /// Emitted when a recorded session or the live session is shown.
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
    bool m_liveOverlay = false;  ///< previous state of the live session's overlay
};

}  // namespace lacuna::ui
