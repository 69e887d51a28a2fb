// bench cache: what the cache costs without a model: compaction between two tokens, giving memory back,
// growth, trim, copy; beside the speed at which this machine moves bytes, measured in the same run.

#include <algorithm>
#include <cstring>
#include <vector>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/kv/eviction_plan.h"
#include "engine/kv/slot_cache.h"
#include "engine/session/facts.h"

namespace lacuna::cli {
namespace {

constexpr int kChunk = 256;
constexpr std::int64_t kTidySlice = std::int64_t{32} << 20;  // bytes moved between two tokens
constexpr std::size_t kCopyBytes = std::size_t{256} << 20;

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    return values[values.size() / 2];
}

double highest(const std::vector<double>& values) {
    return values.empty() ? 0 : *std::ranges::max_element(values);
}

struct Times {
    std::vector<double> plan, apply, stall, tidy, longestSlice, slices, refill, growth, trim, clone;
    std::vector<double> allocatedOverLive;
    std::int64_t bytes = 0;
    std::int64_t normsWithoutBudget = 0;
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
        for (int round = 0; round < arguments_.repeat; ++round) {
            line_.show(format("round {} of {}", round + 1, arguments_.repeat));
            LACUNA_TRY_STATUS(compaction());
            LACUNA_TRY_STATUS(growthTrimAndClone());
        }
        return times_;
    }
    [[nodiscard]] int threads() const { return pool_.threads(); }
    /// Bytes a second of a plain copy, read and written ones counted once, by all threads.
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
            seconds.push_back(milliseconds(start) * 1e-3);
        }
        return static_cast<double>(kCopyBytes) / median(std::move(seconds));
    }

  private:
    [[nodiscard]] double milliseconds(std::int64_t start) const {
        return static_cast<double>(clock_.nowNs() - start) * 1e-6;
    }

    /// Rows differ between layers and appends by where they are taken from.
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

    /// To half, in place; then memory back in slices; then the steady state: a few tokens over the
    /// budget, compacted and refilled without a row being moved.
    [[nodiscard]] Status compaction() {
        LACUNA_TRY(auto cache, makeSlotCache(shape_));
        cache->keepNorms();
        LACUNA_TRY_STATUS(fill(*cache, arguments_.tokens));
        times_.bytes = cache->stats().liveBytes;
        EvictionOptions options;
        options.rule.budget = arguments_.tokens / 2;
        options.policy = NormPolicy::KeepLowNorm;
        std::int64_t start = clock_.nowNs();
        LACUNA_TRY(const EvictionPlan plan, planEviction(*cache, options, pool_));
        times_.plan.push_back(milliseconds(start));
        const std::int64_t applied = clock_.nowNs();
        LACUNA_TRY_STATUS(cache->applyInPlace(plan.plan, pool_));
        times_.apply.push_back(milliseconds(applied));
        times_.stall.push_back(milliseconds(start));
        LACUNA_TRY_STATUS(append(*cache, 1));
        tidy(*cache);
        return steadyState(*cache, options);
    }

    void tidy(KvCache& cache) {
        std::vector<double> slices;
        for (bool more = true; more;) {
            const std::int64_t start = clock_.nowNs();
            more = cache.tidy(kTidySlice);
            slices.push_back(milliseconds(start));
        }
        double sum = 0;
        for (const double slice : slices) sum += slice;
        times_.tidy.push_back(sum);
        times_.longestSlice.push_back(highest(slices));
        times_.slices.push_back(static_cast<double>(slices.size()));
        const KvStats stats = cache.stats();
        times_.allocatedOverLive.push_back(static_cast<double>(stats.allocatedBytes) /
                                           static_cast<double>(stats.liveBytes));
    }

    [[nodiscard]] Status steadyState(KvCache& cache, const EvictionOptions& options) {
        constexpr int kMargin = 64;
        LACUNA_TRY_STATUS(fill(cache, kMargin));
        const std::int64_t start = clock_.nowNs();
        LACUNA_TRY(const EvictionPlan plan, planEviction(cache, options, pool_));
        LACUNA_TRY_STATUS(cache.applyInPlace(plan.plan, pool_));
        times_.refill.push_back(milliseconds(start));
        const std::int64_t before = cache.stats().reallocations;
        for (int i = 0; i < kMargin; ++i) LACUNA_TRY_STATUS(append(cache, 1));
        if (cache.stats().reallocations != before)
            return fail(ErrorCode::Internal, "freed slots were not reused");
        return {};
    }

    [[nodiscard]] Status growthTrimAndClone() {
        LACUNA_TRY(auto cache, makeSlotCache(shape_));
        LACUNA_TRY_STATUS(fill(*cache, arguments_.tokens / 2));
        std::int64_t start = clock_.nowNs();
        LACUNA_TRY(auto twin, cache->clone());
        times_.clone.push_back(milliseconds(start));
        twin.reset();
        start = clock_.nowNs();
        LACUNA_TRY_STATUS(cache->beginAppend(1));  // one slot more than there is room for
        times_.growth.push_back(milliseconds(start));
        cache->abortAppend();
        start = clock_.nowNs();
        LACUNA_TRY_STATUS(cache->rollback(arguments_.tokens / 4));
        times_.trim.push_back(milliseconds(start));
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

/// Times of one operation beside the time that moving its bytes alone would take here.
OrderedJson operation(const std::vector<double>& times, double bytes, double copySpeed) {
    const double ms = median(times);
    return {{"median_ms", ms},
            {"highest_ms", highest(times)},
            {"bytes_moved", bytes},
            {"byte_limit_ms", bytes / copySpeed * 1e3}};
}

}  // namespace

int benchCache(const BenchCacheArguments& arguments) {
    const MachineFacts machine = machineFacts();
    CacheBench bench(arguments, arguments.threads > 0 ? arguments.threads : machine.cores);
    const double copySpeed = bench.copySpeed();
    const auto times = bench.run();
    if (!times) return report(times.error());
    const auto bytes = static_cast<double>(times->bytes);
    const OrderedJson stall = operation(times->stall, 0, copySpeed);
    OrderedJson out{
        {"layers", arguments.layers},
        {"kv_heads", arguments.heads},
        {"head_dim", arguments.dim},
        {"type", "F16"},
        {"tokens", arguments.tokens},
        {"threads", bench.threads()},
        {"repeat", arguments.repeat},
        {"copy_bytes_per_second", copySpeed},
        {"compaction_to_half",
         {{"stall", stall},
          {"plan_ms", median(times->plan)},
          {"apply_ms", median(times->apply)},
          {"with_few_tokens_over_ms", median(times->refill)}}},
        {"giving_memory_back",
         {{"total", operation(times->tidy, bytes / 2, copySpeed)},
          {"slices", median(times->slices)},
          {"longest_slice_ms", median(times->longestSlice)},
          {"allocated_over_live", median(times->allocatedOverLive)}}},
        {"growth_at_half", operation(times->growth, bytes / 2, copySpeed)},
        {"trim", operation(times->trim, 0, copySpeed)},
        {"clone_at_half", operation(times->clone, bytes / 2, copySpeed)},
        {"norms_computed_without_budget", times->normsWithoutBudget},
        {"machine", {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}}}};
    return printJson(out);
}

}  // namespace lacuna::cli
