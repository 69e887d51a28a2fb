#include "ui/session_list.h"

#include <QHBoxLayout>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/state/chat_controller.h"
#include "app/state/conversation_list_model.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

SessionList::SessionList(app::ChatController& chat, QWidget* parent)
    : QWidget(parent),
      m_chat(chat),
      m_search(new QLineEdit(this)),
      m_list(new QListView(this)),
      m_filter(new QSortFilterProxyModel(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    auto* add = new QToolButton(this);
    add->setText(tr("New"));
    add->setToolTip(tr("Start a conversation (Ctrl+N)"));
    setAccessible(add, tr("New conversation"));
    m_search->setPlaceholderText(tr("Search"));
    m_search->setClearButtonEnabled(true);
    setAccessible(m_search, tr("Search conversations"));
    top->addWidget(m_search, 1);
    top->addWidget(add);
    layout->addLayout(top);
    m_filter->setSourceModel(&chat.conversations());
    m_filter->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_list->setModel(m_filter);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessible(m_list, tr("Conversations"));
    layout->addWidget(m_list, 1);
    connect(add, &QToolButton::clicked, this, &SessionList::newWanted);
    connect(m_search, &QLineEdit::textChanged, m_filter,
            &QSortFilterProxyModel::setFilterFixedString);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                if (index.isValid()) {
                    m_chat.select(index.data(app::ConversationListModel::IdRole).toLongLong());
                }
            });
    connect(m_list, &QListView::customContextMenuRequested, this, &SessionList::showMenu);
    connect(&chat, &app::ChatController::currentChanged, this, &SessionList::showCurrent);
    connect(&chat.conversations(), &QAbstractItemModel::rowsInserted, this,
            &SessionList::showCurrent);
    showCurrent();
}

void SessionList::focusList() {
    m_list->setFocus(Qt::ShortcutFocusReason);
}

void SessionList::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
}

void SessionList::showCurrent() {
    const auto row = m_chat.conversations().rowOf(m_chat.current());
    if (!row) return;
    const QModelIndex source = m_chat.conversations().index(*row);
    const QModelIndex shown = m_filter->mapFromSource(source);
    if (shown.isValid() && shown != m_list->currentIndex()) m_list->setCurrentIndex(shown);
}

void SessionList::showMenu(const QPoint& at) {
    if (!m_list->indexAt(at).isValid()) return;
    QMenu menu(this);
    menu.addAction(tr("Rename"), this, &SessionList::renameWanted);
    menu.addAction(tr("Delete"), this, &SessionList::deleteWanted);
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

}  // namespace lacuna::ui
