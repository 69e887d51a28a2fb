#include "ui/window/status_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QRegularExpression>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

double shareOf(qint64 part, qint64 whole) {
    return whole <= 0
               ? 0
               : std::clamp(static_cast<double>(part) / static_cast<double>(whole), 0.0, 1.0);
}

/// Context used by the newest answer, as far as the engine reports it.
QString contextText(const app::RemoteView& remote) {
    if (!remote.contextTokens) return ContextStrip::tr("Context: not reported yet");
    const QString tokens = app::countText(*remote.contextTokens);
    return remote.contextLimit ? ContextStrip::tr("Context %1 / %2 tokens")
                                     .arg(tokens, app::countText(*remote.contextLimit))
                               : ContextStrip::tr("Context %1 tokens").arg(tokens);
}

/// Forms of the text, longest first.
QStringList contextForms(const app::EngineView& engine) {
    if (engine.remote) return {contextText(*engine.remote)};
    if (engine.contextLimit <= 0) return {ContextStrip::tr("Context: no model")};
    const QString text =
        ContextStrip::tr("Context %1 / %2 tokens")
            .arg(app::countText(engine.contextTokens), app::countText(engine.contextLimit));
    const auto held = std::llround(engine.slotsPerHead);
    if (held <= 0 || held >= engine.contextTokens) return {text};
    const QString mean =
        text + ContextStrip::tr(", held in %1 slots per head").arg(app::countText(held));
    if (engine.slotsLargestHead <= held) return {mean, text};
    return {text + ContextStrip::tr(", held in %1 slots per head (largest %2)")
                       .arg(app::countText(held), app::countText(engine.slotsLargestHead)),
            mean, text};
}

QStringList prefillForms(const app::PrefillView& prefill) {
    const QString text = ContextStrip::tr("Reading prompt %1 / %2 tokens")
                             .arg(app::countText(prefill.done), app::countText(prefill.total));
    const QString brief = ContextStrip::tr("Reading prompt");
    if (prefill.tokensPerSecond <= 0) return {text, brief};
    return {text + ContextStrip::tr(", %1 tok/s, %2 left")
                       .arg(app::rateText(prefill.tokensPerSecond),
                            app::durationText(prefill.secondsLeft)),
            text, brief};
}

/// Shown instead of the compression state, which belongs to the local engine.
QString remoteText(const app::RemoteView& remote) {
    const QString family = remote.family.isEmpty() ? ContextStrip::tr("engine") : remote.family;
    const QString said =
        ContextStrip::tr("%1 (%2, %3) is answering; local cache settings have no effect.")
            .arg(oneLine(remote.name, kMaxTitleLength), family, remote.address);
    return remote.problem.isEmpty() ? said : said + QLatin1Char(' ') + remote.problem;
}

QString activityText(const app::RemoteView& remote, EngineState activity) {
    switch (activity) {
        case EngineState::Prefill:
            return ContextStrip::tr("Waiting for the first token");
        case EngineState::Decode:
            return remote.answerRate ? ContextStrip::tr("Writing, engine total %1 tok/s")
                                           .arg(app::rateText(*remote.answerRate))
                                     : ContextStrip::tr("Writing");
        case EngineState::NoModel:
        case EngineState::Loading:
        case EngineState::Idle:
            break;
    }
    return ContextStrip::tr("Idle");
}

QString jobText(app::EngineJob job) {
    using app::EngineJob;
    switch (job) {
        case EngineJob::None:
            break;
        case EngineJob::Compaction:
            return ContextStrip::tr("Compacting");
        case EngineJob::Recoding:
            return ContextStrip::tr("Changing the cache format");
        case EngineJob::Estimate:
            return ContextStrip::tr("Estimating a compaction");
        case EngineJob::RatioTrials:
            return ContextStrip::tr("Trying ratios");
        case EngineJob::Comparison:
            return ContextStrip::tr("Comparing settings");
        case EngineJob::Sweep:
            return ContextStrip::tr("Sweeping settings");
        case EngineJob::QualityTable:
            return ContextStrip::tr("Measuring quality");
        case EngineJob::Calibration:
            return ContextStrip::tr("Calibrating rotations");
        case EngineJob::HeadProfileJob:
            return ContextStrip::tr("Measuring heads");
        case EngineJob::PrecisionMeasuring:
            return ContextStrip::tr("Measuring the precision");
    }
    return {};
}

