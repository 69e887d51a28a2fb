#include "app/serve/answer_desk.h"

#include <algorithm>
#include <utility>

#include "engine/base/check.h"

namespace lacuna::app {
namespace {

std::size_t common(const std::vector<TokenId>& a, const std::vector<TokenId>& b) {
    return static_cast<std::size_t>(std::distance(a.begin(), std::ranges::mismatch(a, b).in1));
}

/// A cache that was compacted under other settings is not what was asked for.
bool sharesCache(const AnswerDesk::Slot& slot, const DeskQuestion& question) {
    return slot.salt == question.salt && slot.cache == question.cache;
}

}  // namespace

AnswerDesk::AnswerDesk(int slots, Sender send, ConversationId first) : m_send(std::move(send)) {
    for (int i = 0; i < slots; ++i)
        m_slots.push_back({.conversation = ConversationId(first.value + i)});
}

std::optional<AnswerDesk::Ticket> AnswerDesk::ask(std::vector<DeskQuestion> questions,
                                                  std::shared_ptr<AnswerListener> listener) {
    if (waitingRequests() >= kMaxWaiting) return std::nullopt;
    const Ticket ticket = m_next++;
    m_clients.push_back({ticket, std::move(listener), static_cast<int>(questions.size())});
    for (DeskQuestion& question : questions) {
        question.asked = std::chrono::steady_clock::now();
        m_waiting.push_back({ticket, std::move(question)});
    }
    serve();
    return ticket;
}

int AnswerDesk::waitingRequests() const {
    int count = 0;
    std::optional<Ticket> before;
    for (const Waiting& one : m_waiting)
        if (std::exchange(before, one.ticket) != one.ticket) ++count;
    return count;
}

int AnswerDesk::running() const {
    return static_cast<int>(std::ranges::count_if(m_slots, &Slot::busy));
}

bool AnswerDesk::free(int slot) const {
    const Slot& one = m_slots[static_cast<std::size_t>(slot)];
    return !one.busy && !one.moving;
}

/// The oldest question that has a place begins; one that waits for its own place holds nobody up.
void AnswerDesk::serve() {
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
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

std::optional<std::size_t> AnswerDesk::placeFor(const DeskQuestion& question) const {
    if (question.slot) {
        if (!free(*question.slot)) return std::nullopt;
        return static_cast<std::size_t>(*question.slot);
    }
    std::optional<std::size_t> best;
    std::size_t most = 0;
    for (std::size_t i = 0; i < m_slots.size(); ++i) {
        const Slot& slot = m_slots[i];
        if (slot.busy || slot.moving) continue;
        const std::size_t shared =
            sharesCache(slot, question) ? common(slot.tokens, question.submit.prompt) : 0;
        // Among equals the one that was used longest ago: what others know is kept.
        if (!best || shared > most || (shared == most && slot.used < m_slots[*best].used)) {
            best = i;
            most = shared;
        }
    }
    return best;
}

void AnswerDesk::begin(std::size_t place, Waiting next) {
    Slot& slot = m_slots[place];
    DeskQuestion& question = next.question;
    if (!question.keepsCache || !sharesCache(slot, question)) {
        m_send(ForgetConversation{slot.conversation});
        slot.tokens.clear();
    }
    if (slot.cache != question.cache) {
        m_send(SetCacheSettings{
            .revision = {}, .conversation = slot.conversation, .own = question.cache});
        slot.cache = question.cache;
    }
    slot.salt = question.salt;
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

void AnswerDesk::cancel(Ticket ticket) {
    std::erase_if(m_waiting, [ticket](const Waiting& one) { return one.ticket == ticket; });
    for (Slot& slot : m_slots) {
        if (!slot.busy || slot.ticket != ticket) continue;
        slot.ticket.reset();
        m_send(CancelTurn{slot.conversation});
    }
    close(ticket);
}

void AnswerDesk::end(Ticket ticket) {
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
    TurnFinished unheard;
    unheard.reason = FinishReason::Cancelled;
    for (const int choice : never) listener->finished(choice, unheard);
}

void AnswerDesk::fail(ConversationId conversation, Error error) {
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

void AnswerDesk::close(Ticket ticket) {
    std::erase_if(m_clients, [ticket](const Client& one) { return one.ticket == ticket; });
}

AnswerDesk::Slot* AnswerDesk::slotOf(ConversationId conversation) {
    const auto found = std::ranges::find(m_slots, conversation, &Slot::conversation);
    return found == m_slots.end() ? nullptr : &*found;
}

AnswerDesk::Client* AnswerDesk::clientOf(const Slot& slot) {
    if (!slot.ticket) return nullptr;
    const auto found = std::ranges::find(m_clients, *slot.ticket, &Client::ticket);
    return found == m_clients.end() ? nullptr : &*found;
}

/// A share of it: what a listener does may end its request.
std::shared_ptr<AnswerListener> AnswerDesk::listenerOf(const Slot& slot) {
    const Client* const client = clientOf(slot);
    return client == nullptr ? nullptr : client->listener;
}

void AnswerDesk::take(const Event& event) {
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
    } else if (const auto* token = std::get_if<TokenText>(&event)) {
        Slot* const slot = slotOf(token->conversation);
        if (slot == nullptr) return;
        slot->writtenTokens = token->index + 1;
        if (const auto listener = listenerOf(*slot)) listener->wrote(slot->choice, *token);
    } else if (const auto* turn = std::get_if<TurnFinished>(&event)) {
        on(*turn);
    }
}

void AnswerDesk::on(const TurnFinished& turn) {
    Slot* const slot = slotOf(turn.conversation);
    if (slot == nullptr || !slot->busy) return;
    slot->busy = false;
    slot->tokens.insert(slot->tokens.end(), turn.tokens.begin(), turn.tokens.end());
    slot->writtenTokens = turn.stats.generatedTokens;
    std::shared_ptr<AnswerListener> listener;
    if (Client* client = clientOf(*slot)) {
        listener = client->listener;
        if (--client->open == 0) close(client->ticket);
    }
    slot->ticket.reset();
    const int choice = slot->choice;
    if (listener) listener->finished(choice, turn);
    serve();
}

void AnswerDesk::forgetCaches() {
    for (Slot& slot : m_slots) slot.tokens.clear();
}

void AnswerDesk::erase(int slot) {
    LACUNA_REQUIRE(free(slot), "a place is emptied while nobody is answered in it");
    Slot& one = m_slots[static_cast<std::size_t>(slot)];
    m_send(ForgetConversation{one.conversation});
    one.tokens.clear();
    one.promptTokens = one.readTokens = one.reusedTokens = one.writtenTokens = 0;
}

void AnswerDesk::move(int slot, Command command) {
    LACUNA_REQUIRE(free(slot), "a cache is moved while nobody is answered from it");
    m_slots[static_cast<std::size_t>(slot)].moving = true;
    m_send(std::move(command));
}

void AnswerDesk::moved(int slot) {
    m_slots[static_cast<std::size_t>(slot)].moving = false;
    serve();
}

}  // namespace lacuna::app
