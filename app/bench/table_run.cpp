#include "app/bench/table_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>

#include "app/bench/table_rows.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/layer_bits.h"
#include "engine/quality/format_table.h"

namespace lacuna {
namespace {

constexpr std::size_t kCellsLimit = std::size_t{1} << 30;
constexpr const char* kCellsSchema = "lacuna-quality-cells";
constexpr int kCellsVersion = 1;
/// Interval between writes, and minimum ratio of measuring time to writing time.
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

}  // namespace

TableRun::TableRun(const LoadedModel& model, Request request)
    : model_(model), request_(std::move(request)), table_(request_.head) {
    table_.size = request_.measure.size;
    maker_.emplace(model_, request_.measure, std::move(request_.texts));
    for (const TableSetting& one : request_.settings) settings_.push_back(one.grid);
    options_.shadow = request_.shadow;
}

/// Reads the cells of an earlier run with the same plan.
Result<TableRun::Known> TableRun::readCells() const {
    std::error_code ignored;
    if (!request_.files || request_.fresh ||
        !std::filesystem::exists(request_.files->cells, ignored))
        return Known{};
    const auto read = [&]() -> Result<Known> {
        LACUNA_TRY(const std::string text, readFile(request_.files->cells, kCellsLimit));
        LACUNA_TRY(const Json json, parseJson(text, kDenseJson));
        if (!json.is_object() || json.value("schema", Json()) != kCellsSchema ||
            json.value("version", Json()) != kCellsVersion || !json.contains("cells"))
            return fail(ErrorCode::Incompatible, "this is not a file of quality table cells");
        if (json.value("plan", Json()) != table_.plan)
            return fail(ErrorCode::Conflict,
                        "the earlier measurement has other texts, settings, precision or head "
                        "profile, or speeds of another machine; start over to measure this");
        Known known;
        LACUNA_TRY(known.cells, gridCellsFromJson(json["cells"]));
        if (!json.contains("speeds")) return known;
        JsonReading reading;
        readItems({json["speeds"], {}, "speeds", reading}, [&known](const LocatedValue& item) {
            ObjectReader reader(item, UnknownMembers::Allowed);
            auto& speed = known.speeds[static_cast<std::size_t>(reader.member("setting").count())];
            if (reader.has("tokens_per_second")) speed = readDecodeSpeed(item);
        });
        LACUNA_TRY_STATUS(reading.status());
        return known;
    };
    auto known = read();
    if (!known)
        return tl::unexpected<Error>(withPrefix(known.error(), request_.files->cells.string()));
    const bool strange = std::ranges::any_of(known->cells,
                                             [this](const auto& cell) {
                                                 return cell.first.first >= items_.size() ||
                                                        cell.first.second >= settings_.size();
                                             }) ||
                         std::ranges::any_of(known->speeds, [this](const auto& speed) {
                             return speed.first >= requestedSpeeds();
                         });
    if (strange)
        return fail(ErrorCode::Incompatible,
                    format("{}: a cell does not belong to any text or setting of the table; start "
                           "over to measure it again",
                           request_.files->cells.string()));
    return known;
}

OrderedJson TableRun::speedsJson() const {
    OrderedJson list = OrderedJson::array();
    for (const auto& [setting, speed] : speeds_) {
        OrderedJson json{{"setting", setting}};
        if (speed) json.update(decodeSpeedJson(*speed));
        list.push_back(std::move(json));
    }
    return list;
}

Status TableRun::begin() {
    table_.conditions = maker_->conditions();
    if (items_.empty()) {
        const SpeedMeasure speed = maker_->speed();
        if (speed.context > 0) speedRun_.emplace(std::move(*maker_).takeSpeedText(), speed);
        speedContext_ = speed.context + speed.tokens;
        items_ = std::move(*maker_).take();
    }
    OrderedJson plan{{"cells", gridFingerprint(model_.spec, items_, settings_, request_.shadow)},
                     {"precision", table_.precision}};
    // Rows with other rotations, or with extra bits in other layers, are not comparable.
    if (model_.rotations != nullptr) plan["rotations"] = model_.rotations->hash();
    const bool extra = std::ranges::any_of(
        settings_, [](const GridSetting& one) { return one.setting.kv.extraBits > 0; });
    if (extra && model_.layerLoss != nullptr) plan["layer_damage"] = model_.layerLoss->hash();
    // Excludes cells of an earlier version, which skipped texts where a format saved no bytes.
    if (table_.size == TableSize::Formats) plan["short_texts"] = "measured";
    // Timings of two machines must not be mixed in one table.
    if (speedRun_) plan["speed"] = {speedContext_, table_.machine};
    table_.plan = hashOf(plan);
    LACUNA_TRY(Known known, readCells());
    known_ = keptCells_ = static_cast<std::int64_t>(known.cells.size() + known.speeds.size());
    if (known_ > 0 && request_.files) {
        // Takes only what the cells lack from the stored table, which may be missing.
        const auto before = readTable(request_.files->table, table_.fingerprint);
        if (before && *before && (*before)->plan == table_.plan) {
            table_.seconds = (*before)->seconds;
            table_.date = (*before)->date;
        }
    }
    if (table_.date.empty()) table_.date = today();
    maker_.reset();
    speeds_ = std::move(known.speeds);
    grid_.emplace(items_, settings_, std::move(known.cells), options_);
    return {};
}

Status TableRun::step(Transformer& transformer, ThreadPool& pool) {
    if (!grid_) {
        if (!maker_->done()) return maker_->step(request_.shadow.cancelled);
        return begin();
    }
    if (done()) return keep();
    const std::int64_t started = clock_.nowNs();
    if (grid_->done()) {
        grid_->release();
        LACUNA_TRY_STATUS(measureSpeed(transformer, pool));
    } else {
        LACUNA_TRY_STATUS(grid_->step(transformer, pool));
    }
    const std::int64_t now = clock_.nowNs();
    table_.seconds += static_cast<double>(now - started) / 1e9;
    table_.date = today();
    stale_ = true;
    if (done() || now - keptNs_ > std::max(kKeepNs, keepCostNs_ * kKeepShare)) return keep();
    return {};
}

/// Measures the speed of the next setting without one. A refused setting has no speed.
Status TableRun::measureSpeed(Transformer& transformer, ThreadPool& pool) {
    std::size_t next = 0;
    while (speeds_.contains(next)) ++next;
    if (!settings_[next].refused.empty()) {
        speeds_[next] = std::nullopt;
        return {};
    }
    const ShadowOptions& shadow = request_.shadow;
    if (shadow.cancelled && shadow.cancelled())
        return fail(ErrorCode::Cancelled, "the measurement was stopped");
    const auto measured =
        speedRun_->measure(trialDependencies(transformer, pool, shadow), settings_[next].setting);
    if (!measured && measured.error().code != ErrorCode::Conflict)
        return tl::unexpected<Error>(measured.error());
    speeds_[next] = measured ? std::optional(*measured) : std::nullopt;
    return {};
}

/// The speed of the full cache is the median over its measurements with each of the other caches.
void TableRun::addSpeeds() {
    table_.done += static_cast<std::int64_t>(speeds_.size());
    table_.total += static_cast<std::int64_t>(requestedSpeeds());
    std::vector<DecodeSpeed> whole;
    for (const auto& [setting, speed] : speeds_) {
        table_.rows[setting].speed = speed;
        if (!speed) continue;
        whole.push_back(*speed);
        whole.back().tokensPerSecond = speed->fullTokensPerSecond;
        whole.back().ofFull = 1;
    }
    if (whole.empty()) return;
    std::ranges::sort(whole, {}, &DecodeSpeed::tokensPerSecond);
    table_.full.speed = whole[whole.size() / 2];
}

void TableRun::release() {
    if (grid_) grid_->release();
    if (speedRun_) speedRun_->release();
}

Status TableRun::keep() {
    if (!request_.files || !grid_ || cellsDone() == keptCells_) return {};
    const std::int64_t started = clock_.nowNs();
    OrderedJson cells{{"schema", kCellsSchema},
                      {"version", kCellsVersion},
                      {"plan", table_.plan},
                      {"cells", gridCellsJson(grid_->cells())}};
    if (speedRun_) cells["speeds"] = speedsJson();
    LACUNA_TRY_STATUS(writeFileInFolder(request_.files->cells, dumpJson(cells) + "\n"));
    LACUNA_TRY_STATUS(storeTable(request_.files->table, table()));
    keptCells_ = cellsDone();
    keptNs_ = clock_.nowNs();
    keepCostNs_ = keptNs_ - started;
    return {};
}

const QualityTable& TableRun::table() {
    if (stale_ && grid_) {
        addRows(table_, items_, request_.settings, grid_->cells());
        addSpeeds();
    }
    stale_ = !grid_.has_value();
    return table_;
}

std::int64_t TableRun::cellsDone() const {
    return grid_ ? static_cast<std::int64_t>(grid_->cells().size() + speeds_.size()) : 0;
}

std::int64_t TableRun::cellsTotal() const {
    return grid_ ? grid_->total() + static_cast<std::int64_t>(requestedSpeeds()) : 0;
}

std::int64_t TableRun::cacheBytes() const {
    const ModelSpec& spec = model_.spec;
    auto longest = static_cast<std::size_t>(items_.empty() ? 0 : speedContext_);
    for (const GridItem& item : items_)
        longest = std::max(longest, item.text.context.size() + item.text.continuation.size() +
                                        static_cast<std::size_t>(item.text.answerTokens));
    const std::int64_t rows = elementsPerToken(plainShapeOf(spec));
    return 2 * rows * static_cast<std::int64_t>(longest * sizeof(std::uint16_t));
}

}  // namespace lacuna
