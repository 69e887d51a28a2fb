// Serialises the cells of a measurement and computes the hash that identifies it.

#include "engine/base/hash.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/quality/quality_grid.h"

namespace lacuna {
namespace {

OrderedJson cellJson(const GridCell& cell) {
    if (!cell.refused.empty()) return {{"refused", cell.refused}};
    OrderedJson json{{"evictions", cell.evictions},
                     {"live_bytes", cell.liveBytes},
                     {"logical_bytes", cell.logicalBytes},
                     {"tokens", cell.tokens},
                     {"numbers", cell.numbers},
                     {"whole_numbers", cell.fullNumbers},
                     {"allocated_bytes", cell.allocatedBytes},
                     {"whole_allocated_bytes", cell.fullAllocatedBytes},
                     {"compaction_ms", cell.compactionMs},
                     {"kl", cell.kl},
                     {"same_top", cell.sameTop},
                     {"whole_nll", cell.fullNll},
                     {"compacted_nll", cell.compactedNll}};
    if (cell.outputError) json["output_error"] = *cell.outputError;
    if (cell.logMassError) json["log_mass_error"] = *cell.logMassError;
    if (cell.answered == 0) return json;
    json["answered"] = cell.answered;
    json["agreed"] = cell.agreed;
    json["whole_hit"] = cell.fullHit;
    json["hit"] = cell.hit;
    if (cell.score) json["score"] = {cell.fullScore.value_or(0), *cell.score};
    return json;
}

GridCell readCell(ObjectReader& reader) {
    const auto at = [&reader](const char* name) { return reader.member(name); };
    GridCell cell;
    if (reader.has("refused")) {
        cell.refused = at("refused").text();
        if (cell.refused.empty()) at("refused").wrong("empty; expected a sentence");
        return cell;
    }
    cell.evictions = at("evictions").count();
    cell.liveBytes = at("live_bytes").count();
    cell.logicalBytes = at("logical_bytes").count();
    if (reader.has("tokens")) {
        cell.tokens = at("tokens").count();
        cell.numbers = at("numbers").count();
        cell.fullNumbers = at("whole_numbers").count();
        cell.allocatedBytes = at("allocated_bytes").count();
        cell.fullAllocatedBytes = at("whole_allocated_bytes").count();
    }
    cell.compactionMs = at("compaction_ms").number();
    cell.kl = at("kl").numbers();
    cell.sameTop = at("same_top").count();
    cell.fullNll = at("whole_nll").number();
    cell.compactedNll = at("compacted_nll").number();
    if (reader.has("output_error")) cell.outputError = at("output_error").number();
    if (reader.has("log_mass_error")) cell.logMassError = at("log_mass_error").number();
    if (reader.has("answered")) {
        cell.answered = at("answered").count();
        cell.agreed = at("agreed").count();
        cell.fullHit = at("whole_hit").flag();
        cell.hit = at("hit").flag();
    }
    if (reader.has("score")) {
        const std::vector<double> scores = at("score").numbers();
        if (scores.size() != 2) {
            at("score").wrong("not two numbers");
            return cell;
        }
        cell.fullScore = scores[0];
        cell.score = scores[1];
    }
    return cell;
}

OrderedJson settingJson(const GridSetting& setting) {
    OrderedJson json{
        {"method", setting.method}, {"asked", setting.asked}, {"settings", setting.settings}};
    if (setting.setting.kv.budget) json["budget"] = *setting.setting.kv.budget;
    if (setting.setting.budgetShare) json["budget_share"] = *setting.setting.budgetShare;
    if (!setting.refused.empty()) json["refused"] = setting.refused;
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
    GridCells cells;
    JsonReading reading;
    readItems({list, {}, "cells", reading}, [&cells](const LocatedValue& item) {
        ObjectReader reader(item, UnknownMembers::Allowed);
        const auto text = static_cast<std::size_t>(reader.member("item").count());
        const auto setting = static_cast<std::size_t>(reader.member("setting").count());
        cells[{text, setting}] = readCell(reader);
    });
    LACUNA_TRY_STATUS(reading.status());
    return cells;
}

std::string gridFingerprint(const ModelSpec& spec, std::span<const GridItem> items,
                            std::span<const GridSetting> settings, const ShadowOptions& options) {
    OrderedJson plan{{"model", spec.fingerprint},
                     {"type", static_cast<int>(options.type)},
                     {"chunk", options.chunk},
                     {"seed", options.seed}};
    if (options.profiles.taskFree) plan["task_free"] = options.profiles.taskFree->loss;
    // Copy scores are only used if there is no task-free profile.
    if (options.profiles.copyScores && !options.profiles.taskFree)
        plan["copy_scores"] = options.profiles.copyScores->loss;
    if (options.profiles.surrogate) plan["surrogate"] = options.profiles.surrogate->hash();
    if (options.profiles.questions) plan["profile"] = options.profiles.questions->loss;
    for (const GridItem& item : items) {
        plan["items"].push_back({item.kind, item.text.context, item.text.continuation,
                                 item.text.answerTokens, item.key, item.headTokens});
        if (item.score) plan["items"].back().push_back(item.scoredBy);
    }
    for (const GridSetting& setting : settings) plan["settings"].push_back(settingJson(setting));
    const std::string text = dumpJson(plan);
    return hashHex(std::as_bytes(std::span(text.data(), text.size())));
}

}  // namespace lacuna
