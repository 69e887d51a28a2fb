// bench cache: cost of the KV cache without a model: compaction between two tokens, releasing
// memory, growth, trim, copy. Compared with the memory copy speed measured in the same run.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/eviction/prepared_scores.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

constexpr int kChunk = 256;
constexpr double kTokenMs = 10;  // of a simulated answer, while memory is released
constexpr double kNearlyLive = 1.1;
constexpr std::size_t kCopyBytes = std::size_t{256} << 20;

struct Times {
    std::vector<double> choose, apply, stall, keyDiffStall, refill, growth, trim, clone;
    std::vector<double> preparedStall, longestPreparation;  ///< KeyDiff, with scores computed
                                                            ///< before it is due
    std::vector<double> slices;  ///< all slices of the last round, in order
    std::vector<double> longestSlice, givenBack, withinTenPercent, allocatedOverLive;
    std::int64_t bytes = 0;
    std::int64_t normsWithoutBudget = 0;
    double copySpeed = 0;
};

class CacheBench {
  public:
    CacheBench(const BenchCacheArguments& arguments, int threads)
        : arguments_(arguments),
          shape_{.layers = arguments.layers,
                 .kvHeads = arguments.heads,
                 .keyDim = arguments.dim,
                 .valueDim = arguments.dim,
                 .type = DType::F16},
          pool_(threads) {
        RandomStream random(2, 0);
        rows_.resize(static_cast<std::size_t>(kChunk + 64) *
                     static_cast<std::size_t>(shape_.kvHeads * shape_.keyDim));
        for (float& x : rows_) x = static_cast<float>(random.normal());
    }

    [[nodiscard]] Result<Times> run() {
        times_.copySpeed = copySpeed();
        for (int round = 0; round < arguments_.repeat; ++round) {
            line_.show(format("{} threads, round {} of {}", pool_.threads(), round + 1,
                              arguments_.repeat));
            LACUNA_TRY_STATUS(compaction());
            LACUNA_TRY_STATUS(growthTrimAndClone());
        }
        return times_;
    }

  private:
    /// Returns bytes per second of a plain copy by all threads; read and written bytes count once.
    [[nodiscard]] double copySpeed() {
        std::vector<std::byte> from(kCopyBytes, std::byte{1});
        std::vector<std::byte> to(kCopyBytes, std::byte{2});
        std::vector<double> seconds;
        for (int round = 0; round < 5; ++round) {
            const std::int64_t start = clock_.nowNs();
            pool_.parallelFor(pool_.threads(), [&](int share) {
                const auto parts = static_cast<std::size_t>(pool_.threads());
                const std::size_t first = static_cast<std::size_t>(share) * kCopyBytes / parts;
                const std::size_t end = static_cast<std::size_t>(share + 1) * kCopyBytes / parts;
                std::memcpy(to.data() + first, from.data() + first, end - first);
            });
            seconds.push_back(millisecondsSince(clock_, start) * 1e-3);
        }
        return static_cast<double>(kCopyBytes) / median(std::move(seconds));
    }

    /// Takes rows from different positions, so that layers and appends differ.
    [[nodiscard]] Status append(KvCache& cache, int tokens) {
        LACUNA_TRY_STATUS(cache.beginAppend(tokens));
        const std::int64_t rowFloats = std::int64_t{shape_.kvHeads} * shape_.keyDim;
        for (int layer = 0; layer < shape_.layers; ++layer) {
            const std::int64_t first = (cache.offset().value / kChunk + layer) % 64 * rowFloats;
            const View<const float, 3> part(rows_.data() + first,
                                            {tokens, shape_.kvHeads, shape_.keyDim});
            cache.writeLayer(LayerIndex(layer), part, part);
        }
        cache.commitAppend();
        return {};
    }

    [[nodiscard]] Status fill(KvCache& cache, int tokens) {
        for (int done = 0; done < tokens; done += kChunk)
            LACUNA_TRY_STATUS(append(cache, std::min(kChunk, tokens - done)));
        return {};
    }

    [[nodiscard]] EvictionOptions toHalf(EvictionPolicy policy) const {
        EvictionOptions options;
        options.rule.budget = arguments_.tokens / 2;
        options.policy = policy;
        return options;
    }

