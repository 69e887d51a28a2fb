#include "ui/pages/progress_footer.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/number_format.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::Measuring;
using app::MeasuringView;

constexpr int kProgressWidth = 220;
/// Below this share the time left cannot be estimated.
constexpr double kMinShare = 0.02;

double shareOf(const MeasuringView& view) {
    return view.total > 0 ? static_cast<double>(view.done) / static_cast<double>(view.total) : 0;
}

}  // namespace

ProgressFooter::ProgressFooter(app::MeasurementController& measurement, app::Measuring what,
                               const QString& verb, QWidget* parent)
    : QWidget(parent),
      m_measurement(measurement),
      m_what(what),
      m_sentence(plainLabel({}, this)),
      m_progress(shareBar(kProgressWidth, this)),
      m_begin(new QPushButton(verb, this)),
      m_stop(new QPushButton(tr("Stop"), this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_sentence->setWordWrap(true);
    setRole(m_begin, QStringLiteral("primary"));
    m_begin->setShortcut(QKeySequence(Qt::Key_F5));
    m_begin->setAutoDefault(false);
    m_stop->setAutoDefault(false);
    setAccessible(m_progress, tr("Progress"));
    setAccessible(m_begin, verb);
    setAccessible(m_stop, tr("Stop the measurement"));
    row->addWidget(m_sentence, 1);
    row->addWidget(m_progress);
    row->addWidget(m_stop);
    row->addWidget(m_begin);
    connect(m_begin, &QPushButton::clicked, this, &ProgressFooter::beginWanted);
    connect(m_stop, &QPushButton::clicked, &measurement, &app::MeasurementController::cancel);
    connect(&measurement, &app::MeasurementController::changed, this, &ProgressFooter::refresh);
    refresh();
}

QString ProgressFooter::sentence() const {
    return m_sentence->text();
}

void ProgressFooter::tell(const QString& sentence, bool problem) {
    m_told = sentence;
    m_problem = problem;
    refresh();
}

QString ProgressFooter::progressText(const MeasuringView& view) const {
    if (view.cancelling) return tr("Stopping\u2026");
    if (view.total == 0) return tr("Waiting for the engine\u2026");
    // A is answered first and gets at most half of the tokens.
    const bool first = view.done * 2 <= view.total;
    QString text = m_what == Measuring::Sweep ? tr("%1 of %2 measured", "settings on answers")
                   : first                    ? tr("Answering under A, %1 of at most %2 tokens")
                                              : tr("Answering under B, %1 of at most %2 tokens");
    text = text.arg(app::countText(view.done), app::countText(view.total));
    if (const double share = shareOf(view); share >= kMinShare)
        text += tr(", about %1 left").arg(app::durationText(view.seconds / share * (1 - share)));
    return text;
}

void ProgressFooter::refresh() {
    const MeasuringView& view = m_measurement.view();
    const bool own = view.what == m_what;
    const QString reason = m_measurement.whyNot();
    if (own) m_told.clear();
    const QString text = own ? progressText(view) : !m_told.isEmpty() ? m_told : reason;
    m_sentence->setText(text);
    setRole(m_sentence, !own && m_problem && !m_told.isEmpty() ? QStringLiteral("bad")
                                                               : QStringLiteral("secondary"));
    m_progress->setVisible(own);
    showShare(*m_progress, shareOf(view));
    m_progress->setAccessibleDescription(text);
    m_stop->setVisible(own);
    m_begin->setEnabled(reason.isEmpty());
    m_begin->setToolTip(tipText(reason.isEmpty() ? tr("%1 (F5)").arg(m_begin->text()) : reason));
    m_begin->setAccessibleDescription(reason);
}

}  // namespace lacuna::ui
