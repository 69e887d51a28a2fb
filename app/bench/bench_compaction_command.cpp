// bench compaction: attention matching of a full cache in the background of a conversation, without
// a model. The time that the conversation waits is measured separately from the background work.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/main/cli_support.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/compactor.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna::cli {
namespace {

constexpr int kChunk = 128;
constexpr int kRows = 4096;        // distinct rows; appends start at different ones
constexpr int kDirections = 24;    // dimensions that contain most of a key or query
constexpr float kOffPlane = 0.3F;  // amplitude outside of them

/// Returns rows similar to those of a model: most of each lies in a few directions shared by
/// queries and keys.
std::vector<float> makeRows(int dim, std::uint64_t stream, const std::vector<float>& directions) {
    RandomStream random(3, stream);
    std::vector<float> rows(static_cast<std::size_t>(kRows) * static_cast<std::size_t>(dim));
    for (std::size_t row = 0; row < kRows; ++row) {
        float* out = rows.data() + row * static_cast<std::size_t>(dim);
        for (int d = 0; d < dim; ++d) out[d] = kOffPlane * static_cast<float>(random.normal());
        for (int k = 0; k < kDirections; ++k) {
            const float part =
                static_cast<float>(random.normal()) * 2.0F / (1.0F + 0.25F * static_cast<float>(k));
            for (int d = 0; d < dim; ++d)
                out[d] += part * directions[static_cast<std::size_t>(k * dim + d)];
        }
    }
    return rows;
}

class CompactionBench {
  public:
    CompactionBench(const BenchCompactionArguments& arguments, int threads)
        : arguments_(arguments),
          threads_(threads),
          shape_{.layers = arguments.layers,
                 .kvHeads = arguments.heads,
                 .keyDim = arguments.dim,
                 .valueDim = arguments.dim,
                 .type = DType::F16},
          pool_(threads) {
        RandomStream random(3, 0);
        std::vector<float> directions(static_cast<std::size_t>(kDirections * arguments.dim));
        for (float& x : directions) x = 0.3F * static_cast<float>(random.normal());
        keys_ = makeRows(arguments.dim, 1, directions);
        queries_ = makeRows(arguments.dim, 2, directions);
    }

    [[nodiscard]] Result<OrderedJson> run() {
        LACUNA_TRY(auto cache, makeSlotCache(shape_));
        Compactor compactor({.heads = arguments_.heads * arguments_.group,
                             .scale = 1.0F / std::sqrt(static_cast<float>(arguments_.dim)),
                             .seed = 1,
                             .backgroundThreads = arguments_.foreground ? 0 : threads_},
                            shape_, pool_, clock_);
        KvOptions options;
        options.method = CompactionMethod::AttentionMatching;
        options.amRatio = arguments_.ratio;
        options.compactionFloor = 0;
        for (int done = 0; done < arguments_.tokens; done += kChunk)
            LACUNA_TRY_STATUS(append(*cache, std::min(kChunk, arguments_.tokens - done),
                                     *compactor.observer(*cache, options)));
        return converse(*cache, compactor, options);
    }

