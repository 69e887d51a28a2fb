// CSV tables: RFC 4180, one header row. Text that a spreadsheet would interpret as a formula is
// prefixed with an apostrophe.

#include "engine/base/string_format.h"
#include "engine/report/report.h"
#include "engine/report/report_fields.h"
#include "engine/report/report_figures.h"

namespace lacuna {
namespace {

/// Returns a cell of a turn; fields of its end are empty until it has ended.
std::string turnCell(const RecordedTurn& turn, std::string_view name) {
    if (const auto* own = columnNamed<RecordedTurn>(name)) return cellOf(own->get(turn));
    if (!turn.finished) return name == "reason" ? "unfinished" : "";
    return cellOf(columnNamed<TurnFinished>(name)->get(*turn.finished));
}

/// Combines the figures of a turn and of its end in one row.
std::string turnsCsv(const Recording& recording) {
    constexpr std::string_view kColumns[] = {"turn",
                                             "conversation",
                                             "revision",
                                             "seed",
                                             "prompt_tokens",
                                             "reused_tokens",
                                             "generated_tokens",
                                             "decode_steps",
                                             "drafted_tokens",
                                             "accepted_tokens",
                                             "compactions",
                                             "reason",
                                             "prefill_seconds",
                                             "decode_seconds",
                                             "time_to_first_token_seconds",
                                             "prefill_tokens_per_second",
                                             "decode_tokens_per_second",
                                             "text"};
    std::string csv;
    for (const std::string_view name : kColumns)
        csv += format("{}{}", csv.empty() ? "" : ",", name);
    csv += "\r\n";
    for (const RecordedTurn& turn : recording.turns) {
        std::string row;
        for (const std::string_view name : kColumns) row += turnCell(turn, name) + ',';
        row.pop_back();
        csv += row + "\r\n";
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

/// Writes one line per figure, since tiers have many figures and differ in them.
template <Tabled T>
void addTier(std::string_view tier, const T& stats, std::string& csv) {
    for (const Field<T>& field : fieldsOf<T>()) {
        const OrderedJson value = field.get(stats);
        if (!value.is_object()) {
            csv += format("{},{},{}\r\n", tier, field.name, cellOf(value));
            continue;
        }
        for (const auto& [part, figure] : value.items())
            csv += format("{},{}_{},{}\r\n", tier, field.name, part, cellOf(figure));
    }
}

std::string tiersCsv(const Recording& recording) {
    std::string csv = "tier,figure,value\r\n";
    if (!recording.kept) return csv;
    addTier("memory", recording.kept->stats, csv);
    addTier("disk", recording.kept->disk, csv);
    return csv;
}

std::string conversationsCsv(const Recording& recording) {
    std::string csv =
        "conversation,cache_tokens,live_bytes,prompt_tokens,reused_tokens,brought_back_tokens,"
        "kept_tokens,reused_from\r\n";
    for (const ConversationFigures& one : conversationFigures(recording))
        csv += format("{},{},{},{},{},{},{},{}\r\n", one.conversation.value, one.tokens,
                      one.liveBytes, one.promptTokens, one.reusedTokens, one.evictedRestored,
                      one.keptTokens, csvCell(one.from));
    return csv;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> reportCsv(const Recording& recording) {
    return {{"samples.csv", csvTable(recording.samples, Decimals::AsInJson)},
            {"compactions.csv", csvTable(recording.compactions)},
            {"turns.csv", turnsCsv(recording)},
            {"generations.csv", generationsCsv(recording)},
            {"quality.csv", csvTable(recording.quality)},
            {"restores.csv", csvTable(recording.restores)},
            {"tiers.csv", tiersCsv(recording)},
            {"conversations.csv", conversationsCsv(recording)}};
}

}  // namespace lacuna
