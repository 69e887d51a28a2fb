#pragma once
/// \file
/// Owns everything behind the window: the engine host, the router, and the controllers used by the
/// window and the headless demo. Created and used on the GUI thread; destroyed after the widgets.

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "app/state/server/server_program.h"
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
class ModelLibrary;
class PreviewController;
class QualityController;
class ProfileController;
class ProgramLog;
class RecordingController;
class ReportController;
class ServerController;
class SessionFeed;

struct ApplicationOptions {
    QStringList settings;     ///< valid key=value pairs in effect from the start
    int workerNiceness = 10;  ///< added to the niceness of compute threads to keep the window
                              ///< responsive
    QString dataFolder;       ///< folder of conversations and the log; empty to store nothing
    ServerMaker server = {};  ///< creates the server of the window; empty if there is none
    QString program = {};     ///< executable that runs commands on model files; empty for this one
};

class ApplicationState final : public QObject {
    Q_OBJECT

  public:
    /// Uses the live engine.
    explicit ApplicationState(const ApplicationOptions& options, QObject* parent = nullptr);
    /// For tests: uses another engine, which the caller starts and which has no server. `events` is
    /// the event hub of `engine`.
    ApplicationState(const ApplicationOptions& options, std::unique_ptr<CommandSink> engine,
                     EventHub& events, QObject* parent = nullptr);
    ~ApplicationState() override;

    [[nodiscard]] ModelController& model();
    [[nodiscard]] ChatController& chat();
    [[nodiscard]] ConfigController& config();
    [[nodiscard]] SessionFeed& feed();
    [[nodiscard]] MetricsStore& metrics();
    [[nodiscard]] ReportController& report();
    /// The recorded sessions that are open for viewing.
    [[nodiscard]] RecordingController& recording();
    [[nodiscard]] PreviewController& preview();
    [[nodiscard]] MeasurementController& measurement();
    [[nodiscard]] QualityController& quality();
    [[nodiscard]] CalibrationController& calibration();
    [[nodiscard]] ProfileController& profiles();
    [[nodiscard]] ServerController& server();
    [[nodiscard]] MemoryController& memory();
    [[nodiscard]] ModelLibrary& library();
    [[nodiscard]] ModelJobs& jobs();
    /// Saves the cache of the shown conversation to a file, or loads it from one which replaces its
    /// current cache. The result is reported by cacheFileDone.
    void saveCache(const QString& path);
    void loadCache(const QString& path);
    /// Returns the reason why a remote engine cannot be attached; empty if it can.
    [[nodiscard]] QString attachBlocker() const;
    /// Routes conversations to `engine`, which publishes in `events` on this thread, until
    /// detach(). Meanwhile charts show its figures instead of those of the local engine. @pre
    /// attachBlocker() is empty
    void attach(std::unique_ptr<CommandSink> engine, EventHub& events, const RemoteView& view);
    void detach();
    /// The attached remote engine; nullopt if the local engine answers.
    [[nodiscard]] const std::optional<RemoteView>& remote() const;
    /// Updates the view of the attached engine. @pre an engine is attached
    void showRemote(const RemoteView& view);
    /// Returns the reason why operations of the local engine are unavailable; empty if they are
    /// available.
    [[nodiscard]] QString localEngineBlocker() const;
    /// Folder of conversations and the log; empty if nothing is stored.
    [[nodiscard]] QString dataFolder() const;
    /// Stores conversations on disk; null if no folder was given.
    [[nodiscard]] ConversationStorage* storage();
    /// The program log; written to disk if a folder was given.
    [[nodiscard]] ProgramLog& log();
    [[nodiscard]] MachineView machine() const;
    /// Delivers pending engine events immediately.
    void drain();

  Q_SIGNALS:
    void retentionArrived(const lacuna::app::RetentionView& view);
    /// Emitted when stored conversations are loaded; `none` is true if there are no stored data.
    void conversationsRestored(bool none);
    /// Reports the result of saving or loading a cache.
    void cacheFileDone(const QString& sentence, bool problem);
    /// Emitted when another engine answers, or when the model, family or problem of the remote
    /// engine changes.
    void remoteChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
