#pragma once
/// \file
/// Everything behind the window: the engine's host, the router, and the controllers the window and
/// the headless demo talk to. Made and used on the GUI thread; destroyed after the widgets.

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "app/state/server_program.h"
#include "app/state/view_types.h"

namespace lacuna {
class CommandSink;
class EventHub;
}  // namespace lacuna

namespace lacuna::app {

class CalibrationController;
class ChatController;
class ConfigController;
class ConversationStorage;
class MeasurementController;
class MemoryController;
class MetricsStore;
class ModelController;
class ModelJobs;
class ModelShelf;
class PreviewController;
class QualityController;
class ProfileController;
class ProgramLog;
class RecordingController;
class ReportController;
class ServerController;
class SessionFeed;

struct ApplicationOptions {
    QStringList settings;     ///< key=value pairs in force from the start
    int workerNiceness = 10;  ///< added to compute threads, so that the window keeps its share
    QString dataFolder;       ///< where conversations and the log are kept; empty: nowhere
    ServerMaker server = {};  ///< of a server beside the window; none: there is none
    QString program = {};     ///< whose commands work on model files; empty: this one
};

class ApplicationState final : public QObject {
    Q_OBJECT

  public:
    /// With the live engine.
    explicit ApplicationState(const ApplicationOptions& options, QObject* parent = nullptr);
    /// With another engine, which belongs to the caller to start and has no server; for tests.
    /// `events` are those of `engine`.
    ApplicationState(const ApplicationOptions& options, std::unique_ptr<CommandSink> engine,
                     EventHub& events, QObject* parent = nullptr);
    ~ApplicationState() override;

    [[nodiscard]] ModelController& model();
    [[nodiscard]] ChatController& chat();
    [[nodiscard]] ConfigController& config();
    [[nodiscard]] SessionFeed& feed();
    [[nodiscard]] MetricsStore& metrics();
    [[nodiscard]] ReportController& report();
    /// Recorded sessions that are looked at.
    [[nodiscard]] RecordingController& recording();
    [[nodiscard]] PreviewController& preview();
    [[nodiscard]] MeasurementController& measurement();
    [[nodiscard]] QualityController& quality();
    [[nodiscard]] CalibrationController& calibration();
    [[nodiscard]] ProfileController& profiles();
    [[nodiscard]] ServerController& server();
    [[nodiscard]] MemoryController& memory();
    [[nodiscard]] ModelShelf& shelf();
    [[nodiscard]] ModelJobs& jobs();
    /// Writes the cache of the conversation on screen to a file, or takes it from one in place of
    /// what it has; cacheMoved answers.
    void saveCache(const QString& path);
    void loadCache(const QString& path);
    /// Why no engine elsewhere can take the answers over now, a sentence; empty: one can.
    [[nodiscard]] QString whyNotAttach() const;
    /// Answers come from `engine`, which publishes in `events` on this thread, until detach();
    /// charts show its figures, and those of the local engine again afterwards.
    /// @pre whyNotAttach() is empty
    void attach(std::unique_ptr<CommandSink> engine, EventHub& events, const RemoteView& view);
    void detach();
    /// Which engine elsewhere answers; nothing: the local one does.
    [[nodiscard]] const std::optional<RemoteView>& remote() const;
    /// How it is now. @pre one is attached
    void showRemote(const RemoteView& view);
    /// Why something of the local engine cannot be done now, a sentence; empty: it can.
    [[nodiscard]] QString whyLocalRests() const;
    /// Where conversations and the log are kept; empty: nowhere.
    [[nodiscard]] QString dataFolder() const;
    /// What keeps conversations on disk; null when no folder was given.
    [[nodiscard]] ConversationStorage* keeper();
    /// What happened, on disk where a folder was given.
    [[nodiscard]] ProgramLog& log();
    [[nodiscard]] MachineView machine() const;
    /// Sentence about settings given at the start that were refused; empty: none.
    [[nodiscard]] QString startProblem() const;
    /// Delivers waiting engine events now.
    void drain();

  Q_SIGNALS:
    void retentionArrived(const lacuna::app::RetentionView& view);
    /// What was kept is there again; `none`: this is the first start.
    void conversationsRestored(bool none);
    /// How saving or loading a cache went, a sentence.
    void cacheMoved(const QString& sentence, bool problem);
    /// Another engine answers, or it has another model, kind or problem.
    void remoteChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
