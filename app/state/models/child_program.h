#pragma once
/// \file
/// Runs this program, or the benchmark program next to it, for one command in a separate process
/// with lower priority: the window stays responsive, a command can be stopped reliably, and a crash
/// has no further effect. The process never outlives the window. One at a time; owned by the GUI
/// thread.

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

namespace lacuna::app {

/// Result of the process.
struct ProgramEnd {
    bool started = true;   ///< false if it could not be started, with the reason in `complaint`
    bool stopped = false;  ///< true after stop()
    bool good = false;     ///< true if it exited normally with status 0
    int status = 0;
    /// Standard error without progress lines, including line ends.
    QString complaint;
};

class ChildProgram final : public QObject {
    Q_OBJECT

  public:
    /// `program` is the path of this executable; if empty, it is found automatically.
    explicit ChildProgram(const QString& program, QObject* parent = nullptr);
    /// Sets the folder where commands store measurements of models; empty for the user's own
    /// folder.
    void setDataFolder(const QString& folder);
    /// Kills a running process.
    ~ChildProgram() override;

    [[nodiscard]] bool running() const;
    [[nodiscard]] bool stopping() const;
    /// Starts the process. Its standard output is published by printed() only if `publishOutput` is
    /// set. @pre nothing is running
    void begin(const QStringList& arguments, bool publishOutput = false);
    /// Suspends or resumes the process to free the processor for an answer. @pre allowPause() was
    /// called before begin()
    void pause(bool paused);
    /// Prepares for pause(): a suspended process reacts only to SIGKILL, so the process is killed
    /// with that signal when the window ends.
    void allowPause();
    /// Requests termination, and kills the process after ten seconds.
    void stop();

  Q_SIGNALS:
    /// Reports progress text such as "300 of 30000 tokens"; `share` is in 0..1, negative if
    /// unknown.
    void progress(const QString& line, double share);
    void printed(const QByteArray& bytes);
    void ended(const lacuna::app::ProgramEnd& end);

  private:
    struct Impl;
    void listen();
    void finish(ProgramEnd end);
    std::unique_ptr<Impl> m_impl;
};

/// Extracts the error message from standard error, without program name and code, in the window's
/// language; empty if there is none.
[[nodiscard]] QString errorMessageOf(const QString& complaint);
/// Returns the reason of a failure, or that none was given. @pre `end` is a failure
[[nodiscard]] QString failureMessage(const ProgramEnd& end);
/// Returns the path of lacuna-bench, which is installed next to `program`, or next to this
/// executable if `program` is empty.
[[nodiscard]] QString benchProgram(const QString& program);

}  // namespace lacuna::app
