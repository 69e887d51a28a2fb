#include "engine/grammar/grammar_reader.h"

#include <algorithm>
#include <utility>

#include "engine/base/hash.h"

namespace lacuna {
namespace {

std::uint64_t pairKey(std::uint32_t a, std::uint32_t b) {
    return (std::uint64_t{a} << 32U) | b;
}

}  // namespace

GrammarReader::GrammarReader(std::shared_ptr<const Pushdown> grammar)
    : grammar_(std::move(grammar)),
      columns_(std::size_t{grammar_->classes().count} + grammar_->broadClasses().count) {
    clear();
    start_ = intern({{grammar_->startOf(grammar_->root()), kBottom}});
}

void GrammarReader::clear() {
    returns_.assign(1, Return{});  // kBottom
    returnIds_.clear();
    sets_.assign(1, Set{});  // kNowhere
    setIds_.clear();
    entered_.clear();
    transitions_.assign(1, std::vector<Place>(kBlock * columns_, kUnknown));
    std::fill_n(transitions_.front().begin(), columns_, kNowhere);
}

std::size_t GrammarReader::HashOfThreads::operator()(const std::vector<Thread>& threads) const {
    return hash64(std::as_bytes(std::span(threads)));
}

GrammarReader::Place GrammarReader::next(Place place, std::string_view bytes) {
    for (const char c : bytes) {
        place = next(place, static_cast<std::uint8_t>(c));
        if (place == kNowhere) break;
    }
    return place;
}

std::uint32_t GrammarReader::internReturn(std::uint32_t state, std::uint32_t older) {
    const auto [found, fresh] =
        returnIds_.try_emplace(pairKey(state, older), static_cast<std::uint32_t>(returns_.size()));
    if (fresh) returns_.push_back({state, older});
    return found->second;
}

/// Returns the state of everything reachable from `entries` without reading. With `mayEnd` the text
/// may end there in any case.
GrammarReader::Place GrammarReader::intern(std::vector<Thread> entries, bool mayEnd) {
    seen_.clear();
    work_ = std::move(entries);
    for (const Thread& thread : work_) seen_.insert(pairKey(thread.state, thread.returns));
    Set set;
    set.mayEnd = mayEnd;
    const auto add = [this](std::uint32_t state, std::uint32_t returns) {
        if (seen_.insert(pairKey(state, returns)).second) work_.push_back({state, returns});
    };
    while (!work_.empty()) {
        if (seen_.size() > kMaxMeanings) tooAmbiguous_ = true;
        if (seen_.size() > kMaxMeanings || !spend(1)) return kNowhere;
        const Thread thread = work_.back();
        work_.pop_back();
        const PushdownState& state = grammar_->state(thread.state);
        if (!state.bytes.empty()) set.threads.push_back(thread);
        for (const std::uint32_t target : state.empty) add(target, thread.returns);
        for (const CallEdge& call : state.calls) {
            const std::uint32_t returns = grammar_->state(call.behind).tail
                                              ? thread.returns
                                              : internReturn(call.behind, thread.returns);
            add(grammar_->startOf(call.rule), returns);
        }
        if (!state.final) continue;
        if (thread.returns == kBottom)
            set.mayEnd = true;
        else
            add(returns_[thread.returns].state, returns_[thread.returns].older);
    }
    if (set.threads.empty() && !set.mayEnd) return kNowhere;
    std::ranges::sort(set.threads);
    const std::uint64_t hash = hash64(std::as_bytes(std::span(set.threads)), set.mayEnd ? 1U : 0U);
    for (auto [at, end] = setIds_.equal_range(hash); at != end; ++at) {
        const Set& known = sets_[at->second];
        if (known.mayEnd == set.mayEnd && known.threads == set.threads) return at->second;
    }
    if (!spend(kStepsPerState)) return kNowhere;
    const auto place = static_cast<Place>(sets_.size());
    setIds_.emplace(hash, place);
    sets_.push_back(std::move(set));
    if (place / kBlock == transitions_.size())
        transitions_.emplace_back(kBlock * columns_, kUnknown);
    return place;
}

GrammarReader::Place GrammarReader::findNext(Place place, std::uint8_t byte) {
    if (!spend(sets_[place].threads.size())) return kNowhere;
    entries_.clear();
    for (const Thread& thread : sets_[place].threads)
        for (const ByteEdge& edge : grammar_->state(thread.state).bytes)
            if (byte >= edge.first && byte <= edge.last)
                entries_.push_back({edge.target, thread.returns});
    Place found = kNowhere;
    if (!entries_.empty()) {
        const auto [known, fresh] = entered_.try_emplace(entries_, kNowhere);
        if (fresh) known->second = intern(entries_);
        found = known->second;
    }
    return transition(place, grammar_->classes().of[byte]) = found;
}

GrammarReader::Place GrammarReader::findBroad(Place place, std::uint8_t byteClass) {
    const bool parts = std::ranges::any_of(sets_[place].threads, [&](const Thread& thread) {
        return grammar_->parts(grammar_->state(thread.state).shape, byteClass);
    });
    const Place found =
        parts ? kSplit : next(place, grammar_->broadClasses().representatives[byteClass]);
    return transition(place, grammar_->classes().count + std::size_t{byteClass}) = found;
}

GrammarReader::Place GrammarReader::keepOnly(Place place) {
    const Set kept = sets_[place];
    const std::vector<Return> before = std::move(returns_);
    clear();
    start_ = intern({{grammar_->startOf(grammar_->root()), kBottom}});
    // Threads share the older parts of their return stacks; each entry is copied once.
    std::vector<std::uint32_t> now(before.size(), kUnknown);
    now[kBottom] = kBottom;
    std::vector<Thread> threads;
    std::vector<std::uint32_t> chain;
    for (const Thread& thread : kept.threads) {
        chain.clear();
        for (std::uint32_t r = thread.returns; now[r] == kUnknown; r = before[r].older)
            chain.push_back(r);
        for (auto r = chain.rbegin(); r != chain.rend(); ++r)
            now[*r] = internReturn(before[*r].state, now[before[*r].older]);
        threads.push_back({thread.state, now[thread.returns]});
    }
    return intern(std::move(threads), kept.mayEnd);
}

}  // namespace lacuna
