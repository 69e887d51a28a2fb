#pragma once
/// \file
/// The conversations of the session list, newest first. Owned by the GUI thread; ChatController
/// writes it.

#include <QAbstractListModel>
#include <QVector>
#include <optional>

#include "app/state/view_types.h"

namespace lacuna::app {

class ConversationListModel final : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role {
        TitleRole = Qt::DisplayRole,
        IdRole = Qt::UserRole,
        AnsweringRole,
        OwnSettingsRole
    };

    using QAbstractListModel::QAbstractListModel;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] const QVector<ConversationRow>& rows() const { return m_rows; }
    [[nodiscard]] std::optional<int> rowOf(qint64 id) const;

    void prepend(const ConversationRow& row);
    void update(const ConversationRow& row);
    void remove(qint64 id);

  private:
    QVector<ConversationRow> m_rows;
};

}  // namespace lacuna::app
