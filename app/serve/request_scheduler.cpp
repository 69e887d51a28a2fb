#include "app/serve/request_scheduler.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace lacuna::app {
namespace {

std::size_t common(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
    return static_cast<std::size_t>(std::distance(a.begin(), std::ranges::mismatch(a, b).in1));
}

/// A cache that was compacted under different settings cannot be reused.
bool sharesCache(const RequestScheduler::Slot& slot, const QueuedRequest& question) {
    return slot.salt == question.salt && slot.cache == question.cache;
}

}  // namespace

RequestScheduler::RequestScheduler(int slots, Sender send, ConversationId first)
    : m_send(std::move(send)) {
    for (int i = 0; i < slots; ++i)
        m_slots.push_back({.conversation = ConversationId(first.value + i)});
}

std::optional<RequestScheduler::Ticket> RequestScheduler::ask(
    std::vector<QueuedRequest> questions, std::shared_ptr<AnswerListener> listener) {
    if (waitingRequests() >= kMaxWaiting) return std::nullopt;
    const Ticket ticket = m_next++;
    m_clients.push_back({ticket, std::move(listener), static_cast<int>(questions.size())});
    groupByPrompt(questions, m_clients.back());
    for (QueuedRequest& question : questions) {
        question.asked = std::chrono::steady_clock::now();
        m_waiting.push_back({ticket, std::move(question)});
    }
    serve();
    return ticket;
}

void RequestScheduler::groupByPrompt(std::vector<QueuedRequest>& questions, Client& client) {
    std::map<std::size_t, std::int64_t> groups;
    for (QueuedRequest& question : questions) {
        if (std::ranges::count(questions, question.prompt, &QueuedRequest::prompt) < 2) continue;
        const auto [group, fresh] = groups.emplace(question.prompt, m_nextGroup);
        if (fresh) {
            m_groups[m_nextGroup] = {};
            client.groups.push_back(m_nextGroup++);
        }
        question.submit.promptGroup = group->second;
    }
}

int RequestScheduler::waitingRequests() const {
    int count = 0;
    std::optional<Ticket> before;
    for (const Waiting& one : m_waiting)
        if (std::exchange(before, one.ticket) != one.ticket) ++count;
    return count;
}

int RequestScheduler::running() const {
    return static_cast<int>(std::ranges::count_if(m_slots, &Slot::busy));
}

bool RequestScheduler::free(int slot) const {
    const Slot& one = m_slots[static_cast<std::size_t>(slot)];
    return !one.busy && !one.moving;
}

/// Starts waiting questions, oldest first. A question that waits for a particular slot, or for
/// another answer to read its prompt, does not block the others.
void RequestScheduler::serve() {
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
        if (waitsForPrompt(next->question)) {
            ++next;
            continue;
        }
        const auto place = placeFor(next->question);
        if (!place) {
            if (!next->question.slot) return;
            ++next;
            continue;
        }
        Waiting taken = std::move(*next);
        next = m_waiting.erase(next);
        begin(*place, std::move(taken));
    }
}

std::optional<std::size_t> RequestScheduler::placeFor(const QueuedRequest& question) const {
    if (question.slot) {
        if (!free(*question.slot)) return std::nullopt;
        return static_cast<std::size_t>(*question.slot);
    }
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        const Slot& slot = m_slots[i];
        if (slot.busy || slot.moving) continue;
        // A private question cannot use the cache, so it must not occupy the slot with the longest
        // common prefix.
        const bool shares = question.keepsCache && sharesCache(slot, question);
        const std::size_t shared = shares ? common(slot.tokens, question.submit.prompt) : 0;
        // Ties go to the least recently used slot, so that recent caches survive.
        if (!best || shared > most || (shared == most && slot.used < m_slots[*best].used)) {
            best = i;
            most = shared;
        }
    }
    return best;
}