    /// Compacts to half in place and releases memory in slices. Then measures the steady state: a
    /// few tokens over the budget, compacted and refilled without moving rows. KeyDiff, which reads
    /// every key, is timed up to its selection.
    [[nodiscard]] Status compaction() {
        LACUNA_TRY(auto cache, makeSlotCache(shape_));
        cache->compactable()->keepNorms();
        LACUNA_TRY_STATUS(
            fill(*cache, arguments_.tokens - toHalf(EvictionPolicy::KeyDiff).rule.keepRecent));
        LACUNA_TRY_STATUS(prepared(*cache));
        times_.bytes = cache->stats().liveBytes;
        std::int64_t start = clock_.nowNs();
        LACUNA_TRY([[maybe_unused]] const auto other,
                   planEviction(*cache, toHalf(EvictionPolicy::KeyDiff), pool_));
        times_.keyDiffStall.push_back(millisecondsSince(clock_, start));
        start = clock_.nowNs();
        LACUNA_TRY(const EvictionPlan half,
                   planEviction(*cache, toHalf(EvictionPolicy::KeepLowNorm), pool_));
        times_.choose.push_back(millisecondsSince(clock_, start));
        const std::int64_t applied = clock_.nowNs();
        LACUNA_TRY_STATUS(compactInPlace(*cache, half.plan, pool_));
        times_.apply.push_back(millisecondsSince(clock_, applied));
        times_.stall.push_back(millisecondsSince(clock_, start));
        LACUNA_TRY_STATUS(giveMemoryBack(*cache));
        return steadyState(*cache);
    }

    /// Runs KeyDiff as in a conversation: a slice of the scores before each of the last tokens,
    /// then the selection.
    [[nodiscard]] Status prepared(KvCache& cache) {
        EvictionOptions options = toHalf(EvictionPolicy::KeyDiff);
        PreparedScores scores;
        double longest = 0;
        for (int left = options.rule.keepRecent; left > 0; --left) {
            const std::int64_t start = clock_.nowNs();
            scores.advance(cache, options, left, pool_);
            longest = std::max(longest, millisecondsSince(clock_, start));
            LACUNA_TRY_STATUS(append(cache, 1));
        }
        if (!scores.fit(cache, options))
            return fail(ErrorCode::Internal, "no scores were prepared");
        options.prepared = &scores;
        const std::int64_t start = clock_.nowNs();
        LACUNA_TRY([[maybe_unused]] const auto half, planEviction(cache, options, pool_));
        times_.preparedStall.push_back(millisecondsSince(clock_, start));
        times_.longestPreparation.push_back(longest);
        return {};
    }

    /// Releases a slice of memory between each two tokens; tokens take time but compute nothing.
    [[nodiscard]] Status giveMemoryBack(KvCache& cache) {
        const std::int64_t began = clock_.nowNs();
        times_.slices.clear();
        double sum = 0;
        double within = 0;
        for (bool more = true; more;) {
            LACUNA_TRY_STATUS(append(cache, 1));
            std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(kTokenMs));
            const std::int64_t start = clock_.nowNs();
            more = defragmentCache(cache, kDefragmentSliceBytes, pool_);
            times_.slices.push_back(millisecondsSince(clock_, start));
            sum += times_.slices.back();
            const KvStats stats = cache.stats();
            const double ratio =
                static_cast<double>(stats.allocatedBytes) / static_cast<double>(stats.liveBytes);
            if (within == 0 && ratio <= kNearlyLive) within = millisecondsSince(clock_, began);
            if (!more) times_.allocatedOverLive.push_back(ratio);
        }
        times_.longestSlice.push_back(highest(times_.slices));
        times_.givenBack.push_back(sum);
        times_.withinTenPercent.push_back(within);
        return {};
    }

    [[nodiscard]] Status steadyState(KvCache& cache) {
        constexpr int kMargin = 64;
        LACUNA_TRY_STATUS(fill(cache, kMargin));
        const std::int64_t start = clock_.nowNs();
        LACUNA_TRY(const EvictionPlan half,
                   planEviction(cache, toHalf(EvictionPolicy::KeepLowNorm), pool_));
        LACUNA_TRY_STATUS(compactInPlace(cache, half.plan, pool_));
        times_.refill.push_back(millisecondsSince(clock_, start));
        const std::int64_t before = cache.stats().reallocations;
        for (int i = 0; i < kMargin; ++i) LACUNA_TRY_STATUS(append(cache, 1));
        if (cache.stats().reallocations != before)
            return fail(ErrorCode::Internal, "freed slots were not reused");
        if (defragmentCache(cache, kDefragmentSliceBytes, pool_))
            return fail(ErrorCode::Internal, "reused memory was released again");
        return {};
    }

    [[nodiscard]] Status growthTrimAndClone() {
        LACUNA_TRY(auto cache, makeSlotCache(shape_));
        LACUNA_TRY_STATUS(fill(*cache, arguments_.tokens / 2));
        std::int64_t start = clock_.nowNs();
        LACUNA_TRY(auto twin, cache->clone());
        times_.clone.push_back(millisecondsSince(clock_, start));
        twin.reset();
        start = clock_.nowNs();
        LACUNA_TRY_STATUS(cache->beginAppend(1));  // one slot more than the capacity
        times_.growth.push_back(millisecondsSince(clock_, start));
        cache->abortAppend();
        start = clock_.nowNs();
        LACUNA_TRY_STATUS(cache->rollback(arguments_.tokens / 4));
        times_.trim.push_back(millisecondsSince(clock_, start));
        times_.normsWithoutBudget += cache->stats().normsComputed;
        return {};
    }

    BenchCacheArguments arguments_;
    KvShape shape_;
    ThreadPool pool_;
    SteadyClock clock_;
    std::vector<float> rows_;
    Times times_;
    ProgressLine line_;
};

