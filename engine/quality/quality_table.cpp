#include "engine/quality/quality_table.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/quality/divergence.h"
#include "engine/quality/format_table.h"
#include "engine/quality/table_files.h"

namespace lacuna {
namespace {

constexpr const char* kSchema = "lacuna-quality";
constexpr int kVersion = 1;
constexpr std::int64_t kFewItems = 50;  // docs/quality.md, "What a claim must state"

TableRow readRow(const LocatedValue& from) {
    ObjectReader reader(from, UnknownMembers::Allowed);
    const auto at = [&reader](const char* name) { return reader.member(name); };
    TableRow row;
    row.method = at("method").text();
    row.ratio = at("ratio").amount();
    row.settings = at("settings").text();
    row.items = at("items").count();
    row.left = at("left").count();
    if (reader.has("open")) row.open = at("open").count();
    if (reader.has("unsaved")) row.unsaved = at("unsaved").count();
    if (reader.has("refused")) row.refused = at("refused").text();
    if (row.items == 0) return row;
    {
        ObjectReader recall(at("recall"), UnknownMembers::Allowed);
        row.answerable = recall.member("asked").count();
        row.hits = recall.member("hits").count();
    }
    {
        ObjectReader ruler(at("ruler"), UnknownMembers::Allowed);
        row.questions = ruler.member("questions").count();
        row.rulerFull = ruler.member("score_full").amount();
        row.ruler = ruler.member("score").amount();
    }
    {
        ObjectReader text(at("text"), UnknownMembers::Allowed);
        row.positions = text.member("positions").count();
        row.klMean = text.member("kl_mean").amount();
        row.klP99 = text.member("kl_p99").amount();
        if (text.has("same_top")) row.top1 = text.member("same_top").amount();
        row.perplexityFull = text.member("perplexity_full").amount();
        row.perplexity = text.member("perplexity").amount();
    }
    row.liveBytes = at("live_bytes").amount();
    row.logicalBytes = at("logical_bytes").amount();
    row.seconds = at("seconds").amount();
    if (reader.has("bits_per_number")) {
        row.bitsPerNumber = at("bits_per_number").amount();
        row.bytesPerToken = at("bytes_per_token").amount();
        row.allocatedPerToken = at("allocated_per_token").amount();
    }
    if (reader.has("speed")) row.speed = readDecodeSpeed(at("speed"));
    return row;
}

std::string ratioText(double ratio) {
    return format("{:g}x", ratio);
}

/// Returns "12 of 13", or a dash if there were no questions.
std::string recallText(const TableRow& row) {
    return row.answerable == 0 ? "–" : format("{} of {}", row.hits, row.answerable);
}
std::string rulerText(const TableRow& row) {
    const auto share = row.rulerShare();
    return share ? format("{:.1f} %", 100 * *share) : "–";
}

std::string markdownRow(const TableRow& row) {
    const std::string asked = ratioText(row.ratio);
    if (row.items == 0)
        return format("| {} | {} | – | – | – | – | – | – | – | {} |\n", row.method, asked,
                      row.refused.empty() ? "not measured yet" : row.refused);
    const bool text = row.positions > 0;
    return format(
        "| {} | {} | {} | {} | {} | {} | {} | {:.1f} % ({:.2f} MiB) | {:.3f} | {} |\n", row.method,
        asked, recallText(row), rulerText(row), text ? format("{:.4f}", row.klMean) : "–",
        text ? format("{:.3f}", row.klP99) : "–", text ? format("{:.2f}", row.perplexity) : "–",
        100 * row.liveBytes / std::max(row.logicalBytes, 1.0), row.liveBytes / kMiB, row.seconds,
        tableRemark(row));
}

std::string csvRow(const TableRow& row) {
    std::string out = format("{},{:g},{},{},{},{},", csvCell(row.method), row.ratio,
                             csvCell(row.settings), csvCell(row.refused), row.items, row.left);
    if (row.items == 0) return out + ",,,,,,,,,,,,\r\n";
    const auto share = row.rulerShare();
    out += format("{},{},{},{:.6g},{:.6g},{},{},", row.answerable, row.hits, row.questions,
                  row.rulerFull, row.ruler, share ? format("{:.6g}", *share) : "", row.positions);
    if (row.positions > 0)
        out += format("{:.6g},{:.6g},{:.6g},", row.klMean, row.klP99, row.perplexity);
    else
        out += ",,,";
    return out + format("{:.0f},{:.0f},{:.6g}\r\n", row.liveBytes, row.logicalBytes, row.seconds);
}

/// Describes the full cache's results on the measured tasks only.
std::string fullCacheSentence(const TableRow& full) {
    std::string does;
    std::string sentence = "Seconds are the mean of a compaction";
    const auto add = [&does](const std::string& what) {
        does += (does.empty() ? "" : ", ") + what;
    };
    if (full.answerable > 0) {
        add(format("answers {} dialogues", full.answerable));
        sentence += ", recall counts the dialogues it answers";
    }
    if (full.questions > 0) {
        add(format("has a RULER score of {:.1f} over {} questions", full.rulerFull,
                   full.questions));
        sentence += ", RULER is the share of its score";
    }
    if (full.positions > 0)
        add(format("has a perplexity of {:.2f} over {} positions", full.perplexity,
                   full.positions));
    return (does.empty() ? does : "The full cache " + does + ". ") + sentence + ".\n\n";
}

}  // namespace

std::string tableRemark(const TableRow& row) {
    std::string text;
    const auto say = [&text](const std::string& one) { text += (text.empty() ? "" : "; ") + one; };
    const std::int64_t tried = row.items + row.left;
    if (row.open > 0) say(format("{} of {} texts so far", tried, tried + row.open));
    if (row.unsaved > 0) say(format("no byte saved in {} short texts", row.unsaved));
    if (row.left > 0)
        say(row.ratio == 1 ? format("{} texts left out: all in 16 bits", row.left)
                           : format("{} texts not compacted", row.left));
    return text;
}

OrderedJson tableRowJson(const TableRow& row) {
    OrderedJson json{{"method", row.method},
                     {"ratio", row.ratio},
                     {"settings", row.settings},
                     {"items", row.items},
                     {"left", row.left}};
    if (row.open > 0) json["open"] = row.open;
    if (row.unsaved > 0) json["unsaved"] = row.unsaved;
    if (!row.refused.empty()) json["refused"] = row.refused;
    if (row.items == 0) return json;
    json["recall"] = {{"asked", row.answerable}, {"hits", row.hits}};
    json["ruler"] = {
        {"questions", row.questions}, {"score_full", row.rulerFull}, {"score", row.ruler}};
    json["text"] = {{"positions", row.positions},
                    {"kl_mean", row.klMean},
                    {"kl_p99", row.klP99},
                    {"same_top", row.top1},
                    {"perplexity_full", row.perplexityFull},
                    {"perplexity", row.perplexity}};
    json["live_bytes"] = row.liveBytes;
    json["logical_bytes"] = row.logicalBytes;
    json["seconds"] = row.seconds;
    json["bits_per_number"] = row.bitsPerNumber;
    json["bytes_per_token"] = row.bytesPerToken;
    json["allocated_per_token"] = row.allocatedPerToken;
    if (row.speed) json["speed"] = decodeSpeedJson(*row.speed);
    return json;
}

OrderedJson qualityTableJson(const QualityTable& table) {
    OrderedJson json{{"schema", kSchema},
                     {"version", kVersion},
                     {"model", table.model},
                     {"fingerprint", table.fingerprint},
                     {"plan", table.plan},
                     {"size", tableSizeName(table.size)},
                     {"program", table.program},
                     {"machine", table.machine},
                     {"precision", table.precision},
                     {"date", table.date},
                     {"conditions", table.conditions},
                     {"auto_budgets", table.autoBudgets},
                     {"auto_policy", table.autoPolicy},
                     {"done", table.done},
                     {"total", table.total},
                     {"seconds", table.seconds},
                     {"whole", tableRowJson(table.full)}};
    json["rows"] = OrderedJson::array();
    for (const TableRow& row : table.rows) json["rows"].push_back(tableRowJson(row));
    return json;
}

Result<QualityTable> qualityTableFromJson(const Json& json) {
    if (!json.is_object() || json.value("schema", Json()) != kSchema ||
        json.value("version", Json()) != kVersion)
        return fail(ErrorCode::Incompatible, "this is not a quality table of this version");
    JsonReading reading;
    QualityTable table;
    {
        ObjectReader reader({json, {}, {}, reading}, UnknownMembers::Allowed);
        const auto at = [&reader](const char* name) { return reader.member(name); };
        table.model = at("model").text();
        table.fingerprint = at("fingerprint").text();
        table.plan = at("plan").text();
        const std::string size = at("size").text();
        const auto named = std::ranges::find(kTableSizes, size, tableSizeName);
        if (named == kTableSizes.end())
            at("size").wrong("neither small nor whole nor formats");
        else
            table.size = *named;
        table.program = at("program").text();
        table.machine = at("machine").text();
        table.precision = at("precision").text();
        table.date = at("date").text();
        table.conditions = at("conditions").text();
        table.autoBudgets = at("auto_budgets").text();
        table.autoPolicy = at("auto_policy").text();
        table.done = at("done").count();
        table.total = at("total").count();
        table.seconds = at("seconds").amount();
        table.full = readRow(at("whole"));
        readItems(at("rows"),
                  [&table](const LocatedValue& row) { table.rows.push_back(readRow(row)); });
    }
    LACUNA_TRY_STATUS(reading.status());
    return table;
}

std::string qualityTableMarkdown(const QualityTable& table) {
    if (table.size == TableSize::Formats) return formatTableMarkdown(table);
    const TableRow& full = table.full;
    std::string out = format("{}, {} run, {} of {} measured, {}, {}, {}, precision {}.\n",
                             table.model, tableSizeName(table.size), table.done, table.total,
                             table.date, table.program, table.machine, table.precision);
    out += format("Conditions: {}.\n\n", table.conditions);
    out += fullCacheSentence(full);
    out +=
        "| method | target | recall | RULER | KL mean | KL p99 | perplexity | live bytes per text "
        "| seconds | |\n|---|---|---|---|---|---|---|---|---|---|\n";
    for (const TableRow& row : table.rows) out += markdownRow(row);
    if (full.items < kFewItems)
        out += format("\nOnly {} texts, fewer than {}: these figures are not reliable.\n",
                      full.items, kFewItems);
    return out;
}

std::string qualityTableCsv(const QualityTable& table) {
    if (table.size == TableSize::Formats) return formatTableCsv(table);
    std::string csv =
        "method,ratio,settings,refused,items,not_compacted,dialogues,hits,ruler_questions,"
        "ruler_full,ruler,ruler_share,positions,kl_mean,kl_p99,perplexity,live_bytes,"
        "logical_bytes,seconds\r\n";
    csv += csvRow(table.full);
    for (const TableRow& row : table.rows) csv += csvRow(row);
    return csv;
}

}  // namespace lacuna
