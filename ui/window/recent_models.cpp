#include "ui/window/recent_models.h"

#include <QAction>
#include <QFileInfo>
#include <algorithm>

#include "app/state/application_state.h"
#include "app/state/models/model_controller.h"
#include "app/state/models/model_library.h"
#include "ui/style/widget_roles.h"
#include "ui/window/action_registry.h"

namespace lacuna::ui {

namespace {

QString idOf(int at) {
    return QStringLiteral("model.recent%1").arg(at + 1);
}

}  // namespace

RecentModels::RecentModels(ActionRegistry& actions, app::ApplicationState& state)
    : m_actions(actions), m_state(state) {
    for (int at = 0; at < kMaxRecent; ++at)
        actions.add({.id = idOf(at),
                     .text = tr("Recent model %1").arg(at + 1),
                     .tooltip = tr("Load a model that was loaded before."),
                     .menu = Menu::File,
                     .submenu = tr("Recent models")},
                    [this, at] {
                        const QStringList recent = m_state.library().recent();
                        if (at < recent.size()) m_state.model().load(recent[at]);
                    });
    connect(&state.library(), &app::ModelLibrary::changed, this, &RecentModels::refresh);
    connect(&state.model(), &app::ModelController::changed, this, &RecentModels::refresh);
    connect(&state, &app::ApplicationState::remoteChanged, this, &RecentModels::refresh);
    refresh();
}

/// The keys 1 to 5 select an entry while the menu is open.
void RecentModels::refresh() {
    const QStringList recent = m_state.library().recent();
    const QString rests = m_state.localEngineBlocker();
    for (int at = 0; at < kMaxRecent; ++at) {
        QAction* action = m_actions.find(idOf(at));
        action->setVisible(at < std::max<qsizetype>(1, recent.size()));
        if (at >= recent.size()) {
            action->setText(tr("No model yet"));
            m_actions.setReason(idOf(at), tr("No further model was loaded."));
            continue;
        }
        const QString name = oneLine(QFileInfo(recent[at]).fileName(), kMaxTitleLength);
        action->setText(QStringLiteral("&%1 %2").arg(at + 1).arg(
            QString(name).replace(QLatin1Char('&'), QLatin1String("&&"))));
        m_actions.setReason(idOf(at), rests);
    }
}

}  // namespace lacuna::ui
