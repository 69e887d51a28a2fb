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
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

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

/// Sentence case: the words are used alone or after "Engine".
QString jobText(app::EngineJob job) {
    using app::EngineJob;
    switch (job) {
        case EngineJob::None:
            break;
        case EngineJob::Compaction:
            return ContextStrip::tr("compacting");
        case EngineJob::Recoding:
            return ContextStrip::tr("changing the cache format");
        case EngineJob::Estimate:
            return ContextStrip::tr("estimating a compaction");
        case EngineJob::RatioTrials:
            return ContextStrip::tr("trying ratios");
        case EngineJob::Comparison:
            return ContextStrip::tr("comparing settings");
        case EngineJob::Sweep:
            return ContextStrip::tr("sweeping settings");
        case EngineJob::QualityTable:
            return ContextStrip::tr("measuring quality");
        case EngineJob::Calibration:
            return ContextStrip::tr("calibrating rotations");
        case EngineJob::HeadProfileJob:
            return ContextStrip::tr("measuring heads");
        case EngineJob::PrecisionMeasuring:
            return ContextStrip::tr("measuring the precision");
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
            return ContextStrip::tr("Writing %1 tok/s")
                .arg(app::rateText(engine.decodeTokensPerSecond));
    }
    return {};
}

QStringList activityForms(const app::EngineView& engine) {
    const bool idle = !engine.remote && engine.activity == EngineState::Idle;
    if (idle && engine.job != app::EngineJob::None)
        return {ContextStrip::tr("Engine %1").arg(jobText(engine.job))};
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
      m_context(yieldingCaption(this)),
      m_activity(yieldingCaption(this)),
      m_compression(yieldingCaption(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kStripMargin, 6, kStripMargin, 2);
    layout->setSpacing(4);
    auto* top = new QHBoxLayout;
    top->setSpacing(kStripSpacing);
    m_meter->setMinimumWidth(kLeastMeter);
    top->addWidget(m_context);
    top->addWidget(m_meter, 1);
    top->addWidget(m_activity);
    layout->addLayout(top);
    layout->addWidget(m_compression);
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
    if (engine.remote) {
        const QString line = remoteText(*engine.remote);
        m_compression->setForms(sentenceForms(QString(QChar(0x25C7)) + QLatin1Char(' ') + line));
        m_compression->setToolTip(tipText(line));
        setRole(m_compression, engine.remote->problem.isEmpty() ? QStringLiteral("secondary")
                                                                : QStringLiteral("bad"));
        return;
    }
    const QString sign = engine.compressionActive ? QString(QChar(0x25CF)) : QString(QChar(0x25CB));
    m_compression->setForms(sentenceForms(sign + QLatin1Char(' ') + engine.compressionLine));
    m_compression->setToolTip(tipText(engine.compressionLine));
    setRole(m_compression,
            engine.compressionActive ? QStringLiteral("good") : QStringLiteral("secondary"));
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

namespace {

/// Bytes if the engine reports them, otherwise how full its cache is; never an unreported figure.
QString cacheText(const app::RemoteView& remote) {
    if (remote.liveBytes && remote.allocatedBytes)
        return StatusLine::tr("KV %1 / %2")
            .arg(app::bytesText(*remote.liveBytes), app::bytesText(*remote.allocatedBytes));
    if (remote.cacheShare)
        return StatusLine::tr("KV %1 in use").arg(app::percentText(*remote.cacheShare));
    return StatusLine::tr("KV not reported");
}

constexpr int kAfterField = 16;   ///< px
constexpr int kFieldSpacing = 8;  ///< px; upper bound of the bar's own layout spacing

QString stateText(const app::EngineView& engine) {
    if (!engine.activity) return StatusLine::tr("stopped");
    if (!engine.remote && engine.activity == EngineState::Idle &&
        engine.job != app::EngineJob::None)
        return jobText(engine.job);
    switch (*engine.activity) {
        case EngineState::NoModel:
            return StatusLine::tr("no model");
        case EngineState::Loading:
            return StatusLine::tr("loading");
        case EngineState::Idle:
            return StatusLine::tr("idle");
        case EngineState::Prefill:
            return StatusLine::tr("reading prompt");
        case EngineState::Decode:
            return StatusLine::tr("writing");
    }
    return {};
}

}  // namespace

StatusLine::StatusLine(const app::MachineView& machine, QWidget* parent)
    : QStatusBar(parent), m_machine(machine) {
    setSizeGripEnabled(false);
    setContentsMargins(8, 0, 8, 0);
    m_keeping = field(tr("Conversations"),
                      tr("Conversations that are not saved to disk; the timeline shows why"));
    m_wanted.remove(m_keeping);
    m_activity = field(tr("Engine state"), tr("What the engine does now"));
    m_memory = field(tr("Memory"), tr("Resident memory of the program"));
    m_cache =
        field(tr("Cache bytes"), tr("Keys and values: live (valid slots) / allocated (buffers)"));
    m_recoding = field(tr("Cache format"),
                       tr("The cache is being converted to another format between steps and keeps "
                          "its old one until then. Cache formats can cancel it"));
    m_wanted.remove(m_recoding);
    m_prefixes =
        field(tr("Prefix cache"), tr("Prefixes stored for other conversations (prefix_cache); rows "
                                     "that conversations also hold are not copied"));
    m_threads = field(tr("Threads"), tr("Compute threads"));
    m_drops =
        field(tr("Dropped samples"), tr("Telemetry samples skipped because the window was busy"));
    m_revision = field(tr("Settings generation"), tr("Generation of the current settings"));
    show(app::EngineView{});
}

QLabel* StatusLine::field(const QString& name, const QString& tooltip) {
    QLabel* label = yieldingCaption(this);
    label->setToolTip(tipText(tooltip));
    setAccessible(label, name, tooltip);
    addWidget(label);
    m_wanted.insert(label);
    return label;
}

void StatusLine::want(QLabel* label, bool wanted) {
    if (wanted)
        m_wanted.insert(label);
    else
        m_wanted.remove(label);
}

bool StatusLine::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) fit();  // a figure became longer
    return QStatusBar::event(event);
}

