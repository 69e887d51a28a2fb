#pragma once
/// \file
/// What the program did and what went wrong, for whoever looks for the cause afterwards: the lines
/// of this run and of those before it as rows, newest last, and a file of bounded size
/// (engine/base/log.h) in the data folder. It holds no word of a conversation. A log that cannot be
/// written says so once and fails nothing. Owned by the GUI thread; the file is another's.

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>
#include <QVector>
#include <deque>
#include <memory>
#include <optional>

#include "app/state/view_types.h"

namespace lacuna::app {

/// What stands in the file and on the page; each comes with all after it.
enum class LogSeverity { Debug, Info, Warning, Error };

struct LogLine {
    QDateTime when;
    LogSeverity severity = LogSeverity::Info;
    QString source;  ///< a word: "model", "settings", "qt"
    QString text;    ///< one line
};

/// "2026-11-22T21:55:03.120Z warning qt: text", and back; nothing when it is no such line.
[[nodiscard]] QString lineText(const LogLine& line);
[[nodiscard]] std::optional<LogLine> lineOf(const QString& text);
/// What the log says of an event of the timeline; nothing of those that say only that things go
/// their way, an answer or a compaction without a problem. Notices put titles of conversations into
/// quotation marks, and titles are a person's words: they are left out.
[[nodiscard]] std::optional<LogLine> lineOf(const EventRow& event);

class ProgramLog final : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Time, Severity, Source, Text, kColumns };
    enum Role { SeverityRole = Qt::UserRole };
    static constexpr int kMaxRows = 20'000;
    static constexpr qsizetype kMaxLength = 4'000;  ///< signs of a line; the rest is cut

    /// `folder` is where lacuna.log lies, made when it is missing; empty: no file.
    explicit ProgramLog(const QString& folder, QObject* parent = nullptr);
    ~ProgramLog() override;

    /// From any thread; line ends in `text` are made spaces.
    void add(LogSeverity severity, const QString& source, const QString& text);
    void add(const LogLine& line);
    /// @pre 0 <= row < rowCount()
    [[nodiscard]] const LogLine& line(int row) const {
        return m_lines[static_cast<std::size_t>(row)];
    }
    /// Of the file; empty: there is none.
    [[nodiscard]] QString path() const;
    /// Why lines are not on disk, a sentence; empty: they are.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    /// Returns when all lines so far are in the file.
    void flush();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  Q_SIGNALS:
    /// The first line that could not be written, and no later one.
    void notWritten(const QString& sentence);
    void problemChanged();

  private:
    struct File;

    void take(const LogLine& line);
    void takeEarlier(const QVector<LogLine>& lines);
    void takeProblem(const QString& sentence);

    std::deque<LogLine> m_lines;
    QString m_problem;
    bool m_said = false;
    std::unique_ptr<File> m_file;
};

/// A line as a cell of a table shows it, by ProgramLog::Column and role.
[[nodiscard]] QVariant cellOf(const LogLine& line, int column, int role);

/// While one lives, what Qt warns of goes into the log as well as to where it went before. One at a
/// time.
class QtMessages {
  public:
    explicit QtMessages(ProgramLog& log);
    ~QtMessages();
    QtMessages(const QtMessages&) = delete;
    QtMessages& operator=(const QtMessages&) = delete;
};

}  // namespace lacuna::app
