#pragma once
/// \file
/// Opens recorded sessions from their reports and replays them alongside the live engine, which is
/// not affected. Reading and replaying run on separate threads. GUI thread.

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <stop_token>

#include "app/state/files/work_thread.h"

namespace lacuna {
struct ModelMakers;
struct ReplayOutcome;
}  // namespace lacuna

namespace lacuna::app {

class RecordedSession;

/// A replay and its result.
struct ReplayView {
    bool running = false;
    qint64 turn = 0, turns = 0;  ///< completed and total turns; `turns` is 0 while the replay
                                 ///< starts
    bool ended = false;  ///< true if a replay has completed; the members below describe its result
    bool identical = false;
    qint64 tokens = 0;                           ///< number of reproduced tokens
    qint64 divergedTurn = 0, divergedToken = 0;  ///< position of the first difference, if any;
                                                 ///< tokens are counted from 0 within the answer
    QString sentence = {};                       ///< the result, or why the replay could not run
};

/// Returns the session report at `path`, which is the file itself or a folder with report.json;
/// empty if neither is one.
[[nodiscard]] QString reportAt(const QString& path);

class RecordingController final : public QObject {
    Q_OBJECT

  public:
    using Makers = std::function<std::shared_ptr<const ModelMakers>()>;

    /// `makers` load the models of replays; a model that is already loaded may be reused.
    explicit RecordingController(Makers makers, QObject* parent = nullptr);
    ~RecordingController() override;

    /// Reads a report.json; the current session stays open until it is read.
    void open(const QString& path);
    [[nodiscard]] bool reading() const { return m_reading; }
    void close();
    /// Null if no session is open.
    [[nodiscard]] const RecordedSession* session() const { return m_session.get(); }

    /// Replays the open session. @pre a session is open
    void replay();
    void cancelReplay();
    [[nodiscard]] const ReplayView& replayed() const { return m_replay; }

  Q_SIGNALS:
    /// Emitted when a session was opened or closed.
    void changed();
    void failed(const QString& sentence);
    void replayChanged();

  private:
    void read(const QString& path);
    void take(const std::shared_ptr<const RecordedSession>& session, const QString& problem);
    void endReplay(const ReplayView& end);

    const Makers m_makers;
    std::shared_ptr<const RecordedSession> m_session;
    bool m_reading = false;
    qint64 m_asked = 0;  ///< sequence number of the latest requested session
    ReplayView m_replay;
    std::stop_source m_stop;
    WorkThread m_reader;
    WorkThread m_replayer;
};

}  // namespace lacuna::app
