#include "ui/session_list.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QSet>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/state/chat_controller.h"
#include "app/state/chat_model.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr int kMark = 7;       ///< width of the mark of a row, px
constexpr int kMarkRoom = 14;  ///< from one mark to the next, px
constexpr int kMarkEnd = 6;    ///< next to the last one, px

/// A row with a dot at its end while its answer is written, and a diamond where the conversation
/// has cache settings of its own; the words for both are in the row's accessible text.
class SessionDelegate final : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QString displayText(const QVariant& title, const QLocale&) const override {
        return oneLine(title.toString(), kMaxTitleLength);
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        using Model = app::ConversationListModel;
        const bool answering = index.data(Model::AnsweringRole).toBool();
        const bool ownSettings = index.data(Model::OwnSettingsRole).toBool();
        const int marks = (answering ? 1 : 0) + (ownSettings ? 1 : 0);
        QStyleOptionViewItem own(option);
        initStyleOption(&own, index);
        if (marks > 0) {
            // The title is cut before them.
            const int room = marks * kMarkRoom + kMarkEnd + 12;
            own.text =
                own.fontMetrics.elidedText(own.text, own.textElideMode, option.rect.width() - room);
        }
        const QStyle* style = own.widget->style();
        style->drawControl(QStyle::CE_ItemViewItem, &own, painter, own.widget);
        if (marks == 0) return;
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QBrush ink = selected ? option.palette.highlightedText() : option.palette.highlight();
        QRectF mark(option.rect.right() - kMarkEnd - kMarkRoom + kMark,
                    option.rect.center().y() - kMark / 2.0 + 1, kMark, kMark);
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (answering) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(ink);
            painter->drawEllipse(mark);
            mark.translate(-kMarkRoom, 0);
        }
        if (ownSettings) {
            painter->setPen(QPen(ink, 1.5));
            painter->setBrush(Qt::NoBrush);
            const QPointF middle = mark.center();
            painter->drawPolygon(
                QPolygonF{QPointF(middle.x(), mark.top()), QPointF(mark.right(), middle.y()),
                          QPointF(middle.x(), mark.bottom()), QPointF(mark.left(), middle.y())});
        }
        painter->restore();
    }
};

}  // namespace

/// Rows whose title has the words, or whose conversation was found by its messages.
class SessionList::Filter final : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QString& words) {
        m_words = words.trimmed();
        m_found.clear();
        invalidateFilter();
    }
    void setFound(const QString& words, const QVector<qint64>& found) {
        if (words != m_words) return;  // an answer to an older question
        m_found = QSet<qint64>(found.begin(), found.end());
        invalidateFilter();
    }
    [[nodiscard]] const QString& words() const { return m_words; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        const QVariant value = QSortFilterProxyModel::data(index, role);
        return role == Qt::ToolTipRole ? tipText(value.toString()) : value;
    }

  protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override {
        if (m_words.isEmpty()) return true;
        const QModelIndex index = sourceModel()->index(row, 0, parent);
        return index.data().toString().contains(m_words, Qt::CaseInsensitive) ||
               m_found.contains(index.data(app::ConversationListModel::IdRole).toLongLong());
    }

  private:
    QString m_words;
    QSet<qint64> m_found;
};

SessionList::SessionList(app::ChatController& chat, QWidget* parent)
    : QWidget(parent),
      m_chat(chat),
      m_search(new QLineEdit(this)),
      m_list(new QListView(this)),
      m_none(captionLabel({}, this)),
      m_filter(new Filter(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 4, 4, 4);
    layout->setSpacing(6);
    auto* top = new QHBoxLayout;
    auto* add = new QToolButton(this);
    add->setText(tr("New"));
    add->setToolTip(tipText(tr("Start a conversation (Ctrl+N)")));
    setAccessible(add, tr("New conversation"));
    m_search->setPlaceholderText(tr("Search"));
    m_search->setClearButtonEnabled(true);
    setAccessible(m_search, tr("Search conversations"));
    top->addWidget(m_search, 1);
    top->addWidget(add);
    layout->addLayout(top);
    m_filter->setSourceModel(&chat.conversations());
    m_list->setModel(m_filter);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    m_list->setTextElideMode(Qt::ElideMiddle);  // titles often begin with the same words
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessible(m_list, tr("Conversations"));
    m_none->setWordWrap(true);
    m_none->setContentsMargins(8, 4, 8, 4);
    m_none->hide();
    layout->addWidget(m_none);
    layout->addWidget(m_list, 1);
    setFocusProxy(m_list);
    m_search->installEventFilter(this);
    connect(add, &QToolButton::clicked, this, &SessionList::newWanted);
    m_list->setItemDelegate(new SessionDelegate(m_list));
    connect(m_search, &QLineEdit::textChanged, this, &SessionList::search);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                // A row that the search hides is no wish to see another conversation.
                if (index.isValid() && !m_filtering) {
                    m_chat.select(index.data(app::ConversationListModel::IdRole).toLongLong());
                }
            });
    connect(m_list, &QListView::customContextMenuRequested, this, &SessionList::showMenu);
    connect(&chat, &app::ChatController::currentChanged, this, &SessionList::showCurrent);
    connect(&chat.conversations(), &QAbstractItemModel::rowsInserted, this,
            &SessionList::showCurrent);
    showCurrent();
}

void SessionList::focusSearch() {
    m_search->setFocus(Qt::ShortcutFocusReason);
}

void SessionList::search(const QString& words) {
    m_filtering = true;
    m_filter->setWords(words);
    m_filtering = false;
    showCurrent();
    showNone();
    if (!m_filter->words().isEmpty()) Q_EMIT searchWanted(m_filter->words());
}

void SessionList::showFound(const QString& words, const QVector<qint64>& conversations) {
    m_filtering = true;
    m_filter->setFound(words, conversations);
    m_filtering = false;
    showCurrent();
    showNone();
}

void SessionList::showNone() {
    const bool none = !m_filter->words().isEmpty() && m_filter->rowCount() == 0;
    m_none->setVisible(none);
    if (none)
        m_none->setText(
            tr("Neither a title nor a message has \u201c%1\u201d.").arg(m_filter->words()));
}

/// From the search on: to the conversation on screen, or the first that was found.
void SessionList::goToList() {
    if (m_filter->rowCount() == 0) return;
    m_list->setFocus(Qt::ShortcutFocusReason);
    if (!m_list->currentIndex().isValid()) m_list->setCurrentIndex(m_filter->index(0, 0));
}

bool SessionList::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_search || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key != Qt::Key_Down && key != Qt::Key_Return && key != Qt::Key_Enter) return false;
    goToList();
    return true;
}

void SessionList::showCurrent() {
    const auto row = m_chat.conversations().rowOf(m_chat.current());
    if (!row) return;
    const QModelIndex source = m_chat.conversations().index(*row);
    const QModelIndex shown = m_filter->mapFromSource(source);
    if (shown == m_list->currentIndex()) return;
    m_filtering = true;
    m_list->setCurrentIndex(shown);
    if (!shown.isValid()) m_list->clearSelection();
    m_filtering = false;
}

void SessionList::showMenu(const QPoint& at) {
    if (!m_list->indexAt(at).isValid()) return;
    QMenu menu(this);
    menu.addAction(tr("Rename"), this, &SessionList::renameWanted);
    menu.addAction(tr("Delete"), this, &SessionList::deleteWanted);
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

}  // namespace lacuna::ui
