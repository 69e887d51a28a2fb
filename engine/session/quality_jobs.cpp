#include "engine/session/quality_jobs.h"

#include <algorithm>

#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/quality/comparison.h"
#include "engine/quality/grid_items.h"
#include "engine/quality/grid_table.h"

namespace lacuna {
namespace {

GenerationSettings generationSettings(const EngineConfig& config, const QualityJobTools& tools) {
    return {.kv = config.kv,
            .sampling = config.sampling,
            .prefillPolicy = config.prefillPolicy,
            // Activations are sized for the settings in force.
            .prefillChunk = std::min(config.prefillChunk, tools.config.prefillChunk),
            .maxTokens = config.maxTokens,
            .context = effectiveContext(config, tools.model->facts(), tools.machine),
            .draftTokens = config.draftTokens};
}

Status ready(const QualityJobTools& tools) {
    if (tools.model == nullptr)
        return fail(ErrorCode::InvalidArgument, "no model is loaded; load one before measuring");
    if (tools.answering)
        return fail(ErrorCode::Conflict,
                    "an answer is being written; wait for its end or stop it before measuring");
    return {};
}

/// Errors: as check.
Status checked(const EngineConfig& config, const QualityJobTools& tools) {
    const auto valid = check(config, &tools.model->facts(), tools.machine);
    if (valid) return {};
    return tl::unexpected<Error>(violationsError(valid.error()));
}

Result<Comparison> comparison(const CompareSettings& request, const QualityJobTools& tools) {
    LACUNA_TRY_STATUS(ready(tools));
    for (const EngineConfig& side : request.sides) {
        LACUNA_TRY_STATUS(checked(side, tools));
        if (side.precision != tools.config.precision)
            return fail(ErrorCode::Conflict,
                        "both sides are computed with the precision that is in force; set it for "
                        "all");
    }
    LACUNA_TRY(const auto prompt,
               promptTokens(tools.model->loaded(), request.messages, tools.cancelled));
    ComparisonOptions options;
    options.question = questionStart(tools.model->loaded(), request.messages,
                                     static_cast<std::int64_t>(prompt.size()), tools.cancelled);
    options.seed = request.seed.value_or(request.sides[0].sampling.seed.value_or(0));
    options.profiles = tools.model->headProfiles();
    options.cancelled = tools.cancelled;
    options.progress = [&](int run, std::int64_t done, std::int64_t total) {
        tools.post(QualityJobProgress{.done = run * total + done, .total = 2 * total});
    };
    options.wrote = [&](int run, std::string_view piece) {
        tools.post(ComparedText{.side = run, .text = std::string(piece)});
    };
    return compareSettings(
        tools.model->transformer(), tools.model->pool(), prompt,
        {generationSettings(request.sides[0], tools), generationSettings(request.sides[1], tools)},
        options);
}

Result<std::vector<GridRow>> sweep(const SweepSettings& request, const QualityJobTools& tools) {
    LACUNA_TRY_STATUS(ready(tools));
    LACUNA_TRY(const auto made, conversationItems(tools.model->loaded(), request.messages, {}));
    GridOptions options;
    options.shadow = {.type = tools.config.kv.type,
                      .chunk = tools.config.prefillChunk,
                      .headTokens = 0,
                      .seed = tools.config.sampling.seed.value_or(0),
                      .profiles = tools.model->headProfiles(),
                      .cancelled = tools.cancelled};
    const std::size_t total = made.items.size() * request.settings.size();
    options.keep = [&](const GridCells& cells) -> Status {
        tools.post(QualityJobProgress{.done = static_cast<std::int64_t>(cells.size()),
                                      .total = static_cast<std::int64_t>(total),
                                      .rows = gridRows(made.items, request.settings, cells)});
        return {};
    };
    LACUNA_TRY(const auto cells, runGrid(tools.model->transformer(), tools.model->pool(),
                                         made.items, request.settings, {}, options));
    return gridRows(made.items, request.settings, cells);
}

}  // namespace

void runComparison(const CompareSettings& request, const QualityJobTools& tools) {
    auto found = comparison(request, tools);
    SettingsCompared answer;
    answer.sides = request.sides;
    if (found)
        answer.comparison = std::move(*found);
    else
        answer.error = found.error();
    tools.post(std::move(answer));
}

void runSweep(const SweepSettings& request, const QualityJobTools& tools) {
    auto rows = sweep(request, tools);
    SettingsSwept answer;
    if (rows)
        answer.rows = std::move(*rows);
    else
        answer.error = rows.error();
    tools.post(std::move(answer));
}

void PreviewBook::compacted(const CompactionHappened& happened, const KvOptions& kv,
                            const std::function<void(Event)>& post) {
    const auto at = made_.find(happened.conversation);
    if (at == made_.end() || happened.report.result != CompactionResult::Done) return;
    const Made made = std::move(at->second);
    made_.erase(at);
    if (made.kv != kv || !made.preview.compacts) return;
    post(PreviewOutcome{
        .conversation = happened.conversation, .preview = made.preview, .report = happened.report});
}

}  // namespace lacuna
