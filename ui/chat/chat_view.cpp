// Visible rows are laid out from a fixed position: the end while it is followed, otherwise the
// message at the upper edge. Heights found during layout move the scroll bar, never the text.

#include "ui/chat/chat_view.h"

#include <QApplication>
#include <QLabel>
#include <QResizeEvent>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <algorithm>

#include "app/state/chat/chat_model.h"
#include "ui/charts/retention_text.h"
#include "ui/chat/message_view.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kSide = 16, kTop = 12, kBottom = 12, kGap = 8;  ///< px
constexpr int kStep = 20;  ///< px per scroll step; the wheel moves three
/// px above and below the viewport that are laid out too, in addition to half its height.
constexpr int kMargin = 200;
constexpr int kNearEnd = 24;
/// Maximum rounds until heights and position agree; two suffice except at the ends.
constexpr int kRounds = 4;

/// px around the words: names, gaps, a line of figures.
constexpr int kHead = 44, kFoot = 20, kChip = 34, kThought = 28;

int estimate(const app::ChatLine& line, bool open, int width, const QFontMetrics& letters) {
    const qsizetype shown = open ? line.text.size() : foldedLength(line.text);
    const qsizetype signs = std::max(1, width / std::max(1, letters.averageCharWidth()));
    const qsizetype breaks = QStringView(line.text).left(shown).count(QLatin1Char('\n'));
    const qsizetype lines = shown / signs + breaks + 1;
    const qsizetype tall = lines * letters.lineSpacing() * 145 / 100;
    const qsizetype chips =
        line.attachment.isEmpty() ? 0 : std::max<qsizetype>(1, line.parts.size());
    const int around = kHead + (line.figures ? kFoot : 0) +
                       (line.thought.text.isEmpty() ? 0 : kThought) +
                       static_cast<int>(chips) * kChip;
    return static_cast<int>(std::min<qsizetype>(tall, QWIDGETSIZE_MAX / 2)) + around;
}

}  // namespace

