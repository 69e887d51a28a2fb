#include "app/bench/case_runner.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {

Status checkCaseOptions(const CaseOptions& options) {
    if (options.budgetShare && !(*options.budgetShare > 0 && *options.budgetShare <= 1))
        return fail(ErrorCode::Range, format("the budget share is {}; allowed is above 0, up to 1",
                                             *options.budgetShare));
    return {};
}

double liveOfLogical(const KvStats& stats) {
    if (stats.logicalBytes == 0) return 1;
    return static_cast<double>(stats.liveBytes) / static_cast<double>(stats.logicalBytes);
}

double bitsPerNumber(const KvStats& stats) {
    if (stats.numbers == 0) return 0;
    return 8 * static_cast<double>(stats.liveBytes) / static_cast<double>(stats.numbers);
}

GenerationSettings CaseRunner::settingsFor(std::size_t textTokens) const {
    GenerationSettings settings{
        .kv = options_.kv,
        .sampling = options_.sampling,
        .prefillPolicy = options_.prefillPolicy,
        .prefillChunk = options_.prefillChunk,
        .maxTokens = options_.maxTokens,
        .context = options_.context > 0 ? options_.context : model_.model().spec.context};
    if (options_.budgetShare && textTokens > 0)
        settings.kv =
            keepingShare(options_.kv, *options_.budgetShare, static_cast<std::int64_t>(textTokens));
    return settings;
}

Result<std::unique_ptr<Sequence>> CaseRunner::newSequence() const {
    const CompactorModel compactor =
        compactorModel(model_.model(), options_.sampling.seed.value_or(0), options_.profiles);
    return Sequence::create(
        [&loaded = model_.model(), kv = options_.kv] { return makeModelCache(loaded, kv); },
        [this, compactor](const KvShape& made) {
            return std::make_unique<Compactor>(compactor, made, pool_, clock_);
        });
}

Status CaseRunner::read(Sequence& sequence, std::span<const TokenId> text,
                        const GenerationSettings& settings) const {
    const ForwardOptions forward{.cancelled = stopRequested()};
    const auto step = static_cast<std::size_t>(std::max(settings.prefillChunk, 1));
    for (std::size_t at = 0; at < text.size(); at += step) {
        const auto chunk = text.subspan(at, std::min(step, text.size() - at));
        const BatchRun run{
            .tokens = chunk,
            .cache = &sequence.cache(),
            .logits = LogitsFor::None,
            .observer = sequence.compactor().observer(sequence.cache(), settings.kv)};
        LACUNA_TRY([[maybe_unused]] const auto none, model_.forward(std::span(&run, 1), forward));
        sequence.appended(chunk);
    }
    return {};
}

Result<CompactionReport> CaseRunner::compact(Sequence& sequence,
                                             const GenerationSettings& settings) const {
    LateGauge gauge(measuredText(sequence.tokens(), settings.kv), sequence.cache(),
                    {.model = &model_,
                     .pool = &pool_,
                     .chunk = settings.prefillChunk,
                     .cancelled = stopRequested()});
    const QueryReader reader = queryReader({.model = &model_,
                                            .tokens = sequence.tokens(),
                                            .type = settings.kv.type,
                                            .chunk = settings.prefillChunk,
                                            .cancelled = stopRequested(),
                                            .full = &sequence.cache(),
                                            .rows = settings.kv.lossLimit.on() ? &gauge : nullptr});
    CompactionReport report = sequence.compactor().compact(sequence.cache(), settings.kv,
                                                           {.reader = reader, .gauge = &gauge});
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, exclusionText(report.notes));
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, exclusionText(report.notes));
    return report;
}

Result<std::unique_ptr<Generation>> CaseRunner::answer(Sequence& sequence,
                                                       std::vector<TokenId> prompt,
                                                       const GenerationSettings& settings,
                                                       const OnCompaction& compacted) const {
    GenerationRequest request{
        .prompt = std::move(prompt), .stopStrings = {}, .seed = options_.sampling.seed.value_or(0)};
    LACUNA_TRY(auto generation, Generation::start(model_, sequence, std::move(request), settings));
    const ForwardOptions forward{.cancelled = stopRequested()};
    while (!generation->finished()) {
        LACUNA_TRY(const auto step, generation->step(model_, settings, forward, clock_));
        if (step.compaction) compacted(*step.compaction);
    }
    return generation;
}

}  // namespace lacuna
