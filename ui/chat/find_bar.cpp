#include "ui/chat/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/state/chat/chat_model.h"
#include "app/state/chat/conversation_list.h"
#include "app/state/number_format.h"
#include "ui/chat/chat_view.h"
#include "ui/chat/markdown_writer.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kMaxHits = 1000;
constexpr int kSeenHits = 3;  ///< visible rows of the list; the others are reached by scrolling
constexpr int kRestMs = 120;

QToolButton* button(const QString& text, const QString& tip, QWidget* parent) {
    auto* made = new QToolButton(parent);
    made->setText(text);
    made->setToolTip(tipText(tip));
    made->setFocusPolicy(Qt::TabFocus);
    setRole(made, QStringLiteral("quiet"));
    setAccessible(made, tip);
    return made;
}

/// Answers as displayed: Markdown markup is neither searched nor part of an excerpt.
QVector<app::ChatLine> asShown(QVector<app::ChatLine> lines) {
    for (app::ChatLine& line : lines)
        if (line.speaker == app::MessageRole::Model) line.text = plainText(line.text);
    return lines;
}

QString snippet(const app::LineHit& hit) {
    const QString text = hit.before + hit.words + hit.after;
    return hit.attached ? FindBar::tr("attached: %1").arg(text) : text;
}

}  // namespace

FindBar::FindBar(app::ConversationList& conversations, ChatView& page, QWidget* parent)
    : QFrame(parent),
      m_conversations(conversations),
      m_page(page),
      m_words(new QLineEdit(this)),
      m_count(captionLabel({}, this)),
      m_back(button(tr("Previous"), tr("Previous match (Shift+F3)"), this)),
      m_next(button(tr("Next"), tr("Next match (F3)"), this)),
      m_list(new QListWidget(this)) {
    setRole(this, QStringLiteral("infoBar"));
    m_words->setPlaceholderText(tr("Find in this conversation"));
    m_words->setClearButtonEnabled(true);
    setAccessible(m_words, tr("Find in this conversation"),
                  tr("Enter goes to the next match, Shift+Enter to the previous one."));
    setAccessible(m_list, tr("Matches"));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFixedHeight(kSeenHits * (fontMetrics().height() + 8));
    QToolButton* done = button(tr("Close"), tr("Close the search (Esc)"), this);
    QHBoxLayout* row = rowLayout(nullptr, Spacing::half);
    row->addWidget(m_words, 1);
    row->addWidget(m_count);
    for (QToolButton* one : {m_back, m_next, done}) row->addWidget(one);
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::wide, Spacing::half, Spacing::unit, Spacing::half);
    layout->addLayout(row);
    layout->addWidget(m_list);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    for (QWidget* watched : {static_cast<QWidget*>(m_words), static_cast<QWidget*>(m_list)})
        watched->installEventFilter(this);
    connect(m_words, &QLineEdit::textChanged, this, [this] { m_rest.start(); });
    connect(&m_rest, &QTimer::timeout, this, &FindBar::search);
    connect(m_back, &QToolButton::clicked, this, &FindBar::findPrevious);
    connect(m_next, &QToolButton::clicked, this, &FindBar::findNext);
    connect(done, &QToolButton::clicked, this, &FindBar::close);
    connect(m_list, &QListWidget::itemClicked, this, [this] { show(m_list->currentRow()); });
    const auto again = [this] {
        if (isVisible()) search();
    };
    connect(&conversations, &app::ConversationList::currentChanged, this, again);
    connect(&conversations, &app::ConversationList::stateChanged, this, again);
    showCount();
    hide();
}

void FindBar::open() {
    QFrame::show();
    m_words->setFocus(Qt::ShortcutFocusReason);
    m_words->selectAll();
    search();
}

void FindBar::close() {
    hide();
    m_page.clearFoundWords();
    Q_EMIT closed();
}

/// Keeps the displayed match if it is among the new ones.
void FindBar::search() {
    m_rest.stop();
    const app::ChatModel& model = m_conversations.currentModel();
    m_found = {};
    if (!m_words->text().trimmed().isEmpty()) {
        m_found = app::findInLines(asShown(model.lines()), m_words->text(), kMaxHits);
        findInHidden(model);
    }
    m_shown = std::min(m_shown, static_cast<int>(m_found.hits.size()) - 1);
    fillList();
    showCount();
}

