#pragma once
/// \file
/// One list of all events: the program's log of this and earlier runs, and the session events that
/// are not logged, such as a successful answer or compaction. Columns and roles are those of
/// ProgramLog. GUI thread.

#include <QAbstractTableModel>
#include <QVector>
#include <deque>

#include "app/state/files/program_log.h"

namespace lacuna::app {
class SessionFeed;
}

namespace lacuna::ui {

class EventLogModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    /// SessionRole: true for lines of the session that are not in the log.
    enum Role { SessionRole = Qt::UserRole + 16 };
    static constexpr std::size_t kMaxRows = 40'000;

    /// Both references must outlive this object.
    EventLogModel(app::ProgramLog& log, app::SessionFeed& feed, QObject* parent);
    /// @pre 0 <= row < rowCount()
    [[nodiscard]] const app::LogLine& line(int row) const {
        return m_lines[static_cast<std::size_t>(row)].line;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    struct Entry {
        app::LogLine line;
        bool ofSession = false;
    };
    void add(Entry entry);
    void addAll(QVector<Entry> entries);
    void takeFromLog(int first, int last);

    app::ProgramLog& m_log;
    std::deque<Entry> m_lines;
};

}  // namespace lacuna::ui
