#pragma once
/// \file
/// A remote engine that answers conversations: it takes the commands that begin and stop answers
/// and publishes what the local engine would publish of them. It ignores commands about caches and
/// settings. GUI thread; it blocks nowhere and posts on that thread.

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <string>

#include "app/remote/remote_chat.h"
#include "app/remote/remote_client.h"
#include "engine/host/event_hub.h"
#include "engine/session/command.h"

namespace lacuna::app {

class RemoteEngine final : public CommandSink {
  public:
    /// Minimum interval between two text events, because the cost of an update grows with the
    /// length of the answer.
    static constexpr int kTextMs = 33;

    /// @pre `client` outlives this object.
    RemoteEngine(RemoteClient& client, QString model);
    ~RemoteEngine() override;

    [[nodiscard]] EventHub& events() { return m_events; }
    void send(Command command) override;

    void setModel(const QString& model) { m_model = model; }
    void setFamily(EngineFamily family) { m_family = family; }

  private:
    struct Answer {
        std::int64_t turn = 0;
        std::int64_t pieces = 0;
        std::string waiting = {};  ///< text not posted yet
        std::unique_ptr<RemoteChat, void (*)(RemoteChat*)> chat;
    };
    void ask(const Submit& submit);
    void cancel(const CancelTurn& cancel);
    void arrived(ConversationId conversation, const std::string& piece);
    void postText();
    void ended(ConversationId conversation, const RemoteAnswer& answer);
    void publishState();

    RemoteClient& m_client;
    QString m_model;
    EngineFamily m_family = EngineFamily::Unknown;
    EventHub m_events;
    std::map<ConversationId, Answer> m_answers;
    std::int64_t m_turns = 0;
    QTimer m_textTimer;
};

}  // namespace lacuna::app
