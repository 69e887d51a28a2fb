#include "ui/window/action_registry.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QPainter>
#include <QRegularExpression>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QVariant>
#include <algorithm>
#include <utility>

#include "app/state/list_text.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr const char* kReason = "lacunaReason";
constexpr const char* kTooltip = "lacunaTooltip";

}  // namespace

QList<MenuPlace> menuPlaces() {
    return {MenuPlace::File, MenuPlace::Edit,  MenuPlace::Model, MenuPlace::Session,
            MenuPlace::View, MenuPlace::Tools, MenuPlace::Help};
}

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), m_window(window) {}

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run) {
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.shortcuts);
    action->setToolTip(tipText(spec.tooltip));
    action->setStatusTip(spec.tooltip);
    action->setProperty(kTooltip, spec.tooltip);
    connect(action, &QAction::triggered, this, [this, run = std::move(run)] {
        Q_EMIT started();
        run();
    });
    m_window->addAction(action);
    m_actions.push_back(action);
    m_menus[spec.menu].push_back(action);
    m_places[action] = spec.menu;
    if (!spec.submenu.isEmpty()) m_submenus[action] = spec.submenu;
    connect(action, &QAction::triggered, this, &ActionRegistry::refreshChecks);  // runs after the
                                                                                 // action itself
    if (!spec.checked) return action;
    action->setCheckable(true);
    m_checks[action] = spec.checked;
    return action;
}

void ActionRegistry::addSeparator(MenuPlace menu) {
    auto* line = new QAction(this);
    line->setSeparator(true);
    m_menus[menu].push_back(line);
}

QAction* ActionRegistry::find(const QString& id) const {
    for (QAction* action : m_actions) {
        if (action->objectName() == id) return action;
    }
    return nullptr;
}

MenuPlace ActionRegistry::menuOf(const QAction* action) const {
    const auto at = m_places.find(action);
    return at == m_places.end() ? MenuPlace::Help : at->second;
}

void ActionRegistry::setReason(const QString& id, const QString& reason) {
    QAction* action = find(id);
    if (action == nullptr) return;
    const QString tooltip = action->property(kTooltip).toString();
    const QString shown = reason.isEmpty() ? tooltip : tooltip + QStringLiteral("\n") + reason;
    action->setProperty(kReason, reason);
    action->setEnabled(reason.isEmpty());
    action->setToolTip(tipText(shown));
    action->setStatusTip(reason.isEmpty() ? tooltip : reason);
}

QString ActionRegistry::reasonOf(const QAction* action) {
    return action->property(kReason).toString();
}

void ActionRegistry::buildMenus(QMenuBar* bar) const {
    for (const MenuPlace place : menuPlaces()) {
        const auto at = m_menus.find(place);
        if (at == m_menus.end()) continue;
        QMenu* menu = bar->addMenu(menuTitle(place));
        menu->setToolTipsVisible(true);
        connect(menu, &QMenu::aboutToShow, this, &ActionRegistry::refreshChecks);
        QMap<QString, QMenu*> within;
        for (QAction* action : at->second) {
            const auto title = m_submenus.find(action);
            if (title == m_submenus.end()) {
                menu->addAction(action);
                continue;
            }
            QMenu*& submenu = within[title->second];
            if (submenu == nullptr) submenu = menu->addMenu(title->second);
            submenu->addAction(action);
        }
    }
}

void ActionRegistry::refreshChecks() const {
    for (const auto& [action, checked] : m_checks) action->setChecked(checked());
}

QString ActionRegistry::menuTitle(MenuPlace menu) {
    switch (menu) {
        case MenuPlace::File:
            return tr("&File");
        case MenuPlace::Edit:
            return tr("&Edit");
        case MenuPlace::Model:
            return tr("&Model");
        case MenuPlace::Session:
            return tr("&Conversation");
        case MenuPlace::View:
            return tr("&View");
        case MenuPlace::Tools:
            return tr("&Tools");
        case MenuPlace::Help:
            return tr("&Help");
    }
    return {};
}

namespace {

constexpr int kWidth = 640;
constexpr int kHeight = 420;

/// Title without its accelerator, which Chinese puts after the word: "文件(&F)".
QString plainTitle(MenuPlace place) {
    static const QRegularExpression behind(QStringLiteral("\\(&.\\)$"));
    return ActionRegistry::menuTitle(place).remove(behind).remove(QLatin1Char('&'));
}

constexpr int kKeysRole = Qt::UserRole + 1;
constexpr int kKeysMargin = 8;

QString rowText(const QAction* action, MenuPlace place) {
    const QString text = app::titled(plainTitle(place), action->text());
    const QString reason = ActionRegistry::reasonOf(action);
    return reason.isEmpty() ? text : text + QStringLiteral("    (") + reason + QLatin1Char(')');
}

/// Draws the name at the left and the shortcut in a column at the right.
class ActionDelegate final : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const QString keys = index.data(kKeysRole).toString();
        QStyleOptionViewItem own(option);
        initStyleOption(&own, index);
        const int taken = own.fontMetrics.horizontalAdvance(keys) + 3 * kKeysMargin;
        own.text =
            own.fontMetrics.elidedText(own.text, Qt::ElideRight, option.rect.width() - taken);
        own.widget->style()->drawControl(QStyle::CE_ItemViewItem, &own, painter, own.widget);
        const bool selected = option.state.testFlag(QStyle::State_Selected);
        painter->setPen(
            option.palette.color(selected ? QPalette::HighlightedText : QPalette::PlaceholderText));
        painter->drawText(option.rect.adjusted(0, 0, -kKeysMargin, 0),
                          Qt::AlignRight | Qt::AlignVCenter, keys);
    }
};

}  // namespace

