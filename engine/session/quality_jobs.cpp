#include "engine/session/quality_jobs.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/compress/compaction_report.h"
#include "engine/generate/generation.h"
#include "engine/generate/prompt.h"
#include "engine/generate/text_pass.h"
#include "engine/quality/compaction_preview.h"
#include "engine/quality/comparison.h"
#include "engine/quality/grid_items.h"
#include "engine/quality/grid_table.h"
#include "engine/quality/recent_queries.h"

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

// Tokens whose queries an estimate captures when there are none yet.
constexpr int kCapturedTokens = 64;

/// Whether the estimate is of an attention matching that had no queries to be judged by.
bool lacksQueries(const CompactionPreview& preview, const KvOptions& kv) {
    return kv.method == CompactionMethod::AttentionMatching && preview.compacts &&
           !preview.outputError;
}

/// Queries of the newest tokens of the conversation. Errors: as captureNewest, Conflict.
Result<int> capture(Sequence& sequence, const QualityJobTools& tools) {
    if (tools.answering)
        return fail(ErrorCode::Conflict, "an answer is being written; ask again once it has ended");
    return captureNewest({.cache = &sequence.cache(),
                          .tokens = sequence.tokens(),
                          .compactor = &sequence.compactor()},
                         tools.model->transformer(),
                         std::min(kCapturedTokens, tools.model->stepRoom()));
}

/// Reads for an estimate, which a slider waits for: no whole text where the queries that were
/// asked would do, if there were enough of them.
QueryReader estimateReader(const KvOptions& kv, QueryPass pass) {
    return [kv, read = queryReader(std::move(pass))](const QueryWish& wish) -> Result<TextReading> {
        if (kv.fitQueries == QuerySource::Captured && wish.source == QuerySource::Context &&
            wish.foretoldBy == nullptr)
            return fail(ErrorCode::Unsupported, "an estimate reads the newest tokens alone");
        return read(wish);
    };
}

Result<CompactionPreview> estimate(const KvOptions& kv, Sequence& sequence,
                                   const QualityJobTools& tools) {
    const ModelSpec& spec = tools.model->loaded().spec;
    QueryReader reader;
    if (!tools.answering)
        reader = estimateReader(
            kv, {.model = &tools.model->transformer(),
                 .tokens = sequence.tokens(),
                 .type = kv.type,
                 .chunk = std::min(tools.config.prefillChunk, tools.model->stepRoom()),
                 .mostBytes = tools.passBytes,
                 .cancelled = tools.cancelled});
    const auto tried = [&] {
        return previewCompaction(sequence.cache(), sequence.compactor(), kv, spec, {}, reader);
    };
    LACUNA_TRY(CompactionPreview preview, tried());
    if (!lacksQueries(preview, kv)) return preview;
    const auto captured = capture(sequence, tools);
    if (!captured) {
        preview.reason += format("; no error is estimated: {}", captured.error().what);
        return preview;
    }
    LACUNA_TRY(preview, tried());
    addNote(
        preview.reason,
        format("judged by the queries of the newest {} tokens, which were read again", *captured));
    return preview;
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

void PreviewBook::preview(const RequestPreview& request, Sequence* sequence,
                          const QualityJobTools& tools) {
    CompactionPreviewed answer;
    answer.conversation = request.conversation;
    answer.kv = request.kv;
    if (sequence == nullptr || tools.model == nullptr) {
        answer.error =
            fail(ErrorCode::InvalidArgument, "this conversation has no cache to estimate with")
                .value();
        tools.post(std::move(answer));
        return;
    }
    auto found = estimate(request.kv, *sequence, tools);
    if (found) {
        answer.preview = *found;
        made_[request.conversation] = {request.kv, *found};
    } else {
        answer.error = found.error();
    }
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
