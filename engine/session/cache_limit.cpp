#include "engine/session/cache_limit.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/generate/cache_shape.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {
namespace {

// Fraction of the limit that is freed beyond what the step needs, so that not every step compacts.
constexpr std::int64_t kSlackOneIn = 16;
// Bytes that each slot of a head stores besides key and value after a compaction: position, bias,
// length.
constexpr std::int64_t kColumnBytes = 12;
// A compaction that leaves some layers uncompressed frees less than its budget suggests, so the
// budget is tightened and tried again.
constexpr int kAttempts = 3;
// Rows are moved in slices of this size until the step fits.
constexpr std::int64_t kSliceBytes = std::int64_t{1} << 20;

std::string mib(std::int64_t bytes) {
    return format("{:.1f} MiB", static_cast<double>(bytes) / kMiB);
}

struct LimitedCache {
    ConversationId id;
    Sequence* sequence = nullptr;
    std::int64_t bytes = 0;
    KvOptions options;
    int slots = 0;         ///< in the largest head
    double slotBytes = 0;  ///< bytes of one slot in every head after a compaction
};

class CacheLimiter {
  public:
    explicit CacheLimiter(const CacheLimitContext& dependencies)
        : dependencies_(dependencies),
          limit_(static_cast<std::int64_t>(dependencies.limitMiB * kMiB)) {
        for (const CacheGrowth& one : dependencies.growth) {
            const Sequence* sequence = dependencies.conversations.find(one.conversation);
            const auto held = sequence == nullptr
                                  ? std::int64_t{0}
                                  : static_cast<std::int64_t>(sequence->tokens().size());
            needed_ += growthBytes(dependencies.model, dependencies.configOf(one.conversation).kv,
                                   held, one.tokens);
            if (sequence != nullptr) needed_ += sequence->checkpointGrowth(one.tokens);
        }
    }

    [[nodiscard]] Status keep() {
        while (!fits() && dependencies_.releasePrefix && dependencies_.releasePrefix()) {
        }
        if (!fits())
            dependencies_.conversations.forEach([](Sequence& one) { one.dropCheckpoints(); });
        if (fits()) return {};
        why_ = format("the caches reached the limit of {}", mib(limit_));
        compactAll();
        while (!fits() && releaseOne()) {
        }
        if (fits()) return {};
        // The limit takes precedence over an unanswered prompt.
        sparesQuestions_ = false;
        compactAll();
        if (fits()) return {};
        return fail(ErrorCode::NoMemory, refusal());
    }

  private:
    [[nodiscard]] std::int64_t allHeld() const {
        std::int64_t bytes = 0;
        dependencies_.conversations.forEach(
            [&](Sequence& one) { bytes += heldBytes(one.cache()) + one.checkpointBytes(); });
        return bytes;
    }
    [[nodiscard]] bool fits() const {
        const std::int64_t stored = dependencies_.prefixBytes ? dependencies_.prefixBytes() : 0;
        return liveCacheBytes(dependencies_.conversations) + stored + needed_ <= limit_;
    }

    [[nodiscard]] std::vector<LimitedCache> held() const {
        std::vector<LimitedCache> all;
        dependencies_.conversations.forEachNamed([&](ConversationId id, Sequence& sequence) {
            const KvStats stats = sequence.cache().stats();
            const KvShape& shape = sequence.cache().shape();
            const int heads = shape.headCount();
            const double slots =
                static_cast<double>(stats.slotsTotal) / static_cast<double>(std::max(heads, 1));
            double slotBytes = static_cast<double>(stats.liveBytes) / std::max(slots, 1.0);
            if (stats.compactions == 0) slotBytes += static_cast<double>(kColumnBytes * heads);
            all.push_back({id, &sequence, stats.liveBytes, dependencies_.configOf(id).kv,
                           stats.slotsLargestHead, slotBytes});
        });
        return all;
    }

    [[nodiscard]] static bool compacts(const LimitedCache& one) {
        return one.options.method != CompactionMethod::None;
    }
    [[nodiscard]] static int leastBudget(const LimitedCache& one) {
        return one.options.nSink + one.options.keepRecent + 1;
    }
    /// Returns the slots that its heads keep if every head may keep `budget`.
    [[nodiscard]] static int share(const LimitedCache& one, int budget) {
        return std::max(budget, leastBudget(one));
    }

    /// Returns the largest common budget with which all caches fit, except those that must keep
    /// more; 1 if none fits.
    [[nodiscard]] int budgetFor(const std::vector<LimitedCache>& all) const {
        const std::int64_t room = limit_ - needed_ - limit_ / kSlackOneIn;
        const auto takes = [&](int budget) {
            double bytes = 0;
            for (const LimitedCache& one : all)
                bytes += !compacts(one) || one.slots <= share(one, budget)
                             ? static_cast<double>(one.bytes)
                             : one.slotBytes * static_cast<double>(share(one, budget));
            return bytes;
        };
        int fits = 1;
        int tooMany = 1;
        for (const LimitedCache& one : all) tooMany = std::max(tooMany, one.slots + 1);
        while (tooMany - fits > 1) {
            const int middle = fits + (tooMany - fits) / 2;
            (takes(middle) <= static_cast<double>(room) ? fits : tooMany) = middle;
        }
        return fits;
    }

    void compactAll() {
        for (int attempt = 0; attempt < kAttempts && !fits(); ++attempt) {
            const bool smaller = compactLargest();
            closeUp();
            if (!smaller) return;
        }
    }

