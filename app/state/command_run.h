#pragma once
/// \file
/// The commands of the command line, run from the window: which there are, and one of them at a
/// time in a process of its own (own_program.h) with what it prints. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>

#include "app/state/command_table.h"

namespace lacuna::app {

struct CommandRunView {
    QString line;  ///< as in a shell; empty: nothing was run yet
    bool running = false;
    bool stopping = false;
    double share = -1;  ///< 0..1; below 0: not known
    QString progress;
    QString output;    ///< what it printed, at most kMostOutput bytes of it
    QString sentence;  ///< how it ended
    bool problem = false;
};

class CommandRun final : public QObject {
    Q_OBJECT

  public:
    /// Of what a command prints, the rest is dropped, and that is said.
    static constexpr qsizetype kMostOutput = qsizetype{4} << 20;  ///< bytes

    explicit CommandRun(const QString& program, QObject* parent = nullptr);
    /// Stops what runs.
    ~CommandRun() override;

    /// Asks the program which commands it has, once; tableRead() follows.
    void readTable();
    [[nodiscard]] const CommandTable& table() const;
    [[nodiscard]] const CommandRunView& view() const;
    /// Nothing happens while another runs.
    void run(const QStringList& words);
    void stop();
    /// Writes what was printed; returns why not, or nothing.
    [[nodiscard]] QString saveOutput(const QString& path) const;

  Q_SIGNALS:
    void tableRead();
    void changed();
    /// It printed more.
    void printed(const QString& more);
    void ended();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
