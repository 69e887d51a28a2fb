// The lossless document. Everything a replay or another analysis needs is here; the other documents
// are made for eyes. Samples are rows of numbers under one list of columns, because there are many.

#include <ctime>

#include "engine/base/string_format.h"
#include "engine/report/report.h"
#include "engine/report/report_names.h"
#include "engine/report/report_quality.h"
#include "engine/report/report_schema.h"
#include "engine/report/rules_json.h"
#include "engine/settings/config_json.h"

namespace lacuna {
namespace {

OrderedJson pointJson(const SafePoint& at) {
    return {{"turn", at.turn}, {"index", at.index}};
}

OrderedJson modelJson(const ModelFacts& model) {
    OrderedJson json{{"path", model.path},
                     {"name", model.name},
                     {"architecture", model.architecture},
                     {"file_type", model.fileType},
                     {"licence", model.licence},
                     {"fingerprint", model.fingerprint},
                     {"template_note", model.templateNote},
                     {"parameters", model.parameters},
                     {"weight_bytes", model.weightBytes},
                     {"layers", model.layers},
                     {"heads", model.heads},
                     {"kv_heads", model.kvHeads},
                     {"head_dim", model.headDim},
                     {"vocabulary", model.vocabulary},
                     {"context", model.context},
                     {"precision", std::string(reportName(model.precision))}};
    if (model.draftPath.empty()) return json;
    json["draft_path"] = model.draftPath;
    json["draft_fingerprint"] = model.draftFingerprint;
    return json;
}

OrderedJson machineJson(const MachineFacts& machine) {
    return {{"cpu", machine.cpu},
            {"isa", machine.isa},
            {"cores", machine.cores},
            {"memory_bytes", machine.memoryBytes},
            {"available_bytes", machine.availableBytes},
            {"system", machine.system}};
}

OrderedJson finishedJson(const TurnFinished& finished) {
    OrderedJson error = nullptr;
    if (finished.error)
        error = {{"code", std::string(errorName(finished.error->code))},
                 {"what", finished.error->what}};
    const TurnStats& stats = finished.stats;
    return {{"at", pointJson(finished.at)},
            {"reason", std::string(reportName(finished.reason))},
            {"error", std::move(error)},
            {"tokens", finished.tokens},
            {"text", finished.text},
            {"generated_tokens", stats.generatedTokens},
            {"compactions", stats.compactions},
            {"decode_steps", stats.decodeSteps},
            {"shifted_tokens", stats.shiftedTokens},
            {"drafted_tokens", stats.draftedTokens},
            {"accepted_tokens", stats.acceptedTokens},
            {"prefill_seconds", stats.prefillSeconds},
            {"decode_seconds", stats.decodeSeconds},
            {"time_to_first_token_seconds", stats.timeToFirstTokenSeconds}};
}

OrderedJson turnJson(const RecordedTurn& turn, const Recording& recording) {
    const TurnStarted& started = turn.started;
    OrderedJson continues = nullptr;
    if (turn.kept > 0)
        continues = {{"turn", recording.turns[turn.continues].started.turn},
                     {"messages", turn.kept}};
    OrderedJson messages = OrderedJson::array();
    for (const ChatMessage& message : started.messages)
        messages.push_back({{"role", message.role}, {"content", message.content}});
    return {{"turn", started.turn},
            {"began", pointJson(started.at)},
            {"conversation", started.conversation.value},
            {"model", turn.fingerprint},
            {"revision", started.revision.value},
            {"seed", started.seed},
            {"config", configToJson(started.config)},
            {"continues", std::move(continues)},
            {"messages", std::move(messages)},
            {"stop_strings", started.stopStrings},
            {"rules", rulesJson(started.rules)},
            {"prompt_tokens", started.promptTokens},
            {"reused_tokens", started.reusedTokens},
            {"reuse_note", started.reuseNote},
            {"finished", turn.finished ? finishedJson(*turn.finished) : OrderedJson(nullptr)}};
}

OrderedJson generationJson(const ConfigApplied& applied) {
    return {{"revision", applied.revision.value},
            {"time_ns", applied.timeNs},
            {"at", pointJson(applied.at)},
            {"conversation", applied.conversation ? OrderedJson(applied.conversation->value)
                                                  : OrderedJson(nullptr)},
            {"own", applied.own},
            {"live", applied.live},
            {"deferred", applied.deferred},
            {"config", configToJson(applied.config)}};
}

OrderedJson rejectionJson(const ConfigRejected& rejected) {
    OrderedJson violations = OrderedJson::array();
    for (const RuleViolation& one : rejected.violations)
        violations.push_back({{"rule", one.rule},
                              {"field", one.field},
                              {"found", one.found},
                              {"allowed", one.allowed},
                              {"nearest", one.nearest},
                              {"sentence", one.sentence}});
    return {{"revision", rejected.revision.value},
            {"time_ns", rejected.timeNs},
            {"violations", std::move(violations)}};
}

/// Config changes stand among the generations; here is when each command was taken.
OrderedJson commandJson(const RecordedCommand& recorded) {
    OrderedJson object{{"at", pointJson(recorded.at)}};
    const auto set = [&object](Revision revision) {
        object["kind"] = "set_config";
        object["revision"] = revision.value;
    };
    if (const auto* change = std::get_if<SetConfig>(&recorded.command)) {
        set(change->revision);
    } else if (const auto* own = std::get_if<SetCacheSettings>(&recorded.command)) {
        set(own->revision);
    } else if (const auto* compact = std::get_if<CompactNow>(&recorded.command)) {
        object["kind"] = "compact_now";
        object["conversation"] = compact->conversation.value;
    } else {
        object["kind"] = "cancel";
        const auto only = std::get<CancelTurn>(recorded.command).conversation;
        object["conversation"] = only ? OrderedJson(only->value) : OrderedJson(nullptr);
    }
    return object;
}

OrderedJson compactionJson(const CompactionHappened& happened) {
    const CompactionReport& report = happened.report;
    return {{"time_ns", happened.timeNs},
            {"at", pointJson(happened.at)},
            {"conversation", happened.conversation.value},
            {"revision", happened.revision.value},
            {"result", std::string(reportName(report.result))},
            {"cause", std::string(reportName(report.cause))},
            {"method", std::string(reportName(report.method))},
            {"reason", report.reason},
            {"tokens", report.tokens},
            {"slots_before", report.slotsBefore},
            {"slots_after", report.slotsAfter},
            {"live_bytes_before", report.liveBytesBefore},
            {"live_bytes_after", report.liveBytesAfter},
            {"reference_queries", report.referenceQueries},
            {"held_out_error",
             report.heldOutError ? OrderedJson(*report.heldOutError) : OrderedJson(nullptr)},
            {"queries_ms", report.queriesMs},
            {"score_ms", report.scoreMs},
            {"select_ms", report.selectMs},
            {"fit_ms", report.fitMs},
            {"apply_ms", report.applyMs},
            {"total_ms", report.totalMs},
            {"background", report.background ? 1 : 0},
            {"stall_ms", report.stallMs},
            {"background_ms", report.backgroundMs}};
}

OrderedJson samplesJson(const Recording& recording) {
    OrderedJson columns = OrderedJson::array();
    for (const SampleColumn& column : sampleColumns()) columns.push_back(std::string(column.name));
    OrderedJson rows = OrderedJson::array();
    for (const StepSample& sample : recording.samples) {
        OrderedJson row = OrderedJson::array();
        for (const SampleColumn& column : sampleColumns()) row.push_back(column.read(sample));
        rows.push_back(std::move(row));
    }
    return {{"seen", recording.samplesSeen},
            {"kept", recording.samples.size()},
            {"columns", std::move(columns)},
            {"rows", std::move(rows)}};
}

template <class T, class Convert>
OrderedJson listJson(const std::vector<T>& items, Convert convert) {
    OrderedJson list = OrderedJson::array();
    for (const T& item : items) list.push_back(convert(item));
    return list;
}

}  // namespace

std::string utcTime(std::int64_t unixMs) {
    const auto seconds = static_cast<std::time_t>(unixMs / 1000);
    std::tm utc{};
    if (::gmtime_r(&seconds, &utc) == nullptr) return {};
    return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", utc.tm_year + 1900, utc.tm_mon + 1,
                  utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

OrderedJson reportJson(const Recording& recording) {
    OrderedJson report;
    report["schema"] = kReportSchema;
    report["version"] = kReportVersion;
    report["program"] = "Lacuna " LACUNA_VERSION;
    report["started"] = utcTime(recording.startedUnixMs);
    report["started_unix_ms"] = recording.startedUnixMs;
    report["model"] = recording.model ? modelJson(*recording.model) : OrderedJson(nullptr);
    report["machine"] = machineJson(recording.machine);
    report["initial_config"] = configToJson(recording.initialConfig);
    report["turns"] = listJson(recording.turns, [&recording](const RecordedTurn& turn) {
        return turnJson(turn, recording);
    });
    report["commands"] = listJson(recording.commands, commandJson);
    report["generations"] = listJson(recording.generations, generationJson);
    report["rejections"] = listJson(recording.rejections, rejectionJson);
    report["compactions"] = listJson(recording.compactions, compactionJson);
    report["quality"] = {{"seen", recording.qualitySeen},
                         {"rows", listJson(recording.quality, qualityJson)}};
    report["notices"] = recording.notices;
    report["samples"] = samplesJson(recording);
    return report;
}

std::string reportJsonText(const Recording& recording) {
    OrderedJson report = reportJson(recording);
    const OrderedJson rows = std::exchange(report["samples"]["rows"], "@rows");
    std::string text = dumpJson(report, 1);
    std::string lines = "[";
    for (std::size_t i = 0; i < rows.size(); ++i)
        lines += (i == 0 ? "\n   " : ",\n   ") + dumpJson(rows[i]);
    lines += rows.empty() ? "]" : "\n  ]";
    // The samples stand last, so the last mark is ours whatever the messages say.
    const std::string mark = "\"@rows\"";
    text.replace(text.rfind(mark), mark.size(), lines);
    return text + "\n";
}

}  // namespace lacuna
