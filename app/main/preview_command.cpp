// preview: predicted result of a compaction compared with the actual one.

#include <algorithm>
#include <memory>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/measuring_input.h"
#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/kept_information.h"
#include "engine/generate/prompt.h"
#include "engine/generate/text_pass.h"
#include "engine/kv/kv_factory.h"
#include "engine/quality/compaction_preview.h"
#include "engine/session/measured_settings.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna::cli {
namespace {

/// Reads the prompt without compacting and collects queries as configured.
Status readPrompt(MeasuredModel& model, KvCache& cache, Compactor& compactor,
                  const std::vector<TokenId>& prompt, const EngineConfig& config,
                  std::stop_token stop) {
    const auto step = static_cast<std::size_t>(config.prefillChunk);
    for (std::size_t at = 0; at < prompt.size(); at += step) {
        const BatchRun run{
            .tokens = std::span(prompt).subspan(at, std::min(step, prompt.size() - at)),
            .cache = &cache,
            .logits = LogitsFor::None,
            .observer = compactor.observer(cache, config.kv)};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   model.transformer->forward(
                       {&run, 1}, {.cancelled = [stop] { return stop.stop_requested(); }}));
    }
    return {};
}

Result<OrderedJson> previewOrError(const PreviewArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    LACUNA_TRY(const EngineConfig config, greedySettings(given));
    if (config.kv.method == CompactionMethod::None)
        return fail(ErrorCode::InvalidArgument,
                    "method is none, so nothing would be compacted; use --set method=am or --set "
                    "method=l2");
    LACUNA_TRY(const auto messages, messagesOfArguments(a.asked));
    LACUNA_TRY(MeasuredModel model, loadForMeasuring(a.model, config, stop));
    noteIdle(a.settings, config, model.facts);
    LACUNA_TRY(const auto prompt,
               promptTokens(*model.loaded, messages, [stop] { return stop.stop_requested(); }));
    const SteadyClock clock;
    LACUNA_TRY(const auto cache, makeCacheFor(cacheModelOf(model.facts), config.kv));
    Compactor compactor(
        compactorModel(*model.loaded, config.sampling.seed.value_or(0), model.profiles),
        cache->shape(), *model.pool, clock);
    compactor.reads(prompt);
    LACUNA_TRY_STATUS(readPrompt(model, *cache, compactor, prompt, config, stop));
    // No answer follows, so both the estimate and the compaction may read the text again.
    compactor.endTurn();
    const QueryReader reader = queryReader({.model = model.transformer.get(),
                                            .tokens = prompt,
                                            .type = config.kv.type,
                                            .chunk = config.prefillChunk,
                                            .cancelled = [stop] { return stop.stop_requested(); },
                                            .full = cache.get()});
    std::unique_ptr<KvCache> compacted;
    LACUNA_TRY(CompactionPreview found,
               previewCompaction(
                   *cache, compactor, config.kv,
                   {.sample = {.scores = a.heads > 0 ? 0 : kPreviewSample.scores, .heads = a.heads},
                    .reader = reader,
                    .compacted = &compacted}));
    if (compacted != nullptr && config.kv.lossLimit.on()) {
        LateGauge gauge(measuredText(prompt, config.kv), *cache,
                        {.model = model.transformer.get(),
                         .pool = model.pool.get(),
                         .chunk = config.prefillChunk,
                         .cancelled = [stop] { return stop.stop_requested(); }});
        const auto kept = gauge.keptBy(*compacted, {});
        if (kept)
            found.kept = *kept;
        else if (kept.error().code == ErrorCode::Cancelled)
            return tl::unexpected<Error>(kept.error());
        else
            note(format("the predicted loss was not measured: {}", kept.error().what));
    }
    OrderedJson json{{"model", model.facts.name},
                     {"precision", keyOf(model.facts.precision)},
                     {"settings", settingsText(config)},
                     {"preview", previewJson(found)}};
    if (!found.compacts) return json;
    const CompactionReport report = compactor.compact(*cache, config.kv, {.reader = reader});
    if (report.result != CompactionResult::Done)
        return fail(ErrorCode::Unsupported, exclusionText(report.notes));
    json["outcome"] = previewOutcomeJson(found, report);
    json["outcome"]["seconds"] = report.totalMs * 1e-3;
    return json;
}

}  // namespace

int preview(const PreviewArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = previewOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
