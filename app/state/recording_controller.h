#pragma once
/// \file
/// Recorded sessions that are looked at: opens the report of one, and runs it again beside the live
/// engine, which goes on undisturbed. Reading and replaying happen on threads of their own. GUI
/// thread.

#include <QObject>
#include <QString>
#include <functional>
#include <memory>
#include <stop_token>

#include "app/state/work_thread.h"

namespace lacuna {
struct ModelMakers;
struct ReplayOutcome;
}  // namespace lacuna

namespace lacuna::app {

class RecordedSession;

/// A replay and what came of it.
struct ReplayView {
    bool running = false;
    qint64 turn = 0, turns = 0;  ///< answers that are done, and all; `turns` 0: it begins
    bool ended = false;          ///< one ran to its end; the next lines say what came of it
    bool identical = false;
    qint64 tokens = 0;                           ///< that came out again
    qint64 divergedTurn = 0, divergedToken = 0;  ///< when not; the token from 0 in the answer
    QString sentence = {};                       ///< what came of it, or why it could not be run
};

/// The file that begins like the report.json of a session: `path`, or the one in that folder;
/// empty: neither.
[[nodiscard]] QString reportAt(const QString& path);

class RecordingController final : public QObject {
    Q_OBJECT

  public:
    using Makers = std::function<std::shared_ptr<const ModelMakers>()>;

    /// `makers` read the models of replays; one that is loaded already need not be read again.
    explicit RecordingController(Makers makers, QObject* parent = nullptr);
    ~RecordingController() override;

    /// Reads a report.json; the session that is open stays until it is read.
    void open(const QString& path);
    [[nodiscard]] bool reading() const { return m_reading; }
    void close();
    /// Null: none is open.
    [[nodiscard]] const RecordedSession* session() const { return m_session.get(); }

    /// Runs the open session again. @pre one is open
    void replay();
    void cancelReplay();
    [[nodiscard]] const ReplayView& replayed() const { return m_replay; }

  Q_SIGNALS:
    /// Another session is open, or none.
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
    qint64 m_asked = 0;  ///< number of the newest session that was asked for
    ReplayView m_replay;
    std::stop_source m_stop;
    WorkThread m_reader;
    WorkThread m_replayer;
};

}  // namespace lacuna::app
