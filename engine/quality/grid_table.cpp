#include "engine/quality/grid_table.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"

namespace lacuna {

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

namespace {

constexpr std::int64_t kFewItems = 50;  // docs/quality.md, "What a claim must state"

double meanOf(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(std::max<std::size_t>(values.size(), 1));
}

/// Accumulates cells into one row.
class RowSum {
  public:
    void add(const GridItem& item, const GridCell& cell) {
        if (!cell.refused.empty()) {
            ++row_.refused;
            return;
        }
        ++row_.items;
        row_.evictions += cell.evictions;
        live_ += static_cast<double>(cell.liveBytes);
        logical_ += static_cast<double>(cell.logicalBytes);
        kl_.insert(kl_.end(), cell.kl.begin(), cell.kl.end());
        sameTop_ += cell.sameTop;
        nllChange_ += (cell.compactedNll - cell.fullNll) * static_cast<double>(cell.kl.size());
        if (cell.outputError) outputErrors_.push_back(*cell.outputError);
        if (cell.logMassError) massErrors_.push_back(*cell.logMassError);
        compactionMs_.push_back(cell.compactionMs);
        addAnswer(item, cell);
    }

    [[nodiscard]] GridRow row() && {
        row_.liveShare = logical_ > 0 ? live_ / logical_ : 0;
        const auto positions = static_cast<double>(std::max<std::size_t>(kl_.size(), 1));
        row_.perplexityChange = std::expm1(nllChange_ / positions);
        row_.divergence = divergenceFigures(std::move(kl_), sameTop_);
        if (!outputErrors_.empty()) row_.outputError = meanOf(outputErrors_);
        if (!massErrors_.empty()) row_.logMassError = meanOf(massErrors_);
        row_.agreedMedian = medianOf(std::move(agreed_));
        row_.compactionMs = medianOf(std::move(compactionMs_));
        return std::move(row_);
    }

  private:
    void addAnswer(const GridItem& item, const GridCell& cell) {
        if (cell.answered == 0) return;
        ++row_.answers;
        row_.sameAnswers += cell.agreed == cell.answered ? 1 : 0;
        agreed_.push_back(static_cast<double>(cell.agreed));
        if (item.key.empty()) return;
        ++row_.answerable;
        row_.fullHits += cell.fullHit ? 1 : 0;
        row_.hits += cell.hit ? 1 : 0;
    }

    GridRow row_;
    double live_ = 0, logical_ = 0, nllChange_ = 0;
    std::vector<double> kl_, outputErrors_, massErrors_, compactionMs_, agreed_;
    std::int64_t sameTop_ = 0;
};

/// A null `kind` includes all items.
GridRow rowOf(std::span<const GridItem> items, const GridSetting& setting, std::size_t index,
              const GridCells& cells, const std::string* kind) {
    RowSum sum;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (kind != nullptr && items[i].kind != *kind) continue;
        if (const auto at = cells.find({i, index}); at != cells.end())
            sum.add(items[i], at->second);
    }
    GridRow row = std::move(sum).row();
    row.method = setting.method;
    row.asked = setting.asked;
    if (kind != nullptr) row.kind = *kind;
    return row;
}

std::string percent(double share) {
    return format("{:.1f} %", share * 100);
}

std::string optionalNumber(const std::optional<double>& value) {
    return value ? format("{:.4g}", *value) : std::string();
}

}  // namespace

std::vector<GridRow> gridRows(std::span<const GridItem> items,
                              std::span<const GridSetting> settings, const GridCells& cells) {
    std::vector<GridRow> rows;
    for (std::size_t s = 0; s < settings.size(); ++s)
        rows.push_back(rowOf(items, settings[s], s, cells, nullptr));
    markFront(rows);
    return rows;
}

std::vector<GridRow> gridRowsByKind(std::span<const GridItem> items,
                                    std::span<const GridSetting> settings, const GridCells& cells) {
    std::vector<std::string> kinds;
    for (const GridItem& item : items)
        if (std::ranges::find(kinds, item.kind) == kinds.end()) kinds.push_back(item.kind);
    std::vector<GridRow> rows;
    for (std::size_t s = 0; s < settings.size(); ++s)
        for (const std::string& kind : kinds)
            rows.push_back(rowOf(items, settings[s], s, cells, &kind));
    return rows;
}

void markFront(std::vector<GridRow>& rows) {
    const auto beats = [](const GridRow& a, const GridRow& b) {
        const double da = a.divergence.klMean;
        const double db = b.divergence.klMean;
        const bool noWorse = a.liveShare <= b.liveShare && da <= db;
        return noWorse && (a.liveShare < b.liveShare || da < db);
    };
    for (GridRow& row : rows) {
        row.onFront = row.items > 0;
        for (const GridRow& other : rows)
            if (other.items > 0 && beats(other, row)) row.onFront = false;
    }
}

