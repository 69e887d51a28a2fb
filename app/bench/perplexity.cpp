#include "app/bench/perplexity.h"

#include <algorithm>
#include <cmath>

#include "app/bench/case_runner.h"
#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/compactor.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

/// Fills in the defaults of the options and validates them.
Result<PerplexityOptions> completed(PerplexityOptions options, const ModelSpec& spec,
                                    std::size_t tokens) {
    const int context = spec.context;
    if (options.window == 0) options.window = context;
    if (options.window < 2 || options.window > context)
        return fail(ErrorCode::Range,
                    format("the window is {} tokens; allowed is 2 to the model's context of {}",
                           options.window, context));
    if (options.stride == 0) options.stride = options.window;
    if (options.stride < 1 || options.stride > options.window)
        return fail(ErrorCode::Range,
                    format("the stride is {} tokens; allowed is 1 to the window of {}",
                           options.stride, options.window));
    if (tokens < 2)
        return fail(ErrorCode::InvalidArgument,
                    format("the text has {} tokens; at least 2 are needed", tokens));
    options.window =
        static_cast<int>(std::min<std::size_t>(tokens, static_cast<std::size_t>(options.window)));
    options.stride = std::min(options.stride, options.window);
    return options;
}

class PerplexityRun {
  public:
    PerplexityRun(Transformer& model, ThreadPool& pool, const PerplexityOptions& options)
        : model_(model), pool_(pool), options_(options) {}

    /// Reads one window; counts its tokens from index `first` on, which is at least 1.
    [[nodiscard]] Status read(std::span<const TokenId> window, std::size_t first);
    [[nodiscard]] PerplexityOutcome outcome() const;

  private:
    /// Counts the negative log likelihoods of the tokens predicted by a chunk that starts at `at`.
    void count(std::span<const TokenId> window, std::size_t at, std::size_t first,
               View<const float, 2> logits);
    [[nodiscard]] Status compact(Compactor& compactor, KvCache& cache,
                                 std::span<const TokenId> tokens);

    Transformer& model_;
    ThreadPool& pool_;
    const PerplexityOptions& options_;
    const SteadyClock clock_;
    PerplexityOutcome counted_;
    KvStats held_;  ///< bytes and numbers at the end of every window, summed
    double sum_ = 0;
    double squares_ = 0;
};

Status PerplexityRun::read(std::span<const TokenId> window, std::size_t first) {
    LACUNA_TRY(const auto cache, makeModelCache(model_.model(), options_.kv));
    Compactor compactor(compactorModel(model_.model(), options_.seed, options_.profiles),
                        cache->shape(), pool_, clock_);
    std::vector<TokenId> read;
    compactor.reads(read);
    const ForwardOptions forward{.cancelled = [this] { return options_.stop.stop_requested(); }};
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    for (std::size_t at = 0; at < window.size(); at += step) {
        const auto chunk = window.subspan(at, std::min(step, window.size() - at));
        compactor.beforeStep(*cache, options_.kv);
        const BatchRun run{.tokens = chunk,
                           .cache = cache.get(),
                           .logits = LogitsFor::AllTokens,
                           .observer = compactor.observer(*cache, options_.kv)};
        LACUNA_TRY(const auto logits, model_.forward({&run, 1}, forward));
        count(window, at, first, logits);
        read.insert(read.end(), chunk.begin(), chunk.end());
        LACUNA_TRY_STATUS(compact(compactor, *cache, window.first(at + chunk.size())));
    }
    const KvStats stats = cache->stats();
    held_.liveBytes += stats.liveBytes;
    held_.logicalBytes += stats.logicalBytes;
    held_.numbers += stats.numbers;
    ++counted_.windows;
    return {};
}

void PerplexityRun::count(std::span<const TokenId> window, std::size_t at, std::size_t first,
                          View<const float, 2> logits) {
    for (std::int64_t row = 0; row < logits.extent(0); ++row) {
        const std::size_t next = at + static_cast<std::size_t>(row) + 1;
        if (next < first || next >= window.size()) continue;
        const double nll = negativeLogLikelihood(logits.row(row), window[next]);
        sum_ += nll;
        squares_ += nll * nll;
        ++counted_.predicted;
    }
}

