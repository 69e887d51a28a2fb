#include "ui/window/page_stack.h"

#include <QEvent>
#include <QScrollArea>
#include <QTabBar>
#include <QTabWidget>

#include "ui/style/widget_roles.h"

namespace lacuna::ui {

PageStack::PageStack(QWidget* parent) : QStackedWidget(parent) {
    for (const Page page : kPages) {
        auto* tabs = new QTabWidget(this);
        tabs->setDocumentMode(true);
        tabs->setTabBarAutoHide(true);
        // Its focus proxy is the tab bar, which Tab could not leave while it is hidden.
        tabs->setFocusProxy(nullptr);
        tabs->setFocusPolicy(Qt::NoFocus);
        setAccessible(tabs, pageTitle(page));
        setAccessible(tabs->tabBar(), tr("Tabs of %1").arg(pageTitle(page)));
        connect(tabs, &QTabWidget::currentChanged, this, &PageStack::changed);
        m_tabs.at(static_cast<std::size_t>(page)) = tabs;
        QStackedWidget::addWidget(tabs);
    }
    connect(this, &QStackedWidget::currentChanged, this, &PageStack::changed);
}

/// Content taller or wider than the window is reached by scrolling. The chat fits any window.
void PageStack::addTab(Page page, QWidget* content, const QString& title) {
    if (page == Page::Chat) {
        tabs(page).addTab(content, title);
        return;
    }
    auto* area = new QScrollArea;
    area->setWidgetResizable(true);
    area->setFocusPolicy(Qt::NoFocus);
    setRole(area, QStringLiteral("clear"));
    area->setWidget(content);
    content->setAutoFillBackground(false);
    for (QWidget* input : content->findChildren<QWidget*>())
        if (input->inherits("QComboBox") || input->inherits("QAbstractSpinBox") ||
            input->inherits("QSlider"))
            input->installEventFilter(this);
    tabs(page).addTab(area, title);
}

bool PageStack::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel) return QStackedWidget::eventFilter(watched, event);
    event->ignore();  // passed on to the page
    return true;
}

QTabWidget& PageStack::tabs(Page page) const {
    return *m_tabs.at(static_cast<std::size_t>(page));
}

void PageStack::open(Page page) {
    Q_EMIT pageRequested(page);
    setCurrentWidget(&tabs(page));
    focusInside();
}

void PageStack::open(QWidget& content) {
    for (QTabWidget* tabs : m_tabs) {
        for (int tab = 0; tab < tabs->count(); ++tab) {
            QWidget* const inside = tabs->widget(tab);
            if (inside != &content && !inside->isAncestorOf(&content)) continue;
            tabs->setCurrentIndex(tab);
            setCurrentWidget(tabs);
            focusInside();
            return;
        }
    }
}

QWidget* PageStack::shown() const {
    QWidget* const tab = tabs(current()).currentWidget();
    const auto* area = qobject_cast<QScrollArea*>(tab);
    return area == nullptr ? tab : area->widget();
}

void PageStack::focusInside() {
    QWidget* const content = shown();
    if (content == nullptr) return;
    if (content->focusProxy() != nullptr)
        content->setFocus(Qt::ShortcutFocusReason);
    else
        tabs(current()).tabBar()->setFocus(Qt::ShortcutFocusReason);
}

}  // namespace lacuna::ui
