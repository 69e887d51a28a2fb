#pragma once
/// \file
/// The time machine's bar: a slider over the moments of a recorded session, with marks where
/// something was asked or compacted, buttons to play and to go from mark to mark, the replay and
/// what came of it. Arrow keys go one moment on, Page keys to the next mark, Home and End to the
/// ends; Space plays. GUI thread.

#include <QElapsedTimer>
#include <QFrame>
#include <QSlider>
#include <QTimer>
#include <QVector>

#include "app/state/recorded_session.h"
#include "app/state/recording_controller.h"

class QComboBox;
class QLabel;
class QPushButton;
class QToolButton;

namespace lacuna::ui {

class ThemeSource;

/// A slider whose steps are moments; small lines above the groove are marks. A click goes there at
/// once.
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
    /// To the next tick after the place, or the last one before it.
    void toTick(int direction);
    [[nodiscard]] QSize sizeHint() const override;

  Q_SIGNALS:
    void playWanted();

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
    /// The session it scrubs through, at its end; null: none. It outlives the next call.
    void setSession(const app::RecordedSession* session);
    void showReplay(const app::ReplayView& replay);
    /// Goes to the last moment that is not after `timeNs`.
    void goTo(qint64 timeNs);
    [[nodiscard]] qint64 timeNs() const;
    [[nodiscard]] qint64 conversation() const { return m_conversation; }
    [[nodiscard]] bool playing() const { return m_timer.isActive(); }
    [[nodiscard]] MomentSlider& slider() { return *m_slider; }

  public Q_SLOTS:
    void togglePlay();

  Q_SIGNALS:
    /// Another moment or another conversation.
    void moved();
    void replayWanted();
    void cancelWanted();
    void closeWanted();

  private:
    QWidget* buildControls();
    void moment();
    void tick();
    void stop();
    void describe();

    const app::RecordedSession* m_session = nullptr;
    qint64 m_conversation = 0;
    bool m_replays = false;  ///< a replay runs
    bool m_follows = true;   ///< shows the conversation that was asked last
    MomentSlider* m_slider;
    QLabel* m_title;
    QLabel* m_place;
    QLabel* m_outcome;
    QToolButton* m_play;
    QComboBox* m_speed;
    QComboBox* m_conversations;
    QPushButton* m_replay;
    QTimer m_timer;
    QElapsedTimer m_since;  ///< of the last tick
    double m_playedNs = 0;  ///< the moment that is played, idle time left out
};

}  // namespace lacuna::ui