Status PerplexityRun::compact(Compactor& compactor, KvCache& cache,
                              std::span<const TokenId> tokens) {
    const QueryReader reader =
        queryReader({.model = &model_,
                     .tokens = tokens,
                     .type = options_.kv.type,
                     .chunk = options_.chunk,
                     .cancelled = [this] { return options_.stop.stop_requested(); }});
    const auto report = compactor.afterStep(cache, options_.kv, {.reader = reader});
    if (!report) return {};
    if (report->result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, exclusionText(report->notes));
    if (report->result == CompactionResult::Failed)
        return fail(ErrorCode::Conflict,
                    format("a compaction failed: {}", exclusionText(report->notes)));
    if (report->result != CompactionResult::Done) return {};
    ++counted_.compactions;
    counted_.evictions += report->slotsBefore - report->slotsAfter;
    return {};
}

PerplexityOutcome PerplexityRun::outcome() const {
    PerplexityOutcome outcome = counted_;
    const auto count = static_cast<double>(std::max<std::int64_t>(outcome.predicted, 1));
    outcome.meanNll = sum_ / count;
    const double variance = std::max(0.0, squares_ / count - outcome.meanNll * outcome.meanNll);
    outcome.standardError = std::sqrt(variance / count);
    outcome.perplexity = std::exp(outcome.meanNll);
    outcome.liveBytes = held_.liveBytes;
    outcome.logicalBytes = held_.logicalBytes;
    outcome.liveOfLogical = liveOfLogical(held_);
    outcome.bitsPerNumber = bitsPerNumber(held_);
    return outcome;
}

}  // namespace

Result<PerplexityOutcome> measurePerplexity(Transformer& model, ThreadPool& pool,
                                            std::span<const TokenId> tokens,
                                            const PerplexityOptions& given) {
    if (given.limit > 0)
        tokens = tokens.first(std::min(tokens.size(), static_cast<std::size_t>(given.limit)));
    LACUNA_TRY(const PerplexityOptions options,
               completed(given, model.model().spec, tokens.size()));
    const auto window = static_cast<std::size_t>(options.window);
    const auto stride = static_cast<std::size_t>(options.stride);
    const auto windows = static_cast<std::int64_t>((tokens.size() - window) / stride + 1);
    PerplexityRun run(model, pool, options);
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    for (std::int64_t done = 0; done < windows; ++done) {
        if (options.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "the perplexity run was stopped");
        // Tokens predicted by the previous window are not counted twice.
        const std::size_t first = done == 0 ? 1 : std::max<std::size_t>(window - stride, 1);
        LACUNA_TRY_STATUS(
            run.read(tokens.subspan(static_cast<std::size_t>(done) * stride, window), first));
        if (options.progress) options.progress(done + 1, windows, run.outcome().perplexity);
    }
    PerplexityOutcome outcome = run.outcome();
    outcome.tokens = static_cast<std::int64_t>(tokens.size());
    outcome.window = options.window;
    outcome.stride = options.stride;
    outcome.seconds = secondsSince(clock, begin);
    if (options.kv.method != CompactionMethod::None && outcome.evictions == 0)
        return fail(ErrorCode::Conflict,
                    format("nothing was evicted or merged in windows of {} tokens, so compaction "
                           "was not measured; lower the budget",
                           outcome.window));
    return outcome;
}

OrderedJson perplexityJson(const PerplexityOutcome& outcome) {
    return {{"perplexity", outcome.perplexity},
            {"mean_nll", outcome.meanNll},
            {"standard_error", outcome.standardError},
            {"tokens", outcome.tokens},
            {"window", outcome.window},
            {"stride", outcome.stride},
            {"windows", outcome.windows},
            {"predicted", outcome.predicted},
            {"evictions", outcome.evictions},
            {"compactions", outcome.compactions},
            {"live_bytes", outcome.liveBytes},
            {"logical_bytes", outcome.logicalBytes},
            {"live_of_logical", outcome.liveOfLogical},
            {"bits_per_number", outcome.bitsPerNumber},
            {"seconds", outcome.seconds}};
}

}  // namespace lacuna
