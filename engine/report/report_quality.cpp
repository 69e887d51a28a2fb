#include "engine/report/report_quality.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {

OrderedJson qualityJson(const QualitySampled& sampled) {
    const LiveQuality& sample = sampled.sample;
    return {{"time_ns", sampled.timeNs},
            {"turn", sampled.at.turn},
            {"index", sampled.at.index},
            {"conversation", sampled.conversation.value},
            {"revision", sampled.revision.value},
            {"tokens", sample.tokens},
            {"kl", sample.kl},
            {"same_top", sample.sameTop ? 1 : 0},
            {"output_error",
             sample.outputError ? OrderedJson(*sample.outputError) : OrderedJson(nullptr)},
            {"cost_ms", sample.costMs},
            {"decode_ms", sample.decodeMs},
            {"shadow_bytes", sample.shadowBytes}};
}

QualitySampled readQuality(const Json& json, const std::string& path, ReadProblem& problem) {
    ObjectReader reader(json, path, problem);
    QualitySampled sampled;
    sampled.timeNs = reader.count("time_ns");
    sampled.at.turn = reader.count("turn");
    sampled.at.index = reader.count("index");
    sampled.conversation = ConversationId(reader.count("conversation"));
    sampled.revision = Revision(reader.count("revision"));
    LiveQuality& sample = sampled.sample;
    sample.tokens = reader.count("tokens");
    sample.kl = reader.amount("kl");
    const std::int64_t same = reader.count("same_top");
    if (same > 1)
        problem.note(ErrorCode::Config, format("{} is {}", reader.pathOf("same_top"), same));
    sample.sameTop = same == 1;
    sample.outputError = reader.optionalAmount("output_error");
    sample.costMs = reader.amount("cost_ms");
    sample.decodeMs = reader.amount("decode_ms");
    sample.shadowBytes = reader.count("shadow_bytes");
    return sampled;
}

std::string qualityCsv(const Recording& recording) {
    std::string csv =
        "time_ns,turn,index,conversation,revision,tokens,kl,same_top,output_error,cost_ms,"
        "decode_ms,shadow_bytes\r\n";
    for (const QualitySampled& sampled : recording.quality) {
        const LiveQuality& sample = sampled.sample;
        csv += format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", sampled.timeNs, sampled.at.turn,
                      sampled.at.index, sampled.conversation.value, sampled.revision.value,
                      sample.tokens, sample.kl, sample.sameTop ? 1 : 0,
                      sample.outputError ? format("{}", *sample.outputError) : std::string(),
                      sample.costMs, sample.decodeMs, sample.shadowBytes);
    }
    return csv;
}

std::optional<QualityFigures> qualityFigures(const Recording& recording) {
    if (recording.quality.empty()) return std::nullopt;
    QualityFigures figures;
    double errors = 0, cost = 0, decode = 0;
    std::int64_t withError = 0, same = 0;
    for (const QualitySampled& sampled : recording.quality) {
        const LiveQuality& sample = sampled.sample;
        figures.klMean += sample.kl;
        figures.klLargest = std::max(figures.klLargest, sample.kl);
        same += sample.sameTop ? 1 : 0;
        cost += sample.costMs;
        decode += sample.decodeMs;
        if (!sample.outputError) continue;
        errors += *sample.outputError;
        ++withError;
    }
    figures.samples = static_cast<std::int64_t>(recording.quality.size());
    const auto count = static_cast<double>(figures.samples);
    figures.klMean /= count;
    figures.sameTop = static_cast<double>(same) / count;
    if (withError > 0) figures.outputError = errors / static_cast<double>(withError);
    if (cost + decode > 0) figures.costShare = cost / (cost + decode);
    return figures;
}

}  // namespace lacuna
