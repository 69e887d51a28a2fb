#pragma once
/// \file
/// Owns the caches of conversations and releases the least recently used one first. Owned by the
/// engine thread.

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <utility>

#include "engine/base/ids.h"
#include "engine/generate/sequence.h"

namespace lacuna {

class SequencePool {
  public:
    using Maker = std::function<Result<std::unique_ptr<Sequence>>()>;

    /// Called after the cache of a conversation was released to make room for others.
    using Released = std::function<void(ConversationId)>;
    explicit SequencePool(int most, Released released = {})
        : most_(most < 1 ? 1 : most), released_(std::move(released)) {}

    using InUse = std::function<bool(ConversationId)>;

    /// Returns the sequence of a conversation, creating it if there is none; it becomes the most
    /// recently used. Sequences in use are never released, even if that exceeds the capacity by
    /// one. Errors: as the maker's.
    [[nodiscard]] Result<Sequence*> use(ConversationId id, const Maker& make, const InUse& inUse);
    /// Returns null if the conversation has no cache. Does not count as a use.
    [[nodiscard]] Sequence* find(ConversationId id);
    void remove(ConversationId id);
    /// Releases a cache in the same way as when room is made for others.
    void release(ConversationId id);
    void clear();
    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    /// True once after the cache of this conversation was released to make room for others.
    [[nodiscard]] bool consumeEvictedMark(ConversationId id) { return evicted_.erase(id) > 0; }
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
