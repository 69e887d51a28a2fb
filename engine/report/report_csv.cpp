// Tables for spreadsheets: RFC 4180, one header row. Text that a spreadsheet would take for a
// formula gets an apostrophe in front.

#include "engine/base/csv_cell.h"
#include "engine/base/string_format.h"
#include "engine/report/report.h"
#include "engine/report/report_figures.h"
#include "engine/report/report_names.h"
#include "engine/report/report_quality.h"
#include "engine/report/report_schema.h"

namespace lacuna {
namespace {

std::string optionalText(const std::optional<double>& value) {
    return value ? format("{}", *value) : std::string();
}

std::string samplesCsv(const Recording& recording) {
    std::string csv;
    for (const SampleColumn& column : sampleColumns())
        csv += format("{}{}", csv.empty() ? "" : ",", column.name);
    csv += "\r\n";
    for (const StepSample& sample : recording.samples) {
        bool first = true;
        for (const SampleColumn& column : sampleColumns()) {
            const OrderedJson value = column.read(sample);
            if (!first) csv += ',';
            csv += value.is_string() ? value.get<std::string>() : value.dump();
            first = false;
        }
        csv += "\r\n";
    }
    return csv;
}

std::string compactionsCsv(const Recording& recording) {
    std::string csv =
        "time_ns,turn,index,conversation,revision,result,cause,method,tokens,slots_before,slots_"
        "after,"
        "live_bytes_before,live_bytes_after,reference_queries,held_out_error,queries_ms,score_ms,"
        "select_ms,"
        "fit_ms,apply_ms,"
        "total_ms,stall_ms,background_ms,reason\r\n";
    for (const CompactionHappened& happened : recording.compactions) {
        const CompactionReport& r = happened.report;
        csv += format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\r\n",
                      happened.timeNs, happened.at.turn, happened.at.index,
                      happened.conversation.value, happened.revision.value, reportName(r.result),
                      reportName(r.cause), reportName(r.method), r.tokens, r.slotsBefore,
                      r.slotsAfter, r.liveBytesBefore, r.liveBytesAfter, r.referenceQueries,
                      optionalText(r.heldOutError), r.queriesMs, r.scoreMs, r.selectMs, r.fitMs,
                      r.applyMs, r.totalMs, r.stallMs, r.backgroundMs, csvCell(r.reason));
    }
    return csv;
}

std::string turnsCsv(const Recording& recording) {
    std::string csv =
        "turn,conversation,revision,seed,prompt_tokens,reused_tokens,generated_tokens,decode_steps,"
        "drafted_tokens,accepted_tokens,compactions,reason,"
        "prefill_seconds,decode_seconds,time_to_first_token_seconds,prefill_tokens_per_second,"
        "decode_tokens_per_second,text\r\n";
    for (const RecordedTurn& turn : recording.turns) {
        const TurnStarted& started = turn.started;
        csv += format("{},{},{},{},{},{},", started.turn, started.conversation.value,
                      started.revision.value, started.seed, started.promptTokens,
                      started.reusedTokens);
        if (!turn.finished) {
            csv += ",,,,,unfinished,,,,,,\r\n";
            continue;
        }
        const TurnStats& stats = turn.finished->stats;
        csv += format("{},{},{},{},{},{},{},{},{},{},{},{}\r\n", stats.generatedTokens,
                      stats.decodeSteps, stats.draftedTokens, stats.acceptedTokens,
                      stats.compactions, reportName(turn.finished->reason), stats.prefillSeconds,
                      stats.decodeSeconds, optionalText(firstTokenSeconds(*turn.finished)),
                      optionalText(prefillSpeed(*turn.finished)),
                      optionalText(decodeSpeed(*turn.finished)), csvCell(turn.finished->text));
    }
    return csv;
}

std::string generationsCsv(const Recording& recording) {
    std::string csv = "revision,time_ns,turn,index,outcome,scope,change\r\n";
    for (const auto& [applied, scope, change] : changeRows(recording))
        csv += format("{},{},{},{},applied,{},{}\r\n", applied->revision.value, applied->timeNs,
                      applied->at.turn, applied->at.index, scope, csvCell(change));
    for (const ConfigRejected& rejected : recording.rejections)
        for (const RuleViolation& violation : rejected.violations)
            csv += format("{},{},,,rejected,,{}\r\n", rejected.revision.value, rejected.timeNs,
                          csvCell(format("{}: {}", violation.rule, violation.sentence)));
    return csv;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> reportCsv(const Recording& recording) {
    return {{"samples.csv", samplesCsv(recording)},
            {"compactions.csv", compactionsCsv(recording)},
            {"turns.csv", turnsCsv(recording)},
            {"generations.csv", generationsCsv(recording)},
            {"quality.csv", qualityCsv(recording)}};
}

}  // namespace lacuna
