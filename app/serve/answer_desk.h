#pragma once
/// \file
/// Questions of clients that wait, and the places they are answered in. A place ("slot") is a
/// conversation of the engine with its cache: a question goes to the free one whose cache begins as
/// it does, so that what is common is not read again. Questions with another salt, or with other
/// cache settings of their own, never share a cache, and the cache of a private question is given
/// back as soon as its answer ends, whatever ended it. Several answers to one prompt read it once:
/// the others begin when the first one has read it. Everything that waits, waits here, and the
/// engine has no more to do than it can do at once. Owned by the server's thread.

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

/// Whoever asked; called on the server's thread.
class AnswerListener {
  public:
    virtual ~AnswerListener() = default;
    virtual void started(int choice, const TurnStarted& turn, int slot) = 0;
    virtual void progressed(int choice, const PrefillProgress& progress) = 0;
    virtual void wrote(int choice, const TokenText& token) = 0;
    virtual void finished(int choice, const TurnFinished& turn) = 0;
};

struct DeskQuestion {
    Submit submit;           ///< its conversation is filled in here
    bool keepsCache = true;  ///< false: private, nothing of it is left to other questions
    std::optional<int> slot = std::nullopt;  ///< must be answered there
    std::string salt = {};
    std::optional<CacheSettings> cache = std::nullopt;  ///< of its own
    int choice = 0;
    std::size_t prompt = 0;  ///< of the request's; questions with the same one are read once
    std::chrono::steady_clock::time_point asked = {};  ///< by the desk
};

class AnswerDesk {
  public:
    using Sender = std::function<void(Command)>;
    using Ticket = std::int64_t;
    static constexpr int kMaxWaiting = 32;  ///< requests, whatever they ask for at once

    struct Slot {
        ConversationId conversation{0};
        std::vector<TokenId> tokens = {};  ///< its cache begins with, as far as is known
        std::string salt = {};
        std::optional<CacheSettings> cache = {};  ///< its own; none: those of all
        std::optional<Ticket> ticket = {};        ///< of the request that is answered in it
        int choice = 0;
        bool busy = false;       ///< until the engine says that the answer has ended
        bool moving = false;     ///< its cache goes to a file or comes from one
        bool keepsCache = true;  ///< after the answer that is written
        std::int64_t group = 0;  ///< of that answer (Submit::promptGroup)
        std::int64_t used = 0;
        std::chrono::steady_clock::time_point asked = {};  ///< what is answered in it
        std::int64_t promptTokens = 0, readTokens = 0, reusedTokens = 0, writtenTokens = 0;
        std::int64_t turns = 0;
    };

    /// `first` is the conversation of the first place; the others follow.
    AnswerDesk(int slots, Sender send, ConversationId first = ConversationId(1));

    /// Takes all questions of a request, or none: nothing when as many requests wait as may.
    /// `listener` is kept until its last answer has ended, or the ticket is cancelled.
    [[nodiscard]] std::optional<Ticket> ask(std::vector<DeskQuestion> questions,
                                            std::shared_ptr<AnswerListener> listener);
    /// Takes waiting questions back and stops running answers; the listener hears nothing more.
    void cancel(Ticket ticket);
    /// Stops them as well, and the listener hears how they ended.
    void end(Ticket ticket);
    void take(const Event& event);
    /// Whoever is answered in this conversation hears of an error, and nothing more.
    void fail(ConversationId conversation, Error error);

    [[nodiscard]] const std::vector<Slot>& slots() const { return m_slots; }
    [[nodiscard]] bool free(int slot) const;
    [[nodiscard]] int running() const;
    [[nodiscard]] int waiting() const { return static_cast<int>(m_waiting.size()); }
    [[nodiscard]] int waitingRequests() const;
    [[nodiscard]] std::int64_t turns() const { return m_turns; }

    /// The caches are gone, with the model they were of.
    void forgetCaches();

    // --- caches by hand; @pre free(slot) ---
    void erase(int slot);
    void move(int slot, Command command);
    /// What a restored cache holds is not known here: it is used when it is named.
    void moved(int slot);

  private:
    struct Waiting {
        Ticket ticket;
        DeskQuestion question;
    };
    struct Client {
        Ticket ticket;
        std::shared_ptr<AnswerListener> listener;
        int open = 0;  ///< answers that have not ended
        std::vector<std::int64_t> groups = {};
    };
    /// Answers to one prompt.
    struct Group {
        bool begun = false;  ///< the first one was sent to the engine
        bool read = false;   ///< it has read the prompt, or has ended
    };
    void groupByPrompt(std::vector<DeskQuestion>& questions, Client& client);
    void serve();
    [[nodiscard]] bool waitsForPrompt(const DeskQuestion& question) const;
    void promptRead(const Slot& slot);
    void forget(Slot& slot);
    [[nodiscard]] std::optional<std::size_t> placeFor(const DeskQuestion& question) const;
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