QString activityText(const app::EngineView& engine) {
    if (engine.remote)
        return activityText(*engine.remote, engine.activity.value_or(EngineState::Idle));
    if (!engine.activity) return ContextStrip::tr("Engine stopped");
    switch (*engine.activity) {
        case EngineState::NoModel:
            return ContextStrip::tr("No model");
        case EngineState::Loading:
            return ContextStrip::tr("Loading");
        case EngineState::Idle:
            return ContextStrip::tr("Idle");
        case EngineState::Prefill:
            return ContextStrip::tr("Reading prompt");
        case EngineState::Decode:
            // The rate of another conversation's answer is not shown here.
            return engine.decodeTokensPerSecond > 0
                       ? ContextStrip::tr("Writing %1 tok/s")
                             .arg(app::rateText(engine.decodeTokensPerSecond))
                       : ContextStrip::tr("Writing");
    }
    return {};
}

QStringList activityForms(const app::EngineView& engine) {
    const bool idle = !engine.remote && engine.activity == EngineState::Idle;
    if (idle && engine.job != app::EngineJob::None) return {jobText(engine.job)};
    const QString text = activityText(engine);
    if (!idle || engine.decodeTokensPerSecond <= 0) return {text};
    return {ContextStrip::tr("Idle, last answer %1 tok/s")
                .arg(app::rateText(engine.decodeTokensPerSecond)),
            text};
}

/// All sentences, then the first one alone.
QStringList sentenceForms(const QString& line) {
    static const QRegularExpression end(QStringLiteral("[.] |\u3002"));
    const qsizetype first = line.indexOf(end);
    QStringList forms{line};
    if (first >= 0) forms << line.left(first + 1);
    return forms;
}

constexpr int kLeastMeter = 48;  ///< px; the texts next to it shrink
constexpr int kStripMargin = 16, kStripSpacing = 12;

}  // namespace

ContextMeter::ContextMeter(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent), m_themes(themes) {
    setFixedHeight(10);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(
        tipText(tr("Context in use. Dark: slots after compaction, mean over all heads. Thin line: "
                   "prompt read so far.")));
    setAccessible(this, tr("Context meter"));
    connect(&themes, &ThemeSource::changed, this, [this] { update(); });
}

void ContextMeter::show(const app::EngineView& engine,
                        const std::optional<app::PrefillView>& prefill) {
    m_engine = engine;
    m_prefill = prefill;
    if (engine.remote) {  // a remote engine reports tokens but no slots
        m_engine.contextTokens = engine.remote->contextTokens.value_or(0);
        m_engine.contextLimit = engine.remote->contextLimit.value_or(0);
        m_engine.slotsPerHead = 0;
    }
    setAccessibleDescription(contextForms(engine).front());
    update();
}

void ContextMeter::paintEvent(QPaintEvent*) {
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    const auto bar = [&](double share, const QColor& colour, QRectF box) {
        if (share <= 0) return;
        box.setWidth(std::max(box.width() * share, 3.0));
        painter.setBrush(colour);
        painter.drawRoundedRect(box, 3, 3);
    };
    const QRectF whole = QRectF(rect()).adjusted(0, 1, 0, -1);
    bar(1, theme.hairline, whole);
    QColor logical = theme.accent;
    logical.setAlphaF(0.35F);
    bar(shareOf(m_engine.contextTokens, m_engine.contextLimit), logical, whole);
    bar(shareOf(std::llround(m_engine.slotsPerHead), m_engine.contextLimit), theme.accent, whole);
    if (m_prefill) {
        const QRectF line = whole.adjusted(0, whole.height() - 3, 0, 0);
        bar(shareOf(m_prefill->total, m_engine.contextLimit), theme.hairline.darker(130), line);
        bar(shareOf(m_prefill->done, m_engine.contextLimit), theme.series.prefill, line);
    }
}

