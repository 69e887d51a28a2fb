// bench: prefill and decode speed compared with the limits of this machine, memory, time to first
// token, and compaction cost, as one JSON object. Medians over repetitions.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/bench/case_runner.h"
#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"
#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/compactor.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/session/memory_probe.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

constexpr int kChunk = 256;
constexpr int kFirstPrompt = 8;  // prompt tokens for the time to first token

OrderedJson spreadJson(const Spread& s) {
    return {{"median", s.median}, {"lowest", s.lowest}, {"highest", s.highest}};
}

struct Bench {
    std::shared_ptr<const LoadedModel> model;
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Transformer> transformer;
    KvShape shape;
    KvOptions kv;
    SteadyClock clock;
    std::stop_token stop;

    [[nodiscard]] std::vector<TokenId> tokens(int count) const {
        RandomStream random(1, 0);
        std::vector<TokenId> ids(static_cast<std::size_t>(count));
        for (TokenId& id : ids)
            id = static_cast<TokenId>(
                random.below(static_cast<std::uint64_t>(model->spec.vocabulary)));
        return ids;
    }

    [[nodiscard]] Status feed(KvCache& cache, std::span<const TokenId> ids, int chunk) const {
        for (std::size_t at = 0; at < ids.size(); at += static_cast<std::size_t>(chunk)) {
            const auto part =
                ids.subspan(at, std::min(ids.size() - at, static_cast<std::size_t>(chunk)));
            const BatchRun run{.tokens = part, .cache = &cache};
            LACUNA_TRY([[maybe_unused]] const auto logits,
                       transformer->forward(
                           {&run, 1}, {.cancelled = [this] { return stop.stop_requested(); }}));
        }
        return {};
    }

    /// Fills the cache with random keys and values, which costs no forward pass.
    [[nodiscard]] Status fill(KvCache& cache, int count) const {
        RandomStream random(2, 0);
        const KvExtent most = shape.largest();
        const auto floats =
            static_cast<std::size_t>(most.heads) * static_cast<std::size_t>(most.keyDim);
        std::vector<float> rows(floats * kChunk);
        for (float& x : rows) x = static_cast<float>(random.uniform() - 0.5);
        for (int done = 0; done < count; done += kChunk) {
            const int n = std::min(kChunk, count - done);
            LACUNA_TRY_STATUS(cache.beginAppend(n));
            for (int layer = 0; layer < shape.layers; ++layer) {
                const KvExtent extent = shape.extent(LayerIndex(layer));
                if (extent.heads == 0) continue;
                const View<const float, 3> part(rows.data(), {n, extent.heads, extent.keyDim});
                cache.writeLayer(LayerIndex(layer), part, part);
            }
            cache.commitAppend();
        }
        return {};
    }
    [[nodiscard]] double seconds(std::int64_t since) const { return secondsSince(clock, since); }
};

Result<OrderedJson> measureCompaction(Bench& bench, int tokens) {
    LACUNA_TRY(auto cache, makeModelCache(*bench.model, bench.kv));
    LACUNA_TRY_STATUS(bench.fill(*cache, tokens));
    KvOptions options;
    options.method = CompactionMethod::Eviction;
    options.compactionFloor = 0;
    options.evictionPolicy = EvictionPolicy::KeepLowNorm;
    options.budget = std::max(tokens / 2, options.nSink + options.keepRecent + 1);
    Compactor compactor({.heads = bench.model->spec.heads, .scale = 1.0F, .seed = 1}, bench.shape,
                        *bench.pool, bench.clock);
    const CompactionReport r = compactor.compact(*cache, options);
    return OrderedJson{{"method", "l2"},
                       {"tokens", tokens},
                       {"done", compacted(outcomeOf(r))},
                       {"slots_before", r.slotsBefore},
                       {"slots_after", r.slotsAfter},
                       {"live_bytes_before", r.liveBytesBefore},
                       {"live_bytes_after", r.liveBytesAfter},
                       {"allocated_bytes_after", cache->stats().allocatedBytes},
                       {"queries_ms", r.queriesMs},
                       {"score_ms", r.scoreMs},
                       {"select_ms", r.selectMs},
                       {"apply_ms", r.applyMs},
                       {"total_ms", r.totalMs}};
}

