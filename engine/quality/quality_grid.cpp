#include "engine/quality/quality_grid.h"

#include <cstdlib>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

double sixDigits(double value) {
    return std::strtod(format("{:.6g}", value).c_str(), nullptr);
}

GridCell cellOf(const QualityRecord& record, const std::string& key) {
    GridCell cell;
    cell.evictions = record.evictions;
    cell.liveBytes = record.liveBytes;
    cell.logicalBytes = record.logicalBytes;
    cell.compactionMs = sixDigits(record.compactionMs);
    for (const double one : record.kl) cell.kl.push_back(sixDigits(one));
    cell.sameTop = record.sameTop;
    cell.wholeNll = sixDigits(record.wholeNll);
    cell.compactedNll = sixDigits(record.compactedNll);
    if (!record.heads.empty()) {
        const HeadFidelity mean = meanFidelity(record.heads);
        cell.outputError = sixDigits(mean.outputError);
        cell.logMassError = sixDigits(mean.logMassError);
    }
    if (!record.greedy) return cell;
    cell.answered = record.greedy->answered;
    cell.agreed = record.greedy->agreed;
    cell.wholeHit = !key.empty() && record.greedy->wholeText.find(key) != std::string::npos;
    cell.hit = !key.empty() && record.greedy->text.find(key) != std::string::npos;
    return cell;
}

class GridRun {
  public:
    GridRun(Transformer& model, ThreadPool& pool, std::span<const GridSetting> settings,
            GridCells known, const GridOptions& options)
        : model_(model),
          pool_(pool),
          settings_(settings),
          cells_(std::move(known)),
          options_(options) {}

    void expect(std::size_t items) { total_ = static_cast<std::int64_t>(items * settings_.size()); }
    [[nodiscard]] Status measure(const GridItem& item, std::size_t index);
    [[nodiscard]] GridCells& cells() { return cells_; }

  private:
    [[nodiscard]] Status add(std::size_t item, std::size_t setting, GridCell cell);

    Transformer& model_;
    ThreadPool& pool_;
    std::span<const GridSetting> settings_;
    GridCells cells_;
    const GridOptions& options_;
    std::int64_t total_ = 0;
};

Status GridRun::add(std::size_t item, std::size_t setting, GridCell cell) {
    cells_[{item, setting}] = std::move(cell);
    if (options_.progress) options_.progress(static_cast<std::int64_t>(cells_.size()), total_);
    return options_.keep ? options_.keep(cells_) : Status{};
}

Status GridRun::measure(const GridItem& item, std::size_t index) {
    ShadowOptions shadow = options_.shadow;
    shadow.headTokens = item.headTokens;
    std::unique_ptr<ShadowRun> run;
    for (std::size_t s = 0; s < settings_.size(); ++s) {
        if (cells_.contains({index, s})) continue;
        if (shadow.cancelled && shadow.cancelled())
            return fail(ErrorCode::Cancelled, "the measurement was stopped");
        if (run == nullptr) {
            LACUNA_TRY(run, ShadowRun::read(model_, pool_, item.text, shadow));
        }
        const auto record = run->measure(settings_[s].setting);
        if (!record && record.error().code != ErrorCode::Conflict)
            return tl::unexpected<Error>(record.error());
        GridCell cell;
        if (record)
            cell = cellOf(*record, item.key);
        else
            cell.refused = record.error().what;
        LACUNA_TRY_STATUS(add(index, s, std::move(cell)));
    }
    return {};
}

}  // namespace

Result<GridCells> runGrid(Transformer& model, ThreadPool& pool, std::span<const GridItem> items,
                          std::span<const GridSetting> settings, GridCells known,
                          const GridOptions& options) {
    if (items.empty() || settings.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("{} texts and {} settings leave nothing to measure", items.size(),
                           settings.size()));
    GridRun run(model, pool, settings, std::move(known), options);
    run.expect(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) LACUNA_TRY_STATUS(run.measure(items[i], i));
    return std::move(run.cells());
}

}  // namespace lacuna
