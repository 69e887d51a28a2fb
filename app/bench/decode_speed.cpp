#include "app/bench/decode_speed.h"

#include <algorithm>
#include <span>
#include <utility>

#include "engine/model/model_cache.h"
#include "engine/quality/grid_table.h"

namespace lacuna {

DecodeSpeedRun::DecodeSpeedRun(std::vector<TokenId> text, SpeedMeasure measure)
    : text_(std::move(text)), measure_(measure) {}

/// Feeds the tokens after the context one by one, then rolls the cache back.
Result<double> DecodeSpeedRun::secondsOfRound(const TrialDependencies& dependencies,
                                              KvCache& cache) const {
    const auto fed = std::span(text_).subspan(static_cast<std::size_t>(measure_.context),
                                              static_cast<std::size_t>(measure_.tokens));
    const Position before = cache.offset();
    Status went;
    const std::int64_t start = clock_.nowNs();
    for (std::size_t i = 0; i < fed.size() && went; ++i) {
        const BatchRun run{
            .tokens = fed.subspan(i, 1), .cache = &cache, .logits = LogitsFor::LastToken};
        const auto rows =
            dependencies.model.forward({&run, 1}, {.cancelled = dependencies.cancelled});
        if (!rows) went = tl::unexpected<Error>(rows.error());
    }
    const double seconds = secondsSince(clock_, start);
    // A cancelled round also restores the cache for the next attempt.
    LACUNA_TRY_STATUS(cache.rollback(cache.offset().value - before.value));
    LACUNA_TRY_STATUS(went);
    return seconds;
}

Result<DecodeSpeed> DecodeSpeedRun::measure(const TrialDependencies& dependencies,
                                            const ShadowSetting& setting) {
    const auto context = std::span(text_).first(static_cast<std::size_t>(measure_.context));
    if (full_ == nullptr) {
        LACUNA_TRY(auto whole, makeFullCache(dependencies.model.model().spec, dependencies.type));
        LACUNA_TRY_STATUS(feed(dependencies, *whole, context));
        full_ = std::move(whole);
    }
    LACUNA_TRY(const TrialCache trial, readTrial(dependencies, context, setting));
    std::vector<double> whole, other, ratios;
    for (int round = -1; round < measure_.rounds; ++round) {
        // The order alternates between rounds.
        KvCache* order[] = {full_.get(), trial.cache.get()};
        double seconds[] = {0, 0};
        for (int i = 0; i < 2; ++i) {
            const int which = (i + round) & 1;
            LACUNA_TRY(seconds[which], secondsOfRound(dependencies, *order[which]));
        }
        if (round < 0) continue;
        const double tokens = measure_.tokens;
        whole.push_back(tokens / std::max(seconds[0], 1e-9));
        other.push_back(tokens / std::max(seconds[1], 1e-9));
        ratios.push_back(other.back() / whole.back());
    }
    return DecodeSpeed{.tokensPerSecond = medianOf(other),
                       .fullTokensPerSecond = medianOf(whole),
                       .ofFull = medianOf(ratios),
                       .context = measure_.context,
                       .rounds = measure_.rounds};
}

}  // namespace lacuna
