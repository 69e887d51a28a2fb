#include "engine/quality/quality_record.h"

#include <cmath>

namespace lacuna {

double QualityRecord::perplexityChange() const {
    return std::expm1(compactedNll - wholeNll);
}

double QualityRecord::ratio() const {
    return liveBytes > 0 ? static_cast<double>(logicalBytes) / static_cast<double>(liveBytes) : 0;
}

OrderedJson qualityRecordJson(const QualityRecord& record) {
    const DivergenceFigures figures = record.divergence();
    OrderedJson json{{"context_tokens", record.contextTokens},
                     {"evictions", record.evictions},
                     {"live_bytes", record.liveBytes},
                     {"logical_bytes", record.logicalBytes},
                     {"ratio", record.ratio()},
                     {"compaction_ms", record.compactionMs},
                     {"positions", figures.positions},
                     {"kl_mean", figures.klMean},
                     {"kl_median", figures.klMedian},
                     {"kl_p99", figures.klP99},
                     {"kl_largest", figures.klLargest},
                     {"top1", figures.top1},
                     {"perplexity_whole", std::exp(record.wholeNll)},
                     {"perplexity_compacted", std::exp(record.compactedNll)},
                     {"perplexity_change", record.perplexityChange()}};
    if (!record.note.empty()) json["note"] = record.note;
    if (record.heldOutError) json["held_out_error"] = *record.heldOutError;
    if (!record.heads.empty()) {
        const HeadFidelity mean = meanFidelity(record.heads);
        json["output_error"] = mean.outputError;
        json["log_mass_error"] = mean.logMassError;
        json["cosine"] = mean.cosine;
        json["heads"] = headDivergenceJson(record.heads);
    }
    if (record.greedy)
        json["greedy"] = {{"answered", record.greedy->answered},
                          {"agreed", record.greedy->agreed},
                          {"whole_text", record.greedy->wholeText},
                          {"text", record.greedy->text}};
    return json;
}

}  // namespace lacuna
