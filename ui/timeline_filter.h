#pragma once
/// \file
/// Which rows of the timeline are shown: one kind or all, problems only, and those that contain all
/// words typed. GUI thread.

#include <QSortFilterProxyModel>
#include <QStringList>
#include <optional>

#include "app/state/view_types.h"

namespace lacuna::ui {

enum class TimelineScope { All, Problems };

class TimelineFilter final : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    explicit TimelineFilter(QObject* parent = nullptr);
    void setKind(std::optional<app::EventKind> kind);
    void setScope(TimelineScope scope);
    void setWords(const QString& text);

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

  private:
    std::optional<app::EventKind> m_kind;
    TimelineScope m_scope = TimelineScope::All;
    QStringList m_words;
};

}  // namespace lacuna::ui
