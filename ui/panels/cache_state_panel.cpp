#include "ui/panels/cache_state_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/state/number_format.h"
#include "app/state/telemetry/memory_verdict.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr double kFull = 1.005;  ///< ratio below which a cache counts as full

}  // namespace

CacheStatePanel::CacheStatePanel(QWidget* parent)
    : QFrame(parent), m_state(plainLabel({}, this)), m_next(new SteadyCaption(2, this)) {
    setRole(this, QStringLiteral("info"));
    m_state->setFont(Theme::font(FontRole::Title));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(4);
    layout->addWidget(m_state);
    layout->addWidget(m_next);
    m_buttons = new QHBoxLayout;
    m_buttons->setSpacing(8);
    layout->addLayout(m_buttons);
    setAccessible(this, tr("State of this cache"));
}

void CacheStatePanel::setActions(QAction* compact, QAction* restore) {
    for (QAction* action : {compact, restore}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        setAccessible(button, action->text());
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
}

void CacheStatePanel::show(const app::MemoryVerdict& verdict, const QString& next) {
    m_state->setText(verdict.fullBytes == 0 ? tr("This cache: empty")
                     : verdict.ratio() >= kFull
                         ? tr("This cache: %1 smaller").arg(app::ratioText(verdict.ratio()))
                         : tr("This cache: full"));
    m_next->setText(next);
    m_next->setToolTip(tipText(next));
}

}  // namespace lacuna::ui
