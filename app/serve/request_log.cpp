#include "app/serve/request_log.h"

#include <algorithm>

namespace lacuna::app {

double LoggedRequest::seconds(Clock::time_point now) const {
    return std::chrono::duration<double>((end ? newest : now) - began).count();
}

std::optional<double> LoggedRequest::tokensPerSecond() const {
    const double seconds = std::chrono::duration<double>(newest - firstToken).count();
    if (answerTokens < 2 || seconds <= 0) return std::nullopt;
    return static_cast<double>(answerTokens - 1) / seconds;
}

LoggedRequest* RequestLog::running(ConversationId conversation) {
    const auto id = m_running.find(conversation);
    if (id == m_running.end()) return nullptr;
    const auto found = std::ranges::find(m_requests, id->second, &LoggedRequest::id);
    return found == m_requests.end() ? nullptr : &*found;
}

void RequestLog::begin(const TurnStarted& turn, const std::vector<RequestScheduler::Slot>& slots,
                       Clock::time_point now) {
    const auto slot =
        std::ranges::find(slots, turn.conversation, &RequestScheduler::Slot::conversation);
    if (slot == slots.end()) return;
    LoggedRequest request;
    request.id = ++m_last;
    request.began = slot->asked;
    request.asked =
        std::chrono::system_clock::now() -
        std::chrono::duration_cast<std::chrono::system_clock::duration>(now - slot->asked);
    request.newest = now;
    request.promptTokens = turn.promptTokens;
    request.readTokens = request.reusedTokens = turn.reusedTokens;
    m_running[turn.conversation] = request.id;
    m_requests.push_front(std::move(request));
    if (m_requests.size() > kMaxEntries) m_requests.pop_back();
}

void RequestLog::take(const Event& event, const std::vector<RequestScheduler::Slot>& slots,
                      Clock::time_point now) {
    if (const auto* started = std::get_if<TurnStarted>(&event)) {
        begin(*started, slots, now);
    } else if (const auto* progress = std::get_if<PrefillProgress>(&event)) {
        if (LoggedRequest* const one = running(progress->conversation))
            one->readTokens = progress->done;
    } else if (const auto* token = std::get_if<TokenText>(&event)) {
        LoggedRequest* const one = running(token->conversation);
        if (one == nullptr || token->index < one->answerTokens) return;
        if (one->answerTokens == 0) one->firstToken = now;
        one->newest = now;
        one->answerTokens = token->index + 1;
        one->readTokens = one->promptTokens;
    } else if (const auto* turn = std::get_if<TurnFinished>(&event)) {
        LoggedRequest* const one = running(turn->conversation);
        m_running.erase(turn->conversation);
        if (one == nullptr) return;
        one->end = turn->reason;
        one->newest = now;
        one->answerTokens = turn->stats.generatedTokens;
        if (turn->error) one->problem = turn->error->what;
    }
}

}  // namespace lacuna::app
