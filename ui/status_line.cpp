#include "ui/status_line.h"

#include <QLabel>

#include "app/state/number_format.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

QString activityText(std::optional<EngineState> activity) {
    if (!activity) return StatusLine::tr("stopped");
    switch (*activity) {
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
                      tr("What is written here is not on disk; the timeline says why"));
    m_keeping->hide();
    m_activity = field(tr("Engine state"), tr("What the engine does now"));
    m_memory = field(tr("Memory"), tr("Resident memory of the whole program"));
    m_cache =
        field(tr("Cache bytes"), tr("Keys and values: live (valid slots) / allocated (buffers)"));
    m_threads = field(tr("Threads"), tr("Compute threads"));
    m_drops = field(tr("Dropped samples"),
                    tr("Telemetry samples left out because the window stood still"));
    m_revision = field(tr("Settings generation"), tr("Generation of the settings in force"));
    show(app::EngineView{});
}

QLabel* StatusLine::field(const QString& name, const QString& tooltip) {
    QLabel* label = captionLabel({}, this);
    label->setToolTip(tipText(tooltip));
    label->setContentsMargins(0, 0, 16, 0);
    setAccessible(label, name, tooltip);
    addWidget(label);
    return label;
}

void StatusLine::showKeeping(int conversations, const QString& problem) {
    m_keeping->setText(conversations == 0 ? tr("Conversations not kept")
                       : conversations == 1
                           ? tr("1 conversation not on disk")
                           : tr("%1 conversations not on disk").arg(app::countText(conversations)));
    setAccessible(m_keeping, tr("Conversations"), problem);
    m_keeping->setVisible(!problem.isEmpty());
}

void StatusLine::show(const app::EngineView& engine) {
    m_activity->setText(tr("Engine %1").arg(activityText(engine.activity)));
    m_memory->setText(engine.rssBytes > 0 ? tr("RSS %1").arg(app::bytesText(engine.rssBytes))
                                          : tr("RSS -"));
    m_cache->setText(
        tr("KV %1 / %2")
            .arg(app::bytesText(engine.liveBytes), app::bytesText(engine.allocatedBytes)));
    const int threads = engine.threads > 0 ? engine.threads : m_machine.cores;
    m_threads->setText(threads == 1 ? tr("1 thread, %1").arg(m_machine.isa)
                                    : tr("%1 threads, %2").arg(threads).arg(m_machine.isa));
    m_drops->setText(tr("%1 dropped").arg(app::countText(engine.samplesDropped)));
    m_revision->setText(tr("Generation %1").arg(engine.revision));
}

}  // namespace lacuna::ui
