#pragma once
/// \file
/// Time bar of a recorded session: a slider over its moments with marks at questions and
/// compactions, buttons for playback and for the next or previous mark, and a replay with its
/// result. Arrow keys move by one moment, Page keys to the next mark, Home and End to the ends;
/// Space plays. GUI thread.

#include <QElapsedTimer>
#include <QFrame>
#include <QSlider>
#include <QTimer>
#include <QVector>

#include "app/state/report/recorded_session.h"
#include "app/state/report/recording_controller.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace lacuna::ui {

class ThemeSource;

/// A slider whose steps are moments; ticks above the groove are marks. A click moves the handle
/// there directly.
class MomentSlider final : public QSlider {
    Q_OBJECT

  public:
    explicit MomentSlider(const ThemeSource& themes, QWidget* parent = nullptr);
    struct Tick {
        int moment = 0;
        app::RecordedSession::Mark::Kind kind = app::RecordedSession::Mark::Kind::Question;
    };
    void setTicks(QVector<Tick> ticks);
    [[nodiscard]] const QVector<Tick>& ticks() const { return m_ticks; }
    /// Moves to the next or previous tick.
    void toTick(int direction);
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void playRequested();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

  private:
    [[nodiscard]] int momentAt(int x) const;
    [[nodiscard]] int placeOf(int moment) const;

    const ThemeSource& m_themes;
    QVector<Tick> m_ticks;
};

class TimeBar final : public QFrame {
    Q_OBJECT

  public:
    explicit TimeBar(const ThemeSource& themes, QWidget* parent = nullptr);
    /// Sets the session and moves to its end; null: none. It must stay valid until the next call.
    void setSession(const app::RecordedSession* session);
    void showReplay(const app::ReplayView& replay);
    /// Moves to the last moment at or before `timeNs`.
    void goTo(qint64 timeNs);
    [[nodiscard]] qint64 timeNs() const;
    [[nodiscard]] qint64 conversation() const { return m_conversation; }
    [[nodiscard]] bool playing() const { return m_timer.isActive(); }
    [[nodiscard]] MomentSlider& slider() { return *m_slider; }

  public Q_SLOTS:
    void togglePlay();

  Q_SIGNALS:
    /// Emitted when the moment or the conversation changes.
    void moved();
    void replayRequested();
    void cancelRequested();
    void closeRequested();

  private:
    QWidget* buildControls();
    void moment();
    void tick();
    void stop();
    void describe();

    const app::RecordedSession* m_session = nullptr;
    qint64 m_conversation = 0;
    bool m_replays = false;  ///< a replay is running
    bool m_follows = true;   ///< show the conversation of the latest question
    MomentSlider* m_slider;
    QLabel* m_title;
    QLabel* m_place;
    QLabel* m_outcome;
    QToolButton* m_play;
    QComboBox* m_speed;
    QComboBox* m_conversations;
    QPushButton* m_replay;
    QTimer m_timer;
    QElapsedTimer m_since;  ///< time since the last tick
    double m_playedNs = 0;  ///< playback time, without idle time
};

}  // namespace lacuna::ui