void RequestScheduler::begin(std::size_t place, Waiting next) {
    Slot& slot = m_slots[place];
    QueuedRequest& question = next.question;
    if (!question.keepsCache || !sharesCache(slot, question)) release(slot);
    if (slot.cache != question.cache) {
        m_send(SetCacheSettings{
            .revision = {}, .conversation = slot.conversation, .own = question.cache});
        slot.cache = question.cache;
    }
    slot.salt = question.salt;
    slot.keepsCache = question.keepsCache;
    slot.group = question.submit.promptGroup;
    if (slot.group != 0) m_groups[slot.group].begun = true;
    slot.busy = true;
    slot.ticket = next.ticket;
    slot.choice = question.choice;
    slot.used = ++m_turns;
    slot.asked = question.asked;
    slot.tokens = question.submit.prompt;
    slot.promptTokens = static_cast<std::int64_t>(slot.tokens.size());
    slot.readTokens = slot.reusedTokens = slot.writtenTokens = 0;
    ++slot.turns;
    question.submit.conversation = slot.conversation;
    m_send(std::move(question.submit));
}

void RequestScheduler::cancel(Ticket ticket) {
    std::erase_if(m_waiting, [ticket](const Waiting& one) { return one.ticket == ticket; });
    for (Slot& slot : m_slots) {
        if (!slot.busy || slot.ticket != ticket) continue;
        slot.ticket.reset();
        m_send(CancelTurn{slot.conversation});
    }
    close(ticket);
}

void RequestScheduler::end(Ticket ticket) {
    std::vector<int> never;
    std::erase_if(m_waiting, [&](const Waiting& one) {
        if (one.ticket == ticket) never.push_back(one.question.choice);
        return one.ticket == ticket;
    });
    for (Slot& slot : m_slots)
        if (slot.busy && slot.ticket == ticket) m_send(CancelTurn{slot.conversation});
    const auto client = std::ranges::find(m_clients, ticket, &Client::ticket);
    if (client == m_clients.end()) return;
    const std::shared_ptr<AnswerListener> listener = client->listener;
    client->open -= static_cast<int>(never.size());
    if (client->open == 0) close(ticket);
    TurnFinished cancelled;
    cancelled.reason = FinishReason::Cancelled;
    for (const int choice : never) listener->finished(choice, cancelled);
}

void RequestScheduler::fail(ConversationId conversation, Error error) {
    Slot* const slot = slotOf(conversation);
    if (slot == nullptr || !slot->busy) return;
    const int choice = slot->choice;
    const auto listener = listenerOf(*slot);
    m_send(CancelTurn{conversation});
    if (Client* client = clientOf(*slot))
        if (--client->open == 0) close(client->ticket);
    slot->ticket.reset();
    TurnFinished failed;
    failed.conversation = conversation;
    failed.reason = FinishReason::Error;
    failed.error = std::move(error);
    if (listener) listener->finished(choice, failed);
}

/// Called after the answers were cancelled or have ended; the engine can drop the shared prompts.
void RequestScheduler::close(Ticket ticket) {
    const auto client = std::ranges::find(m_clients, ticket, &Client::ticket);
    if (client == m_clients.end()) return;
    for (const std::int64_t group : client->groups) {
        m_groups.erase(group);
        m_send(EndPromptGroup{group});
    }
    m_clients.erase(client);
}

bool RequestScheduler::waitsForPrompt(const QueuedRequest& question) const {
    const auto group = m_groups.find(question.submit.promptGroup);
    return group != m_groups.end() && group->second.begun && !group->second.read;
}

/// Lets the other answers to the prompt of this slot begin.
void RequestScheduler::promptRead(const Slot& slot) {
    const auto group = m_groups.find(slot.group);
    if (group == m_groups.end() || std::exchange(group->second.read, true)) return;
    serve();
}

