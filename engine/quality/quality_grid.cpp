#include "engine/quality/quality_grid.h"

#include <cstdlib>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

double sixDigits(double value) {
    return std::strtod(format("{:.6g}", value).c_str(), nullptr);
}

GridCell cellOf(const QualityRecord& record, const GridItem& item) {
    GridCell cell;
    cell.evictions = record.evictions;
    cell.liveBytes = record.liveBytes;
    cell.logicalBytes = record.logicalBytes;
    cell.tokens = record.contextTokens;
    cell.numbers = record.numbers;
    cell.fullNumbers = record.fullNumbers;
    cell.allocatedBytes = record.allocatedBytes;
    cell.fullAllocatedBytes = record.fullAllocatedBytes;
    cell.compactionMs = sixDigits(record.compactionMs);
    if (item.keepsDivergence)
        for (const double one : record.kl) cell.kl.push_back(sixDigits(one));
    cell.sameTop = record.sameTop;
    cell.fullNll = sixDigits(record.fullNll);
    cell.compactedNll = sixDigits(record.compactedNll);
    if (!record.heads.empty()) {
        const HeadFidelity mean = meanFidelity(record.heads);
        cell.outputError = sixDigits(mean.outputError);
        cell.logMassError = sixDigits(mean.logMassError);
    }
    if (!record.greedy) return cell;
    const GreedyAgreement& greedy = *record.greedy;
    cell.answered = greedy.answered;
    cell.agreed = greedy.agreed;
    cell.fullHit = !item.key.empty() && greedy.fullText.find(item.key) != std::string::npos;
    cell.hit = !item.key.empty() && greedy.text.find(item.key) != std::string::npos;
    if (!item.score) return cell;
    cell.fullScore = sixDigits(item.score(greedy.fullText));
    cell.score = sixDigits(item.score(greedy.text));
    return cell;
}

}  // namespace

GridRun::GridRun(std::span<const GridItem> items, std::span<const GridSetting> settings,
                 GridCells known, const GridOptions& options)
    : items_(items), settings_(settings), cells_(std::move(known)), options_(options) {
    findNext();
}

/// Advances to the next missing cell, and releases the text when the item changes.
void GridRun::findNext() {
    const std::size_t before = item_;
    while (item_ < items_.size() && cells_.contains({item_, setting_})) {
        if (++setting_ < settings_.size()) continue;
        setting_ = 0;
        ++item_;
    }
    if (item_ != before) run_.reset();
}

Result<GridCell> GridRun::measure(Transformer& model, ThreadPool& pool) {
    GridCell cell;
    const GridSetting& setting = settings_[setting_];
    if (!setting.refused.empty()) {
        cell.refused = setting.refused;
        return cell;
    }
    ShadowOptions shadow = options_.shadow;
    if (shadow.cancelled && shadow.cancelled())
        return fail(ErrorCode::Cancelled, "the measurement was stopped");
    const GridItem& item = items_[item_];
    shadow.headTokens = item.headTokens;
    if (run_ == nullptr) {
        LACUNA_TRY(run_, ShadowRun::read(model, pool, item.text, shadow));
    }
    const auto record = run_->measure(setting.setting);
    if (record) return cellOf(*record, item);
    if (record.error().code != ErrorCode::Conflict) return tl::unexpected<Error>(record.error());
    cell.refused = record.error().what;
    return cell;
}

Status GridRun::step(Transformer& model, ThreadPool& pool) {
    LACUNA_TRY(GridCell cell, measure(model, pool));
    cells_[{item_, setting_}] = std::move(cell);
    findNext();
    if (options_.progress) options_.progress(static_cast<std::int64_t>(cells_.size()), total());
    return options_.keep ? options_.keep(cells_) : Status{};
}

Result<GridCells> runGrid(Transformer& model, ThreadPool& pool, std::span<const GridItem> items,
                          std::span<const GridSetting> settings, GridCells known,
                          const GridOptions& options) {
    if (items.empty() || settings.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("{} texts and {} settings leave nothing to measure", items.size(),
                           settings.size()));
    GridRun run(items, settings, std::move(known), options);
    while (!run.done()) LACUNA_TRY_STATUS(run.step(model, pool));
    return run.cells();
}

}  // namespace lacuna
