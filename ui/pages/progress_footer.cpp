#include "ui/pages/progress_footer.h"

#include <QHBoxLayout>
#include <QProgressBar>
#include <QPushButton>
#include <utility>

#include "app/state/experiments/measurement_controller.h"
#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

using app::Measuring;
using app::MeasuringView;
using app::QualityController;

constexpr int kProgressWidth = 200;
/// Below this share the time left cannot be estimated.
constexpr double kMinShare = 0.02;

double doneShare(qint64 done, qint64 total) {
    return total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
}

}  // namespace

PageFooter::PageFooter(const QString& verb, QWidget* parent)
    : QWidget(parent),
      m_row(rowLayout(this)),
      m_sentence(wrappedLabel(this)),
      m_progress(shareBar(kProgressWidth, this)),
      m_stop(pushButton(tr("Stop"), tr("Stop the measurement. Results so far are kept."), this,
                        tr("Stop the measurement"))),
      m_begin(pushButton(verb, {}, this)) {
    setAccessible(m_progress, tr("Progress"));
    setRole(m_begin, QStringLiteral("primary"));
    m_begin->setShortcut(QKeySequence(Qt::Key_F5));
    m_row->addWidget(m_sentence, 1);
    for (QWidget* part : QList<QWidget*>{m_progress, m_stop, m_begin}) m_row->addWidget(part);
}

QString PageFooter::sentence() const {
    return m_sentence->text();
}

void PageFooter::showMessage(const QString& sentence, bool problem) {
    m_message = sentence;
    m_problem = problem;
    refresh();
}

void PageFooter::clear() {
    m_message.clear();
    refresh();
}

void PageFooter::showLine(const QString& status, std::optional<double> share) {
    const bool running = share.has_value();
    showSentence(m_sentence, running || m_message.isEmpty() ? status : m_message,
                 !running && problem());
    m_progress->setVisible(running);
    showShare(*m_progress, share.value_or(0));
    m_progress->setAccessibleDescription(m_sentence->text());
    m_stop->setVisible(running);
}

ProgressFooter::ProgressFooter(app::MeasurementController& measurement, Measuring what,
                               const QString& verb, QWidget* parent)
    : PageFooter(verb, parent), m_measurement(measurement), m_measuring(what) {
    connect(&beginButton(), &QPushButton::clicked, this, &ProgressFooter::beginRequested);
    connect(&stopButton(), &QPushButton::clicked, &measurement,
            &app::MeasurementController::cancel);
    connect(&measurement, &app::MeasurementController::changed, this, &ProgressFooter::refresh);
    ProgressFooter::refresh();
}

QString ProgressFooter::progressText(const MeasuringView& view) const {
    if (view.cancelling) return tr("Stopping\u2026");
    if (view.total == 0) return tr("Waiting for the engine\u2026");
    // A is answered first and gets at most half of the tokens.
    const bool first = view.done * 2 <= view.total;
    QString text = m_measuring == Measuring::Sweep ? tr("%1 of %2 measured", "settings on answers")
                   : first ? tr("Answering under A, %1 of at most %2 tokens")
                           : tr("Answering under B, %1 of at most %2 tokens");
    text = text.arg(app::countText(view.done), app::countText(view.total));
    if (const double share = doneShare(view.done, view.total); share >= kMinShare)
        text += tr(", about %1 left").arg(app::durationText(view.seconds / share * (1 - share)));
    return text;
}

void ProgressFooter::refresh() {
    const MeasuringView& view = m_measurement.view();
    const bool own = view.what == m_measuring;
    const QString reason = m_measurement.disabledReason();
    if (own) startOver();
    showLine(own ? progressText(view) : reason,
             own ? std::optional(doneShare(view.done, view.total)) : std::nullopt);
    beginButton().setEnabled(reason.isEmpty());
    explain(&beginButton(), reason.isEmpty() ? tr("%1 (F5)").arg(beginButton().text()) : reason);
}

MeasureFooter::MeasureFooter(QualityController& quality,
                             std::function<QualityController::Size()> size, QWidget* parent)
    : PageFooter(tr("Measure"), parent),
      m_quality(quality),
      m_size(std::move(size)),
      m_startOver(pushButton(tr("Start over"),
                             tr("Discard the results and measure everything again."), this)) {
    row().insertWidget(row().count() - 1, m_startOver);
    connect(&beginButton(), &QPushButton::clicked, this, [this] { begin(false); });
    connect(m_startOver, &QPushButton::clicked, this, [this] { begin(true); });
    connect(&stopButton(), &QPushButton::clicked, &m_quality, &QualityController::stop);
    connect(&quality, &QualityController::changed, this, &MeasureFooter::refresh);
    connect(&quality, &QualityController::ended, this, &MeasureFooter::showMessage);
    MeasureFooter::refresh();
}

void MeasureFooter::begin(bool startOver) {
    PageFooter::startOver();
    m_quality.measure(m_size(), startOver);
}

QString MeasureFooter::text() const {
    if (m_quality.progress().running) return progressText();
    if (const QString why = m_quality.disabledReason(); !why.isEmpty()) return why;
    const app::QualityTableView view = m_quality.table(m_size());
    if (view.there && !view.complete())
        return tr("%1 of %2 measured; the measurement can be continued.")
            .arg(app::countText(view.done), app::countText(view.total));
    return m_quality.problem();
}

QString MeasureFooter::progressText() const {
    const app::QualityProgressView& progress = m_quality.progress();
    if (progress.stopping) return tr("Stopping\u2026");
    QString text = progress.total > 0
                       ? tr("%1 of %2 settings on texts measured")
                             .arg(app::countText(progress.done), app::countText(progress.total))
                       : tr("Preparing the questions, %1").arg(app::percentText(progress.prepared));
    if (!progress.paused.isEmpty()) return text + QStringLiteral(". ") + progress.paused;
    if (progress.secondsLeft >= 0)
        text += tr(", about %1 left").arg(app::durationText(progress.secondsLeft));
    return text;
}

void MeasureFooter::refresh() {
    const app::QualityProgressView& progress = m_quality.progress();
    const app::QualityTableView view = m_quality.table(m_size());
    showLine(text(), progress.running ? std::optional(doneShare(progress.done, progress.total))
                                      : std::nullopt);
    stopButton().setEnabled(!progress.stopping);
    m_startOver->setVisible(!progress.running && (view.there || problem()));
    QPushButton& measure = beginButton();
    measure.setVisible(!progress.running);
    measure.setText(view.there && !view.complete() && view.done > 0 ? tr("Continue")
                                                                    : tr("Measure"));
    measure.setShortcut(QKeySequence(Qt::Key_F5));  // setText() removes it
    const QString why = m_quality.disabledReason();
    m_startOver->setEnabled(why.isEmpty());
    // A complete table is repeated only by an explicit restart.
    measure.setEnabled(why.isEmpty() && !view.complete());
    explain(&measure, !why.isEmpty() ? why
                      : view.complete()
                          ? tr("Everything is measured. Start over measures it again.")
                          : tr("%1 (F5). Your questions are answered first.").arg(measure.text()));
}

}  // namespace lacuna::ui
