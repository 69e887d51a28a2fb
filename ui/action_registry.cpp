#include "ui/action_registry.h"

#include <QMenu>
#include <QMenuBar>
#include <QVariant>
#include <utility>

#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr const char* kReason = "lacunaReason";
constexpr const char* kTooltip = "lacunaTooltip";

}  // namespace

QList<MenuPlace> menuPlaces() {
    return {MenuPlace::File,    MenuPlace::Edit, MenuPlace::Model,
            MenuPlace::Session, MenuPlace::View, MenuPlace::Help};
}

ActionRegistry::ActionRegistry(QWidget* window) : QObject(window), m_window(window) {}

QAction* ActionRegistry::add(const ActionSpec& spec, std::function<void()> run) {
    auto* action = new QAction(spec.text, this);
    action->setObjectName(spec.id);
    action->setShortcuts(spec.shortcuts);
    action->setToolTip(tipText(spec.tooltip));
    action->setStatusTip(spec.tooltip);
    action->setProperty(kTooltip, spec.tooltip);
    connect(action, &QAction::triggered, this, [run = std::move(run)] { run(); });
    m_window->addAction(action);
    m_actions.push_back(action);
    m_menus[spec.menu].push_back(action);
    m_places[action] = spec.menu;
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
        menu->addActions(at->second);
    }
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
            return tr("&Session");
        case MenuPlace::View:
            return tr("&View");
        case MenuPlace::Help:
            return tr("&Help");
    }
    return {};
}

}  // namespace lacuna::ui
