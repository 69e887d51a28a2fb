#include "ui/window/action_registry.h"

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMap>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <QVariant>
#include <algorithm>
#include <utility>

#include "app/state/list_text.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr const char* kReason = "lacunaReason";
constexpr const char* kTooltip = "lacunaTooltip";

}  // namespace

QList<Menu> menuPositions() {
    return {Menu::File, Menu::Edit,  Menu::Model, Menu::Session,
            Menu::View, Menu::Tools, Menu::Help};
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

void ActionRegistry::addSeparator(Menu menu) {
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

Menu ActionRegistry::menuOf(const QAction* action) const {
    const auto at = m_places.find(action);
    return at == m_places.end() ? Menu::Help : at->second;
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
    for (const Menu place : menuPositions()) {
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

QString ActionRegistry::menuTitle(Menu menu) {
    switch (menu) {
        case Menu::File:
            return tr("&File");
        case Menu::Edit:
            return tr("&Edit");
        case Menu::Model:
            return tr("&Model");
        case Menu::Session:
            return tr("&Conversation");
        case Menu::View:
            return tr("&View");
        case Menu::Tools:
            return tr("&Tools");
        case Menu::Help:
            return tr("&Help");
    }
    return {};
}

namespace {

/// Title without its accelerator, which Chinese puts after the word: "文件(&F)".
QString plainTitle(Menu place) {
    static const QRegularExpression behind(QStringLiteral("\\(&.\\)$"));
    return ActionRegistry::menuTitle(place).remove(behind).remove(QLatin1Char('&'));
}

}  // namespace

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
            {ShortcutSheet::tr("Compare, sweep, measure: start"), ShortcutSheet::tr("F5")},
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
    QVBoxLayout* layout = columnLayout(this);
    layout->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    layout->addWidget(m_words);
    layout->addWidget(m_tree, 1);
    layout->addWidget(m_none, 1);
    fill(actions);
    connect(m_words, &QLineEdit::textChanged, this, &ShortcutSheet::find);
    m_words->setFocus();
}

void ShortcutSheet::fill(const ActionRegistry& actions) {
    for (const Menu place : menuPositions()) {
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
