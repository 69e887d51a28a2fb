#include "ui/window/panel_dock.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QToolButton>

#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

PanelDock::PanelDock(const QString& id, const QString& title, QWidget* content, QWidget* parent)
    : QDockWidget(title, parent), m_title(new QWidget(this)), m_noTitle(new QWidget(this)) {
    setObjectName(id);
    setWidget(content);
    setFeatures(QDockWidget::DockWidgetClosable | QDockWidget::DockWidgetMovable |
                QDockWidget::DockWidgetFloatable);
    QWidget* bar = m_title;
    bar->setFixedHeight(Spacing{}.titleRow);
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(12, 0, 6, 0);
    layout->setSpacing(2);
    QLabel* name = plainLabel(title, bar);
    name->setFont(Theme::font(FontRole::Title));
    layout->addWidget(name);
    layout->addStretch(1);
    auto* close = new QToolButton(bar);
    close->setText(QChar(0x00D7));
    close->setToolTip(tipText(tr("Hide %1; the View menu shows it again").arg(title)));
    close->setFocusPolicy(Qt::TabFocus);
    setRole(close, QStringLiteral("quiet"));
    setAccessible(close, tr("Hide %1").arg(title));
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close);
    m_noTitle->setFixedHeight(0);
    m_noTitle->hide();
    setTitleBarWidget(bar);
    setAccessible(this, title);
    for (const auto signal : {&QDockWidget::visibilityChanged, &QDockWidget::topLevelChanged}) {
        connect(
            this, signal, this, [this] { fitTitle(); }, Qt::QueuedConnection);
    }
    connect(
        this, &QDockWidget::dockLocationChanged, this, [this] { fitTitle(); },
        Qt::QueuedConnection);
}

void PanelDock::fitTitle() {
    const auto* window = qobject_cast<const QMainWindow*>(parentWidget());
    const bool tabbed =
        window != nullptr && !isFloating() && !window->tabifiedDockWidgets(this).isEmpty();
    QWidget* wanted = tabbed ? m_noTitle : m_title;
    if (titleBarWidget() == wanted) return;
    titleBarWidget()->hide();
    setTitleBarWidget(wanted);
    wanted->show();
}

void PanelDock::focusInside() {
    show();
    raise();
    if (QWidget* first = widget()->focusProxy(); first != nullptr && first->isVisible()) {
        first->setFocus(Qt::ShortcutFocusReason);
        return;
    }
    for (QWidget* child : widget()->findChildren<QWidget*>()) {
        if (child->isVisible() && child->isEnabled() && child->focusPolicy() & Qt::TabFocus) {
            child->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
}

}  // namespace lacuna::ui
