#include "ui/panel_dock.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

PanelDock::PanelDock(const QString& id, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent) {
    setObjectName(id);
    setWidget(content);
    setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                QDockWidget::DockWidgetFloatable);
    auto* bar = new QWidget(this);
    bar->setFixedHeight(Spacing{}.titleRow);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(12, 0, 6, 0);
    layout->setSpacing(2);
    auto* name = new QLabel(title, bar);
    name->setFont(Theme::font(FontRole::Title));
    layout->addWidget(name);
    layout->addStretch(1);
    auto* close = new QToolButton(bar);
    close->setText(QChar(0x00D7));
    close->setToolTip(tr("Hide %1; the View menu shows it again").arg(title));
    close->setFocusPolicy(Qt::TabFocus);
    setRole(close, QStringLiteral("quiet"));
    setAccessible(close, tr("Hide %1").arg(title));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close);
    setTitleBarWidget(bar);
    setAccessible(this, title);
}

void PanelDock::focusInside() {
    show();
    raise();
    for (QWidget* child : widget()->findChildren<QWidget*>()) {
        if (child->isVisible() && child->isEnabled() && child->focusPolicy() & Qt::TabFocus) {
            child->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
}

}  // namespace lacuna::ui
