#include "app/remote/remote_engine.h"

#include <utility>
#include <vector>

namespace lacuna::app {

namespace {

/// Deleter for an answer that was abandoned.
void deleteSoon(RemoteChat* chat) {
    chat->arrived = nullptr;
    chat->ended = nullptr;
    chat->deleteLater();
}

/// Below this duration the rate reflects the network rather than the engine.
constexpr double kLeastSeconds = 0.25;

TurnStats statsOf(const RemoteAnswer& answer) {
    TurnStats stats;
    if (answer.usage) {
        stats.promptTokens = answer.usage->promptTokens;
        stats.generatedTokens = answer.usage->answerTokens;
        stats.reusedTokens = answer.usage->cachedTokens.value_or(0);
    }
    stats.timeToFirstTokenSeconds = stats.prefillSeconds = answer.firstTextSeconds;
    if (answer.writingSeconds >= kLeastSeconds) stats.decodeSeconds = answer.writingSeconds;
    return stats;
}

}  // namespace

RemoteEngine::RemoteEngine(RemoteClient& client, QString model)
    : m_client(client), m_model(std::move(model)) {
    m_textTimer.setSingleShot(true);
    m_textTimer.callOnTimeout([this] { postText(); });
}

RemoteEngine::~RemoteEngine() = default;

void RemoteEngine::send(Command command) {
    if (const auto* submit = std::get_if<Submit>(&command)) ask(*submit);
    if (const auto* stop = std::get_if<CancelTurn>(&command)) cancel(*stop);
    if (const auto* forget = std::get_if<ReleaseConversation>(&command))
        cancel(CancelTurn{forget->conversation});
}

void RemoteEngine::ask(const Submit& submit) {
    const ConversationId id = submit.conversation;
    auto* chat = new RemoteChat(m_client, chatRequest(submit, m_model.toStdString(), m_family));
    m_answers.insert_or_assign(id, Answer{++m_turns, 0, {}, {chat, deleteSoon}});
    chat->arrived = [this, id](const std::string& piece) { arrived(id, piece); };
    chat->ended = [this, id](const RemoteAnswer& answer) { ended(id, answer); };
    TurnStarted started;
    started.conversation = id;
    started.turn = m_turns;
    m_events.post(started);
    publishState();
}

void RemoteEngine::cancel(const CancelTurn& cancel) {
    std::vector<RemoteChat*> chats;  // stop() removes the answer from the map while it is iterated.
    for (const auto& [id, answer] : m_answers)
        if (!cancel.conversation || *cancel.conversation == id) chats.push_back(answer.chat.get());
    for (RemoteChat* chat : chats) chat->stop();
}

void RemoteEngine::arrived(ConversationId conversation, const std::string& piece) {
    const auto found = m_answers.find(conversation);
    if (found == m_answers.end()) return;
    found->second.waiting += piece;
    if (found->second.pieces == 0)
        postText();
    else if (!m_textTimer.isActive())
        m_textTimer.start(kTextMs);
}

/// Posts the accumulated text. Text left when an answer ends is part of TurnFinished.
void RemoteEngine::postText() {
    std::vector<TokenText> texts;  // Posting may end an answer, so texts are collected first.
    bool first = false;
    for (auto& [id, answer] : m_answers) {
        if (answer.waiting.empty()) continue;
        TokenText text;
        text.conversation = id;
        text.turn = answer.turn;
        text.index = answer.pieces++;
        text.text = std::exchange(answer.waiting, {});
        first = first || text.index == 0;
        texts.push_back(std::move(text));
    }
    for (TokenText& text : texts) m_events.post(std::move(text));
    if (first) publishState();
}

void RemoteEngine::ended(ConversationId conversation, const RemoteAnswer& answer) {
    const auto found = m_answers.find(conversation);
    if (found == m_answers.end()) return;
    TurnFinished finished;
    finished.conversation = conversation;
    finished.turn = found->second.turn;
    finished.reason = answer.reason;
    finished.text = answer.text;
    finished.stats = statsOf(answer);
    if (answer.problem)
        finished.error = Error{ErrorCode::Read, answer.problem->sentence.toStdString(), {}};
    // The chat is calling this function, so its deletion is deferred.
    found->second.chat.release()->deleteLater();
    m_answers.erase(found);
    m_events.post(finished);
    publishState();
}

void RemoteEngine::publishState() {
    EngineState state = EngineState::Idle;
    for (const auto& [id, answer] : m_answers) {
        if (answer.pieces > 0) state = EngineState::Decode;
        if (answer.pieces == 0 && state == EngineState::Idle) state = EngineState::Prefill;
    }
    m_events.post(StateChanged{state});
}

}  // namespace lacuna::app
