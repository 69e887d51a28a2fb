#include "engine/generate/look_back.h"

#include <algorithm>
#include <numeric>

#include "engine/kv/eviction/eviction_plan.h"

namespace lacuna {
namespace {

/// Returns the positions for which a head has no slot.
std::vector<bool> evictedBy(const KvHeadView& head, std::int64_t tokens) {
    std::vector<bool> evicted(static_cast<std::size_t>(tokens), true);
    const SlotPositions slots{head.positions, head.slots, tokens, head.bias};
    for (int slot = 0; slot < slots.slots; ++slot)
        if (!slots.isHole(slot) && slots.at(slot) < tokens)
            evicted[static_cast<std::size_t>(slots.at(slot))] = false;
    return evicted;
}

/// Returns, for each token [tokens], the highest attention from a head that has evicted it or may
/// do so soon.
std::vector<float> missed(const ReconstructionScores& looked, const KvCache& cache,
                          const TokenSpan& due) {
    std::vector<float> most(static_cast<std::size_t>(looked.tokens), 0.0F);
    for (int i = 0; i < cache.shape().headCount(); ++i) {
        const auto [layer, number] = cache.shape().placeOf(i);
        const KvHeadView head = cache.head(layer, number);
        if (head.window > 0) continue;  // it evicts by age, which a restore does not change
        const std::vector<bool> evicted = evictedBy(head, looked.tokens);
        const std::span<const float> shares = looked.of(layer, number);
        for (std::size_t j = 0; j < most.size(); ++j)
            if (evicted[j] || due.has(static_cast<std::int64_t>(j)))
                most[j] = std::max(most[j], shares[j]);
    }
    return most;
}

/// Shorter runs are not meaningful.
constexpr std::int64_t kShortestRun = 8;

/// Returns the tokens around `at`, at most `room`. If room is short, three quarters of it are after
/// the token.
TokenSpan around(std::int64_t at, std::int64_t tokens, std::int64_t room,
                 const LookBackLimits& limits) {
    const std::int64_t after = std::min<std::int64_t>(limits.after, (room - 1) * 3 / 4);
    const std::int64_t before = std::min<std::int64_t>(limits.before, room - 1 - after);
    return {std::max<std::int64_t>(0, at - before), std::min(tokens, at + 1 + after)};
}

struct Reader {
    const AutoRestoreDependencies& dependencies;
    std::int64_t end;  ///< number of tokens in text and question

    Status read(KvCache& cache, std::span<const TokenId> tokens, QueryObserver* observer) const {
        const auto chunk = static_cast<std::size_t>(std::max(dependencies.chunk, 1));
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = LogitsFor::None,
                               .observer = observer,
                               .promptEnd = Position(static_cast<std::int32_t>(end))};
            LACUNA_TRY(
                [[maybe_unused]] const auto none,
                dependencies.model.forward({&run, 1}, {.cancelled = dependencies.cancelled}));
        }
        return {};
    }
};

}  // namespace

KeptSpans neededSpans(const ReconstructionScores& looked, const KvCache& cache,
                      const LookBackLimits& limits) {
    const std::vector<float> most = missed(looked, cache, limits.due);
    std::vector<std::int64_t> order(most.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater{},
                             [&](std::int64_t at) { return most[static_cast<std::size_t>(at)]; });
    KeptSpans found;
    for (const std::int64_t at : order) {
        if (most[static_cast<std::size_t>(at)] < limits.least) break;
        if (keeps(found, at)) continue;
        const std::int64_t room = limits.room - tokensOf(found);
        if (room < kShortestRun) break;
        KeptSpans more = withSpan(found, around(at, looked.tokens, room, limits));
        if (more.size() > limits.spans) break;
        found = std::move(more);
    }
    std::ranges::reverse(found);
    return found;
}

Result<KeptSpans> neededBy(const LookBackQuestion& asked, KvCache& full,
                           const AutoRestoreDependencies& dependencies,
                           const LookBackLimits& limits) {
    const auto tokens = static_cast<std::int64_t>(asked.text.size());
    const Reader reader{dependencies, tokens + static_cast<std::int64_t>(asked.question.size())};
    LACUNA_TRY_STATUS(reader.read(
        full, asked.text.subspan(static_cast<std::size_t>(full.offset().value)), nullptr));
    ReconstructionObserver looking(full, tokens, dependencies.facts.heads,
                                   LogitScaling{.scale = dependencies.facts.scale,
                                                .softCap = dependencies.facts.softCap,
                                                .sinks = dependencies.facts.sinks.get()},
                                   dependencies.pool);
    if (asked.question.empty()) return KeptSpans{};
    LACUNA_TRY_STATUS(reader.read(full, asked.question.first(asked.question.size() - 1), &looking));
    // The last token is read by a copy, because the caller feeds it again when it continues with
    // `full`.
    LACUNA_TRY(const auto aside, full.share());
    LACUNA_TRY_STATUS(reader.read(*aside, asked.question.last(1), &looking));
    return neededSpans(looking.take(), asked.cache, limits);
}

}  // namespace lacuna
