#include "ui/chat/branch_switch.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

QToolButton* arrow(Qt::ArrowType type, const QString& name, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setArrowType(type);
    button->setToolTip(tipText(name));
    setRole(button, QStringLiteral("quiet"));
    setAccessible(button, name);
    return button;
}

}  // namespace

BranchSwitch::BranchSwitch(QWidget* parent)
    : QWidget(parent),
      m_before(arrow(Qt::LeftArrow, tr("Show the previous branch (Alt+Left)"), this)),
      m_text(captionLabel({}, this)),
      m_next(arrow(Qt::RightArrow, tr("Show the next branch (Alt+Right)"), this)) {
    QHBoxLayout* row = rowLayout(this, Spacing::half);
    for (QWidget* part : {static_cast<QWidget*>(m_before), static_cast<QWidget*>(m_text),
                          static_cast<QWidget*>(m_next)})
        row->addWidget(part);
    connect(m_before, &QToolButton::clicked, this,
            [this] { Q_EMIT branchRequested(m_place.number - 1); });
    connect(m_next, &QToolButton::clicked, this,
            [this] { Q_EMIT branchRequested(m_place.number + 1); });
    show({});
}

void BranchSwitch::show(const app::BranchPosition& place) {
    m_place = place;
    m_text->setText(tr("%1/%2").arg(app::countText(place.number), app::countText(place.count)));
    const QString sentence =
        tr("Branch %1 of %2. Edited and regenerated messages are kept as branches.")
            .arg(app::countText(place.number), app::countText(place.count));
    m_text->setToolTip(tipText(sentence));
    setAccessible(m_text, sentence);
    m_before->setEnabled(place.number > 1);
    m_next->setEnabled(place.number < place.count);
    setVisible(place.count > 1);
}

QWidgetList BranchSwitch::tabChain() const {
    return {m_before, m_next};
}

}  // namespace lacuna::ui
