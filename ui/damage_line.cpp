#include "ui/damage_line.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/state/config_controller.h"
#include "app/state/figure_language.h"
#include "app/state/measurement_controller.h"
#include "app/state/number_format.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

const QString kRatio = QStringLiteral("am_ratio");

QString ratioText(double ratio) {
    return DamageLine::tr("%1x").arg(app::shortText(ratio, 4));
}

QString errorText(double error) {
    return app::realText(error, 2);
}

/// "Predicted at 16x: output error 0.41; at 4x, in force, 0.12."
QString predictedText(const app::DamageView& damage, double asked, double inForce, double error) {
    QString text =
        DamageLine::tr("Predicted at %1: output error %2").arg(ratioText(asked), errorText(error));
    const auto now = damage.errorAt(inForce);
    if (now && asked != inForce)
        text += DamageLine::tr("; at %1, in force, %2").arg(ratioText(inForce), errorText(*now));
    return text + QLatin1Char('.');
}

}  // namespace

DamageLine::DamageLine(app::PreviewController& preview, app::ConfigController& config,
                       QWidget* parent)
    : QWidget(parent), m_preview(preview), m_config(config) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 4);
    m_sentence = captionLabel({}, this);
    m_sentence->setWordWrap(true);
    layout->addWidget(m_sentence);
    setToolTip(tipText(tr(
        "The ratios of the slider are tried on a few layers of a copy of this conversation's "
        "cache while nothing is asked. The error is that of the layers' outputs on queries kept "
        "out of the fit, relative to the outputs: 0 is exact, at 1 nothing is left. It is the same "
        "figure that a compaction reports afterwards.")));
    connect(&preview, &app::PreviewController::damageChanged, this, &DamageLine::refresh);
    connect(&config, &app::ConfigController::statusChanged, this, &DamageLine::moved);
    connect(&config, &app::ConfigController::knobChanged, this, [this](const QString& key) {
        if (key == kRatio) moved();
    });
    refresh();
}

void DamageLine::moved() {
    if (m_config.knob(kRatio).requested != m_config.knob(kRatio).effective) m_preview.foresee();
    refresh();
}

void DamageLine::refresh() {
    const app::DamageView& damage = m_preview.damage();
    const double asked = m_config.knob(kRatio).number;
    const double inForce = m_config.knob(kRatio).effective.toDouble();
    const QString refusal = damage.refusalAt(asked);
    const auto error = damage.errorAt(asked);
    QString text;
    if (!refusal.isEmpty())
        text = tr("%1: %2.").arg(ratioText(asked), refusal);
    else if (error)
        text = predictedText(damage, asked, inForce, *error);
    else if (!damage.problem.isEmpty())
        text = tr("Its cost is not measured: %1.").arg(damage.problem);
    else
        text = damage.running() && damage.total > 0
                   ? QString()
                   : tr("Its cost is not measured yet: it is after the next answer, while "
                        "nothing is asked.");
    if (damage.running())
        text += (text.isEmpty() ? QString() : QStringLiteral(" ")) +
                tr("Trying ratios, %1 of %2\u2026").arg(damage.done).arg(damage.total);
    m_sentence->setText(text);
    const bool tooShort = refusal.startsWith(QLatin1String("AM-SHORT"));
    setRole(m_sentence, tooShort ? QStringLiteral("bad") : QStringLiteral("secondary"));
    setAccessible(this, tr("What the AM ratio costs"), text);
}

QString DamageLine::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
