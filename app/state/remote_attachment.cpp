#include "app/state/remote_attachment.h"

#include <utility>

#include "app/state/chat/conversation_turns.h"
#include "app/state/engine/engine_router.h"
#include "app/state/engine/engine_text.h"
#include "app/state/engine/event_dispatcher.h"
#include "app/state/telemetry/session_feed.h"
#include "app/state/view_rows.h"
#include "engine/base/clock.h"
#include "engine/host/event_hub.h"
#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna::app {

// Events of a remote engine are not recorded, because they cannot be replayed.
struct RemoteAttachment::Events {
    EventDispatcher dispatcher;
    EventSubscription subscription;
};

RemoteAttachment::RemoteAttachment(EngineRouter& router, ConversationTurns& turns,
                                   SessionFeed& feed, MetricsStore& charts, QObject* parent)
    : QObject(parent),
      m_router(router),
      m_turns(turns),
      m_feed(feed),
      m_charts(charts),
      m_events(std::make_unique<Events>()) {
    EventDispatcher& dispatcher = m_events->dispatcher;
    dispatcher.subscribe(this, &RemoteAttachment::onState);
    dispatcher.subscribe(this, &RemoteAttachment::onTurnStarted);
    dispatcher.subscribe(this, &RemoteAttachment::onText);
    dispatcher.subscribe(this, &RemoteAttachment::onTurnFinished);
}

RemoteAttachment::~RemoteAttachment() = default;

QString RemoteAttachment::localEngineBlocker() const {
    return m_view ? tr("Answers now come from %1. Disconnect to use the local engine.")
                        .arg(m_view->name)
                  : QString();
}

void RemoteAttachment::attach(std::unique_ptr<CommandSink> engine, EventHub& events,
                              const RemoteView& view) {
    detach();
    m_events->subscription =
        events.subscribe({}, [this](const Event& event) { m_events->dispatcher.dispatch(event); });
    m_router.attach(std::move(engine));
    m_view = view;
    m_charts.exchange(m_localCharts);
    m_charts.setSource(view.name);
    m_feed.note(EventKind::Model,
                tr("Answers now come from %1 at %2").arg(view.name, view.address));
    m_feed.onState(StateChanged{EngineState::Idle});
    publishExchange();
}

void RemoteAttachment::detach() {
    if (!m_view) return;
    m_router.detach();
    m_events->subscription.close();
    m_feed.note(EventKind::Model, tr("Disconnected from %1").arg(m_view->name));
    m_view.reset();
    m_charts.exchange(m_localCharts);
    m_localCharts = MetricsStore();
    m_feed.onState(StateChanged{m_localState});
    publishExchange();
}

void RemoteAttachment::publishExchange() {
    m_feed.showRemote(m_view);
    Q_EMIT viewChanged();
    Q_EMIT exchanged();
    Q_EMIT changed();
}

void RemoteAttachment::show(const RemoteView& view) {
    const RemoteView before = *std::exchange(m_view, view);
    m_feed.showRemote(m_view);
    Q_EMIT viewChanged();
    if (before.model != view.model || before.family != view.family ||
        before.problem != view.problem)
        Q_EMIT changed();
}

void RemoteAttachment::subscribeTo(EventDispatcher& local) {
    local.subscribe<StateChanged>([this](const StateChanged& event) {
        m_localState = event.state;
        if (!m_view) m_feed.onState(event);
    });
}

void RemoteAttachment::onState(const StateChanged& event) {
    m_feed.onState(event);
    m_feed.flush();
}

void RemoteAttachment::onTurnStarted(const TurnStarted& event) {
    m_feed.note(EventKind::Turn, tr("Question sent to %1").arg(m_view->name));
    m_turns.onTurnStarted(event);
}

void RemoteAttachment::onText(const TokenText& event) {
    m_turns.onText(event.conversation.value, toQt(event.text));
}

void RemoteAttachment::onTurnFinished(const TurnFinished& event) {
    TurnRow row = rowOf(event, SteadyClock().nowNs());
    row.regenerateTokens.reset();
    m_charts.addTurns({row});
    if (event.error)
        m_feed.note(EventKind::Notice, engineText(event.error->what));
    else
        m_feed.note(EventKind::Turn,
                    tr("%1 answered (%2)").arg(m_view->name, engineText(row.finish)));
    // A prompt has at least one token, so zero indicates that the engine reported no counts.
    const bool counted = row.promptTokens > 0;
    if (counted) m_view->contextTokens = row.promptTokens + row.answerTokens;
    m_feed.showRemote(m_view);
    m_turns.onTurnFinished(event, counted ? std::optional(row) : std::nullopt);
}

}  // namespace lacuna::app
