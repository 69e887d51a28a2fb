#pragma once
/// \file
/// Checks configurations; the only implementation of the rules, shared by sliders, command line and
/// reports. Pure functions. Rule ids are stable: AM-RANGE, BUD-MIN, BUD-CTX, BUD-REQ, REC-RANGE,
/// SINK-RANGE, MARGIN-RANGE, LAYER-RANGE, CTX-RANGE, CHUNK-RANGE, PARALLEL-RANGE, THREADS-RANGE,
/// TEMP-RANGE, TOPK-RANGE, TOPP-RANGE, MINP-RANGE, PEN-RANGE, QUALITY-RANGE, MAX-RANGE, SEED-RANGE,
/// KV-TYPE, WINDOW-RANGE, LIMIT-RANGE, METHOD-LAYERS, SHIFT-RANGE, SHIFT-MODEL, CHOICE,
/// KEY-UNKNOWN, NUMBER, MEM-PLAN, and the ids of exclusions.h.

#include <span>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_spec.h"

namespace lacuna {

/// A configuration that passed every rule. Only check() can create one.
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

/// Returns all violations in the order of the settings table; empty if every rule is satisfied.
/// Copies nothing, so that it can run on every tick of a slider. `model` may be null before one is
/// loaded; rules that need it are then checked at load.
[[nodiscard]] std::vector<RuleViolation> violationsOf(const EngineConfig& config,
                                                      const ModelFacts* model,
                                                      const MachineFacts& machine);
/// Runs the same checks and returns the configuration as one that may be run.
[[nodiscard]] tl::expected<ValidConfig, std::vector<RuleViolation>> check(
    const EngineConfig& config, const ModelFacts* model, const MachineFacts& machine);
/// Checks before any file is read whether these settings allow a draft model. Errors: Conflict,
/// naming both.
[[nodiscard]] Status checkWithDraft(const EngineConfig& config);
/// Returns the maximum number of tokens of a conversation: the setting, or the model's trained
/// context limited by the available memory.
[[nodiscard]] int effectiveContext(const EngineConfig& config, const ModelFacts& model,
                                   const MachineFacts& machine);
/// Converts violations to one Error (class of the first rule; all sentences).
[[nodiscard]] Error violationsError(std::span<const RuleViolation> violations);

}  // namespace lacuna
