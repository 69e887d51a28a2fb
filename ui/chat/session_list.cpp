#include "ui/chat/session_list.h"

#include <QDateTime>
#include <QHBoxLayout>
#include <QHash>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QLocale>
#include <QMenu>
#include <QPainter>
#include <QRegularExpression>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/state/chat/chat_controller.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/found_conversation.h"
#include "ui/chat/markdown_writer.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kMark = 7;       ///< px; width of the mark of a row
constexpr int kMarkRoom = 14;  ///< px; distance between marks
constexpr int kMarkEnd = 6;    ///< px; margin next to the last one

constexpr int kSecondLine = Qt::UserRole + 100;  ///< role of Filter: second line of a row
constexpr qsizetype kWordsAtEnd = 2;  ///< words kept at the end of a title that is cut in its
                                      ///< middle
constexpr int kPad = 8, kLines = 4;   ///< px around and between the lines of a row

/// "14:02" today, "22 Nov" this year, "22 Nov 2025" before.
QString whenText(qint64 changed) {
    if (changed == 0) return {};
    const QDateTime when = QDateTime::fromMSecsSinceEpoch(changed);
    const QDate today = QDate::currentDate();
    const char* form = when.date() == today                 ? "HH:mm"
                       : when.date().year() == today.year() ? "d MMM"
                                                            : "d MMM yyyy";
    return QLocale().toString(when, QString::fromLatin1(form));
}

/// An excerpt may begin or end inside Markdown markup.
QString plainExcerpt(const QString& excerpt) {
    static const QRegularExpression marks(QStringLiteral("\\*\\*+|`+|~~+|\\||\\]\\([^)]*\\)?"));
    return plainText(excerpt).remove(marks).simplified();
}

}  // namespace

QString shortTitle(const QString& title, const QFontMetrics& letters, int width,
                   Qt::TextElideMode ofOneWord) {
    if (letters.horizontalAdvance(title) <= width) return title;
    const QString ellipsis(QChar(0x2026));
    const QStringList words = QString(title).remove(ellipsis).simplified().split(QLatin1Char(' '));
    // Titles often begin with the same words, so the last words are kept too.
    for (qsizetype left = words.size() - 1; left > 0; --left) {
        const qsizetype end = std::min<qsizetype>(left / 2, kWordsAtEnd);
        const QStringList last = words.last(end);
        const QString shown = words.first(left - end).join(QLatin1Char(' ')) + ellipsis +
                              (end > 0 ? QStringLiteral(" ") : QString()) +
                              last.join(QLatin1Char(' '));
        if (letters.horizontalAdvance(shown) <= width) return shown;
    }
    return words.size() == 1 ? letters.elidedText(words.first(), ofOneWord, width)
                             : letters.elidedText(words.first() + ellipsis, Qt::ElideRight, width);
}

namespace {

/// Draws two lines: the title, and time or excerpt. A dot at the end marks a running answer, a
/// diamond a conversation with cache settings of its own; the accessible text contains both in
/// words.
class SessionDelegate final : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    [[nodiscard]] QString displayText(const QVariant& title, const QLocale&) const override {
        return oneLine(title.toString(), kMaxTitleLength);
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option,
                                 const QModelIndex&) const override {
        const int lines = QFontMetrics(Theme::font(FontRole::Base)).height() +
                          QFontMetrics(Theme::font(FontRole::Small)).height();
        return {option.rect.width(), lines + kLines + kPad};
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        using Model = app::ConversationListModel;
        const bool answering = index.data(Model::AnsweringRole).toBool();
        const bool ownSettings = index.data(Model::OwnSettingsRole).toBool();
        const int marks = (answering ? 1 : 0) + (ownSettings ? 1 : 0);
        QStyleOptionViewItem own(option);
        initStyleOption(&own, index);
        const QString title = std::exchange(own.text, QString());
        const QStyle* style = own.widget->style();
        style->drawControl(QStyle::CE_ItemViewItem, &own, painter, own.widget);
        // The title ends before the marks.
        const QRect box = option.rect.adjusted(kPad, kPad / 2, -kPad, -kPad / 2);
        const int taken = marks == 0 ? 0 : marks * kMarkRoom + kMarkEnd;
        drawLines(painter, own, box, taken, title, index.data(kSecondLine).toString());
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

  private:
    static void drawLines(QPainter* painter, const QStyleOptionViewItem& option, const QRect& box,
                          int taken, const QString& title, const QString& second) {
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        const QFont base = Theme::font(FontRole::Base), small = Theme::font(FontRole::Small);
        const QFontMetrics letters(base), smallLetters(small);
        painter->save();
        painter->setFont(base);
        painter->setPen(
            option.palette.color(selected ? QPalette::HighlightedText : QPalette::Text));
        painter->drawText(box, Qt::AlignLeft | Qt::AlignTop,
                          shortTitle(title, letters, box.width() - taken, option.textElideMode));
        painter->setFont(small);
        painter->setPen(
            option.palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText));
        painter->drawText(box, Qt::AlignLeft | Qt::AlignBottom,
                          smallLetters.elidedText(second, Qt::ElideRight, box.width()));
        painter->restore();
    }
};

}  // namespace

