#include "engine/quality/trial_cache.h"

#include <algorithm>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {

namespace {

Result<std::unique_ptr<KvCache>> emptyCache(const LoadedModel& model, const KvOptions& kv,
                                            const TrialRows* rows) {
    if (rows == nullptr) return makeModelCache(model, kv);
    if (kv.method != CompactionMethod::None)
        return fail(ErrorCode::Unsupported, "rows that simulate codes cannot be compacted");
    return rows->makeCache(cacheModelOf(model), kv);
}

/// Returns true if all tokens also have their rows in 16 bits, so that no code is read.
bool readsNoCode(const ShadowSetting& setting, std::int64_t tokens) {
    const KvOptions& kv = setting.kv;
    const KvQuant& values = kv.values ? kv.values->quant : kv.quant;
    const auto exact = [](const KvQuant& side) { return side.plain() || side.rotated(); };
    const bool both = setting.rows != nullptr || (exact(kv.quant) && exact(values));
    return both && tokens <= std::int64_t{kv.exactWindow} + kv.nSink && kv.exactWindow > 0;
}

}  // namespace

bool codesRows(const ShadowSetting& setting) {
    const KvOptions& kv = setting.kv;
    return setting.rows != nullptr || !kv.quant.plain() || (kv.values && !kv.values->quant.plain());
}

Result<KvOptions> optionsFor(const ShadowSetting& setting, std::int64_t tokens) {
    if (!setting.budgetShare) return setting.kv;
    if (!(*setting.budgetShare > 0 && *setting.budgetShare <= 1))
        return fail(ErrorCode::Range, format("the budget share is {}; allowed is above 0, up to 1",
                                             *setting.budgetShare));
    return keepingShare(setting.kv, *setting.budgetShare, tokens);
}

Status checkCompacted(const CompactionReport& report, std::int64_t tokens) {
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, exclusionText(report.notes));
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, exclusionText(report.notes));
    if (report.result == CompactionResult::Skipped || report.slotsAfter >= report.slotsBefore)
        return fail(
            ErrorCode::Conflict,
            format("nothing was evicted or merged in {} tokens, so "
                   "there is no compaction to measure: {}",
                   tokens,
                   report.notes.empty() ? "no slot was dropped" : exclusionText(report.notes)));
    return {};
}

Status feed(const TrialDependencies& dependencies, KvCache& cache, std::span<const TokenId> text,
            QueryObserver* observer) {
    const auto step = static_cast<std::size_t>(std::max(dependencies.chunk, 1));
    for (std::size_t at = 0; at < text.size(); at += step) {
        const BatchRun run{.tokens = text.subspan(at, std::min(step, text.size() - at)),
                           .cache = &cache,
                           .logits = LogitsFor::None,
                           .observer = observer};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   dependencies.model.forward({&run, 1}, {.cancelled = dependencies.cancelled}));
    }
    return {};
}

Result<TrialCache> readTrial(const TrialDependencies& dependencies, std::span<const TokenId> text,
                             const ShadowSetting& setting) {
    if (setting.kv.window)
        return fail(ErrorCode::Unsupported,
                    "windows cannot be measured against a full cache; compare two answers instead "
                    "(lacuna compare)");
    const auto tokens = static_cast<std::int64_t>(text.size());
    LACUNA_TRY(KvOptions kv, optionsFor(setting, tokens));
    kv.layerCaches = LayerCaches::Uniform;
    const LoadedModel& model = dependencies.model.model();
    const SteadyClock clock;
    TrialCache trial;
    LACUNA_TRY(trial.cache, emptyCache(model, kv, setting.rows.get()));
    Compactor compactor(compactorModel(model, dependencies.seed, dependencies.profiles),
                        trial.cache->shape(), dependencies.pool, clock);
    const std::vector<TokenId> whole(text.begin(), text.end());
    compactor.reads(whole);
    const bool compacts = kv.method != CompactionMethod::None;
    LACUNA_TRY_STATUS(feed(dependencies, *trial.cache, text,
                           compacts ? compactor.observeAll(*trial.cache) : nullptr));
    if (codesRows(setting) && readsNoCode(setting, tokens))
        return fail(ErrorCode::Conflict, format("all {} tokens are also held in 16 bits, so no "
                                                "code was read and the format was not measured",
                                                tokens));
    if (!compacts) return trial;
    const QueryReader reader = queryReader({.model = &dependencies.model,
                                            .tokens = text,
                                            .type = dependencies.type,
                                            .chunk = dependencies.chunk,
                                            .cancelled = dependencies.cancelled});
    trial.report = compactor.compact(*trial.cache, kv, {.reader = reader});
    LACUNA_TRY_STATUS(checkCompacted(*trial.report, tokens));
    return trial;
}

}  // namespace lacuna
