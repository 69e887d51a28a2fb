#pragma once
/// \file
/// Every setting described once, as data: widgets, `lacuna settings`, checks, reports and
/// documentation are made from this table.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/settings/engine_config.h"

namespace lacuna {

enum class KnobKind { Real, Integer, OptionalInteger, Choice, IntegerList };
enum class KnobGroup { Compression, Cache, Sampling, Run };
/// Whom a setting can be set for.
enum class KnobScope {
    All,          ///< one value for all conversations
    Conversation  ///< a conversation may have its own (cache_settings.h)
};
/// When a change takes effect.
enum class KnobWhen {
    Live,      ///< at the next safe point, also while text streams
    NextTurn,  ///< with the next answer
    NewCache,  ///< for conversations whose cache is built anew
};

/// Fewest tokens of a context set by hand.
inline constexpr int kLeastContext = 16;

struct ModelFacts;

/// A condition under which a setting has no effect. `model` may be null before one is loaded.
struct IdleWhen {
    bool (*holds)(const EngineConfig& config, const ModelFacts* model);
    std::string_view sentence;  ///< "method is none": completes "no effect while"
};

struct KnobSpec {
    std::string_view key;    ///< "am_ratio"
    std::string_view label;  ///< "AM ratio"
    std::string_view unit;   ///< "x", "tokens", "slots", ""
    KnobGroup group = KnobGroup::Run;
    KnobKind kind = KnobKind::Integer;
    double minimum = 0, maximum = 0, step = 1;  ///< static range; the model may narrow it
    std::vector<std::string_view> choices;      ///< Choice only, in order
    KnobWhen when = KnobWhen::Live;
    KnobScope scope = KnobScope::All;
    std::string_view ruleId;   ///< rule that a value outside the range breaks: "AM-RANGE"
    std::string_view help;     ///< one or two sentences, with the paper where there is one
    bool openMinimum = false;  ///< the minimum itself is not allowed
    std::vector<IdleWhen> idleWhen = {};
};

[[nodiscard]] std::span<const KnobSpec> knobSpecs();
[[nodiscard]] const KnobSpec* findKnob(std::string_view key);

/// Why another value of this setting would give the same tokens and the same compactions; empty
/// where it may not. The first reason that holds, of those in the table.
[[nodiscard]] std::string_view idleReason(const KnobSpec& spec, const EngineConfig& config,
                                          const ModelFacts* model);
/// All of them: "method is none, or while method is l2"; empty where a setting is never idle.
[[nodiscard]] std::string idleText(const KnobSpec& spec);

/// Static range in words: "1 to 8", "above 0, up to 1", "none, l2, am"; "off" is named where it is
/// allowed.
[[nodiscard]] std::string knobRange(const KnobSpec& spec);

/// Value of one knob as JSON: number, string (choice), array (list) or null (optional, off).
[[nodiscard]] Json knobValue(const EngineConfig& config, std::string_view key);
/// Value as shown and as accepted by --set: "4", "off", "keydiff", "0,1".
[[nodiscard]] std::string knobText(const EngineConfig& config, std::string_view key);

}  // namespace lacuna
