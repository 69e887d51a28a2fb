#pragma once
/// \file
/// The program log, for diagnosis: rows of this run and earlier ones, newest last, and a file of
/// limited size (engine/base/log.h) in the data folder. It contains no text of conversations. A
/// write failure is reported once and has no other effect. Owned by the GUI thread; the file is
/// accessed on another thread.

#include <QAbstractTableModel>
#include <QDateTime>
#include <QString>
#include <QVector>
#include <deque>
#include <memory>
#include <optional>

#include "app/state/view_types.h"

namespace lacuna::app {

/// Filter level of the file and the page; each level includes all later ones.
enum class LogSeverity { Debug, Info, Warning, Error };

struct LogLine {
    QDateTime when;
    LogSeverity severity = LogSeverity::Info;
    QString source;  ///< one word: "model", "settings", "qt"
    QString text;    ///< a single line
};

/// Converts a line to "2026-11-22T21:55:03.120Z warning qt: text", and back; nullopt if the text
/// has another form.
[[nodiscard]] QString lineText(const LogLine& line);
[[nodiscard]] std::optional<LogLine> lineOf(const QString& text);
/// Converts an event of the timeline to a log line; nullopt for routine events (an answer or
/// compaction without a problem). Quoted titles of conversations in notices are removed, because
/// they are user text.
[[nodiscard]] std::optional<LogLine> lineOf(const EventRow& event);

/// True for a line that was made of an event.
[[nodiscard]] bool isEvent(const LogLine& line);
/// Converts a line of the log to a row of the timeline.
[[nodiscard]] EventRow eventOf(const LogLine& line);

class ProgramLog final : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Time, Severity, Source, Text, kColumns };
    enum Role { SeverityRole = Qt::UserRole };
    static constexpr int kMaxRows = 20'000;
    static constexpr qsizetype kMaxLength = 4'000;  ///< maximum characters of a line; longer ones
                                                    ///< are truncated

    /// `folder` contains lacuna.log and is created if missing; empty for no file.
    explicit ProgramLog(const QString& folder, QObject* parent = nullptr);
    ~ProgramLog() override;

    /// Adds a line. Any thread. Line ends in `text` are replaced by spaces.
    void add(LogSeverity severity, const QString& source, const QString& text);
    void add(const LogLine& line);
    /// @pre 0 <= row < rowCount()
    [[nodiscard]] const LogLine& line(int row) const {
        return m_lines[static_cast<std::size_t>(row)];
    }
    /// Path of the file; empty if there is none.
    [[nodiscard]] QString path() const;
    /// Why lines are not on disk; empty if they are.
    [[nodiscard]] const QString& problem() const { return m_problem; }
    /// Blocks until all lines so far are written.
    void flush();

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

  Q_SIGNALS:
    /// Emitted for the first line that could not be written, and not again.
    void writeFailed(const QString& sentence);
    void problemChanged();

  private:
    struct File;

    void take(const LogLine& line);
    void addEarlier(const QVector<LogLine>& lines);
    void setProblem(const QString& sentence);

    std::deque<LogLine> m_lines;
    QString m_problem;
    bool m_problemReported = false;
    std::unique_ptr<File> m_file;
};

/// Returns the data of a table cell, by ProgramLog::Column and role.
[[nodiscard]] QVariant cellOf(const LogLine& line, int column, int role);

/// While an instance exists, Qt's messages are also written to the log. One at a time.
class QtMessages {
  public:
    explicit QtMessages(ProgramLog& log);
    ~QtMessages();
    QtMessages(const QtMessages&) = delete;
    QtMessages& operator=(const QtMessages&) = delete;
};

}  // namespace lacuna::app
