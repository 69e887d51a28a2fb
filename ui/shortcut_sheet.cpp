#include "ui/shortcut_sheet.h"

#include <QAction>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/action_registry.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

/// Keys that belong to a control and not to an action.
QList<std::pair<QString, QString>> controlKeys() {
    return {
        {ShortcutSheet::tr("Slider: one step"), ShortcutSheet::tr("Left, Right")},
        {ShortcutSheet::tr("Slider: coarse step"), ShortcutSheet::tr("Page Up, Page Down")},
        {ShortcutSheet::tr("Slider: ends"), ShortcutSheet::tr("Home, End")},
        {ShortcutSheet::tr("Slider: exact value"), ShortcutSheet::tr("type digits")},
        {ShortcutSheet::tr("Prompt: send"), ShortcutSheet::tr("Enter")},
        {ShortcutSheet::tr("Prompt: new line"), ShortcutSheet::tr("Shift+Enter")},
        {ShortcutSheet::tr("Search: to the conversations found"), ShortcutSheet::tr("Down, Enter")},
        {ShortcutSheet::tr("Compare, sweep: begin"), ShortcutSheet::tr("Ctrl+Enter")},
        {ShortcutSheet::tr("Chart: zoom, pan, all"),
         ShortcutSheet::tr("wheel, drag, double-click")}};
}

}  // namespace

ShortcutSheet::ShortcutSheet(const ActionRegistry& actions, QWidget* parent)
    : QDialog(parent), m_tree(new QTreeWidget(this)) {
    setWindowTitle(tr("Keyboard shortcuts"));
    setAttribute(Qt::WA_DeleteOnClose);
    resize(560, 640);
    setAccessible(m_tree, tr("Keyboard shortcuts"));
    m_tree->setColumnCount(2);
    m_tree->setHeaderLabels({tr("Action"), tr("Keys")});
    m_tree->setRootIsDecorated(false);
    m_tree->header()->setSectionResizeMode(0, QHeaderView::Stretch);
    m_tree->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
    m_tree->header()->setStretchLastSection(false);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_tree);
    fill(actions);
}

void ShortcutSheet::fill(const ActionRegistry& actions) {
    for (const MenuPlace place : menuPlaces()) {
        auto* group = new QTreeWidgetItem(
            m_tree, {ActionRegistry::menuTitle(place).remove(QLatin1Char('&'))});
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

QStringList ShortcutSheet::listed() const {
    QStringList ids;
    for (int top = 0; top < m_tree->topLevelItemCount(); ++top) {
        const QTreeWidgetItem* group = m_tree->topLevelItem(top);
        for (int row = 0; row < group->childCount(); ++row) {
            const QString id = group->child(row)->data(0, Qt::UserRole).toString();
            if (!id.isEmpty()) ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace lacuna::ui
