// Cells of a measurement as a file keeps them, and the hash that says whose they are.

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/quality/quality_grid.h"

namespace lacuna {
namespace {

OrderedJson cellJson(const GridCell& cell) {
    if (!cell.refused.empty()) return {{"refused", cell.refused}};
    OrderedJson json{{"evictions", cell.evictions},
                     {"live_bytes", cell.liveBytes},
                     {"logical_bytes", cell.logicalBytes},
                     {"compaction_ms", cell.compactionMs},
                     {"kl", cell.kl},
                     {"same_top", cell.sameTop},
                     {"whole_nll", cell.wholeNll},
                     {"compacted_nll", cell.compactedNll}};
    if (cell.outputError) json["output_error"] = *cell.outputError;
    if (cell.logMassError) json["log_mass_error"] = *cell.logMassError;
    if (cell.answered == 0) return json;
    json["answered"] = cell.answered;
    json["agreed"] = cell.agreed;
    json["whole_hit"] = cell.wholeHit;
    json["hit"] = cell.hit;
    return json;
}

/// Members of one object, with the first fault found kept.
class CellReader {
  public:
    CellReader(const Json& object, std::string path) : object_(object), path_(std::move(path)) {}

    [[nodiscard]] const Json* find(const char* name) const {
        const auto at = object_.find(name);
        return at == object_.end() ? nullptr : &*at;
    }
    std::int64_t count(const char* name) {
        const Json* value = find(name);
        const bool good =
            value != nullptr && value->is_number_integer() && value->get<std::int64_t>() >= 0;
        return good ? value->get<std::int64_t>() : faulty(name, "a whole number from 0");
    }
    double number(const char* name) {
        const Json* value = find(name);
        if (value != nullptr && value->is_number()) return value->get<double>();
        return static_cast<double>(faulty(name, "a number"));
    }
    bool flag(const char* name) {
        const Json* value = find(name);
        if (value != nullptr && value->is_boolean()) return value->get<bool>();
        return faulty(name, "true or false") != 0;
    }
    std::vector<double> numbers(const char* name) {
        const Json* value = find(name);
        std::vector<double> list;
        if (value == nullptr || !value->is_array()) {
            static_cast<void>(faulty(name, "a list of numbers"));
            return list;
        }
        for (const Json& one : *value) {
            if (!one.is_number()) {
                static_cast<void>(faulty(name, "a list of numbers"));
                break;
            }
            list.push_back(one.get<double>());
        }
        return list;
    }
    [[nodiscard]] Status status() const {
        return fault_.empty() ? Status{} : Status(fail(ErrorCode::Config, fault_));
    }

  private:
    std::int64_t faulty(const char* name, std::string_view expected) {
        if (fault_.empty()) fault_ = format("{}.{} is not {}", path_, name, expected);
        return 0;
    }
    const Json& object_;
    std::string path_;
    std::string fault_;
};

Result<GridCell> cellFromJson(const Json& object, const std::string& path) {
    GridCell cell;
    CellReader reader(object, path);
    if (const Json* refused = reader.find("refused"); refused != nullptr) {
        if (!refused->is_string() || refused->get_ref<const std::string&>().empty())
            return fail(ErrorCode::Config, format("{}.refused is not a sentence", path));
        cell.refused = refused->get<std::string>();
        return cell;
    }
    cell.evictions = reader.count("evictions");
    cell.liveBytes = reader.count("live_bytes");
    cell.logicalBytes = reader.count("logical_bytes");
    cell.compactionMs = reader.number("compaction_ms");
    cell.kl = reader.numbers("kl");
    cell.sameTop = reader.count("same_top");
    cell.wholeNll = reader.number("whole_nll");
    cell.compactedNll = reader.number("compacted_nll");
    if (reader.find("output_error") != nullptr) cell.outputError = reader.number("output_error");
    if (reader.find("log_mass_error") != nullptr)
        cell.logMassError = reader.number("log_mass_error");
    if (reader.find("answered") != nullptr) {
        cell.answered = reader.count("answered");
        cell.agreed = reader.count("agreed");
        cell.wholeHit = reader.flag("whole_hit");
        cell.hit = reader.flag("hit");
    }
    LACUNA_TRY_STATUS(reader.status());
    return cell;
}

OrderedJson settingJson(const GridSetting& setting) {
    OrderedJson json{
        {"method", setting.method}, {"asked", setting.asked}, {"settings", setting.settings}};
    if (setting.setting.kv.budget) json["budget"] = *setting.setting.kv.budget;
    if (setting.setting.budgetShare) json["budget_share"] = *setting.setting.budgetShare;
    return json;
}

}  // namespace

OrderedJson gridCellsJson(const GridCells& cells) {
    OrderedJson list = OrderedJson::array();
    for (const auto& [at, cell] : cells) {
        OrderedJson json{{"item", at.first}, {"setting", at.second}};
        json.update(cellJson(cell));
        list.push_back(std::move(json));
    }
    return list;
}

Result<GridCells> gridCellsFromJson(const Json& list) {
    if (!list.is_array()) return fail(ErrorCode::Config, "the cells are not a list");
    GridCells cells;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string path = format("cells[{}]", i);
        if (!list[i].is_object()) return fail(ErrorCode::Config, format("{} is no object", path));
        CellReader reader(list[i], path);
        const auto item = static_cast<std::size_t>(reader.count("item"));
        const auto setting = static_cast<std::size_t>(reader.count("setting"));
        LACUNA_TRY_STATUS(reader.status());
        LACUNA_TRY(auto cell, cellFromJson(list[i], path));
        cells[{item, setting}] = std::move(cell);
    }
    return cells;
}

std::string gridFingerprint(const ModelSpec& spec, std::span<const GridItem> items,
                            std::span<const GridSetting> settings, const ShadowOptions& options) {
    OrderedJson plan{{"model", spec.fingerprint},
                     {"type", static_cast<int>(options.type)},
                     {"chunk", options.chunk},
                     {"seed", options.seed}};
    if (options.profile) plan["profile"] = options.profile->loss;
    for (const GridItem& item : items)
        plan["items"].push_back({item.kind, item.text.context, item.text.continuation,
                                 item.text.answerTokens, item.key, item.headTokens});
    for (const GridSetting& setting : settings) plan["settings"].push_back(settingJson(setting));
    const std::string text = dumpJson(plan);
    return hashHex(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace lacuna
