#include "engine/quality/format_table.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/quality/quality_table.h"

namespace lacuna {
namespace {

constexpr std::int64_t kFewItems = 50;  // docs/quality.md, "What a claim must state"
constexpr int kFewestPairs = 3;

struct MeasuredPair {
    double keyError = 0, valueError = 0, kl = 0;
};

/// Returns the measured rotated codes without eviction.
std::vector<MeasuredPair> measuredPairs(const QualityTable& table) {
    std::vector<MeasuredPair> pairs;
    for (const TableRow& row : table.rows) {
        if (!isFormatAlone(row) || row.positions == 0 || !(row.klMean > 0)) continue;
        const std::size_t slash = row.method.find('/');
        const auto keys = rotatedBits(row.method.substr(0, slash));
        const auto values =
            slash == std::string::npos ? keys : rotatedBits(row.method.substr(slash + 1));
        if (keys && values) pairs.push_back({codeError(*keys), codeError(*values), row.klMean});
    }
    return pairs;
}

/// Minimises the sum of ((a x + b y) / kl - 1)^2 subject to a, b >= 0.
std::pair<double, double> fitted(const std::vector<MeasuredPair>& pairs) {
    double xx = 0, xy = 0, yy = 0, x = 0, y = 0;
    for (const MeasuredPair& one : pairs) {
        const double u = one.keyError / one.kl, v = one.valueError / one.kl;
        xx += u * u;
        xy += u * v;
        yy += v * v;
        x += u;
        y += v;
    }
    const double determinant = xx * yy - xy * xy;
    if (determinant > 1e-12 * xx * yy) {
        const double a = (x * yy - y * xy) / determinant;
        const double b = (y * xx - x * xy) / determinant;
        if (a >= 0 && b >= 0) return {a, b};
        if (a < 0) return {0, y / yy};
    }
    return {x / xx, 0};
}

std::string recallText(const TableRow& row) {
    return row.answerable == 0 ? "–" : format("{} of {}", row.hits, row.answerable);
}

/// Returns "17.20 (+1.35 %)" relative to the full cache; only the value for the full cache itself.
std::string perplexityText(const TableRow& row) {
    if (row.positions == 0) return "–";
    if (row.perplexity == row.perplexityFull) return format("{:.2f}", row.perplexity);
    return format("{:.2f} ({:+.2f} %)", row.perplexity,
                  100 * (row.perplexity / row.perplexityFull - 1));
}

std::string markdownRow(const TableRow& row) {
    if (row.items == 0)
        return format("| {} | – | – | – | – | – | – | – | – | – | – | {} |\n", row.method,
                      row.refused.empty() ? "not measured yet" : row.refused);
    const bool text = row.positions > 0;
    return format(
        "| {} | {:.2f} | {:.0f} | {:.0f} | {:.2f} x | {} | {} | {} | {} | {} | {} | {} |\n",
        row.method, row.bitsPerNumber, row.bytesPerToken, row.allocatedPerToken,
        row.logicalBytes / std::max(row.liveBytes, 1.0), text ? format("{:.5f}", row.klMean) : "–",
        text ? format("{:.4f}", row.klP99) : "–", text ? format("{:.1f} %", 100 * row.top1) : "–",
        perplexityText(row), recallText(row),
        row.speed ? format("{:.1f} ({:.2f} x)", row.speed->tokensPerSecond, row.speed->ofFull)
                  : "–",
        tableRemark(row));
}

std::string csvRow(const TableRow& row) {
    std::string out = format("{},{:g},{},{},{},{}", csvCell(row.method), row.ratio,
                             csvCell(row.settings), csvCell(row.refused), row.items, row.left);
    if (row.items == 0) return out + ",,,,,,,,,,,,\r\n";
    out += format(",{:.6g},{:.6g},{:.6g},{},{},{},", row.bitsPerNumber, row.bytesPerToken,
                  row.allocatedPerToken, row.answerable, row.hits, row.positions);
    out += row.positions > 0 ? format("{:.6g},{:.6g},{:.6g},{:.6g},", row.klMean, row.klP99,
                                      row.top1, row.perplexity)
                             : ",,,,";
    out += row.speed ? format("{:.6g},{:.6g}", row.speed->tokensPerSecond, row.speed->ofFull) : ",";
    return out + "\r\n";
}

}  // namespace

std::string formatName(std::string_view keys, std::string_view values) {
    return keys == values ? std::string(keys) : format("{}/{}", keys, values);
}

bool isFormatAlone(const TableRow& row) {
    return row.ratio == 1;
}

bool savesBytes(const TableRow& row) {
    return row.logicalBytes == 0 || row.liveBytes < row.logicalBytes;
}

const TableRow* measuredFormat(const QualityTable& table, std::string_view name) {
    for (const TableRow& row : table.rows)
        if (row.method == name && isFormatAlone(row) && row.items > 0) return &row;
    return nullptr;
}

std::optional<FormatGate> formatGate(const QualityTable& table, double maxKl) {
    FormatGate gate;
    gate.maxKl = maxKl;
    gate.soFar = !table.complete();
    const TableRow* best = nullptr;
    for (const TableRow& row : table.rows) {
        if (!isFormatAlone(row) || row.positions == 0) continue;
        if (!savesBytes(row)) continue;
        ++gate.measured;
        if (!(row.klMean < maxKl)) continue;
        ++gate.passed;
        if (best == nullptr || row.bytesPerToken < best->bytesPerToken) best = &row;
    }
    if (gate.measured == 0) return std::nullopt;
    gate.chosen = best == nullptr ? table.full : *best;
    return gate;
}

std::string gateText(const FormatGate& gate) {
    if (gate.passed == 0 && gate.soFar)
        return format("So far none of {} formats has a mean KL below {:g}: keep 16 bits.",
                      gate.measured, gate.maxKl);
    if (gate.passed == 0)
        return format("None of {} formats has a mean KL below {:g}: keep 16 bits.", gate.measured,
                      gate.maxKl);
    if (gate.soFar)
        return format(
            "So far {} is the smallest that passes: mean KL {:.5f}, below {:g}; {} of {} formats "
            "pass.",
            gate.chosen.method, gate.chosen.klMean, gate.maxKl, gate.passed, gate.measured);
    return format(
        "{} is the smallest that passes: mean KL {:.5f}, below {:g}; {} of {} formats pass.",
        gate.chosen.method, gate.chosen.klMean, gate.maxKl, gate.passed, gate.measured);
}

std::optional<int> rotatedBits(std::string_view format) {
    if (format.size() != 2 || format[0] != 't' || format[1] < '1' || format[1] > '8')
        return std::nullopt;
    return format[1] - '0';
}

std::optional<FormatLoss> formatLoss(const QualityTable& table, std::string_view keys,
                                     std::string_view values) {
    const TableRow* row = measuredFormat(table, formatName(keys, values));
    if (row != nullptr && row->positions > 0) return FormatLoss{.klMean = row->klMean};
    const auto keyBits = rotatedBits(keys), valueBits = rotatedBits(values);
    if (!keyBits || !valueBits) return std::nullopt;
    const auto pairs = measuredPairs(table);
    if (pairs.size() < kFewestPairs) return std::nullopt;
    const auto [a, b] = fitted(pairs);
    return FormatLoss{.klMean = a * codeError(*keyBits) + b * codeError(*valueBits),
                      .measured = false,
                      .pairs = static_cast<int>(pairs.size())};
}

OrderedJson decodeSpeedJson(const DecodeSpeed& speed) {
    return {{"tokens_per_second", speed.tokensPerSecond},
            {"tokens_per_second_full", speed.fullTokensPerSecond},
            {"of_full", speed.ofFull},
            {"context", speed.context},
            {"rounds", speed.rounds}};
}

DecodeSpeed readDecodeSpeed(const LocatedValue& from) {
    ObjectReader reader(from, UnknownMembers::Allowed);
    DecodeSpeed speed;
    speed.tokensPerSecond = reader.member("tokens_per_second").amount();
    speed.fullTokensPerSecond = reader.member("tokens_per_second_full").amount();
    speed.ofFull = reader.member("of_full").amount();
    speed.context = reader.member("context").count();
    speed.rounds = reader.member("rounds").count();
    return speed;
}

std::string formatTableMarkdown(const QualityTable& table) {
    const TableRow& full = table.full;
    std::string out =
        format("{}, cache formats, {} of {} measured, {}, {}, {}, precision {}.\n", table.model,
               table.done, table.total, table.date, table.program, table.machine, table.precision);
    out += format("Conditions: {}.\n\n", table.conditions);
    out +=
        "Divergence, most likely token, perplexity, live bytes and speed are relative to the full "
        "cache in 16 bits; recall counts the dialogues it answers. Formats are keys / values; l2 "
        "and am also evict or merge.\n\n";
    out +=
        "| format | bits per number | live bytes per token | allocated | times smaller | KL mean | "
        "KL p99 | same top token | perplexity | recall | tok/s (of f16) | "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    out += markdownRow(full);
    for (const TableRow& row : table.rows) out += markdownRow(row);
    if (full.items < kFewItems)
        out += format("\nOnly {} texts, fewer than {}: these figures are not reliable.\n",
                      full.items, kFewItems);
    return out;
}

std::string formatTableCsv(const QualityTable& table) {
    std::string csv =
        "format,ratio,settings,refused,items,not_compacted,bits_per_number,bytes_per_token,"
        "allocated_per_token,dialogues,hits,positions,kl_mean,kl_p99,same_top,perplexity,"
        "tokens_per_second,of_full\r\n";
    csv += csvRow(table.full);
    for (const TableRow& row : table.rows) csv += csvRow(row);
    return csv;
}

}  // namespace lacuna
