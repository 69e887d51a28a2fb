#pragma once
/// \file
/// The one rule engine for slider, command line and reports. Pure functions.
/// Rule ids are stable: AM-RANGE, BUD-MIN, BUD-CTX, BUD-REQ, REC-RANGE, SINK-RANGE, MARGIN-RANGE,
/// LAYER-RANGE, CTX-RANGE, CHUNK-RANGE, PARALLEL-RANGE, THREADS-RANGE, TEMP-RANGE, TOPK-RANGE,
/// TOPP-RANGE, MINP-RANGE, PEN-RANGE, QUALITY-RANGE, MAX-RANGE, SEED-RANGE, KV-TYPE, WINDOW-RANGE,
/// LIMIT-RANGE, METHOD-LAYERS, SHIFT-RANGE, SHIFT-MODEL, CHOICE, KEY-UNKNOWN, NUMBER, MEM-PLAN, and
/// the ids of exclusions.h.

#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/settings/facts.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {

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

/// All violations at once, in the order of the knob table; empty where every rule is kept. Copies
/// nothing, so that it may be asked at every tick of a slider. `model` may be null before one is
/// loaded: rules that need it are then left to the check at load.
[[nodiscard]] std::vector<RuleViolation> violationsOf(const EngineConfig& config,
                                                      const ModelFacts* model,
                                                      const MachineFacts& machine);
/// The same, and the configuration as one that may be run.
[[nodiscard]] tl::expected<ValidConfig, std::vector<RuleViolation>> check(
    const EngineConfig& config, const ModelFacts* model, const MachineFacts& machine);
/// Whether a draft model may be loaded under these settings, before any file is read. Errors:
/// Conflict, naming both.
[[nodiscard]] Status checkBesideDraft(const EngineConfig& config);
/// Most tokens of a conversation: the setting, or the model's trained context as far as memory
/// holds it.
[[nodiscard]] int effectiveContext(const EngineConfig& config, const ModelFacts& model,
                                   const MachineFacts& machine);
/// Violations as one Error (first rule's class; all sentences).
[[nodiscard]] Error violationsError(std::span<const RuleViolation> violations);

}  // namespace lacuna
