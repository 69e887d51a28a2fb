#include "ui/panels/predicted_loss_label.h"

#include <QLabel>
#include <QVBoxLayout>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/figure_language.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "app/state/settings/predicted_memory.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

const QString kRatio = QStringLiteral("am_ratio");

QString ratioText(double ratio) {
    return PredictedLossLabel::tr("%1x").arg(app::shortText(ratio, 4));
}

/// "0.41", or "0.41 ± 0.02" if it was measured on some heads only.
QString errorText(const app::PredictedLossView::Figure& figure) {
    const QString error = app::realText(figure.error, 2);
    if (!(figure.spread > 0)) return error;
    return QStringLiteral("%1 \u00b1 %2").arg(error, app::realText(figure.spread, 2));
}

/// "Predicted at 16x: output error 0.41", and the basis of the figure if 16x itself was not tried.
QString predictedText(const app::PredictedLossView::Figure& figure, double asked) {
    const QString error = errorText(figure);
    if (figure.kept)
        return PredictedLossLabel::tr(
                   "Predicted at %1: %2 of the text's information kept, weakest passage "
                   "%3; output error %4")
            .arg(ratioText(asked), app::percentText(figure.kept->all),
                 app::percentText(figure.kept->worst), error);
    if (figure.tried())
        return PredictedLossLabel::tr("Predicted at %1: output error %2")
            .arg(ratioText(asked), error);
    if (figure.above > 0)
        return PredictedLossLabel::tr(
                   "Predicted at %1: output error about %2, interpolated between %3 and %4")
            .arg(ratioText(asked), error, ratioText(figure.below), ratioText(figure.above));
    return PredictedLossLabel::tr("Predicted at %1: output error above %2, the value at %3")
        .arg(ratioText(asked), error, ratioText(figure.below));
}

/// "32x: nothing to gain: ..."; the sentence names the ratio that was tried.
QString refusedText(const app::RatioLoss& refused, double asked) {
    if (ratioText(refused.ratio) == ratioText(asked))
        return PredictedLossLabel::tr("%1: %2.").arg(ratioText(asked), refused.refusal);
    return PredictedLossLabel::tr("%1, same as %2: %3.")
        .arg(ratioText(asked), ratioText(refused.ratio), refused.refusal);
}

}  // namespace

PredictedLossLabel::PredictedLossLabel(app::PreviewController& preview,
                                       app::ConfigController& config, app::SessionFeed& feed,
                                       QWidget* parent)
    : QWidget(parent),
      m_preview(preview),
      m_config(config),
      m_feed(feed),
      m_line(new SteadyCaption(1, this)) {
    QVBoxLayout* layout = columnLayout(this);
    layout->addWidget(m_line);
    connect(&feed, &app::SessionFeed::engineChanged, this, &PredictedLossLabel::refresh);
    connect(&preview, &app::PreviewController::predictedLossChanged, this,
            &PredictedLossLabel::refresh);
    connect(&config, &app::ConfigController::statusChanged, this, &PredictedLossLabel::moved);
    connect(&config.setting(kRatio), &app::SettingModel::changed, this, &PredictedLossLabel::moved);
    refresh();
}

void PredictedLossLabel::moved() {
    const app::SettingView& ratio = m_config.spec(kRatio);
    if (ratio.requestedText() != ratio.effectiveText()) m_preview.predictLoss();
    refresh();
}

void PredictedLossLabel::refresh() {
    const app::PredictedLossView& predictedLoss = m_preview.predictedLoss();
    const double asked = m_config.spec(kRatio).number();
    const app::RatioLoss* refused = predictedLoss.refusedAt(asked);
    const auto figure = predictedLoss.figureAt(asked);
    QString text;
    if (refused != nullptr)
        text = refusedText(*refused, asked);
    else if (figure)
        text = predictedText(*figure, asked) + inEffectText(asked) + QLatin1Char('.');
    else if (!predictedLoss.problem.isEmpty())
        text = tr("Predicted loss not available: %1.").arg(predictedLoss.problem);
    else
        text = predictedLoss.running() && predictedLoss.total > 0 ? QString() : unknownText();
    if (predictedLoss.running())
        text +=
            (text.isEmpty() ? QString() : QStringLiteral(" ")) +
            tr("Trying ratios, %1 of %2\u2026").arg(predictedLoss.done).arg(predictedLoss.total);
    m_sentence = text;
    const app::PredictedMemory predicted =
        app::predictedMemory(m_feed.engine(), predictedLoss, asked, m_config.asked());
    m_line->setText(app::predictedText(predicted));
    setRole(m_line, effectRole(predicted.effect));
    setToolTip(tipText(
        text + QLatin1Char('\n') +
        tr("Loss predicted by trying the ratios of the slider on a copy of this conversation's "
           "cache between turns. The output error is relative: 0 is exact, at 1 nothing is left; a "
           "standard error is shown where only some heads are tried. A compaction of this text "
           "reports the same figure afterwards.")));
    setAccessible(this, tr("Predicted loss at the AM ratio"),
                  m_line->text() + QLatin1Char('\n') + text);
}

/// States how to measure it. Ratios that are not selected are measured once the slider is moved.
QString PredictedLossLabel::unknownText() const {
    if (m_config.spec(QStringLiteral("method")).requestedText() != QLatin1String("am"))
        return tr("Move the slider to predict the loss for this text.");
    return tr("The loss is predicted after the next answer.");
}

/// Clause with the error of the active ratio if it differs from the selected one and was tried.
QString PredictedLossLabel::inEffectText(double asked) const {
    if (m_config.effective(QStringLiteral("method")) != QLatin1String("am")) return {};
    const double inEffect = m_config.effective(kRatio).toDouble();
    const auto now = m_preview.predictedLoss().figureAt(inEffect);
    if (inEffect == asked || !now || !now->tried()) return {};
    return tr("; at the current %1: %2").arg(ratioText(inEffect), errorText(*now));
}

QString PredictedLossLabel::line() const {
    return m_line->text();
}

}  // namespace lacuna::ui
