#pragma once
/// \file
/// Events of the session as rows, newest last: time, kind, what happened. Problems carry a sign and
/// a word, not a colour alone. Bounded: the oldest rows go first, and the model says how many. GUI
/// thread.

#include <QAbstractTableModel>
#include <QVector>
#include <deque>
#include <optional>

#include "app/state/view_types.h"

namespace lacuna::ui {

class TimelineModel final : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { Time, Kind, What, kColumns };
    /// Alongside the roles of Qt: the number of the kind, and whether the row is a problem.
    enum Role { KindRole = Qt::UserRole, ProblemRole, DetailRole };
    static constexpr int kMaxRows = 20'000;

    explicit TimelineModel(QObject* parent = nullptr);

    void setRows(const QVector<app::EventRow>& rows);
    void add(const app::EventRow& row);
    void clear();
    [[nodiscard]] const app::EventRow* row(int index) const;
    [[nodiscard]] std::optional<int> rowOfCompaction(qint64 number) const;
    [[nodiscard]] qint64 forgotten() const { return m_forgotten; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role) const override;

  private:
    std::deque<app::EventRow> m_rows;
    qint64 m_forgotten = 0;
};

/// "Compaction", "Settings", ...
[[nodiscard]] QString eventKindText(app::EventKind kind);

}  // namespace lacuna::ui
