#include "ui/widget_roles.h"

#include <QFrame>
#include <QStyle>
#include <QVariant>

#include "ui/theme.h"

namespace lacuna::ui {

void setRole(QWidget* widget, const QString& role) {
    if (widget->property("lacunaRole").toString() == role) return;
    widget->setProperty("lacunaRole", role);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
}

QString changeRole(app::ChangeState state) {
    switch (state) {
        case app::ChangeState::Settled:
        case app::ChangeState::Superseded:
            return QStringLiteral("secondary");
        case app::ChangeState::Draft:
        case app::ChangeState::Submitted:
        case app::ChangeState::Pending:
            return QStringLiteral("pending");
        case app::ChangeState::Applied:
            return QStringLiteral("good");
        case app::ChangeState::Rejected:
        case app::ChangeState::RolledBack:
            return QStringLiteral("bad");
    }
    return {};
}

void setAccessible(QWidget* widget, const QString& name, const QString& description) {
    widget->setAccessibleName(name);
    if (!description.isEmpty()) widget->setAccessibleDescription(description);
}

QLabel* captionLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setFont(Theme::font(FontRole::Small));
    setRole(label, QStringLiteral("secondary"));
    return label;
}

QWidget* hairline(QWidget* parent) {
    auto* line = new QFrame(parent);
    setRole(line, QStringLiteral("rule"));
    return line;
}

}  // namespace lacuna::ui
