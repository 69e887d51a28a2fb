#include "ui/panels/verdict_strip.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kMargin = 8;
constexpr int kLeastWidth = 240;

QToolButton* partOf(QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setFocusPolicy(Qt::TabFocus);
    setRole(button, QStringLiteral("quiet"));
    return button;
}

/// Symbol of the effect, which does not depend on colour.
QChar signOf(app::AnswerEffect effect) {
    switch (effect) {
        case app::AnswerEffect::Near:
            return QChar(0x25D0);
        case app::AnswerEffect::Exceeded:
            return QChar(0x25B2);
        case app::AnswerEffect::NotMeasured:
            return QChar(0x25CB);
        case app::AnswerEffect::Full:
        case app::AnswerEffect::Within:
            break;
    }
    return QChar(0x25CF);
}

}  // namespace

VerdictStrip::VerdictStrip(QWidget* parent)
    : QWidget(parent),
      m_memory(partOf(this)),
      m_answers(partOf(this)),
      m_measure(new QToolButton(this)),
      m_fold(partOf(this)) {
    QHBoxLayout* row = rowLayout(this, Spacing::half);
    row->setContentsMargins(kMargin, Spacing::half, kMargin, Spacing::half);
    m_memory->setToolTip(tipText(tr("Show the charts of memory and compactions")));
    m_answers->setToolTip(tipText(
        tr("Share of the text's information that the compacted cache keeps, measured by repeating "
           "the text, next to the loss limit. Click for the quality charts.")));
    m_measure->setText(tr("Measure"));
    m_measure->setFocusPolicy(Qt::TabFocus);
    m_measure->setToolTip(
        tipText(tr("Limit the loss, and measure from the next compaction on what is kept")));
    setAccessible(m_measure, tr("Measure the loss of compaction"));
    row->addWidget(m_memory);
    row->addWidget(m_answers);
    row->addWidget(m_measure);
    row->addStretch(1);
    row->addWidget(m_fold);
    setChartsShown(true);
    connect(m_memory, &QToolButton::clicked, this, &VerdictStrip::memoryClicked);
    connect(m_answers, &QToolButton::clicked, this, &VerdictStrip::answersClicked);
    connect(m_measure, &QToolButton::clicked, this, &VerdictStrip::measureRequested);
    connect(m_fold, &QToolButton::clicked, this, [this] { Q_EMIT chartsToggled(!m_chartsShown); });
    show({}, 0);
}

void VerdictStrip::show(const app::MemoryVerdict& verdict, qint64 nowNs, const QString& blocker) {
    m_verdict = verdict;
    m_nowNs = nowNs;
    m_blocker = blocker;
    const bool any = blocker.isEmpty() && verdict.fullBytes > 0;
    m_answers->setVisible(any);
    m_measure->setVisible(any && verdict.effect == app::AnswerEffect::NotMeasured);
    setRole(m_answers, effectRole(verdict.effect));
    fit();
}

void VerdictStrip::setChartsShown(bool shown) {
    m_chartsShown = shown;
    m_fold->setText(QString(QChar(shown ? 0x25BE : 0x25B8)) + QLatin1Char(' ') + tr("Charts"));
    m_fold->setToolTip(tipText(shown ? tr("Hide the charts") : tr("Show the charts")));
    setAccessible(m_fold, shown ? tr("Hide the charts") : tr("Show the charts"));
}

QString VerdictStrip::text() const {
    return m_answers->isHidden() ? m_memory->text()
                                 : m_memory->text() + factSeparator() + m_answers->text();
}

QSize VerdictStrip::minimumSizeHint() const {
    return {kLeastWidth, QWidget::minimumSizeHint().height()};
}

void VerdictStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

/// Uses the longest form of the line that fits: first the basis of the verdict on the answers is
/// dropped, then the pause, then the counts.
void VerdictStrip::fit() {
    const QString memory = app::memoryText(m_verdict);
    QString counted = memory, all = memory;
    if (m_verdict.compactions + m_verdict.failed > 0) {
        counted = memory + factSeparator() + app::compactionsText(m_verdict);
        const QString pause = app::pauseText(m_verdict);
        all = pause.isEmpty() ? counted : counted + factSeparator() + pause;
    }
    const QString sign = QString(signOf(m_verdict.effect)) + QLatin1Char(' ');
    const QString full = sign + app::answersText(m_verdict, m_nowNs);
    const QString brief = sign + app::answersText(m_verdict, m_nowNs, true);
    if (!m_blocker.isEmpty()) all = counted = m_blocker;
    setAccessible(m_memory, all, tr("Opens the charts of memory and compactions."));
    setAccessible(m_answers, full, tr("Opens the charts of quality."));
    const std::pair<QString, QString> forms[] = {
        {all, full}, {all, brief}, {counted, brief}, {m_blocker.isEmpty() ? memory : all, brief}};
    for (const auto& [first, second] : forms) {
        m_memory->setText(first);
        m_answers->setText(second);
        int taken = 2 * kMargin + m_memory->sizeHint().width() + m_fold->sizeHint().width();
        for (const QToolButton* button : {m_answers, m_measure})
            if (!button->isHidden()) taken += button->sizeHint().width() + Spacing::half;
        if (taken + 2 * Spacing::half <= width()) break;
    }
}

}  // namespace lacuna::ui
