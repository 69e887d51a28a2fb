#include "engine/quality/compaction_preview.h"

#include <cmath>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/quality/loss_figures.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

/// Extrapolates a loss of `lost` from a sample of size `part` to `whole`.
std::int64_t scaled(std::int64_t lost, std::int64_t part, std::int64_t whole) {
    if (part <= 0) return 0;
    return std::llround(static_cast<double>(lost) * static_cast<double>(whole) /
                        static_cast<double>(part));
}

OrderedJson estimated(double estimate, double found) {
    OrderedJson json{{"estimated", estimate}, {"found", found}};
    if (found > 0) json["ratio"] = estimate / found;
    return json;
}

}  // namespace

Result<CompactionPreview> previewCompaction(const KvCache& cache, Compactor& compactor,
                                            const KvOptions& kv, const PreviewOptions& options) {
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    const KvStats now = cache.stats();
    CompactionPreview preview;
    preview.tokens = now.tokens;
    preview.slotsNow = preview.slotsAfter = now.slotsTotal;
    preview.liveBytesNow = preview.liveBytesAfter = now.liveBytes;
    preview.logicalBytes = now.logicalBytes;
    LACUNA_TRY(auto copy, cache.clone());
    const CompactionTrial found = compactor.simulate(
        *copy, kv,
        {.sample = options.sample, .reader = options.reader, .cancelled = options.cancelled});
    const CompactionReport& report = found.report;
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, exclusionText(report.notes));
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, exclusionText(report.notes));
    preview.notes = report.notes;
    preview.seconds = secondsSince(clock, begin);
    if (report.result != CompactionResult::Done) return preview;
    preview.compacts = report.slotsAfter < report.slotsBefore;
    preview.outputError = report.heldOutError;
    preview.heads = found.heads.all;
    preview.headsFitted = found.heads.fitted;
    preview.outputErrorSpread = found.heads.spread;
    const std::int64_t slots = report.slotsBefore - report.slotsAfter;
    const std::int64_t bytes = report.liveBytesBefore - report.liveBytesAfter;
    const bool sampled = preview.headsFitted < preview.heads;
    const auto whole = [&](std::int64_t lost) {
        return sampled ? scaled(lost, found.heads.lostByFitted, found.heads.slotsLost) : lost;
    };
    preview.slotsAfter -= whole(slots);
    preview.liveBytesAfter -= whole(bytes);
    if (preview.compacts && !sampled && options.compacted != nullptr)
        *options.compacted = std::move(copy);
    return preview;
}

OrderedJson previewJson(const CompactionPreview& preview) {
    OrderedJson json{{"estimate", true},
                     {"tokens", preview.tokens},
                     {"compacts", preview.compacts},
                     {"heads_fitted", preview.headsFitted},
                     {"heads", preview.heads},
                     {"slots_now", preview.slotsNow},
                     {"slots_after", preview.slotsAfter},
                     {"live_bytes_now", preview.liveBytesNow},
                     {"live_bytes_after", preview.liveBytesAfter},
                     {"logical_bytes", preview.logicalBytes},
                     {"seconds", preview.seconds}};
    if (preview.outputError) {
        json["output_error"] = *preview.outputError;
        json["output_error_spread"] = preview.outputErrorSpread;
    }
    if (preview.kept) addInformationJson(json, preview.kept);
    if (!preview.notes.empty()) json["note"] = exclusionText(preview.notes);
    return json;
}

OrderedJson previewOutcomeJson(const CompactionPreview& preview, const CompactionReport& report) {
    OrderedJson json{{"slots_after", estimated(static_cast<double>(preview.slotsAfter),
                                               static_cast<double>(report.slotsAfter))},
                     {"live_bytes_after", estimated(static_cast<double>(preview.liveBytesAfter),
                                                    static_cast<double>(report.liveBytesAfter))}};
    if (preview.outputError && report.heldOutError)
        json["output_error"] = estimated(*preview.outputError, *report.heldOutError);
    return json;
}

}  // namespace lacuna
