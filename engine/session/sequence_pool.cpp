#include "engine/session/sequence_pool.h"

#include <algorithm>

namespace lacuna {

Result<Sequence*> SequencePool::use(ConversationId id, const Maker& make, const InUse& inUse) {
    const auto found = std::ranges::find(entries_, id, &Entry::id);
    if (found != entries_.end()) {
        entries_.splice(entries_.begin(), entries_, found);
        return entries_.front().sequence.get();
    }
    makeRoom(inUse);
    LACUNA_TRY(auto sequence, make());
    entries_.push_front({id, std::move(sequence)});
    return entries_.front().sequence.get();
}

void SequencePool::makeRoom(const InUse& inUse) {
    for (auto oldest = entries_.end(); oldest != entries_.begin();) {
        if (static_cast<int>(entries_.size()) < most_) return;
        --oldest;
        if (inUse(oldest->id)) continue;
        const ConversationId id = oldest->id;
        evicted_.insert(id);
        oldest = entries_.erase(oldest);
        if (released_) released_(id);
    }
}

Sequence* SequencePool::find(ConversationId id) {
    const auto found = std::ranges::find(entries_, id, &Entry::id);
    return found == entries_.end() ? nullptr : found->sequence.get();
}

void SequencePool::remove(ConversationId id) {
    std::erase_if(entries_, [id](const Entry& entry) { return entry.id == id; });
    evicted_.erase(id);
}

void SequencePool::release(ConversationId id) {
    remove(id);
    evicted_.insert(id);
    if (released_) released_(id);
}

void SequencePool::clear() {
    entries_.clear();
    evicted_.clear();
}

void SequencePool::forEach(const std::function<void(Sequence&)>& visit) {
    for (Entry& entry : entries_) visit(*entry.sequence);
}

void SequencePool::forEachNamed(const std::function<void(ConversationId, Sequence&)>& visit) {
    for (Entry& entry : entries_) visit(entry.id, *entry.sequence);
}

}  // namespace lacuna
