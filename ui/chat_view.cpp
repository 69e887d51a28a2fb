#include "ui/chat_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QVBoxLayout>

#include "app/state/chat_model.h"
#include "app/state/retention_overlay.h"
#include "ui/message_view.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

ChatView::ChatView(const ThemeSource& themes, QWidget* parent)
    : QScrollArea(parent),
      m_themes(themes),
      m_page(new QWidget(this)),
      m_column(new QVBoxLayout),
      m_empty(new QLabel(m_page)) {
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus);
    setAccessible(this, tr("Conversation"));
    auto* row = new QHBoxLayout(m_page);
    row->setContentsMargins(16, 12, 16, 12);
    row->addStretch(1);
    row->addLayout(m_column, 100);
    row->addStretch(1);
    m_column->setSpacing(8);
    m_column->addWidget(m_empty);
    m_column->addStretch(1);
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignHCenter);
    m_empty->setContentsMargins(24, 48, 24, 24);
    setRole(m_empty, QStringLiteral("secondary"));
    setWidget(m_page);
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (m_follow) toEnd();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, [this] { m_follow = atEnd(); });
    connect(&themes, &ThemeSource::changed, this, [this] {
        for (MessageView* message : m_messages) message->applyTheme();
    });
}

void ChatView::setModel(app::ChatModel* model) {
    if (m_model != nullptr) m_model->disconnect(this);
    m_model = model;
    rebuild();
    if (model == nullptr) return;
    connect(model, &app::ChatModel::modelReset, this, &ChatView::rebuild);
    connect(model, &app::ChatModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { insertRows(first, last); });
    connect(model, &app::ChatModel::rowsAboutToBeRemoved, this,
            [this](const QModelIndex&, int first, int last) { removeRows(first, last); });
    connect(model, &app::ChatModel::dataChanged, this,
            [this](const QModelIndex& from, const QModelIndex& to) {
                for (int row = from.row(); row <= to.row() && row < m_messages.size(); ++row) {
                    m_messages.at(row)->show(m_model->line(row));
                }
            });
    connect(model, &app::ChatModel::textAppended, this, [this](const QString& text) {
        if (!m_messages.isEmpty()) m_messages.back()->appendText(text);
    });
}

void ChatView::setEmptyText(const QString& text) {
    m_empty->setText(text);
}

void ChatView::showRetention(const app::RetentionView& view) {
    if (m_model == nullptr) return;
    const bool follow = m_follow;
    const auto shared = std::make_shared<const app::RetentionView>(view);
    const auto spans = app::tokenSpans(view, m_model->lines());
    for (qsizetype row = 0; row < m_messages.size() && row < spans.size(); ++row)
        m_messages.at(row)->setTint(MessageTint{shared, spans.at(row)});
    m_follow = follow;
}

void ChatView::showPlain() {
    for (MessageView* message : m_messages) message->setTint(std::nullopt);
}

void ChatView::rebuild() {
    for (MessageView* message : m_messages) message->deleteLater();
    m_messages.clear();
    m_follow = true;
    if (m_model != nullptr && !m_model->isEmpty()) insertRows(0, m_model->rowCount() - 1);
    showEmpty();
}

void ChatView::insertRows(int first, int last) {
    for (int row = first; row <= last; ++row) {
        auto* message = new MessageView(m_model->line(row), m_themes, m_page);
        connect(message, &MessageView::regenerateWanted, this, &ChatView::regenerateWanted);
        m_messages.insert(row, message);
        m_column->insertWidget(row + 1, message);
    }
    // A question just asked is looked at, wherever the page stood.
    m_follow = true;
    showEmpty();
}

void ChatView::removeRows(int first, int last) {
    for (int row = last; row >= first; --row) {
        MessageView* message = m_messages.takeAt(row);
        message->hide();
        message->deleteLater();
    }
    showEmpty();
}

void ChatView::showEmpty() {
    m_empty->setVisible(m_messages.isEmpty());
}

void ChatView::toEnd() {
    verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

bool ChatView::atEnd() const {
    return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - 24;
}

void ChatView::resizeEvent(QResizeEvent* event) {
    const bool follow = m_follow;
    QScrollArea::resizeEvent(event);
    if (follow) toEnd();
}

}  // namespace lacuna::ui
