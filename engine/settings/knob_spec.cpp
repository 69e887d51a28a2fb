#include "engine/settings/knob_spec.h"

#include <cmath>

#include "engine/base/check.h"
#include "engine/base/string_format.h"
#include "engine/settings/knob_rows.h"

namespace lacuna {
namespace {

struct Table {
    std::vector<KnobSpec> specs;
    std::vector<KnobAccess> accesses;
};

const Table& table() {
    static const Table made = [] {
        Table t;
        for (const auto& rows : {compressionKnobs(), cacheKnobs(), runKnobs(), samplingKnobs()}) {
            for (const KnobRow& row : rows) {
                t.specs.push_back(row.spec);
                if (row.spec.group == KnobGroup::Compression)
                    t.specs.back().scope = KnobScope::Conversation;
                t.accesses.push_back(row.access);
            }
        }
        return t;
    }();
    return made;
}

std::size_t indexOf(std::string_view key) {
    const auto& specs = table().specs;
    std::size_t index = 0;
    while (index < specs.size() && specs[index].key != key) ++index;
    return index;
}

/// Reads the field behind an accessor. Works on a copy, because accessors hand out mutable
/// references.
struct Reader {
    EngineConfig& config;
    const KnobSpec& spec;

    Json operator()(double& (*field)(EngineConfig&)) const { return field(config); }
    Json operator()(int& (*field)(EngineConfig&)) const { return field(config); }
    Json operator()(std::optional<int>& (*field)(EngineConfig&)) const {
        const auto& value = field(config);
        return value ? Json(*value) : Json(nullptr);
    }
    Json operator()(std::optional<std::uint64_t>& (*field)(EngineConfig&)) const {
        const auto& value = field(config);
        return value ? Json(*value) : Json(nullptr);
    }
    Json operator()(std::vector<int>& (*field)(EngineConfig&)) const { return Json(field(config)); }
    Json operator()(const ChoiceAccess& access) const {
        const std::size_t index = access.get(config);
        return index < spec.choices.size() ? Json(std::string(spec.choices[index]))
                                           : Json("invalid");
    }
};

std::string numberText(double value) {
    if (std::isnan(value)) return "nan";
    return format("{}", value);
}

}  // namespace

std::span<const KnobSpec> knobSpecs() {
    return table().specs;
}

const KnobSpec* findKnob(std::string_view key) {
    const std::size_t index = indexOf(key);
    return index < table().specs.size() ? &table().specs[index] : nullptr;
}

const KnobAccess* findAccess(std::string_view key) {
    const std::size_t index = indexOf(key);
    return index < table().accesses.size() ? &table().accesses[index] : nullptr;
}

std::string_view idleReason(const KnobSpec& spec, const EngineConfig& config,
                            const ModelFacts* model) {
    for (const IdleWhen& idle : spec.idleWhen)
        if (idle.holds(config, model)) return idle.sentence;
    return {};
}

std::string idleText(const KnobSpec& spec) {
    std::vector<std::string_view> reasons;
    for (const IdleWhen& idle : spec.idleWhen) reasons.push_back(idle.sentence);
    return format("{}", fmt::join(reasons, ", or while "));
}

std::string knobRange(const KnobSpec& spec) {
    switch (spec.kind) {
        case KnobKind::Choice:
            return format("{}", fmt::join(spec.choices, ", "));
        case KnobKind::Real:
        case KnobKind::Integer:
            if (spec.key == "context") return format("0, or {} to {}", kLeastContext, spec.maximum);
            if (spec.openMinimum) return format("above {}, up to {}", spec.minimum, spec.maximum);
            return format("{} to {}", spec.minimum, spec.maximum);
        case KnobKind::OptionalInteger:
            if (spec.key == "seed") return "off, or 0 to 18446744073709551615";
            return format("off, or {} to {}", spec.minimum, spec.maximum);
        case KnobKind::IntegerList:
            return format("off, or a list of {} to {}", spec.minimum, spec.maximum);
    }
    return {};
}

Json knobValue(const EngineConfig& config, std::string_view key) {
    const std::size_t index = indexOf(key);
    LACUNA_REQUIRE(index < table().specs.size(), "knobValue is asked for a key of the table");
    EngineConfig copy = config;
    return std::visit(Reader{copy, table().specs[index]}, table().accesses[index]);
}

std::string knobText(const EngineConfig& config, std::string_view key) {
    const Json value = knobValue(config, key);
    if (value.is_null()) return "off";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_array()) {
        const auto list = value.get<std::vector<int>>();
        return list.empty() ? "off" : format("{}", fmt::join(list, ","));
    }
    if (value.is_number_float()) return numberText(value.get<double>());
    return value.dump();
}

}  // namespace lacuna