/// Durations of an operation, compared with the time to copy its bytes.
OrderedJson operation(const std::vector<double>& times, double bytes, double copySpeed) {
    const double ms = median(times);
    return {{"median_ms", ms},
            {"highest_ms", highest(times)},
            {"bytes_moved", bytes},
            {"byte_limit_ms", bytes / copySpeed * 1e3}};
}

OrderedJson timesJson(const Times& t, int threads) {
    const auto bytes = static_cast<double>(t.bytes);
    // Live rows of the upper half move into holes of the lower half: a quarter of all rows, read
    // and written.
    return {{"threads", threads},
            {"copy_bytes_per_second", t.copySpeed},
            {"compaction_to_half",
             {{"stall", operation(t.stall, 0, t.copySpeed)},
              {"choose_ms", median(t.choose)},
              {"apply_ms", median(t.apply)},
              {"with_few_tokens_over_ms", median(t.refill)},
              {"choose_by_keydiff_ms", median(t.keyDiffStall)},
              {"choose_by_prepared_keydiff_ms", median(t.preparedStall)},
              {"highest_prepared_keydiff_ms", highest(t.preparedStall)},
              {"longest_preparation_slice_ms", median(t.longestPreparation)}}},
            {"giving_memory_back",
             {{"total", operation(t.givenBack, bytes / 4, t.copySpeed)},
              {"slice_bytes", kDefragmentSliceBytes},
              {"slices_ms", t.slices},
              {"longest_slice_ms", median(t.longestSlice)},
              {"token_ms", kTokenMs},
              {"within_ten_percent_after_ms", median(t.withinTenPercent)},
              {"allocated_over_live", median(t.allocatedOverLive)}}},
            {"growth_at_half", operation(t.growth, bytes / 2, t.copySpeed)},
            {"trim", operation(t.trim, 0, t.copySpeed)},
            {"clone_at_half", operation(t.clone, bytes / 2, t.copySpeed)},
            {"norms_computed_without_budget", t.normsWithoutBudget}};
}

}  // namespace

int benchCache(const BenchCacheArguments& arguments) {
    const MachineFacts machine = machineFacts();
    // Bytes of the cache and a copy of it, with 16-bit keys and values.
    const double bytes = 2.0 * arguments.tokens * arguments.layers * arguments.heads *
                         (2.0 * sizeof(std::uint16_t) * arguments.dim);
    if (const Status fits = checkFitsMemory("--layers, --heads, --dim and --tokens", bytes); !fits)
        return report(fits.error());
    std::vector<int> counts{arguments.threads};
    if (arguments.threads == 0) counts = machine.cores > 1 ? std::vector{1, 2} : std::vector{1};
    OrderedJson runs = OrderedJson::array();
    for (const int threads : counts) {
        CacheBench bench(arguments, threads);
        const auto times = bench.run();
        if (!times) return report(times.error());
        runs.push_back(timesJson(*times, threads));
    }
    OrderedJson out{
        {"layers", arguments.layers},
        {"kv_heads", arguments.heads},
        {"head_dim", arguments.dim},
        {"type", "F16"},
        {"tokens", arguments.tokens},
        {"repeat", arguments.repeat},
        {"runs", std::move(runs)},
        {"machine", {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}}}};
    return printJson(out);
}

}  // namespace lacuna::cli
