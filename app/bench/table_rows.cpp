#include "app/bench/table_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "engine/base/string_format.h"
#include "engine/quality/divergence.h"

namespace lacuna {
namespace {

/// Sums the cells of one setting.
class TableSum {
  public:
    void add(const GridItem& item, const GridCell& cell) {
        if (!cell.refused.empty()) {
            ++row_.left;
            if (reason_.empty()) reason_ = cell.refused;
            return;
        }
        ++row_.items;
        if (cell.liveBytes >= cell.logicalBytes) ++row_.unsaved;
        row_.liveBytes += static_cast<double>(cell.liveBytes);
        row_.logicalBytes += static_cast<double>(cell.logicalBytes);
        tokens_ += static_cast<double>(cell.tokens);
        numbers_ += static_cast<double>(cell.numbers);
        allocatedBytes_ += static_cast<double>(cell.allocatedBytes);
        row_.seconds += cell.compactionMs / 1e3;
        if (cell.score) return addQuestion(item.kind, cell);
        if (!item.key.empty()) {
            row_.answerable += cell.fullHit ? 1 : 0;
            row_.hits += cell.fullHit && cell.hit ? 1 : 0;
            return;
        }
        const auto positions = static_cast<double>(cell.kl.size());
        kl_.insert(kl_.end(), cell.kl.begin(), cell.kl.end());
        sameTop_ += static_cast<double>(cell.sameTop);
        nll_ += cell.compactedNll * positions;
        fullNll_ += cell.fullNll * positions;
    }

    [[nodiscard]] TableRow row() && {
        const auto items = static_cast<double>(std::max<std::int64_t>(row_.items, 1));
        if (numbers_ > 0) row_.bitsPerNumber = 8 * row_.liveBytes / numbers_;
        if (tokens_ > 0) {
            row_.bytesPerToken = row_.liveBytes / tokens_;
            row_.allocatedPerToken = allocatedBytes_ / tokens_;
        }
        row_.liveBytes /= items;
        row_.logicalBytes /= items;
        row_.seconds /= items;
        for (const auto& [kind, task] : tasks_) {
            const double share = 100 / task.questions / static_cast<double>(tasks_.size());
            row_.rulerFull += task.full * share;
            row_.ruler += task.score * share;
        }
        if (row_.items == 0 && row_.left > 0) row_.refused = reason_;
        if (kl_.empty()) return std::move(row_);
        const auto positions = static_cast<double>(kl_.size());
        row_.positions = static_cast<std::int64_t>(kl_.size());
        row_.top1 = sameTop_ / positions;
        row_.perplexity = std::exp(nll_ / positions);
        row_.perplexityFull = std::exp(fullNll_ / positions);
        const DivergenceFigures figures = divergenceFigures(std::move(kl_), 0);
        row_.klMean = figures.klMean;
        row_.klP99 = figures.klP99;
        return std::move(row_);
    }

  private:
    struct Task {
        double questions = 0, full = 0, score = 0;
    };
    void addQuestion(const std::string& kind, const GridCell& cell) {
        ++row_.questions;
        Task& task = tasks_[kind];
        task.questions += 1;
        task.full += cell.fullScore.value_or(0);
        task.score += *cell.score;
    }

    TableRow row_;
    std::string reason_;
    std::vector<double> kl_;
    double nll_ = 0, fullNll_ = 0, sameTop_ = 0;
    double tokens_ = 0, numbers_ = 0, allocatedBytes_ = 0;
    std::map<std::string, Task> tasks_;
};

/// Returns the row of the full cache, over all texts with at least one measurement.
TableRow fullRow(std::span<const GridItem> items, const GridCells& cells) {
    TableSum sum;
    std::set<std::size_t> seen;
    for (const auto& [at, cell] : cells) {
        if (!cell.refused.empty() || !seen.insert(at.first).second) continue;
        GridCell full = cell;
        full.liveBytes = cell.logicalBytes;
        full.compactionMs = 0;
        full.allocatedBytes = cell.fullAllocatedBytes;
        full.numbers = cell.fullNumbers;
        full.sameTop = static_cast<std::int64_t>(cell.kl.size());
        full.hit = cell.fullHit;
        full.score = cell.fullScore;
        full.compactedNll = cell.fullNll;
        std::ranges::fill(full.kl, 0.0);
        sum.add(items[at.first], full);
    }
    TableRow row = std::move(sum).row();
    row.method = "full cache";
    row.unsaved = 0;
    return row;
}

}  // namespace

void addRows(QualityTable& table, std::span<const GridItem> items,
             std::span<const TableSetting> settings, const GridCells& cells) {
    table.rows.clear();
    for (std::size_t s = 0; s < settings.size(); ++s) {
        TableSum sum;
        for (std::size_t i = 0; i < items.size(); ++i)
            if (const auto at = cells.find({i, s}); at != cells.end())
                sum.add(items[i], at->second);
        TableRow row = std::move(sum).row();
        row.method = settings[s].grid.method;
        row.ratio = settings[s].ratio;
        row.settings = settings[s].grid.settings;
        row.open = static_cast<std::int64_t>(items.size()) - row.items - row.left;
        if (!settings[s].grid.refused.empty()) row.refused = settings[s].grid.refused;
        table.rows.push_back(std::move(row));
    }
    table.full = fullRow(items, cells);
    table.done = static_cast<std::int64_t>(cells.size());
    table.total = static_cast<std::int64_t>(items.size() * settings.size());
}

}  // namespace lacuna