  private:
    /// Appends single tokens until the compaction ends.
    [[nodiscard]] Result<OrderedJson> converse(KvCache& cache, Compactor& compactor,
                                               const KvOptions& options) {
        std::vector<double> pauses;
        std::vector<double> appends;
        std::optional<CompactionReport> report;
        const std::int64_t begin = clock_.nowNs();
        while (!report || report->result == CompactionResult::Started) {
            std::int64_t start = clock_.nowNs();
            LACUNA_TRY_STATUS(append(cache, 1, *compactor.observer(cache, options)));
            appends.push_back(millisecondsSince(clock_, start));
            start = clock_.nowNs();
            report = compactor.afterStep(cache, options);
            pauses.push_back(millisecondsSince(clock_, start));
            line_.show(exclusionText(compactor.state(cache, options)));
            std::this_thread::sleep_for(std::chrono::milliseconds(arguments_.stepMs));
        }
        const double whole = millisecondsSince(clock_, begin);
        if (report->result != CompactionResult::Done)
            return fail(ErrorCode::Internal, exclusionText(report->notes));
        std::ranges::sort(pauses);
        const KvStats stats = cache.stats();
        const double nominal = static_cast<double>(arguments_.tokens) / arguments_.ratio *
                               arguments_.layers * arguments_.heads * 4.0 * arguments_.dim;
        const double since = static_cast<double>(stats.tokens - report->tokens) *
                             arguments_.layers * arguments_.heads * 4.0 * arguments_.dim;
        return OrderedJson{
            {"tokens_meanwhile", stats.tokens - report->tokens},
            {"seconds", whole * 1e-3},
            {"background_ms", report->backgroundMs},
            {"select_ms", report->selectMs},
            {"fit_ms", report->fitMs},
            {"exchange_ms", report->applyMs},
            {"longest_pause_ms", pauses.back()},
            {"reported_stall_ms", report->stallMs},
            {"longest_append_ms", *std::ranges::max_element(appends)},
            {"reference_queries", report->referenceQueries},
            {"held_out_error", report->heldOutError.value_or(0)},
            {"live_bytes_before", report->liveBytesBefore},
            {"live_bytes_after", report->liveBytesAfter},
            {"nominal_over_live", nominal / (static_cast<double>(stats.liveBytes) - since)},
            {"allocated_over_live",
             static_cast<double>(stats.allocatedBytes) / static_cast<double>(stats.liveBytes)}};
    }

    /// Takes rows from different positions, so that layers, heads and appends differ.
    [[nodiscard]] Status append(KvCache& cache, int tokens, QueryObserver& observer) {
        LACUNA_TRY_STATUS(cache.beginAppend(tokens));
        const auto dim = static_cast<std::size_t>(shape_.keyDim);
        for (int layer = 0; layer < shape_.layers; ++layer) {
            const auto gather = [&](const std::vector<float>& rows, int heads) {
                std::vector<float> out;
                out.reserve(static_cast<std::size_t>(tokens * heads) * dim);
                for (int i = 0; i < tokens * heads; ++i) {
                    const auto at =
                        randomBits(9, static_cast<std::uint64_t>(layer * heads + i % heads),
                                   static_cast<std::uint64_t>(cache.offset().value + i / heads)) %
                        kRows * dim;
                    out.insert(out.end(), rows.begin() + static_cast<std::ptrdiff_t>(at),
                               rows.begin() + static_cast<std::ptrdiff_t>(at + dim));
                }
                return out;
            };
            const int queryHeads = shape_.kvHeads * arguments_.group;
            const std::vector<float> asked = gather(queries_, queryHeads);
            observer.observeQueries(LayerIndex(layer),
                                    {asked.data(), {tokens, queryHeads, shape_.keyDim}},
                                    cache.offset());
            const std::vector<float> rows = gather(keys_, shape_.kvHeads);
            const View<const float, 3> part(rows.data(), {tokens, shape_.kvHeads, shape_.keyDim});
            cache.writeLayer(LayerIndex(layer), part, part);
        }
        cache.commitAppend();
        return {};
    }

    BenchCompactionArguments arguments_;
    int threads_;
    KvShape shape_;
    ThreadPool pool_;
    SteadyClock clock_;
    std::vector<float> keys_, queries_;  ///< [kRows, dim]
    ProgressLine line_;
};

}  // namespace

int benchCompaction(const BenchCompactionArguments& arguments) {
    const MachineFacts machine = machineFacts();
    // 16-bit keys and values
    const double bytes = 1.0 * arguments.tokens * arguments.layers * arguments.heads *
                         (2.0 * sizeof(std::uint16_t) * arguments.dim);
    if (const Status fits = checkFitsMemory("--layers, --heads, --dim and --tokens", bytes); !fits)
        return report(fits.error());
    const int threads = arguments.threads > 0 ? arguments.threads : machine.cores;
    CompactionBench bench(arguments, threads);
    auto figures = bench.run();
    if (!figures) return report(figures.error());
    OrderedJson out{{"layers", arguments.layers},
                    {"kv_heads", arguments.heads},
                    {"query_heads_each", arguments.group},
                    {"head_dim", arguments.dim},
                    {"type", "F16"},
                    {"tokens", arguments.tokens},
                    {"ratio", arguments.ratio},
                    {"threads", threads},
                    {"background", !arguments.foreground}};
    out.update(*figures);
    out["machine"] = {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}};
    return printJson(out);
}

}  // namespace lacuna::cli
