#include "engine/quality/compaction_preview.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// Layers that a compaction with these options touches.
std::vector<int> touchedLayers(const KvOptions& kv, const ModelSpec& spec) {
    std::vector<int> layers;
    for (int layer = 0; layer < spec.layers; ++layer) {
        const bool skipped = std::ranges::find(kv.skipLayers, layer) != kv.skipLayers.end();
        const bool matched = kv.method == CompactionMethod::AttentionMatching;
        if (!skipped && !(matched && spec.layer(layer).sliding)) layers.push_back(layer);
    }
    return layers;
}

/// At most `most` of them, evenly spread.
std::set<int> sampleOf(const std::vector<int>& layers, int most) {
    const auto count = static_cast<int>(layers.size());
    const int wanted = most < 1 ? count : std::min(most, count);
    std::set<int> chosen;
    for (int i = 0; i < wanted; ++i)
        chosen.insert(layers[static_cast<std::size_t>((2 * i + 1) * count / (2 * wanted))]);
    return chosen;
}

std::int64_t slotsOf(const KvCache& cache, const std::vector<int>& layers) {
    std::int64_t slots = 0;
    for (const int layer : layers)
        for (int head = 0; head < cache.shape().kvHeads; ++head)
            slots += cache.slots(LayerIndex(layer), HeadIndex(head));
    return slots;
}

/// What the whole loses when its part of `part` lost `lost`.
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
                                            const KvOptions& kv, const ModelSpec& spec,
                                            const PreviewOptions& options,
                                            const QueryReader& reader) {
    const SteadyClock clock;
    const std::int64_t begin = clock.nowNs();
    const KvStats now = cache.stats();
    CompactionPreview preview;
    preview.tokens = now.tokens;
    preview.slotsNow = preview.slotsAfter = now.slotsTotal;
    preview.liveBytesNow = preview.liveBytesAfter = now.liveBytes;
    preview.logicalBytes = now.logicalBytes;
    const std::vector<int> touched = touchedLayers(kv, spec);
    const std::set<int> tried = sampleOf(touched, options.layers);
    preview.layers = static_cast<int>(touched.size());
    preview.layersTried = static_cast<int>(tried.size());
    KvOptions trial = kv;
    for (const int layer : touched)
        if (!tried.contains(layer)) trial.skipLayers.push_back(layer);
    LACUNA_TRY(const auto copy, cache.clone());
    const CompactionReport report =
        compactor.compact(*copy, trial, {.mode = CompactionCall::Mode::Trial, .reader = reader});
    if (report.result == CompactionResult::Aborted)
        return fail(ErrorCode::Cancelled, report.reason);
    if (report.result == CompactionResult::Failed)
        return fail(ErrorCode::Unsupported, report.reason);
    preview.reason = report.reason;
    preview.seconds = secondsSince(clock, begin);
    if (report.result != CompactionResult::Done) return preview;
    preview.compacts = report.slotsAfter < report.slotsBefore;
    preview.outputError = report.heldOutError;
    const std::int64_t part = slotsOf(cache, {tried.begin(), tried.end()});
    const std::int64_t whole = slotsOf(cache, touched);
    preview.slotsAfter -= scaled(report.slotsBefore - report.slotsAfter, part, whole);
    preview.liveBytesAfter -= scaled(report.liveBytesBefore - report.liveBytesAfter, part, whole);
    return preview;
}

OrderedJson previewJson(const CompactionPreview& preview) {
    OrderedJson json{{"estimate", true},
                     {"tokens", preview.tokens},
                     {"compacts", preview.compacts},
                     {"layers_tried", preview.layersTried},
                     {"layers", preview.layers},
                     {"slots_now", preview.slotsNow},
                     {"slots_after", preview.slotsAfter},
                     {"live_bytes_now", preview.liveBytesNow},
                     {"live_bytes_after", preview.liveBytesAfter},
                     {"logical_bytes", preview.logicalBytes},
                     {"seconds", preview.seconds}};
    if (preview.outputError) json["output_error"] = *preview.outputError;
    if (!preview.reason.empty()) json["note"] = preview.reason;
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
