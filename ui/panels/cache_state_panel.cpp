#include "ui/panels/cache_state_panel.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include "app/state/number_format.h"
#include "app/state/telemetry/memory_verdict.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kMargin = 8;
constexpr double kFull = 1.005;  ///< ratio below which a cache counts as full

}  // namespace

CacheStatePanel::CacheStatePanel(QWidget* parent)
    : QFrame(parent), m_state(plainLabel({}, this)), m_next(new SteadyCaption(2, this)) {
    setRole(this, QStringLiteral("info"));
    m_state->setFont(Theme::font(FontRole::Title));
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    layout->addWidget(m_state);
    layout->addWidget(m_next);
    m_buttons = rowLayout();
    layout->addLayout(m_buttons);
    setAccessible(this, tr("State of this cache"));
}

void CacheStatePanel::setActions(QAction* compact, QAction* restore) {
    for (QAction* action : {compact, restore}) {
        auto* button = new QToolButton(this);
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        // Never widens the panel, whose right edge would be cut off.
        button->setMinimumWidth(1);
        button->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
        setAccessible(button, action->text());
        m_buttons->addWidget(button);
    }
    m_buttons->addStretch(1);
    arrangeButtons();
}

void CacheStatePanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    arrangeButtons();
}

/// Places buttons with long texts below each other.
void CacheStatePanel::arrangeButtons() {
    int wanted = 0;
    for (const QToolButton* button : findChildren<QToolButton*>())
        wanted += button->sizeHint().width() + m_buttons->spacing();
    const bool fits = wanted - m_buttons->spacing() <= contentsRect().width() - 2 * kMargin;
    m_buttons->setDirection(fits ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
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
