#pragma once
/// \file
/// The one rule engine for slider, command line and reports. Pure functions.
/// Rule ids are stable: AM-RANGE, BUD-MIN, BUD-CTX, BUD-REQ, REC-RANGE, SINK-RANGE, MARGIN-RANGE,
/// LAYER-RANGE, CTX-RANGE, CHUNK-RANGE, PARALLEL-RANGE, THREADS-RANGE, TEMP-RANGE, TOPK-RANGE,
/// TOPP-RANGE, MINP-RANGE, PEN-RANGE, QUALITY-RANGE, MAX-RANGE, SEED-RANGE, KV-TYPE, WINDOW-RANGE,
/// LIMIT-RANGE, METHOD-LAYERS, SHIFT-RANGE, SHIFT-MODEL, CHOICE, KEY-UNKNOWN, NUMBER, MEM-PLAN, and
/// the ids of exclusions.h.

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct RuleViolation {
    std::string rule;      ///< "AM-RANGE"
    std::string field;     ///< settings key
    std::string found;     ///< value as given
    std::string allowed;   ///< "1 to 8"
    std::string nearest;   ///< nearest valid value as --set text; empty when there is none
    std::string sentence;  ///< the whole message
};

/// A configuration that passed every rule. There is no other way to make one.
class ValidConfig {
  public:
    [[nodiscard]] const EngineConfig& get() const { return config_; }
    [[nodiscard]] const EngineConfig* operator->() const { return &config_; }

  private:
    explicit ValidConfig(EngineConfig config) : config_(std::move(config)) {}
    friend tl::expected<ValidConfig, std::vector<RuleViolation>> check(const EngineConfig&,
                                                                       const ModelFacts*,
                                                                       const MachineFacts&);
    EngineConfig config_;
};

/// All violations at once, in the order of the knob table. `model` may be null before one is
/// loaded: rules that need it are then left to the check at load.
[[nodiscard]] tl::expected<ValidConfig, std::vector<RuleViolation>> check(
    const EngineConfig& config, const ModelFacts* model, const MachineFacts& machine);
/// Whether a draft model may be loaded under these settings, before any file is read. Errors:
/// Conflict, naming both.
[[nodiscard]] Status checkBesideDraft(const EngineConfig& config);
/// Sets one knob from text ("4", "off", "l2", "0,1", "nan" is a number and fails its range later).
/// Errors as violations: KEY-UNKNOWN, NUMBER, CHOICE.
[[nodiscard]] std::optional<RuleViolation> setKnob(EngineConfig& config, std::string_view key,
                                                   std::string_view text);
/// Applies key=value pairs in order; all or nothing. A `budget` without a `method` means l2, an
/// `am_ratio` without one means am.
[[nodiscard]] tl::expected<EngineConfig, std::vector<RuleViolation>> withSettings(
    const EngineConfig& base, std::span<const std::string> assignments);
/// Sets one knob from a JSON value of the knob's kind, as knobValue gives it.
[[nodiscard]] std::optional<RuleViolation> setKnobValue(EngineConfig& config, std::string_view key,
                                                        const Json& value);
/// Most tokens of a conversation: the setting, or the model's trained context as far as memory
/// holds it.
[[nodiscard]] int effectiveContext(const EngineConfig& config, const ModelFacts& model,
                                   const MachineFacts& machine);
/// Violations as one Error (first rule's class; all sentences).
[[nodiscard]] Error violationsError(std::span<const RuleViolation> violations);

}  // namespace lacuna