/// One timed answer, with the memory bandwidth measured right before and after.
struct DecodeRun {
    double rate = 0;       ///< tokens per second
    double bandwidth = 0;  ///< bytes per second
};

/// Rates of the median run compared with the limits of the machine.
OrderedJson ratesJson(const Bench& bench, double prefill, std::span<const DecodeRun> runs,
                      double cacheBytes) {
    const TokenCost cost = tokenCost(*bench.model);
    const double bytes = cost.weightBytes + cacheBytes;
    std::vector<double> bandwidths;
    std::vector<double> read;
    std::vector<double> shares;
    for (const DecodeRun& run : runs) {
        bandwidths.push_back(run.bandwidth);
        read.push_back(run.rate * bytes);
        shares.push_back(run.rate * bytes / run.bandwidth);
    }
    const Spread share = spreadOf(shares);
    return {{"prefill_operations_per_second", prefill * cost.prefillOperations},
            {"decode_bytes_per_token", bytes},
            {"decode_bytes_per_second", spreadOf(read).median},
            {"read_bandwidth_bytes_per_second", spreadOf(bandwidths).median},
            {"decode_share_of_read_bandwidth", share.median},
            {"share_spread", spreadJson(share)}};
}

struct Rounds {
    std::vector<double> prefill;  ///< tokens per second
    std::vector<DecodeRun> answers;
    KvStats stats;  ///< stats of the last cache
};

Result<Rounds> measureRounds(const Bench& bench, const BenchArguments& a) {
    LACUNA_TRY(ReadBandwidth bandwidth, ReadBandwidth::create(*bench.pool));
    Rounds out;
    ProgressLine line;
    for (int round = 0; round < a.repeat; ++round) {
        line.show(format("round {} of {}", round + 1, a.repeat));
        LACUNA_TRY(auto cache, makeModelCache(*bench.model, bench.kv));
        LACUNA_TRY_STATUS(bench.fill(*cache, a.context));
        const auto prompt = bench.tokens(a.prefill);
        std::int64_t start = bench.clock.nowNs();
        LACUNA_TRY_STATUS(bench.feed(*cache, prompt, kChunk));
        if (a.prefill > 0) out.prefill.push_back(a.prefill / bench.seconds(start));
        if (a.apart) {
            LACUNA_TRY(cache, makeModelCache(*bench.model, bench.kv));
            LACUNA_TRY_STATUS(bench.fill(*cache, a.context));
        }
        const auto answer = bench.tokens(a.decode);
        DecodeRun run{.rate = 0, .bandwidth = bandwidth.measure()};
        start = bench.clock.nowNs();
        LACUNA_TRY_STATUS(bench.feed(*cache, answer, 1));
        run.rate = a.decode / bench.seconds(start);
        run.bandwidth = std::max(run.bandwidth, bandwidth.measure());
        if (a.decode > 0) out.answers.push_back(run);
        out.stats = cache->stats();
    }
    return out;
}