/// Matches on hidden branches come after those on the visible one.
void FindBar::findInHidden(const app::ChatModel& model) {
    const auto room = kMaxHits - static_cast<int>(m_found.hits.size());
    if (model.hidden().isEmpty() || room <= 0) return;
    QVector<app::ChatLine> lines;
    for (const app::HiddenLine& one : model.hidden()) lines << one.line;
    lines = asShown(std::move(lines));
    app::LineHits others = app::findInLines(lines, m_words->text(), room);
    for (app::LineHit& hit : others.hits) {
        hit.hiddenLine = lines.at(hit.row).id;
        m_found.hits << hit;
    }
    m_found.more = m_found.more || others.more;
}

void FindBar::fillList() {
    m_list->clear();
    for (const app::LineHit& hit : m_found.hits)
        new QListWidgetItem(
            hit.hiddenLine == 0 ? snippet(hit) : tr("Other branch: %1").arg(snippet(hit)), m_list);
    m_list->setVisible(!m_found.hits.isEmpty());
    if (m_shown >= 0) m_list->setCurrentRow(m_shown);
}

void FindBar::showCount() {
    const auto count = static_cast<int>(m_found.hits.size());
    const QString all =
        m_found.more ? tr("more than %1").arg(app::countText(count)) : app::countText(count);
    m_count->setText(m_words->text().trimmed().isEmpty() ? QString()
                     : count == 0                        ? tr("Not found")
                     : m_shown < 0                       ? tr("Matches: %1").arg(all)
                                   : tr("%1 of %2").arg(app::countText(m_shown + 1), all));
    m_back->setEnabled(count > 0);
    m_next->setEnabled(count > 0);
}

void FindBar::show(int hit) {
    if (hit < 0 || hit >= m_found.hits.size()) return;
    if (m_found.hits.at(hit).hiddenLine != 0) return showHidden(m_found.hits.at(hit));
    m_shown = hit;
    m_list->setCurrentRow(hit);
    showCount();
    const app::LineHit& place = m_found.hits.at(hit);
    if (place.attached)
        m_page.showMessage(place.row);
    else
        m_page.showWords(place.row, m_words->text(), place.number);
}

/// Switches to the branch first, which changes the match positions.
void FindBar::showHidden(const app::LineHit& place) {
    const qint64 line = place.hiddenLine;
    const int number = place.number;
    const bool attached = place.attached;
    if (!m_conversations.showLine(line)) return;
    search();
    const auto& lines = m_conversations.currentModel().lines();
    for (int at = 0; at < m_found.hits.size(); ++at) {
        const app::LineHit& one = m_found.hits.at(at);
        if (one.hiddenLine == 0 && lines.at(one.row).id == line && one.number == number &&
            one.attached == attached)
            return show(at);
    }
}

void FindBar::step(int by) {
    if (m_rest.isActive()) search();
    const auto count = static_cast<int>(m_found.hits.size());
    if (count == 0) return;
    const int from = m_shown < 0 && by < 0 ? 0 : m_shown;
    show((from + by + count) % count);
}

void FindBar::findNext() {
    step(1);
}

void FindBar::findPrevious() {
    step(-1);
}

bool FindBar::keyPressed(int key, Qt::KeyboardModifiers modifiers) {
    switch (key) {
        case Qt::Key_Escape:
            close();
            return true;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            step(modifiers.testFlag(Qt::ShiftModifier) ? -1 : 1);
            return true;
        case Qt::Key_Down:
            findNext();
            return true;
        case Qt::Key_Up:
            findPrevious();
            return true;
        default:
            return false;
    }
}

/// Esc is also a shortcut of the window; here it closes this bar.
bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const bool ours = static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape;
        if (ours) event->accept();
        return ours;
    }
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const auto* pressed = static_cast<QKeyEvent*>(event);
    return keyPressed(pressed->key(), pressed->modifiers());
}

}  // namespace lacuna::ui
