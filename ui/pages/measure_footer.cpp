#include "ui/pages/measure_footer.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <utility>

#include "app/state/number_format.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::QualityController;

constexpr int kProgressWidth = 200;

}  // namespace

MeasureFooter::MeasureFooter(QualityController& quality,
                             std::function<QualityController::Size()> size, QWidget* parent)
    : QWidget(parent), m_quality(quality), m_size(std::move(size)) {
    build();
    connect(m_measure, &QPushButton::clicked, this, [this] { begin(false); });
    connect(m_startOver, &QPushButton::clicked, this, [this] { begin(true); });
    connect(m_stop, &QPushButton::clicked, &m_quality, &QualityController::stop);
    connect(&quality, &QualityController::changed, this, &MeasureFooter::refresh);
    connect(&quality, &QualityController::ended, this, &MeasureFooter::tell);
    refresh();
}

void MeasureFooter::build() {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(8);
    m_sentence = plainLabel({}, this);
    m_sentence->setWordWrap(true);
    m_progress = shareBar(kProgressWidth, this);
    setAccessible(m_progress, tr("Progress"));
    m_stop = new QPushButton(tr("Stop"), this);
    m_startOver = new QPushButton(tr("Start over"), this);
    m_measure = new QPushButton(tr("Measure"), this);
    setRole(m_measure, QStringLiteral("primary"));
    m_measure->setShortcut(QKeySequence(Qt::Key_F5));
    const QString overTip = tr("Discard the results and measure everything again.");
    m_startOver->setToolTip(tipText(overTip));
    setAccessible(m_startOver, m_startOver->text(), overTip);
    setAccessible(m_stop, tr("Stop the measurement"), tr("Results so far are kept."));
    row->addWidget(m_sentence, 1);
    row->addWidget(m_progress);
    for (QPushButton* button : {m_stop, m_startOver, m_measure}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
}

void MeasureFooter::begin(bool startOver) {
    m_told.clear();
    m_quality.measure(m_size(), startOver);
}

QString MeasureFooter::sentence() const {
    return m_sentence->text();
}

void MeasureFooter::tell(const QString& sentence, bool problem) {
    m_told = sentence;
    m_problem = problem;
    refresh();
}

void MeasureFooter::forget() {
    m_told.clear();
    refresh();
}

QString MeasureFooter::text() const {
    if (m_quality.progress().running) return progressText();
    if (!m_told.isEmpty()) return m_told;
    if (const QString why = m_quality.whyNot(); !why.isEmpty()) return why;
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
    const QString said = text();
    m_sentence->setText(said);
    const bool problem = !progress.running && m_problem && !m_told.isEmpty();
    setRole(m_sentence, problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
    const double share = progress.total > 0 ? static_cast<double>(progress.done) /
                                                  static_cast<double>(progress.total)
                                            : 0;
    m_progress->setVisible(progress.running);
    showShare(*m_progress, share);
    m_progress->setAccessibleDescription(said);
    m_stop->setVisible(progress.running);
    m_stop->setEnabled(!progress.stopping);
    m_startOver->setVisible(!progress.running && (view.there || problem));
    m_measure->setVisible(!progress.running);
    m_measure->setText(view.there && !view.complete() && view.done > 0 ? tr("Continue")
                                                                       : tr("Measure"));
    const QString why = m_quality.whyNot();
    m_startOver->setEnabled(why.isEmpty());
    // A complete table is repeated only by an explicit restart.
    m_measure->setEnabled(why.isEmpty() && !view.complete());
    const QString reason =
        !why.isEmpty() ? why
        : view.complete()
            ? tr("Everything is measured. Start over measures it again.")
            : tr("%1 (F5). Your questions are answered first.").arg(m_measure->text());
    m_measure->setToolTip(tipText(reason));
    setAccessible(m_measure, m_measure->text(), reason);
}

}  // namespace lacuna::ui
