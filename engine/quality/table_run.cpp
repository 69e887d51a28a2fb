#include "engine/quality/table_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kTableLimit = std::size_t{16} << 20;
constexpr std::size_t kCellsLimit = std::size_t{1} << 30;
constexpr const char* kCellsSchema = "lacuna-quality-cells";
constexpr int kCellsVersion = 1;
/// What is measured may be lost for so long, and writing takes no more than so much of the time.
constexpr std::int64_t kKeepNs = 2'000'000'000;
constexpr std::int64_t kKeepShare = 50;

std::string today() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    ::gmtime_r(&now, &utc);
    return format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

std::string hashOf(const OrderedJson& json) {
    const std::string text = dumpJson(json);
    return hashHex(std::as_bytes(std::span(text.data(), text.size())));
}

Status writeWithFolder(const std::filesystem::path& path, const std::string& text) {
    std::error_code problem;
    std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        return fail(ErrorCode::Write, format("{} cannot be made: {}", path.parent_path().string(),
                                             problem.message()));
    return writeFileAtomically(path, text);
}

}  // namespace

TableFiles tableFiles(const std::filesystem::path& folder, const std::string& fingerprint,
                      TableSize size) {
    const std::string stem = format("{}-{}", fingerprint, tableSizeName(size));
    return {.table = folder / "quality" / (stem + ".json"),
            .cells = folder / "quality" / (stem + ".cells.json")};
}

Result<std::optional<QualityTable>> readTable(const std::filesystem::path& path,
                                              const std::string& fingerprint) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::optional<QualityTable>();
    const auto read = [&]() -> Result<QualityTable> {
        LACUNA_TRY(const std::string text, readFile(path, kTableLimit));
        LACUNA_TRY(const Json json, parseJson(text));
        LACUNA_TRY(QualityTable table, qualityTableFromJson(json));
        if (table.fingerprint != fingerprint)
            return fail(ErrorCode::Incompatible,
                        format("this is the quality table of another model, {}", table.model));
        return table;
    };
    auto table = read();
    if (!table) return tl::unexpected<Error>(withPrefix(table.error(), path.string()));
    return std::optional<QualityTable>(std::move(*table));
}

Status keepTable(const std::filesystem::path& path, const QualityTable& table) {
    return writeWithFolder(path, dumpJson(qualityTableJson(table), 1) + "\n");
}

TableRun::TableRun(const LoadedModel& model, Wish wish)
    : model_(model), wish_(std::move(wish)), table_(wish_.head) {
    table_.size = wish_.measure.size;
    maker_.emplace(model_, wish_.measure, std::move(wish_.texts));
    for (const TableSetting& one : wish_.settings) settings_.push_back(one.grid);
    options_.shadow = wish_.shadow;
}

/// Cells of an earlier run with the same plan.
Result<GridCells> TableRun::readCells() const {
    std::error_code ignored;
    if (!wish_.files || wish_.fresh || !std::filesystem::exists(wish_.files->cells, ignored))
        return GridCells{};
    const auto read = [&]() -> Result<GridCells> {
        LACUNA_TRY(const std::string text, readFile(wish_.files->cells, kCellsLimit));
        LACUNA_TRY(const Json json, parseJson(text, kDenseJson));
        if (!json.is_object() || json.value("schema", Json()) != kCellsSchema ||
            json.value("version", Json()) != kCellsVersion || !json.contains("cells"))
            return fail(ErrorCode::Incompatible, "these are no cells of a quality table");
        if (json.value("plan", Json()) != table_.plan)
            return fail(ErrorCode::Conflict,
                        "what was measured before was of other texts, settings, precision or head "
                        "profile; start over to measure this");
        return gridCellsFromJson(json["cells"]);
    };
    auto cells = read();
    if (!cells)
        return tl::unexpected<Error>(withPrefix(cells.error(), wish_.files->cells.string()));
    for (const auto& [at, cell] : *cells)
        if (at.first >= items_.size() || at.second >= settings_.size())
            return fail(ErrorCode::Incompatible,
                        format("{}: a cell is of no text or setting of the table; start over to "
                               "measure it again",
                               wish_.files->cells.string()));
    return cells;
}

Status TableRun::begin() {
    table_.conditions = maker_->conditions();
    if (items_.empty()) items_ = std::move(*maker_).take();
    table_.plan = hashOf({{"cells", gridFingerprint(model_.spec, items_, settings_, wish_.shadow)},
                          {"precision", table_.precision}});
    LACUNA_TRY(GridCells known, readCells());
    known_ = keptCells_ = static_cast<std::int64_t>(known.size());
    if (known_ > 0 && wish_.files) {
        // Only what the cells do not say is taken from the table; without it they stand alone.
        const auto before = readTable(wish_.files->table, table_.fingerprint);
        if (before && *before && (*before)->plan == table_.plan) {
            table_.seconds = (*before)->seconds;
            table_.date = (*before)->date;
        }
    }
    if (table_.date.empty()) table_.date = today();
    maker_.reset();
    grid_.emplace(items_, settings_, std::move(known), options_);
    return {};
}

Status TableRun::step(Transformer& transformer, ThreadPool& pool) {
    if (!grid_) {
        if (!maker_->done()) return maker_->step(wish_.shadow.cancelled);
        return begin();
    }
    if (grid_->done()) return keep();
    const std::int64_t started = clock_.nowNs();
    LACUNA_TRY_STATUS(grid_->step(transformer, pool));
    const std::int64_t now = clock_.nowNs();
    table_.seconds += static_cast<double>(now - started) / 1e9;
    table_.date = today();
    stale_ = true;
    if (grid_->done() || now - keptNs_ > std::max(kKeepNs, keepCostNs_ * kKeepShare)) return keep();
    return {};
}

void TableRun::letGo() {
    if (grid_) grid_->letGo();
}

Status TableRun::keep() {
    if (!wish_.files || !grid_ || cellsDone() == keptCells_) return {};
    const std::int64_t started = clock_.nowNs();
    const OrderedJson cells{{"schema", kCellsSchema},
                            {"version", kCellsVersion},
                            {"plan", table_.plan},
                            {"cells", gridCellsJson(grid_->cells())}};
    LACUNA_TRY_STATUS(writeWithFolder(wish_.files->cells, dumpJson(cells) + "\n"));
    LACUNA_TRY_STATUS(keepTable(wish_.files->table, table()));
    keptCells_ = cellsDone();
    keptNs_ = clock_.nowNs();
    keepCostNs_ = keptNs_ - started;
    return {};
}

const QualityTable& TableRun::table() {
    if (stale_ && grid_) addRows(table_, items_, wish_.settings, grid_->cells());
    stale_ = !grid_.has_value();
    return table_;
}

std::int64_t TableRun::cellsDone() const {
    return grid_ ? static_cast<std::int64_t>(grid_->cells().size()) : 0;
}

std::int64_t TableRun::cellsTotal() const {
    return grid_ ? grid_->total() : 0;
}

std::int64_t TableRun::cacheBytes() const {
    const ModelSpec& spec = model_.spec;
    std::size_t longest = 0;
    for (const GridItem& item : items_)
        longest = std::max(longest, item.text.context.size() + item.text.continuation.size() +
                                        static_cast<std::size_t>(item.text.answerTokens));
    const auto rows = std::int64_t{2} * spec.layers * spec.kvHeads * spec.headDim;
    return 2 * rows * static_cast<std::int64_t>(longest * sizeof(std::uint16_t));
}

}  // namespace lacuna
