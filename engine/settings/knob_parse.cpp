// Text and JSON values into fields of EngineConfig. A text first becomes the JSON value of the
// knob's kind, so that settings on the command line and settings in files pass through one writer.

#include <charconv>
#include <cmath>
#include <limits>

#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"
#include "engine/settings/knob_access.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {
namespace {

RuleViolation unreadable(const KnobSpec& spec, std::string_view rule, std::string found,
                         std::string_view kind) {
    const std::string allowed = knobRange(spec);
    if (found.empty()) found = "(nothing)";
    std::string sentence =
        format("{} is '{}', which is not {}; allowed is {}.", spec.key, found, kind, allowed);
    return {.rule = std::string(rule),
            .field = std::string(spec.key),
            .found = std::move(found),
            .allowed = allowed,
            .nearest = "",
            .sentence = std::move(sentence)};
}

/// A whole number that is too large for the field behind it.
RuleViolation tooLarge(const KnobSpec& spec, std::string found) {
    const bool negative = found.starts_with('-');
    std::string nearest = format("{}", negative ? spec.minimum : spec.maximum);
    if (spec.key == "seed") nearest = negative ? "0" : "18446744073709551615";
    const std::string allowed = knobRange(spec);
    std::string sentence = format("{} is {}; allowed is {}; the nearest valid value is {}.",
                                  spec.key, found, allowed, nearest);
    return {.rule = std::string(spec.ruleId),
            .field = std::string(spec.key),
            .found = std::move(found),
            .allowed = allowed,
            .nearest = std::move(nearest),
            .sentence = std::move(sentence)};
}

template <class T>
std::optional<T> wholeText(std::string_view text) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool isOff(std::string_view text) {
    return text == "off" || text == "none" || text.empty();
}

std::vector<std::string_view> splitList(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

/// Digits with an optional sign: a whole number, however long.
bool looksWhole(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

using Parsed = tl::expected<Json, RuleViolation>;
tl::unexpected<RuleViolation> refused(RuleViolation violation) {
    return tl::unexpected<RuleViolation>(std::move(violation));
}

Parsed parseWhole(const KnobSpec& spec, std::string_view text) {
    if (const auto value = wholeText<std::int64_t>(text)) return Json(*value);
    if (const auto value = wholeText<std::uint64_t>(text)) return Json(*value);
    if (looksWhole(text)) return refused(tooLarge(spec, std::string(text)));
    return refused(unreadable(spec, "NUMBER", std::string(text), "a whole number"));
}

Parsed parseText(const KnobSpec& spec, std::string_view text) {
    switch (spec.kind) {
        case KnobKind::Real:
            if (const auto value = wholeText<double>(text)) return Json(*value);
            return refused(unreadable(spec, "NUMBER", std::string(text), "a number"));
        case KnobKind::Integer:
            return parseWhole(spec, text);
        case KnobKind::OptionalInteger:
            if (text == "off") return Json(nullptr);
            return parseWhole(spec, text);
        case KnobKind::Choice:
            return Json(std::string(text));
        case KnobKind::IntegerList: {
            Json list = Json::array();
            if (isOff(text)) return list;
            for (const std::string_view part : splitList(text)) {
                Parsed one = parseWhole(spec, part);
                if (!one) return one;
                list.push_back(std::move(*one));
            }
            return list;
        }
    }
    return refused(unreadable(spec, "NUMBER", std::string(text), "readable"));
}

/// Writes a JSON value into the field behind an accessor; a violation leaves the field as it was.
struct Writer {
    EngineConfig& config;
    const KnobSpec& spec;
    const Json& value;
    using Outcome = std::optional<RuleViolation>;

    [[nodiscard]] std::string foundText() const {
        return value.is_string() ? value.get<std::string>() : value.dump();
    }
    [[nodiscard]] RuleViolation notWhole() const {
        return unreadable(spec, "NUMBER", foundText(), "a whole number");
    }

    [[nodiscard]] tl::expected<int, RuleViolation> whole(const Json& item) const {
        if (!item.is_number_integer()) return refused(notWhole());
        constexpr auto kMost = std::numeric_limits<int>::max();
        constexpr auto kLeast = std::numeric_limits<int>::min();
        if (item.is_number_unsigned()
                ? item.get<std::uint64_t>() > kMost
                : item.get<std::int64_t>() > kMost || item.get<std::int64_t>() < kLeast)
            return refused(tooLarge(spec, item.dump()));
        return item.get<int>();
    }

    Outcome operator()(double& (*field)(EngineConfig&)) const {
        if (!value.is_number()) return unreadable(spec, "NUMBER", foundText(), "a number");
        field(config) = value.get<double>();
        return std::nullopt;
    }
    Outcome operator()(int& (*field)(EngineConfig&)) const {
        const auto number = whole(value);
        if (!number) return number.error();
        field(config) = *number;
        return std::nullopt;
    }
    Outcome operator()(std::optional<int>& (*field)(EngineConfig&)) const {
        if (value.is_null()) {
            field(config).reset();
            return std::nullopt;
        }
        const auto number = whole(value);
        if (!number) return number.error();
        field(config) = *number;
        return std::nullopt;
    }
    Outcome operator()(std::optional<std::uint64_t>& (*field)(EngineConfig&)) const {
        if (value.is_null()) {
            field(config).reset();
            return std::nullopt;
        }
        if (!value.is_number_integer()) return notWhole();
        if (!value.is_number_unsigned() && value.get<std::int64_t>() < 0)
            return tooLarge(spec, value.dump());
        field(config) = value.get<std::uint64_t>();
        return std::nullopt;
    }
    Outcome operator()(std::vector<int>& (*field)(EngineConfig&)) const {
        if (!value.is_array())
            return unreadable(spec, "NUMBER", foundText(), "a list of whole numbers");
        std::vector<int> list;
        for (const Json& item : value) {
            const auto number = whole(item);
            if (!number) return number.error();
            list.push_back(*number);
        }
        field(config) = std::move(list);
        return std::nullopt;
    }
    Outcome operator()(const ChoiceAccess& access) const {
        const std::string found = foundText();
        for (std::size_t i = 0; value.is_string() && i < spec.choices.size(); ++i) {
            if (spec.choices[i] != found) continue;
            access.set(config, i);
            return std::nullopt;
        }
        const std::string_view rule = spec.ruleId == "KV-TYPE" ? "KV-TYPE" : "CHOICE";
        return unreadable(spec, rule, found, "one of the choices");
    }
};

RuleViolation unknownKey(std::string_view key) {
    std::vector<std::string_view> keys;
    for (const KnobSpec& spec : knobSpecs()) keys.push_back(spec.key);
    std::string allowed = format("{}", fmt::join(keys, ", "));
    std::string sentence = format("'{}' is not a setting; settings are {}.", key, allowed);
    return {.rule = "KEY-UNKNOWN",
            .field = std::string(key),
            .found = std::string(key),
            .allowed = std::move(allowed),
            .nearest = "",
            .sentence = std::move(sentence)};
}

}  // namespace

std::optional<RuleViolation> setKnobValue(EngineConfig& config, std::string_view key,
                                          const Json& value) {
    const KnobSpec* spec = findKnob(key);
    if (spec == nullptr) return unknownKey(key);
    return std::visit(Writer{config, *spec, value}, *findAccess(key));
}

std::optional<RuleViolation> setKnob(EngineConfig& config, std::string_view key,
                                     std::string_view text) {
    const KnobSpec* spec = findKnob(key);
    if (spec == nullptr) return unknownKey(key);
    const Parsed value = parseText(*spec, text);
    if (!value) return value.error();
    return setKnobValue(config, key, *value);
}

tl::expected<EngineConfig, std::vector<RuleViolation>> withSettings(
    const EngineConfig& base, std::span<const std::string> assignments) {
    EngineConfig config = base;
    std::vector<RuleViolation> violations;
    bool method = false;
    bool budget = false;
    bool ratio = false;
    for (const std::string& assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        const std::string_view key = std::string_view(assignment).substr(0, equals);
        if (equals == std::string::npos) {
            violations.push_back(
                {.rule = "KEY-UNKNOWN",
                 .field = assignment,
                 .found = assignment,
                 .allowed = "key=value",
                 .nearest = "",
                 .sentence = format("'{}' is not of the form key=value.", assignment)});
            continue;
        }
        if (auto violation = setKnob(config, key, std::string_view(assignment).substr(equals + 1)))
            violations.push_back(std::move(*violation));
        method = method || key == "method";
        budget = budget || key == "budget";
        ratio = ratio || key == "am_ratio";
    }
    if (!violations.empty())
        return tl::unexpected<std::vector<RuleViolation>>(std::move(violations));
    if (!method && config.kv.method == CompactionMethod::None) {
        if (ratio)
            config.kv.method = CompactionMethod::AttentionMatching;
        else if (budget && config.kv.budget)
            config.kv.method = CompactionMethod::L2;
    }
    return config;
}

}  // namespace lacuna