    /// Returns true if any cache lost slots.
    bool compactLargest() {
        const std::vector<LimitedCache> all = held();
        const int budget = budgetFor(all);
        bool smaller = false;
        for (const LimitedCache& one : all)
            if (compacts(one) && one.slots > share(one, budget))
                smaller = compact(one, share(one, budget)) || smaller;
        return smaller;
    }

    bool compact(const LimitedCache& one, int budget) const {
        KvOptions options = one.options;
        options.budget = std::min(options.budget.value_or(budget), budget);
        CompactionReport report = one.sequence->compactor().compact(
            one.sequence->cache(), options,
            {.cause = CompactionCause::MemoryLimit, .protectsQuestion = sparesQuestions_});
        const bool smaller = report.slotsAfter < report.slotsBefore;
        CompactionNotes notes{noteOf(CompactionReason::CacheLimitReached, mib(limit_))};
        if (!sparesQuestions_) notes.push_back({CompactionReason::QuestionCompacted});
        notes.insert(notes.end(), report.notes.begin(), report.notes.end());
        report.notes = std::move(notes);
        // If sparing the prompt leaves nothing to gain, the prompt itself is compacted later, and
        // only that is reported.
        const bool leavesItThere = sparesQuestions_ && report.result == CompactionResult::Skipped;
        if (!leavesItThere) dependencies_.onCompacted(one.id, std::move(report));
        return smaller;
    }

    /// Moves rows into the slots of dropped ones, no more than the step needs. Holes that coming
    /// tokens will fill stay open.
    void closeUp() {
        dependencies_.conversations.forEach([&](Sequence& sequence) {
            if (allHeld() + needed_ <= limit_) return;
            while (defragmentCache(sequence.cache(), kSliceBytes, dependencies_.pool) &&
                   allHeld() + needed_ > limit_) {
            }
            // No token is evicted, but the compactor must look at the moved slots again.
            sequence.compactor().dropFrom(sequence.cache().offset());
        });
    }

    /// Releases the least recently used idle cache.
    [[nodiscard]] bool releaseOne() const {
        std::optional<ConversationId> oldest;
        dependencies_.conversations.forEachNamed([&](ConversationId id, Sequence&) {
            const auto grows = [id](const CacheGrowth& one) { return one.conversation == id; };
            if (std::ranges::none_of(dependencies_.growth, grows)) oldest = id;
        });
        if (!oldest) return false;
        dependencies_.conversations.release(*oldest);
        dependencies_.notice({format("The cache of an idle conversation was released: {}.", why_)});
        return true;
    }

    [[nodiscard]] std::string refusal() const {
        const std::string sizes =
            format("the caches hold {} and the next step needs {} more, above the limit of {}",
                   mib(allHeld()), mib(needed_), mib(limit_));
        int least = 0;
        for (const LimitedCache& one : held())
            if (compacts(one)) least = std::max(least, leastBudget(one));
        if (least == 0)
            return sizes +
                   "; choose a compaction method, raise cache_limit or start a new conversation";
        return sizes + format(
                           "; compaction keeps at least {} slots per head: raise cache_limit, "
                           "lower keep_recent or start a new conversation",
                           least);
    }

    const CacheLimitContext& dependencies_;
    std::int64_t limit_ = 0;
    std::int64_t needed_ = 0;  ///< bytes that the step needs
    bool sparesQuestions_ = true;
    std::string why_;
};

}  // namespace

std::vector<CacheGrowth> growthOf(std::span<Turn* const> turns, const ConfigOf& configOf) {
    std::vector<CacheGrowth> growth;
    for (const Turn* turn : turns)
        growth.push_back({turn->conversation(), turn->stepTokens(configOf(turn->conversation()))});
    return growth;
}

std::int64_t liveCacheBytes(SequencePool& conversations) {
    std::int64_t bytes = 0;
    conversations.forEach([&](Sequence& sequence) {
        bytes += sequence.cache().stats().contentBytes() + sequence.checkpointBytes();
    });
    return bytes;
}

std::int64_t passBytes(double cacheLimitMiB, SequencePool& conversations) {
    if (cacheLimitMiB <= 0) return std::numeric_limits<std::int64_t>::max();
    return static_cast<std::int64_t>(cacheLimitMiB * kMiB) - liveCacheBytes(conversations);
}

std::int64_t heldBytes(const KvCache& cache) {
    const KvShape& shape = cache.shape();
    std::int64_t rows = 0;
    std::int64_t live = 0;
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int head = 0; head < shape.heads(LayerIndex(layer)); ++head) {
            rows += cache.head(LayerIndex(layer), HeadIndex(head)).slots;
            live += cache.slots(LayerIndex(layer), HeadIndex(head));
        }
    const KvStats stats = cache.stats();
    const std::int64_t bytes = stats.liveBytes;
    if (rows == live || live == 0) return bytes + stats.recurrentBytes();
    return stats.recurrentBytes() +
           static_cast<std::int64_t>(static_cast<double>(bytes) * static_cast<double>(rows) /
                                     static_cast<double>(live));
}

std::int64_t growthBytes(const CacheModel& model, const KvOptions& options, std::int64_t held,
                         int tokens) {
    const std::int64_t rows =
        cacheBytes(model, options, held + tokens) - cacheBytes(model, options, held);
    if (options.method == CompactionMethod::None) return rows;
    return rows + kColumnBytes * plainShapeOf(model).headCount() * tokens;
}

Status enforceCacheLimit(const CacheLimitContext& dependencies) {
    if (dependencies.limitMiB <= 0) return {};
    return CacheLimiter(dependencies).keep();
}

}  // namespace lacuna
