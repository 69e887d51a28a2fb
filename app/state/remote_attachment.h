#pragma once
/// \file
/// The remote engine that answers conversations instead of the local one. Meanwhile the charts and
/// the status show its figures, and those of the local engine are kept. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "app/state/telemetry/metrics_store.h"
#include "app/state/view_types.h"

namespace lacuna {
class CommandSink;
class EventHub;
struct StateChanged;
struct TokenText;
struct TurnFinished;
struct TurnStarted;
}  // namespace lacuna

namespace lacuna::app {

class ConversationTurns;
class EngineRouter;
class EventDispatcher;
class SessionFeed;

class RemoteAttachment final : public QObject {
    Q_OBJECT

  public:
    /// All arguments outlive this object. `charts` is the store that the window shows.
    RemoteAttachment(EngineRouter& router, ConversationTurns& turns, SessionFeed& feed,
                     MetricsStore& charts, QObject* parent = nullptr);
    ~RemoteAttachment() override;

    /// The attached engine; nullopt if the local engine answers.
    [[nodiscard]] const std::optional<RemoteView>& view() const { return m_view; }
    /// Returns the reason why operations of the local engine are unavailable; empty if they are
    /// available.
    [[nodiscard]] QString localEngineBlocker() const;
    /// Routes conversations to `engine`, which publishes in `events` on this thread, until
    /// detach().
    void attach(std::unique_ptr<CommandSink> engine, EventHub& events, const RemoteView& view);
    void detach();
    /// Updates the view of the attached engine. @pre an engine is attached
    void show(const RemoteView& view);
    /// The store for figures of the local engine, also while charts show a remote one.
    [[nodiscard]] MetricsStore& localCharts() { return m_view ? m_localCharts : m_charts; }

    /// Subscribes to the state of the local engine.
    void subscribeTo(EventDispatcher& local);

  Q_SIGNALS:
    /// Emitted first when another engine answers.
    void exchanged();
    /// Emitted when the name or the model of the remote engine may have changed.
    void viewChanged();
    /// Emitted when another engine answers, or when the model, family or problem of the remote
    /// engine changes.
    void changed();

  private:
    struct Events;

    void onState(const StateChanged& event);
    void onTurnStarted(const TurnStarted& event);
    void onText(const TokenText& event);
    void onTurnFinished(const TurnFinished& event);
    void publishExchange();

    EngineRouter& m_router;
    ConversationTurns& m_turns;
    SessionFeed& m_feed;
    MetricsStore& m_charts;
    MetricsStore m_localCharts;  ///< figures of the local engine while an engine is attached
    EngineState m_localState = EngineState::NoModel;
    std::optional<RemoteView> m_view;
    std::unique_ptr<Events> m_events;  ///< events of the remote engine
};

}  // namespace lacuna::app