ContextStrip::ContextStrip(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_meter(new ContextMeter(themes, this)),
      m_context(shrinkingCaption(this)),
      m_activity(shrinkingCaption(this)),
      m_remote(shrinkingCaption(this)) {
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(kStripMargin, Spacing::unit, kStripMargin, Spacing::half);
    QHBoxLayout* top = rowLayout(nullptr, kStripSpacing);
    m_meter->setMinimumWidth(kLeastMeter);
    top->addWidget(m_context);
    top->addWidget(m_meter, 1);
    top->addWidget(m_activity);
    layout->addLayout(top);
    layout->addWidget(m_remote);
}

void ContextStrip::show(const app::EngineView& engine,
                        const std::optional<app::PrefillView>& prefill) {
    m_meter->show(engine, prefill);
    m_engine = engine;
    showContext();
    m_activity->setForms(prefill && prefill->total > 0 ? prefillForms(*prefill)
                                                       : activityForms(engine));
    m_activity->setToolTip(tipText(m_activity->text()));
    fit();
    m_remote->setVisible(engine.remote.has_value());
    if (!engine.remote) return;
    const QString line = remoteText(*engine.remote);
    m_remote->setForms(sentenceForms(QString(QChar(0x25C7)) + QLatin1Char(' ') + line));
    m_remote->setToolTip(tipText(line));
    setRole(m_remote,
            engine.remote->problem.isEmpty() ? QStringLiteral("secondary") : QStringLiteral("bad"));
}

void ContextStrip::showQuestion(std::optional<qint64> tokens) {
    m_question = tokens;
    showContext();
}

/// Shows how much of the free context a question will take before it is sent. The template adds a
/// few tokens, hence "about".
void ContextStrip::showContext() {
    QStringList forms = contextForms(m_engine);
    const bool counted = m_question && !m_engine.remote && m_engine.contextLimit > 0;
    const qint64 room = std::max<qint64>(0, m_engine.contextLimit - m_engine.contextTokens);
    const bool tooLong = counted && *m_question > room;
    const QString asked = tooLong ? tr(", and about %1 in the prompt: room for %2")
                                        .arg(app::countText(*m_question), app::countText(room))
                          : counted
                              ? tr(", and about %1 in the prompt").arg(app::countText(*m_question))
                              : QString();
    for (QString& form : forms) form += asked;
    m_context->setForms(forms);
    m_context->setToolTip(tipText(m_context->text()));
    setRole(m_context, tooLong ? QStringLiteral("bad") : QStringLiteral("secondary"));
    fit();
}

void ContextStrip::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit();
}

/// If both texts do not fit next to the meter, the form of the cache is dropped first, then the
/// rate of the last answer.
void ContextStrip::fit() {
    const int room = width() - 2 * kStripMargin - 2 * kStripSpacing - kLeastMeter;
    const qsizetype contexts = m_context->forms().size(), activities = m_activity->forms().size();
    for (qsizetype less = 0; less <= contexts + activities - 2; ++less) {
        for (qsizetype context = std::min(less, contexts - 1); context >= 0; --context) {
            const qsizetype activity = less - context;
            if (activity >= activities) break;
            const bool last = less == contexts + activities - 2;
            if (!last && m_context->widthOf(context) + m_activity->widthOf(activity) > room)
                continue;
            m_context->beginWith(context);
            m_activity->beginWith(activity);
            return;
        }
    }
}

}  // namespace lacuna::ui