/// Accepts rows whose title contains the words, or whose conversation was found by its messages.
class SessionList::Filter final : public QSortFilterProxyModel {
  public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setWords(const QString& words) {
        m_words = words.trimmed();
        m_found.clear();
        invalidateFilter();
    }
    void setFound(const QString& words, const QVector<app::FoundConversation>& found) {
        if (words != m_words) return;  // result of an outdated query
        m_found.clear();
        for (const app::FoundConversation& one : found) m_found.insert(one.id, one);
        invalidateFilter();
    }
    /// The matching line if only a hidden branch contains the words; otherwise 0.
    [[nodiscard]] qint64 hiddenLine(qint64 conversation) const {
        return m_found.value(conversation).hiddenLine;
    }
    [[nodiscard]] const QString& words() const { return m_words; }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        if (role == kSecondLine) return secondLine(index);
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
    [[nodiscard]] QString secondLine(const QModelIndex& index) const {
        using Model = app::ConversationListModel;
        const QString excerpt = m_found.value(index.data(Model::IdRole).toLongLong()).excerpt;
        return excerpt.isEmpty() ? whenText(index.data(Model::ChangedRole).toLongLong())
                                 : oneLine(plainExcerpt(excerpt), kMaxTitleLength);
    }

    QString m_words;
    QHash<qint64, app::FoundConversation> m_found;  ///< keyed by id
};

SessionList::SessionList(app::ChatController& chat, QWidget* parent)
    : QWidget(parent),
      m_chat(chat),
      m_search(new QLineEdit(this)),
      m_list(new QListView(this)),
      m_none(captionLabel({}, this)),
      m_filter(new Filter(this)) {
    QVBoxLayout* layout = columnLayout(this);
    layout->setContentsMargins(Spacing::unit, Spacing::half, Spacing::half, Spacing::half);
    QHBoxLayout* top = rowLayout();
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
    m_list->setTextElideMode(Qt::ElideMiddle);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setRole(m_list, QStringLiteral("bare"));
    setAccessible(m_list, tr("Conversations"));
    m_none->setWordWrap(true);
    m_none->setContentsMargins(Spacing::unit, Spacing::half, Spacing::unit, Spacing::half);
    m_none->hide();
    layout->addWidget(m_none);
    layout->addWidget(m_list, 1);
    setFocusProxy(m_list);
    for (QWidget* watched : {static_cast<QWidget*>(m_search), static_cast<QWidget*>(m_list)})
        watched->installEventFilter(this);
    connect(add, &QToolButton::clicked, this, &SessionList::newRequested);
    m_list->setItemDelegate(new SessionDelegate(m_list));
    connect(m_search, &QLineEdit::textChanged, this, &SessionList::search);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this,
            [this](const QModelIndex& index) {
                // A selection change caused by the search does not switch the conversation.
                if (index.isValid() && !m_filtering)
                    choose(index.data(app::ConversationListModel::IdRole).toLongLong());
            });
    connect(m_list, &QListView::customContextMenuRequested, this, &SessionList::showMenu);
    connect(&chat, &app::ChatController::currentChanged, this, &SessionList::showCurrent);
    connect(&chat, &app::ChatController::stateChanged, this, &SessionList::showRequestedLine);
    connect(&chat.conversations(), &QAbstractItemModel::rowsInserted, this,
            [this](const QModelIndex&, int first) {
                m_added = m_chat.conversations().rows().at(first).id;
                showCurrent();
            });
    connect(&chat, &app::ChatController::currentChanged, this, [this] {
        // The row is new, or restored after a deletion.
        if (m_chat.current() == m_added) reveal();
    });
    showCurrent();
}

/// Also switches to the branch that contains the words, once lines still on disk are loaded.
void SessionList::choose(qint64 conversation) {
    m_requestedLine = 0;
    const qint64 line = m_filter->hiddenLine(conversation);
    m_chat.select(conversation);
    m_requestedLine = line;
    m_requestedIn = conversation;
    showRequestedLine();
}

void SessionList::showRequestedLine() {
    if (m_requestedLine == 0) return;
    const bool elsewhere = m_chat.current() != m_requestedIn || m_chat.answering();
    if (elsewhere || m_chat.showLine(m_requestedLine)) m_requestedLine = 0;
}

void SessionList::reveal() {
    const auto row = m_chat.conversations().rowOf(m_chat.current());
    if (!row) return;
    if (!m_filter->mapFromSource(m_chat.conversations().index(*row)).isValid()) m_search->clear();
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
    if (!m_filter->words().isEmpty()) Q_EMIT searchRequested(m_filter->words());
}

void SessionList::showFound(const QString& words,
                            const QVector<app::FoundConversation>& conversations) {
    m_filtering = true;
    m_filter->setFound(words, conversations);
    m_filtering = false;
    m_list->viewport()->update();  // rows that stay in the list have a new excerpt
    showCurrent();
    showNone();
}

void SessionList::showNone() {
    const bool none = !m_filter->words().isEmpty() && m_filter->rowCount() == 0;
    m_none->setVisible(none);
    if (none)
        m_none->setText(tr("No title or message contains \u201c%1\u201d.").arg(m_filter->words()));
}

/// Moves the focus from the search to the current conversation, or to the first match.
void SessionList::goToList() {
    if (m_filter->rowCount() == 0) return;
    m_list->setFocus(Qt::ShortcutFocusReason);
    if (!m_list->currentIndex().isValid()) m_list->setCurrentIndex(m_filter->index(0, 0));
}

bool SessionList::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (watched == m_list) {
        const bool gone = key == Qt::Key_Delete && m_list->currentIndex().isValid();
        if (gone) Q_EMIT deleteRequested();
        return gone;
    }
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
    menu.addAction(tr("Rename"), this, &SessionList::renameRequested);
    menu.addAction(tr("Delete"), this, &SessionList::deleteRequested);
    menu.exec(m_list->viewport()->mapToGlobal(at));
}

}  // namespace lacuna::ui
