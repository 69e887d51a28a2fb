#pragma once
/// \file
/// This program, or the one for benchmarks beside it, run for one of its commands: in a process of
/// its own at lower priority, so that the window and the model in use go on, a stop is a stop, and
/// a crash costs nothing. It ends with the window, however that ends. One at a time; owned by the
/// GUI thread.

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

namespace lacuna::app {

/// How it ended.
struct ProgramEnd {
    bool started = true;   ///< false: it could not be, and `complaint` says why
    bool stopped = false;  ///< because stop() was called
    bool good = false;     ///< by itself, with status 0
    int status = 0;
    /// What it said on standard error besides its progress, with its lines' ends.
    QString complaint;
};

class OwnProgram final : public QObject {
    Q_OBJECT

  public:
    /// `program`: this one's path; empty: found by itself.
    explicit OwnProgram(const QString& program, QObject* parent = nullptr);
    /// Where its commands keep what they measure of models; empty: the user's own folder.
    void setDataFolder(const QString& folder);
    /// Kills what runs.
    ~OwnProgram() override;

    [[nodiscard]] bool running() const;
    [[nodiscard]] bool stopping() const;
    /// @pre nothing runs. What it prints is passed on by printed() only when it is wanted.
    void begin(const QStringList& arguments, bool wantOutput = false);
    /// Holds it at its next instruction and lets it continue: an answer gets the processor.
    /// @pre allowPause was called before it began
    void pause(bool paused);
    /// A process that is held takes no signal but a kill, so that is what it ends with the window
    /// by.
    void allowPause();
    /// Asks it to end, and insists after ten seconds.
    void stop();

  Q_SIGNALS:
    /// What it does now, "300 of 30000 tokens"; `share` 0..1, below 0: not known.
    void progress(const QString& line, double share);
    void printed(const QByteArray& bytes);
    void ended(const lacuna::app::ProgramEnd& end);

  private:
    struct Impl;
    void listen();
    void finish(ProgramEnd end);
    std::unique_ptr<Impl> m_impl;
};

/// The error in what the program said, without its name and code, in the window's language; empty:
/// there is none.
[[nodiscard]] QString errorSentence(const QString& complaint);
/// Why it failed: its error, or that it gave none. @pre it failed
[[nodiscard]] QString failureSentence(const ProgramEnd& end);
/// The path of lacuna-bench, which lies beside `program`; empty `program`: beside this one.
[[nodiscard]] QString benchProgram(const QString& program);

}  // namespace lacuna::app
