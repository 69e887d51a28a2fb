#pragma once
/// \file
/// Queue of client requests and the slots that answer them. A slot is an engine conversation with
/// its cache. A request goes to the free slot whose cache shares the longest prefix with it, unless
/// salt or cache settings differ. Several answers to one prompt read it only once. All waiting
/// happens here; the engine never gets more work than it can do at once. Owned by the server's
/// thread.

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna::app {

/// Receives the events of a request's answers; called on the server's thread.
class AnswerListener {
  public:
    virtual ~AnswerListener() = default;
    virtual void started(int choice, const TurnStarted& turn, int slot) = 0;
    virtual void progressed(int choice, const PrefillProgress& progress) = 0;
    virtual void wrote(int choice, const TokenText& token) = 0;
    virtual void finished(int choice, const TurnFinished& turn) = 0;
};

struct QueuedRequest {
    Submit submit;           ///< the conversation is filled in by this class
    bool keepsCache = true;  ///< false for a private request: shares no cache, and its own is
                             ///< released as soon as its answer ends, for whatever reason
    std::optional<int> slot = std::nullopt;  ///< slot that must answer it; nullopt: any
    std::string salt = {};
    std::optional<CacheSettings> cache = std::nullopt;  ///< cache settings of this request alone
    int choice = 0;
    std::size_t prompt = 0;  ///< index of the prompt in the request; questions with the same index
                             ///< read it once
    std::chrono::steady_clock::time_point asked = {};  ///< time of queueing, set by ask()
};

class RequestScheduler {
  public:
    using Sender = std::function<void(Command)>;
    using Ticket = std::int64_t;
    static constexpr int kMaxWaiting = 32;  ///< requests of any kind

    struct Slot {
        ConversationId conversation{0};
        std::vector<TokenId> tokens = {};  ///< tokens that the cache begins with, as far as known
        std::string salt = {};
        std::optional<CacheSettings> cache = {};  ///< settings of this slot; nullopt: the server's
        std::optional<Ticket> ticket = {};        ///< ticket of the request being answered
        int choice = 0;
        bool busy = false;       ///< true until the engine reports the end of the answer
        bool moving = false;     ///< cache is being saved to or restored from a file
        bool keepsCache = true;  ///< false: the cache is released after the running answer
        std::int64_t group = 0;  ///< prompt group of the running answer (Submit::promptGroup)
        std::int64_t used = 0;
        std::chrono::steady_clock::time_point asked = {};  ///< queueing time of the running request
        std::int64_t promptTokens = 0, readTokens = 0, reusedTokens = 0, writtenTokens = 0;
        /// Tokens that another answer to the last prompt would read, and those before its newest
        /// user message that an edit of that message would read.
        std::int64_t regenerateTokens = 0, editTokens = 0;
        std::int64_t turns = 0;
    };

    /// `first` is the conversation of the first slot; the others are numbered consecutively.
    RequestScheduler(int slots, Sender send, ConversationId first = ConversationId(1));

    /// Enqueues all questions of a request; returns nullopt and takes none if kMaxWaiting requests
    /// are waiting. `listener` is kept until its last answer has ended or the ticket is cancelled.
    [[nodiscard]] std::optional<Ticket> ask(std::vector<QueuedRequest> questions,
                                            std::shared_ptr<AnswerListener> listener);
    /// Removes waiting questions and stops running answers; the listener is not notified any more.
    void cancel(Ticket ticket);
    /// Like cancel(), but the listener is notified of how each answer ended.
    void end(Ticket ticket);
    void take(const Event& event);
    /// Reports an error to the listener served by this conversation; nothing is reported after it.
    void fail(ConversationId conversation, Error error);

    [[nodiscard]] const std::vector<Slot>& slots() const { return m_slots; }
    [[nodiscard]] bool free(int slot) const;
    [[nodiscard]] int running() const;
    [[nodiscard]] int waiting() const { return static_cast<int>(m_waiting.size()); }
    [[nodiscard]] int waitingRequests() const;
    [[nodiscard]] std::int64_t turns() const { return m_turns; }

    /// Marks all caches as gone; called when their model is unloaded.
    void dropCaches();

    // --- manual cache operations; @pre free(slot) ---
    void erase(int slot);
    void move(int slot, Command command);
    /// Called after a restore. The contents of the restored cache are unknown, so the slot is used
    /// only when a request names it.
    void moved(int slot);

  private:
    struct Waiting {
        Ticket ticket;
        QueuedRequest question;
    };
    struct Client {
        Ticket ticket;
        std::shared_ptr<AnswerListener> listener;
        int open = 0;  ///< number of answers that have not ended
        std::vector<std::int64_t> groups = {};
    };
    /// Answers to the same prompt.
    struct Group {
        bool begun = false;  ///< the first answer was sent to the engine
        bool read = false;   ///< the first answer has read the prompt, or has ended
    };
    void groupByPrompt(std::vector<QueuedRequest>& questions, Client& client);
    void serve();
    [[nodiscard]] bool waitsForPrompt(const QueuedRequest& question) const;
    void promptRead(const Slot& slot);
    void release(Slot& slot);
    [[nodiscard]] std::optional<std::size_t> placeFor(const QueuedRequest& question) const;
    void begin(std::size_t place, Waiting next);
    [[nodiscard]] Slot* slotOf(ConversationId conversation);
    [[nodiscard]] Client* clientOf(const Slot& slot);
    [[nodiscard]] std::shared_ptr<AnswerListener> listenerOf(const Slot& slot);
    void on(const TurnFinished& turn);
    void close(Ticket ticket);

    const Sender m_send;
    std::vector<Slot> m_slots;
    std::deque<Waiting> m_waiting;
    std::vector<Client> m_clients;
    std::map<std::int64_t, Group> m_groups;
    std::int64_t m_nextGroup = 1;
    Ticket m_next = 1;
    std::int64_t m_turns = 0;
};

}  // namespace lacuna::app