void RequestScheduler::release(Slot& slot) {
    m_send(ReleaseConversation{slot.conversation});
    slot.tokens.clear();
    slot.promptTokens = slot.readTokens = slot.reusedTokens = slot.writtenTokens = 0;
    slot.regenerateTokens = slot.editTokens = 0;
}

RequestScheduler::Slot* RequestScheduler::slotOf(ConversationId conversation) {
    const auto found = std::ranges::find(m_slots, conversation, &Slot::conversation);
    return found == m_slots.end() ? nullptr : &*found;
}

RequestScheduler::Client* RequestScheduler::clientOf(const Slot& slot) {
    if (!slot.ticket) return nullptr;
    const auto found = std::ranges::find(m_clients, *slot.ticket, &Client::ticket);
    return found == m_clients.end() ? nullptr : &*found;
}

/// Returns shared ownership because a listener may end its own request.
std::shared_ptr<AnswerListener> RequestScheduler::listenerOf(const Slot& slot) {
    const Client* const client = clientOf(slot);
    return client == nullptr ? nullptr : client->listener;
}

void RequestScheduler::take(const Event& event) {
    if (const auto* started = std::get_if<TurnStarted>(&event)) {
        Slot* const slot = slotOf(started->conversation);
        if (slot == nullptr) return;
        slot->reusedTokens = started->reusedTokens;
        if (const auto listener = listenerOf(*slot))
            listener->started(slot->choice, *started, static_cast<int>(slot - m_slots.data()));
    } else if (const auto* progress = std::get_if<PrefillProgress>(&event)) {
        Slot* const slot = slotOf(progress->conversation);
        if (slot == nullptr) return;
        slot->readTokens = progress->done;
        if (const auto listener = listenerOf(*slot)) listener->progressed(slot->choice, *progress);
        // The last prompt token is fed together with the step that draws from it.
        if (progress->done + 1 >= progress->total) promptRead(*slot);
    } else if (const auto* token = std::get_if<TokenText>(&event)) {
        Slot* const slot = slotOf(token->conversation);
        if (slot == nullptr) return;
        slot->writtenTokens = token->index + 1;
        if (const auto listener = listenerOf(*slot)) listener->wrote(slot->choice, *token);
    } else if (const auto* turn = std::get_if<TurnFinished>(&event)) {
        on(*turn);
    }
}

void RequestScheduler::on(const TurnFinished& turn) {
    Slot* const slot = slotOf(turn.conversation);
    if (slot == nullptr || !slot->busy) return;
    slot->busy = false;
    slot->tokens.insert(slot->tokens.end(), turn.tokens.begin(), turn.tokens.end());
    slot->writtenTokens = turn.stats.generatedTokens;
    slot->regenerateTokens = turn.stats.regenerateTokens;
    slot->editTokens = turn.stats.editTokens;
    std::shared_ptr<AnswerListener> listener;
    if (Client* client = clientOf(*slot)) {
        listener = client->listener;
        if (--client->open == 0) close(client->ticket);
    }
    slot->ticket.reset();
    const int choice = slot->choice;
    if (!slot->keepsCache) release(*slot);
    if (const auto group = m_groups.find(slot->group); group != m_groups.end())
        group->second.read = true;
    if (listener) listener->finished(choice, turn);
    serve();
}

void RequestScheduler::dropCaches() {
    for (Slot& slot : m_slots) slot.tokens.clear();
}

void RequestScheduler::erase(int slot) {
    LACUNA_REQUIRE(free(slot), "a slot is erased only while it is free");
    release(m_slots[static_cast<std::size_t>(slot)]);
}

void RequestScheduler::move(int slot, Command command) {
    LACUNA_REQUIRE(free(slot), "a cache is moved only while its slot is free");
    m_slots[static_cast<std::size_t>(slot)].moving = true;
    m_send(std::move(command));
}

void RequestScheduler::moved(int slot) {
    m_slots[static_cast<std::size_t>(slot)].moving = false;
    serve();
}

}  // namespace lacuna::app