Result<OrderedJson> measure(const BenchArguments& a, std::stop_token stop) {
    LACUNA_TRY(const KvRowType type, kvTypeFromName(a.kvType));
    Bench bench;
    bench.stop = stop;
    const std::int64_t loadStart = bench.clock.nowNs();
    LACUNA_TRY(bench.model,
               loadToRun(a.model, {.progress = {}, .stop = stop, .measured = personalFolder()}));
    const std::int64_t after =
        a.apart ? std::max(a.prefill, a.decode) : std::int64_t{a.prefill} + a.decode;
    LACUNA_TRY_STATUS(checkWithinContext("--context, --prefill and --decode", a.context + after,
                                         bench.model->spec.context));
    const double loadSeconds = bench.seconds(loadStart);
    const MachineFacts machine = machineFacts();
    bench.pool = std::make_unique<ThreadPool>(a.threads > 0 ? a.threads : machine.cores);
    bench.kv.type = type.type;
    bench.kv.quant = type.quant;
    bench.shape = cacheChoice(cacheModelOf(*bench.model), bench.kv).shape;
    LACUNA_TRY(bench.transformer,
               Transformer::create(bench.model, *bench.pool, {.maxTokens = kChunk}));
    {
        LACUNA_TRY(auto cache, makeModelCache(*bench.model, bench.kv));
        LACUNA_TRY_STATUS(bench.feed(*cache, bench.tokens(kFirstPrompt), kChunk));
    }
    const double firstTokenSeconds = bench.seconds(loadStart);
    bool pagesJoined = false;  // if false, the figures may be too low
    {
        ProgressLine line;
        line.show("waiting for huge pages of the weights, at most a minute");
        pagesJoined = bench.model->weightMemory.waitUntilJoined();
    }
    const double settledSeconds = bench.seconds(loadStart);
    LACUNA_TRY(const Rounds rounds, measureRounds(bench, a));
    const std::int64_t residentBytes = MemoryProbe(bench.clock).residentBytes();
    OrderedJson compaction;
    if (a.compaction) {
        LACUNA_TRY(compaction, measureCompaction(bench, std::max(a.context + a.prefill, 1024)));
    }
    // Each token reads the cache once; on average, half of the decoded tokens are in it.
    const double before = static_cast<double>(a.context) + (a.apart ? 0 : a.prefill);
    const double slots = before + a.decode / 2.0;
    const double cacheBytesPerToken = a.decode == 0 ? 0.0
                                                    : static_cast<double>(rounds.stats.liveBytes) *
                                                          slots / std::max(1.0, before + a.decode);
    const Spread p = spreadOf(rounds.prefill);
    std::vector<double> decode;
    for (const DecodeRun& run : rounds.answers) decode.push_back(run.rate);
    const Spread d = spreadOf(decode);
    OrderedJson out{
        {"model", bench.model->spec.name},
        {"file_type", bench.model->spec.fileType},
        {"parameters", bench.model->spec.parameters},
        {"weight_bytes", bench.model->spec.weightBytes},
        {"threads", bench.pool->threads()},
        {"kv_type", a.kvType},
        {"context", a.context},
        {"prefill_tokens", a.prefill},
        {"decode_tokens", a.decode},
        {"repeat", a.repeat},
        {"load_seconds", loadSeconds},
        {"first_token_seconds", firstTokenSeconds},
        {"settled_seconds", settledSeconds},
        {"pages_joined", pagesJoined},
        {"prefill_tokens_per_second", p.median},
        {"decode_tokens_per_second", d.median},
        {"prefill_spread", spreadJson(p)},
        {"decode_spread", spreadJson(d)},
        {"limits", ratesJson(bench, p.median, rounds.answers, cacheBytesPerToken)},
        {"resident_bytes", residentBytes},
        {"activation_bytes", bench.transformer->activationBytes()},
        {"kv_live_bytes", rounds.stats.liveBytes},
        {"kv_allocated_bytes", rounds.stats.allocatedBytes},
        {"live_of_logical", liveOfLogical(rounds.stats)},
        {"bits_per_number", bitsPerNumber(rounds.stats)},
        {"compaction", compaction},
        {"machine", {{"cpu", machine.cpu}, {"isa", machine.isa}, {"cores", machine.cores}}}};
    if (bench.shape.rotated())
        out["kv_rotation"] = rotationInUse(cacheModelOf(*bench.model), bench.kv);
    return out;
}

}  // namespace

int bench(const BenchArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = measure(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
