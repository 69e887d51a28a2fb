#include "engine/kv/eviction/prepared_scores.h"

#include <algorithm>

#include "engine/kv/eviction/eviction_scores.h"

namespace lacuna {

namespace {

/// Returns true if the scores of an eviction from `tokens` tokens are final before it is due.
bool known(const EvictionOptions& options, std::int64_t tokens) {
    if (options.policy == EvictionPolicy::KeyDiff) return true;
    return options.policy == EvictionPolicy::TriAttention && options.attention != nullptr &&
           options.attention->known(scoreRequest(options, tokens));
}

}  // namespace

void PreparedScores::advance(KvCache& cache, const EvictionOptions& options, std::int64_t steps,
                             ThreadPool& pool) {
    if (steps < 1) return clear();
    const std::int64_t tokens = cache.offset().value;
    const std::int64_t due = tokens + steps;
    const std::int64_t anchorEnd = keyDiffAnchorEnd(due, options.rule.keepRecent);
    if (anchorEnd > tokens || !known(options, due)) return clear();
    const std::int64_t compactions = cache.stats().compactions;
    const auto heads = static_cast<std::size_t>(cache.shape().headCount());
    if (cache_ != &cache || policy_ != options.policy || attention_ != options.attention ||
        compactions_ != compactions || tokensWhenDue_ != due || anchorEnd_ != anchorEnd ||
        scores_.size() != heads) {
        cache_ = &cache;
        policy_ = options.policy;
        attention_ = options.attention;
        compactions_ = compactions;
        tokensWhenDue_ = due;
        anchorEnd_ = anchorEnd;
        scores_.assign(heads, {});
        next_ = 0;
    }
    const std::size_t left = heads - next_;
    const auto stepsLeft = static_cast<std::size_t>(std::max<std::int64_t>(steps - 1, 1));
    const std::size_t count = (left + stepsLeft - 1) / stepsLeft;
    pool.parallelFor(static_cast<int>(count), [&](int task) {
        const std::size_t head = next_ + static_cast<std::size_t>(task);
        scores_[head] = scoreHead(cache, options, due, head);
        scores_[head].reserve(scores_[head].size() + static_cast<std::size_t>(steps));
    });
    next_ += count;
}

bool PreparedScores::fit(const KvCache& cache, const EvictionOptions& options) const {
    return cache_ == &cache && policy_ == options.policy && attention_ == options.attention &&
           cache.offset().value == tokensWhenDue_ &&
           keyDiffAnchorEnd(tokensWhenDue_, options.rule.keepRecent) == anchorEnd_ &&
           cache.stats().compactions == compactions_;
}

std::span<const float> PreparedScores::of(std::size_t head, std::size_t slots) {
    SlotScores& scores = scores_[head];
    if (scores.empty() || scores.size() > slots) return {};
    scores.resize(slots, 0.0F);
    return scores;
}

void PreparedScores::clear() {
    *this = PreparedScores();
}

void PreparedScores::dropFrom(std::int64_t tokens) {
    if (tokens < anchorEnd_) clear();
}

}  // namespace lacuna
