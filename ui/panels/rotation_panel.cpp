#include "ui/panels/rotation_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QVBoxLayout>

#include "app/state/models/calibration_controller.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kProgressWidth = 120;

}  // namespace

RotationPanel::RotationPanel(app::CalibrationController& calibration, QWidget* parent)
    : QFrame(parent),
      m_calibration(calibration),
      m_now(plainLabel({}, this)),
      m_sentence(captionLabel({}, this)),
      m_progress(shareBar(kProgressWidth, this)),
      m_stop(new QPushButton(tr("Stop"), this)),
      m_load(new QPushButton(tr("Reload the model"), this)),
      m_calibrate(new QPushButton(tr("Calibrate"), this)) {
    m_load->setObjectName(QStringLiteral("rotations.load"));
    m_stop->setObjectName(QStringLiteral("rotations.stop"));
    m_calibrate->setObjectName(QStringLiteral("rotations.calibrate"));
    setRole(this, QStringLiteral("info"));
    QHBoxLayout* row = rowLayout(this);
    row->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    QVBoxLayout* said = columnLayout(nullptr, Spacing::half);
    for (QLabel* label : {m_now, m_sentence}) {
        label->setWordWrap(true);
        said->addWidget(label);
    }
    row->addLayout(said, 1);
    setAccessible(m_progress, tr("Progress of the calibration"));
    row->addWidget(m_progress);
    for (QPushButton* button : {m_stop, m_load, m_calibrate}) {
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    setAccessible(m_stop, tr("Stop the calibration"), tr("Its result is discarded."));
    const QString loadTip =
        tr("Rotations take effect when the model is next loaded. The next question then reads its "
           "conversation again.");
    explain(m_load, loadTip);
    connect(m_calibrate, &QPushButton::clicked, &calibration,
            &app::CalibrationController::calibrate);
    connect(m_stop, &QPushButton::clicked, &calibration, &app::CalibrationController::stop);
    connect(m_load, &QPushButton::clicked, &calibration, &app::CalibrationController::loadAgain);
    connect(&calibration, &app::CalibrationController::changed, this, &RotationPanel::refresh);
    refresh();
}

QString RotationPanel::text() const {
    return m_now->text() + QLatin1Char('\n') + m_sentence->text();
}

void RotationPanel::refresh() {
    const app::CalibrationView view = m_calibration.view();
    m_now->setText(view.now);
    m_now->setVisible(!view.now.isEmpty());
    m_sentence->setText(view.sentence);
    m_sentence->setVisible(!view.sentence.isEmpty());
    setRole(m_sentence, view.problem ? QStringLiteral("bad") : QStringLiteral("secondary"));
    m_progress->setVisible(view.running);
    showShare(*m_progress, view.share);
    m_progress->setAccessibleDescription(view.sentence);
    m_stop->setVisible(view.running);
    m_stop->setEnabled(!view.stopping);
    m_load->setVisible(view.loadAgain && !view.running);
    m_calibrate->setVisible(!view.running);
    m_calibrate->setEnabled(view.disabledReason.isEmpty());
    const QString tip =
        view.disabledReason.isEmpty()
            ? tr("Reads a text of 30,000 tokens while idle and finds the rotation that best suits "
                 "the codes of each head. Your questions are answered first.")
            : view.disabledReason;
    explain(m_calibrate, tr("Calibrate rotations"), tip);
}

}  // namespace lacuna::ui
