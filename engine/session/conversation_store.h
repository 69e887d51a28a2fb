#pragma once
/// \file
/// The caches of conversations, the least recently used given back first. Owned by the engine
/// thread.

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <utility>

#include "engine/base/ids.h"
#include "engine/generate/sequence.h"

namespace lacuna {

class ConversationStore {
  public:
    using Maker = std::function<Result<std::unique_ptr<Sequence>>()>;

    /// Called after the cache of a conversation was released to make room for others.
    using Released = std::function<void(ConversationId)>;
    explicit ConversationStore(int most, Released released = {})
        : most_(most < 1 ? 1 : most), released_(std::move(released)) {}

    using InUse = std::function<bool(ConversationId)>;

    /// The sequence of a conversation, made when there is none; it becomes the most recently used.
    /// Those in use are never given back, also where that makes one more than there should be.
    /// Errors: as the maker's.
    [[nodiscard]] Result<Sequence*> use(ConversationId id, const Maker& make, const InUse& inUse);
    /// Null when the conversation has no cache. Does not count as use.
    [[nodiscard]] Sequence* find(ConversationId id);
    void forget(ConversationId id);
    /// As when room is made for others.
    void giveBack(ConversationId id);
    void clear();
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    /// True once after the cache of this conversation was given back to make room for others.
    [[nodiscard]] bool takeEvictedMark(ConversationId id) { return evicted_.erase(id) > 0; }
    void forEach(const std::function<void(Sequence&)>& visit);
    void forEachNamed(const std::function<void(ConversationId, Sequence&)>& visit);

  private:
    void makeRoom(const InUse& inUse);

    struct Entry {
        ConversationId id;
        std::unique_ptr<Sequence> sequence;
    };
    const int most_;
    std::list<Entry> entries_;  ///< most recently used first
    std::set<ConversationId> evicted_;
    const Released released_;
};

}  // namespace lacuna