void StatusLine::resizeEvent(QResizeEvent* event) {
    QStatusBar::resizeEvent(event);
    fit();
}

/// A figure is shown completely or not at all.
void StatusLine::fit() {
    const std::array fields{m_keeping,  m_activity, m_memory,  m_cache, m_recoding,
                            m_prefixes, m_revision, m_threads, m_drops};
    const int room = width() - contentsMargins().left() - contentsMargins().right();
    int taken = kFieldSpacing;
    for (QLabel* label : fields) {
        const bool wanted = m_wanted.contains(label);
        // Set every time: a style change removes the margins of a label narrower than they are.
        label->setContentsMargins(0, 0, kAfterField, 0);
        if (wanted) taken += label->sizeHint().width() + kFieldSpacing;
        const bool seen = wanted && taken <= room;
        if (seen == !label->isHidden()) continue;
        label->setVisible(seen);
        label->updateGeometry();  // its text may have changed while hidden
    }
}

void StatusLine::showKeeping(int conversations, const QString& problem) {
    m_keeping->setText(conversations == 0 ? tr("Conversations not saved")
                       : conversations == 1
                           ? tr("1 conversation not saved")
                           : tr("%1 conversations not saved").arg(app::countText(conversations)));
    setAccessible(m_keeping, tr("Conversations"), problem);
    want(m_keeping, !problem.isEmpty());
    fit();
}

void StatusLine::showRecoding(const std::optional<app::RecodingView>& recoding) {
    const bool running = recoding && !recoding->ended;
    if (running)
        m_recoding->setText(
            tr("%1 to %2, %3")
                .arg(recoding->from, recoding->to, app::percentText(recoding->share)));
    want(m_recoding, running);
    fit();
}

void StatusLine::show(const app::EngineView& engine) {
    m_activity->setText(tr("Engine %1").arg(stateText(engine)));
    m_memory->setText(engine.rssBytes > 0 ? tr("RSS %1").arg(app::bytesText(engine.rssBytes))
                                          : tr("RSS -"));
    m_cache->setText(
        tr("KV %1 / %2")
            .arg(app::bytesText(engine.liveBytes), app::bytesText(engine.allocatedBytes)));
    if (engine.remote) {
        m_activity->setText(tr("Remote engine %1").arg(stateText(engine)));
        m_cache->setText(cacheText(*engine.remote));
    }
    m_prefixes->setText(tr("Prefixes %1").arg(app::bytesText(engine.prefixBytes)));
    const int threads = engine.threads > 0 ? engine.threads : m_machine.cores;
    m_threads->setText(threads == 1 ? tr("1 thread, %1").arg(m_machine.isa)
                                    : tr("%1 threads, %2").arg(threads).arg(m_machine.isa));
    m_drops->setText(tr("%1 dropped").arg(app::countText(engine.samplesDropped)));
    m_revision->setText(tr("Generation %1").arg(engine.revision));
    want(m_prefixes, engine.prefixEntries > 0 && !engine.remote);
    // These figures describe the local engine, which is not in use.
    for (QLabel* local : {m_threads, m_drops, m_revision}) want(local, !engine.remote);
    fit();
}

}  // namespace lacuna::ui