int fuzzyScore(const QString& typed, const QString& text) {
    if (typed.isEmpty()) return 1;
    int score = 0;
    qsizetype at = -1;
    for (const QChar letter : typed) {
        if (letter.isSpace()) continue;
        const qsizetype next = text.indexOf(letter, at + 1, Qt::CaseInsensitive);
        if (next < 0) return 0;
        const bool startsWord = next == 0 || !text.at(next - 1).isLetterOrNumber();
        const bool adjacent = at >= 0 && next == at + 1;
        score += 1 + (startsWord ? 4 : 0) + (adjacent ? 3 : 0);
        at = next;
    }
    return score;
}

CommandPalette::CommandPalette(const ActionRegistry& actions, QWidget* parent)
    : QDialog(parent),
      m_actions(actions),
      m_input(new QLineEdit(this)),
      m_list(new QListWidget(this)) {
    setWindowTitle(tr("Commands"));
    setModal(false);
    resize(kWidth, kHeight);
    m_input->setPlaceholderText(tr("Type a command"));
    m_input->setClearButtonEnabled(true);
    setAccessible(m_input, tr("Command"),
                  tr("Type a few letters, choose with the arrows, run with Enter."));
    setAccessible(m_list, tr("Commands"));
    m_list->setUniformItemSizes(true);
    m_list->setItemDelegate(new ActionDelegate(m_list));
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_input);
    layout->addWidget(m_list);
    m_input->installEventFilter(this);
    connect(m_input, &QLineEdit::textChanged, this, &CommandPalette::refill);
    connect(m_list, &QListWidget::itemActivated, this, [this] { runCurrent(); });
}

void CommandPalette::open() {
    m_input->clear();
    refill({});
    show();
    raise();
    activateWindow();
    m_input->setFocus();
}

QStringList CommandPalette::listed() const {
    QStringList ids;
    for (int row = 0; row < m_list->count(); ++row) {
        ids.push_back(m_list->item(row)->data(Qt::UserRole).toString());
    }
    return ids;
}