ChatView::ChatView(const ThemeSource& themes, QWidget* parent)
    : QAbstractScrollArea(parent), m_themes(themes), m_empty(plainLabel({}, viewport())) {
    setRole(this, QStringLiteral("chat"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    verticalScrollBar()->setSingleStep(kStep);
    setFocusPolicy(Qt::NoFocus);
    setAccessible(this, tr("Conversation"));
    m_empty->setWordWrap(true);
    m_empty->setAlignment(Qt::AlignCenter);
    m_empty->setContentsMargins(Spacing::wide, 3 * Spacing::wide, Spacing::wide, Spacing::wide);
    setRole(m_empty, QStringLiteral("secondary"));
    connect(&themes, &ThemeSource::changed, this,
            [this] { withViews([](Row& row) { row.view->applyTheme(); }); });
}

void ChatView::setModel(app::ChatModel* model) {
    if (m_model == model) return;
    if (m_model != nullptr) m_model->disconnect(this);
    m_model = model;
    rebuild();
    if (model == nullptr) return;
    connect(model, &app::ChatModel::modelReset, this, &ChatView::rebuild);
    connect(model, &app::ChatModel::rowsInserted, this,
            [this](const QModelIndex&, int first, int last) { insertRows(first, last); });
    connect(model, &app::ChatModel::rowsAboutToBeRemoved, this,
            [this](const QModelIndex&, int first, int last) { removeRows(first, last); });
    connect(model, &app::ChatModel::rowsRemoved, this, &ChatView::arrange);
    connect(model, &app::ChatModel::dataChanged, this,
            [this](const QModelIndex& from, const QModelIndex& to) {
                changeRows(from.row(), to.row());
            });
    connect(model, &app::ChatModel::textAppended, this, &ChatView::textAppended);
    connect(model, &app::ChatModel::thoughtAppended, this, [this] {
        if (!m_rows.empty() && m_rows.back().view != nullptr)
            m_rows.back().view->showThought(m_model->lines().back().thought);
    });
}

void ChatView::setReadOnly(bool readOnly) {
    m_readOnly = readOnly;
    markLast();
}

void ChatView::setEmptyText(const QString& text) {
    m_empty->setText(text);
    showEmpty();
}

void ChatView::showRetention(const app::RetentionView& view) {
    if (m_model == nullptr) return;
    m_retention = std::make_shared<const app::RetentionView>(view);
    auto spans = app::tokenSpans(view, m_model->lines());
    for (std::size_t i = 0; i < m_rows.size() && static_cast<qsizetype>(i) < spans.size(); ++i)
        m_rows[i].spans = std::move(spans[static_cast<qsizetype>(i)]);
    withViews([this](Row& row) {
        if (row.spans) row.view->setTint(MessageTint{m_retention, *row.spans});
    });
    Q_EMIT markedChanged();
}

void ChatView::showPlain() {
    m_retention.reset();
    for (Row& row : m_rows) row.spans.reset();
    withViews([](Row& row) { row.view->setTint(std::nullopt); });
    Q_EMIT markedChanged();
}

ChatView::MarkedTokens ChatView::markedTokens() const {
    MarkedTokens marked;
    const auto row = std::find_if(m_rows.begin(), m_rows.end(),
                                  [this](const Row& one) { return one.view == m_marked; });
    if (m_retention == nullptr || m_marked == nullptr || row == m_rows.end() || !row->spans)
        return marked;
    if (!m_marked->tinted()) return marked;
    const auto [from, to] = m_marked->selectedLetters();
    for (const app::TokenSpan& span : *row->spans) {
        if (span.start >= to || span.start + span.length <= from) continue;
        if (marked.count == 0) marked.first = span.token;
        marked.count = span.token + 1 - marked.first;
        marked.evicted += isEvicted(retentionStateOf(*m_retention, span.token)) ? 1 : 0;
    }
    return marked;
}

void ChatView::offer(QAction* action) {
    m_offered << action;
    withViews([this](Row& row) { row.view->offer(m_offered); });
}

int ChatView::rowOf(const MessageView* view) const {
    const auto row = std::find_if(m_rows.begin(), m_rows.end(),
                                  [view](const Row& one) { return one.view == view; });
    return view == nullptr || row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

int ChatView::chosenRow() const {
    const QWidget* focus = QApplication::focusWidget();
    for (int row = 0; row < messageCount(); ++row) {
        const MessageView* view = messageAt(row);
        if (view != nullptr && focus != nullptr && view->isAncestorOf(focus)) return row;
    }
    return hasMarkedWords() ? rowOf(m_marked) : -1;
}

bool ChatView::hasMarkedWords() const {
    return m_marked != nullptr && rowOf(m_marked) >= 0 && m_marked->selectionTop().has_value();
}

std::optional<app::PinnedWords> ChatView::markedWords() const {
    if (!hasMarkedWords()) return std::nullopt;
    const TextRange letters = m_marked->selectedLetters();
    if (letters.isEmpty()) return std::nullopt;
    return app::PinnedWords{m_model->line(rowOf(m_marked)).id, letters.from, letters.to};
}

QVector<app::PinRow> ChatView::pinsAt(int row) const {
    QVector<app::PinRow> here;
    for (const app::PinRow& pin : m_pins)
        if (pin.words.line == m_model->line(row).id) here << pin;
    return here;
}

void ChatView::setPins(const QVector<app::PinRow>& pins) {
    m_pins = pins;
    for (int row = 0; row < messageCount(); ++row)
        if (MessageView* view = messageAt(row)) view->setPins(pinsAt(row));
}

void ChatView::beginEdit(int row) {
    if (row < 0 || row >= messageCount()) return;
    if (messageAt(row) == nullptr || firstVisible() > row) showMessage(row);
    if (MessageView* view = messageAt(row)) view->beginEdit();
}

bool ChatView::editing() const {
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [](const Row& row) { return row.view != nullptr && row.view->editing(); });
}

void ChatView::showEditCost(qint64 line, qint64 tokens) {
    for (int row = 0; row < messageCount(); ++row)
        if (MessageView* view = messageAt(row); view != nullptr && m_model->line(row).id == line)
            view->showEditCost(tokens);
}

void ChatView::withViews(const std::function<void(Row& row)>& change) {
    {
        const QScopedValueRollback busy(m_arranging, true);
        for (Row& row : m_rows) {
            if (row.view == nullptr) continue;
            change(row);
            row.fitted = 0;
        }
    }
    arrange();
}

void ChatView::showMessage(int row) {
    if (row < 0 || row >= messageCount()) return;
    m_follow = false;
    m_anchor = {row, 0};
    arrange();
    m_follow = atEnd();
}

void ChatView::showWords(int at, const QString& words, int number) {
    if (at < 0 || at >= messageCount()) return;
    clearFoundWords();
    Row& row = m_rows[static_cast<std::size_t>(at)];
    const QString& text = m_model->line(at).text;
    if (!row.open && foldedLength(text) < text.size()) {
        row.open = true;
        if (row.view != nullptr) row.view->setOpen(true);
    }
    showMessage(at);
    m_searchTarget = row.view;
    if (m_searchTarget) m_searchTarget->seek(words, number);
}

void ChatView::clearFoundWords() {
    if (m_searchTarget) m_searchTarget->deselect();
    m_searchTarget.clear();
}

/// Keeps some distance from the upper edge, because the preceding text gives context.
void ChatView::showSelection(const MessageView* view) {
    const auto row = std::find_if(m_rows.begin(), m_rows.end(),
                                  [view](const Row& one) { return one.view == view; });
    const std::optional<int> top = view->selectionTop();
    if (row == m_rows.end() || !top) return;
    m_follow = false;
    m_anchor = {static_cast<int>(row - m_rows.begin()), *top - viewport()->height() / 3};
    arrange();
    m_anchor = placeAt(verticalScrollBar()->value());
    m_follow = atEnd();
}

MessageView* ChatView::messageAt(int row) const {
    return row >= 0 && row < messageCount() ? m_rows[static_cast<std::size_t>(row)].view : nullptr;
}

int ChatView::firstVisible() const {
    return m_rows.empty() ? -1 : placeAt(verticalScrollBar()->value()).row;
}

void ChatView::rebuild() {
    {
        const QScopedValueRollback busy(m_arranging, true);
        for (Row& row : m_rows) drop(row);
    }
    m_rows.clear();
    m_retention.reset();
    m_anchor = {};
    m_follow = true;
    if (m_model != nullptr && !m_model->isEmpty()) {
        insertRows(0, m_model->rowCount() - 1);
    } else {
        arrange();
    }
}

void ChatView::insertRows(int first, int last) {
    std::vector<Row> rows(static_cast<std::size_t>(last - first) + 1);
    for (int row = first; row <= last; ++row)
        invalidateHeight(rows[static_cast<std::size_t>(row - first)], m_model->line(row));
    m_rows.insert(m_rows.begin() + first, std::make_move_iterator(rows.begin()),
                  std::make_move_iterator(rows.end()));
    // A new question is scrolled into view from any position.
    m_follow = true;
    arrange();
}

void ChatView::removeRows(int first, int last) {
    {
        // Dropping a focused view passes the focus to the next one. The guard keeps that view,
        // which is about to be dropped as well, from being scrolled to and laid out.
        const QScopedValueRollback busy(m_arranging, true);
        for (int row = first; row <= last; ++row) drop(m_rows[static_cast<std::size_t>(row)]);
    }
    m_rows.erase(m_rows.begin() + first, m_rows.begin() + last + 1);
    m_anchor.row = std::clamp(m_anchor.row, 0, std::max(0, messageCount() - 1));
}

void ChatView::changeRows(int first, int last) {
    for (int at = first; at <= last && at < messageCount(); ++at) {
        Row& row = m_rows[static_cast<std::size_t>(at)];
        if (row.view != nullptr) {
            row.view->show(m_model->line(at));
            row.view->setBranch(m_model->branchAt(at));
            row.fitted = 0;
        } else {
            invalidateHeight(row, m_model->line(at));
        }
    }
    arrange();
}

void ChatView::textAppended(const QString& text) {
    if (m_rows.empty()) return;
    Row& row = m_rows.back();
    // Streaming text is followed to its end, whatever its length.
    const QString& whole = m_model->lines().back().text;
    if (!row.open && foldedLength(whole) < whole.size()) {
        row.open = true;
        if (row.view != nullptr) row.view->setOpen(true);
    }
    if (row.view != nullptr) row.view->appendText(text);
}

void ChatView::invalidateHeight(Row& row, const app::ChatLine& line) const {
    if (m_width > 0) row.height = estimate(line, row.open, m_width, fontMetrics());
    row.known = false;
    row.fitted = 0;
}

void ChatView::messageGrew(const MessageView* view) {
    const auto row = std::find_if(m_rows.begin(), m_rows.end(),
                                  [view](const Row& one) { return one.view == view; });
    if (row == m_rows.end()) return;
    row->fitted = 0;
    arrange();
}

void ChatView::arrange() {
    if (m_arranging || !isVisible()) return;
    const QScopedValueRollback busy(m_arranging, true);
    if (m_model == nullptr) {  // the conversation was deleted
        for (Row& row : m_rows) drop(row);
        m_rows.clear();
    }
    showEmpty();
    // The scroll bar appears and disappears with the height, which changes the available width.
    for (int round = 0; round < 2; ++round) {
        const int width = columnWidth();
        arrangeAt(width);
        if (columnWidth() == width) break;
    }
}

void ChatView::arrangeAt(int width) {
    if (width != m_width) {
        m_width = width;
        for (int row = 0; row < messageCount(); ++row)
            invalidateHeight(m_rows[static_cast<std::size_t>(row)], m_model->line(row));
    }
    const int room = viewport()->height();
    int value = 0, most = 0;
    for (int round = 0; round < kRounds && !m_rows.empty(); ++round) {
        const Rows near = m_follow ? layOutFromEnd(room) : layOutAround(room);
        most = std::max(0, contentHeight() - room);
        const int wanted = m_follow ? most : topOf(m_anchor.row) + m_anchor.below;
        value = std::clamp(wanted, 0, most);
        dropBeyond(near);
        if (value == wanted) break;
        m_anchor = placeAt(value);  // the position was beyond an end
    }
    verticalScrollBar()->setRange(0, most);
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setValue(value);
    if (m_follow && !m_rows.empty()) m_anchor = placeAt(value);
    placeViews(value);
    orderTabs();
    markLast();
}

ChatView::Rows ChatView::layOutFromEnd(int room) {
    Rows near{0, messageCount() - 1};
    int left = room + room / 2 + kMargin;
    int row = near.last;
    for (; row >= 0 && left > 0; --row) left -= fit(row) + kGap;
    near.first = row + 1;
    return near;
}

ChatView::Rows ChatView::layOutAround(int room) {
    m_anchor.row = std::clamp(m_anchor.row, 0, messageCount() - 1);
    const Row& held = m_rows[static_cast<std::size_t>(m_anchor.row)];
    // Keeps the relative position in a row whose measured height differs from the estimate.
    const int before = held.known ? 0 : held.height;
    const int tall = fit(m_anchor.row);
    if (before > 0 && m_anchor.below > 0)
        m_anchor.below = static_cast<int>(static_cast<qint64>(m_anchor.below) * tall / before);
    const int margin = room / 2 + kMargin;
    Rows near{m_anchor.row, m_anchor.row};
    int from = -m_anchor.below;
    int to = from + tall + kGap;
    while (near.last + 1 < messageCount() && to < room + margin) to += fit(++near.last) + kGap;
    while (near.first > 0 && from > -margin) from -= fit(--near.first) + kGap;
    return near;
}

int ChatView::fit(int at) {
    Row& row = m_rows[static_cast<std::size_t>(at)];
    if (row.view == nullptr) row.view = make(at);
    if (row.fitted == m_width) return row.height;
    const int tall = row.view->fit(m_width);
    // A message that is rewritten in slices keeps its height until it has grown back.
    row.height = row.known && row.view->writing() ? std::max(row.height, tall) : tall;
    row.known = true;
    row.fitted = m_width;
    return row.height;
}

MessageView* ChatView::make(int at) {
    const Row& row = m_rows[static_cast<std::size_t>(at)];
    auto* view = new MessageView(m_model->line(at), m_themes, viewport());
    view->setOpen(row.open);
    view->offer(m_offered);
    connect(view, &MessageView::markedChanged, this, [this, view] {
        m_marked = view;
        Q_EMIT markedChanged();
    });
    if (row.spans) view->setTint(MessageTint{m_retention, *row.spans});
    view->setBranch(m_model->branchAt(at));
    view->setPins(pinsAt(at));
    connectSignals(view);
    connect(view, &MessageView::heightChanged, this, [this, view] { messageGrew(view); });
    connect(view, &MessageView::searchFinished, this, [this, view] { showSelection(view); });
    connect(view, &MessageView::openChanged, this, [this, view](bool open) {
        for (Row& one : m_rows) {
            if (one.view != view) continue;
            one.open = open;
            one.known = false;
        }
        m_follow = false;
        messageGrew(view);
    });
    view->QWidget::show();
    return view;
}

void ChatView::connectSignals(MessageView* view) {
    connect(view, &MessageView::continueRequested, this, &ChatView::continueRequested);
    connect(view, &MessageView::editEnded, this, &ChatView::editEnded);
    connect(view, &MessageView::regenerateRequested, this,
            [this, view] { Q_EMIT regenerateRequested(rowOf(view)); });
    connect(view, &MessageView::editRequested, this,
            [this, view] { Q_EMIT editRequested(rowOf(view)); });
    connect(view, &MessageView::editSent, this,
            [this, view](const QString& text) { Q_EMIT editSent(rowOf(view), text); });
    connect(view, &MessageView::branchRequested, this,
            [this, view](int number) { Q_EMIT branchRequested(rowOf(view), number); });
    connect(view, &MessageView::branchDeleteRequested, this,
            [this, view] { Q_EMIT branchDeleteRequested(rowOf(view)); });
}

void ChatView::drop(Row& row) {
    if (row.view == nullptr) return;
    row.view->disconnect(this);
    row.view->hide();
    row.view->deleteLater();
    row.view = nullptr;
    row.fitted = 0;
}

/// Keeps views with a selection or the focus.
void ChatView::dropBeyond(Rows near) {
    for (int at = 0; at < messageCount(); ++at) {
        Row& row = m_rows[static_cast<std::size_t>(at)];
        const bool beyond = at < near.first || at > near.last;
        if (row.view != nullptr && beyond && !row.view->inUse()) drop(row);
    }
}

void ChatView::placeViews(int value) {
    const int x = (viewport()->width() - m_width) / 2;
    int top = kTop - value;
    for (const Row& row : m_rows) {
        if (row.view != nullptr) row.view->move(x, top);
        top += row.height + kGap;
    }
}

/// Tab order follows the page, whatever the order in which the views were created.
void ChatView::orderTabs() const {
    QWidget* before = nullptr;
    for (const Row& row : m_rows) {
        if (row.view == nullptr) continue;
        for (QWidget* next : row.view->tabChain()) {
            if (before != nullptr && before->nextInFocusChain() != next) setTabOrder(before, next);
            before = next;
        }
    }
}

void ChatView::markLast() const {
    for (const Row& row : m_rows)
        if (row.view != nullptr) {
            row.view->setLast(!m_readOnly && &row == &m_rows.back());
            row.view->setReadOnly(m_readOnly);
        }
}

void ChatView::showEmpty() {
    m_empty->setVisible(m_rows.empty());
    m_empty->setGeometry(viewport()->rect().adjusted(kSide, kTop, -kSide, -kBottom));
}

int ChatView::columnWidth() const {
    const int room = viewport()->width() - 2 * kSide;
    return std::max(1, std::min(room, MessageView::widest(fontMetrics())));
}

int ChatView::contentHeight() const {
    int height = kTop + kBottom - kGap;
    for (const Row& row : m_rows) height += row.height + kGap;
    return height;
}

int ChatView::topOf(int row) const {
    int top = kTop;
    for (int at = 0; at < row; ++at) top += m_rows[static_cast<std::size_t>(at)].height + kGap;
    return top;
}

ChatView::Place ChatView::placeAt(int value) const {
    int top = kTop;
    for (int at = 0; at < messageCount(); ++at) {
        const int next = top + m_rows[static_cast<std::size_t>(at)].height + kGap;
        if (value < next || at + 1 == messageCount()) return {at, value - top};
        top = next;
    }
    return {};
}

bool ChatView::atEnd() const {
    return verticalScrollBar()->value() >= verticalScrollBar()->maximum() - kNearEnd;
}

void ChatView::scrollContentsBy(int, int) {
    if (m_arranging) return;
    m_follow = atEnd();
    m_anchor = placeAt(verticalScrollBar()->value());
    arrange();
}

/// Scrolls the newly focused widget into view.
bool ChatView::focusNextPrevChild(bool next) {
    if (!QAbstractScrollArea::focusNextPrevChild(next)) return false;
    const QWidget* focus = focusWidget();
    if (focus == nullptr || !viewport()->isAncestorOf(focus)) return true;
    const QRect box(focus->mapTo(viewport(), QPoint(0, 0)), focus->size());
    const int room = viewport()->height();
    int by = 0;
    if (box.bottom() > room - kGap) by = box.bottom() - room + kGap;
    if (box.top() - by < kGap) by = box.top() - kGap;
    verticalScrollBar()->setValue(verticalScrollBar()->value() + by);
    return true;
}

void ChatView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    arrange();
}

void ChatView::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    arrange();
}

}  // namespace lacuna::ui