OrderedJson gridRowsJson(std::span<const GridRow> rows) {
    OrderedJson list = OrderedJson::array();
    for (const GridRow& row : rows) {
        OrderedJson json{{"method", row.method}, {"asked", row.asked}};
        if (!row.kind.empty()) json["kind"] = row.kind;
        json["items"] = row.items;
        json["refused"] = row.refused;
        list.push_back(json);
        if (row.items == 0) continue;
        OrderedJson& out = list.back();
        out["evictions"] = row.evictions;
        out["live_share"] = row.liveShare;
        out["kl_mean"] = row.divergence.klMean;
        out["kl_median"] = row.divergence.klMedian;
        out["kl_p99"] = row.divergence.klP99;
        out["top1"] = row.divergence.top1;
        out["positions"] = row.divergence.positions;
        out["perplexity_change"] = row.perplexityChange;
        if (row.outputError) out["output_error"] = *row.outputError;
        if (row.logMassError) out["log_mass_error"] = *row.logMassError;
        if (row.answerable > 0)
            out["recall"] = {{"cases", row.answerable},
                             {"hits", row.hits},
                             {"whole_hits", row.fullHits},
                             {"rate", row.recall()}};
        if (row.answers > 0)
            out["greedy"] = {{"answers", row.answers},
                             {"same", row.sameAnswers},
                             {"agreed_median", row.agreedMedian}};
        out["compaction_ms_median"] = row.compactionMs;
        if (row.kind.empty()) out["pareto"] = row.onFront;
    }
    return list;
}

std::string gridCsv(std::span<const GridRow> rows) {
    std::string csv =
        "method,asked,kind,items,refused,evictions,live_share,kl_mean,kl_median,kl_p99,top1,"
        "positions,perplexity_change,output_error,log_mass_error,cases,whole_hits,hits,answers,"
        "same_answers,agreed_median,compaction_ms_median,pareto\r\n";
    for (const GridRow& row : rows) {
        csv += format("{},{},{},{},{},", csvCell(row.method), csvCell(row.asked),
                      csvCell(row.kind.empty() ? "all" : row.kind), row.items, row.refused);
        if (row.items == 0) {
            csv += ",,,,,,,,,,,,,,,,,\r\n";
            continue;
        }
        const DivergenceFigures& d = row.divergence;
        csv +=
            format("{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.6g},", row.evictions, row.liveShare,
                   d.klMean, d.klMedian, d.klP99, d.top1, d.positions, row.perplexityChange);
        csv += format("{},{},{},{},{},{},{},{:.6g},{:.6g},{}\r\n", optionalNumber(row.outputError),
                      optionalNumber(row.logMassError), row.answerable, row.fullHits, row.hits,
                      row.answers, row.sameAnswers, row.agreedMedian, row.compactionMs,
                      row.onFront ? 1 : 0);
    }
    return csv;
}

std::string gridMarkdown(std::span<const GridRow> rows) {
    if (rows.empty()) return {};
    std::string out =
        "| method | target | live / logical bytes | recall | KL mean | KL p99 | same top token | "
        "perplexity | same answer | output error | log-mass error | compaction, ms | not evicted "
        "|\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for (const GridRow& row : rows) {
        const std::string name = row.method + (row.onFront ? " *" : "");
        if (row.items == 0) {
            out += format("| {} | {} | | | | | | | | | | | {} |\n", name, row.asked, row.refused);
            continue;
        }
        const DivergenceFigures& d = row.divergence;
        const auto share = [](std::int64_t part, std::int64_t whole) {
            return whole == 0 ? std::string()
                              : percent(static_cast<double>(part) / static_cast<double>(whole));
        };
        out += format("| {} | {} | {:.3f} | {} | {:.4f} | {:.3f} | {} | {:+.1f} % | {} | ", name,
                      row.asked, row.liveShare, share(row.hits, row.answerable), d.klMean, d.klP99,
                      percent(d.top1), row.perplexityChange * 100,
                      share(row.sameAnswers, row.answers));
        out += format("{} | {} | {:.1f} | {} |\n", optionalNumber(row.outputError),
                      optionalNumber(row.logMassError), row.compactionMs, row.refused);
    }
    const auto most = std::ranges::max(rows, {}, &GridRow::items).items;
    if (most < kFewItems)
        out += format("\nOnly {} texts, fewer than {}: these figures are not reliable.\n", most,
                      kFewItems);
    return out;
}

}  // namespace lacuna