void CommandPalette::refill(const QString& typed) {
    struct Hit {
        const QAction* action;
        int score;
    };
    QList<Hit> hits;
    for (const QAction* action : m_actions.actions()) {
        const QString text =
            plainTitle(m_actions.menuOf(action)) + QLatin1Char(' ') + action->text();
        if (const int score = fuzzyScore(typed, text); score > 0) hits.push_back({action, score});
    }
    std::stable_sort(hits.begin(), hits.end(),
                     [](const Hit& a, const Hit& b) { return a.score > b.score; });
    m_list->clear();
    for (const Hit& hit : hits) {
        auto* item = new QListWidgetItem(rowText(hit.action, m_actions.menuOf(hit.action)), m_list);
        item->setData(Qt::UserRole, hit.action->objectName());
        const QString keys = hit.action->shortcut().toString(QKeySequence::NativeText);
        item->setData(kKeysRole, keys);
        item->setData(Qt::AccessibleTextRole,
                      keys.isEmpty() ? item->text() : app::listed({item->text(), keys}));
        item->setToolTip(hit.action->toolTip());
        if (!hit.action->isEnabled()) item->setFlags(item->flags() & ~Qt::ItemIsEnabled);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::runCurrent() {
    const QListWidgetItem* item = m_list->currentItem();
    if (item == nullptr || !item->flags().testFlag(Qt::ItemIsEnabled)) return;
    QAction* action = m_actions.find(item->data(Qt::UserRole).toString());
    hide();
    // Deferred, because the action may open another window that needs the focus.
    if (action != nullptr) QTimer::singleShot(0, action, &QAction::trigger);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched != m_input || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        runCurrent();
        return true;
    }
    const int step = key == Qt::Key_Down ? 1 : key == Qt::Key_Up ? -1 : 0;
    if (step == 0) return false;
    m_list->setCurrentRow(
        std::clamp(m_list->currentRow() + step, 0, std::max(m_list->count() - 1, 0)));
    return true;
}

namespace {

/// Keys that belong to a control rather than an action.
QList<std::pair<QString, QString>> controlKeys() {
    return {{ShortcutSheet::tr("Slider: one step"), ShortcutSheet::tr("Left, Right")},
            {ShortcutSheet::tr("Slider: large step"), ShortcutSheet::tr("Page Up, Page Down")},
            {ShortcutSheet::tr("Slider: minimum, maximum"), ShortcutSheet::tr("Home, End")},
            {ShortcutSheet::tr("Slider: exact value"), ShortcutSheet::tr("type digits")},
            {ShortcutSheet::tr("Prompt: send"), ShortcutSheet::tr("Enter")},
            {ShortcutSheet::tr("Prompt: new line"), ShortcutSheet::tr("Shift+Enter")},
            {ShortcutSheet::tr("Search: go to the results"), ShortcutSheet::tr("Down, Enter")},
            {ShortcutSheet::tr("Compare, sweep: start"), ShortcutSheet::tr("Ctrl+Enter")},
            {ShortcutSheet::tr("Chart: zoom, pan, show all"),
             ShortcutSheet::tr("Ctrl+wheel, drag, double-click")}};
}

}  // namespace

ShortcutSheet::ShortcutSheet(const ActionRegistry& actions, QWidget* parent)
    : QDialog(parent),
      m_words(new QLineEdit(this)),
      m_tree(new QTreeWidget(this)),
      m_none(plainLabel(tr("No action or key matches."), this)) {
    setWindowTitle(tr("Keyboard shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(560, 640);
    m_words->setPlaceholderText(tr("Search actions and keys"));
    m_words->setClearButtonEnabled(true);
    m_words->installEventFilter(this);
    setAccessible(m_words, tr("Search actions and keys"),
                  tr("Name of an action, its menu or its keys; Down goes to the results."));
    m_none->setAlignment(Qt::AlignCenter);
    setRole(m_none, QStringLiteral("secondary"));
    m_none->hide();
    setAccessible(m_tree, tr("Keyboard shortcuts"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Action"), tr("Keys")});
    m_tree->setRootIsDecorated(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_tree->header()->setStretchLastSection(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_words);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_none, 1);
    fill(actions);
    connect(m_words, &QLineEdit::textChanged, this, &ShortcutSheet::find);
    m_words->setFocus();
}

void ShortcutSheet::fill(const ActionRegistry& actions) {
    for (const MenuPlace place : menuPlaces()) {
        auto* group = new QTreeWidgetItem(m_tree, {plainTitle(place)});
        QFont bold = group->font(0);
        bold.setWeight(QFont::DemiBold);
        group->setFont(0, bold);
        for (const QAction* action : actions.actions()) {
            if (actions.menuOf(action) != place) continue;
            QStringList keys;
            for (const QKeySequence& key : action->shortcuts())
                keys << key.toString(QKeySequence::NativeText);
            auto* row =
                new QTreeWidgetItem(group, {action->text(), keys.join(QStringLiteral(", "))});
            row->setToolTip(0, action->toolTip());
            row->setData(0, Qt::UserRole, action->objectName());
        }
        group->setExpanded(true);
    }
    auto* group = new QTreeWidgetItem(m_tree, {tr("Controls")});
    for (const auto& [what, keys] : controlKeys()) new QTreeWidgetItem(group, {what, keys});
    group->setExpanded(true);
}

void ShortcutSheet::find(const QString& typed) {
    const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    bool any = false;
    for (int top = 0; top < m_tree->topLevelItemCount(); ++top) {
        QTreeWidgetItem* group = m_tree->topLevelItem(top);
        bool ofGroup = false;
        for (int row = 0; row < group->childCount(); ++row) {
            QTreeWidgetItem* item = group->child(row);
            const QString text = group->text(0) + QLatin1Char(' ') + item->text(0) +
                                 QLatin1Char(' ') + item->text(1);
            const bool found = std::all_of(
                words.begin(), words.end(),
                [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
            item->setHidden(!found);
            ofGroup = ofGroup || found;
        }
        group->setHidden(!ofGroup);
        any = any || ofGroup;
    }
    m_tree->setVisible(any);
    m_none->setVisible(!any);
}

bool ShortcutSheet::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QDialog::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    if (key == Qt::Key_Down && m_tree->isVisible()) {
        m_tree->setFocus(Qt::OtherFocusReason);
        return true;
    }
    if (key == Qt::Key_Escape && !m_words->text().isEmpty()) {
        m_words->clear();
        return true;
    }
    return QDialog::eventFilter(watched, event);
}

QStringList ShortcutSheet::listed() const {
    QStringList ids;
    for (int top = 0; top < m_tree->topLevelItemCount(); ++top) {
        const QTreeWidgetItem* group = m_tree->topLevelItem(top);
        for (int row = 0; row < group->childCount(); ++row) {
            const QString id = group->child(row)->data(0, Qt::UserRole).toString();
            if (!id.isEmpty() && !group->child(row)->isHidden()) ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace lacuna::ui
