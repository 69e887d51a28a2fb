// Every rule is a comparison written so that NaN fails it: !(x >= lo && x <= hi). Rules of one knob
// come from its range in the knob table; what is written out here are the rules between two
// settings, the model and the machine.

#include "engine/settings/config_check.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "engine/base/string_format.h"
#include "engine/kv/cache_plan.h"
#include "engine/kv/row_format.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/exclusions.h"
#include "engine/settings/knob_spec.h"

namespace lacuna {
namespace {

CacheWishes wishesOf(const EngineConfig& config, const ModelFacts* model) {
    return {.method = config.kv.method,
            .budget = config.kv.budget,
            .window = config.kv.window,
            .windowKeep = config.kv.nSink,
            .keyQuant = config.kv.quant,
            .valueQuant = config.kv.values ? config.kv.values->quant : config.kv.quant,
            .draftModel = model != nullptr && !model->draftPath.empty(),
            .contextShift = config.contextShift.has_value(),
            .slidingLayers = model != nullptr && hasSlidingLayers(cacheModelOf(*model))};
}

class Checker {
  public:
    Checker(const EngineConfig& config, const ModelFacts* model, const MachineFacts& machine)
        : config_(config), model_(model), machine_(machine) {}

    [[nodiscard]] std::vector<RuleViolation> run() {
        for (const KnobSpec& spec : knobSpecs()) {
            checkRange(spec);
            checkRelations(spec.key);
        }
        checkExclusions();
        checkMemory();
        return std::move(found_);
    }

  private:
    [[nodiscard]] bool broken(std::string_view field) const {
        return std::ranges::any_of(found_,
                                   [&](const RuleViolation& v) { return v.field == field; });
    }

    [[nodiscard]] bool idle(std::string_view key) const {
        const KnobSpec* spec = findKnob(key);
        return spec != nullptr && !idleReason(*spec, config_, model_).empty();
    }

    void refuse(RuleViolation violation, std::string_view why = "") {
        violation.sentence =
            format("{} is {}; allowed is {}", violation.field, violation.found, violation.allowed);
        if (!why.empty()) violation.sentence += format(", because {}", why);
        if (!violation.nearest.empty())
            violation.sentence += format("; the nearest valid value is {}", violation.nearest);
        violation.sentence += '.';
        found_.push_back(std::move(violation));
    }

    void refuse(std::string_view rule, std::string_view field, std::string allowed,
                std::string nearest, std::string_view why) {
        refuse({.rule = std::string(rule),
                .field = std::string(field),
                .found = knobText(config_, field),
                .allowed = std::move(allowed),
                .nearest = std::move(nearest),
                .sentence = ""},
               why);
    }

    /// The knob's own range.
    void checkRange(const KnobSpec& spec) {
        const Json value = knobValue(config_, spec.key);
        if (spec.key == "seed") return;
        if (spec.kind == KnobKind::Choice) {
            const auto text = value.get<std::string>();
            if (std::ranges::find(spec.choices, text) == spec.choices.end())
                refuse(spec.ruleId, spec.key, knobRange(spec), std::string(spec.choices.front()),
                       "");
            return;
        }
        if (!value.is_number()) return;
        const auto number = value.get<double>();
        const bool aboveMinimum = spec.openMinimum ? number > spec.minimum : number >= spec.minimum;
        if (aboveMinimum && number <= spec.maximum) return;
        const bool over = number > spec.maximum;
        const std::string_view rule = over && spec.key == "budget" ? "BUD-CTX" : spec.ruleId;
        const double lowest = spec.openMinimum ? spec.minimum + spec.step : spec.minimum;
        refuse(
            rule, spec.key, knobRange(spec),
            std::isnan(number) ? defaultText(spec.key) : format("{}", over ? spec.maximum : lowest),
            "");
    }

    /// NaN has no neighbour; what the program starts with is offered instead.
    static std::string defaultText(std::string_view key) { return knobText(EngineConfig{}, key); }

    /// Rules between this setting and others, the model or the machine.
    void checkRelations(std::string_view key) {
        if (broken(key)) return;
        if (key == "method") {
            checkBudgetRequired();
            checkReach();
        }
        if (key == "budget") checkBudget();
        if (key == "keep_recent") checkProtected();
        if (key == "margin") checkMargin();
        if (key == "skip_layers") checkLayers();
        if (key == "head_budgets") checkProfile();
        if (key == "context") checkContext();
        if (key == "context_shift") checkShift();
        if (key == "cache_limit") checkCacheLimit();
        if (key == "kv_type") checkRowType();
        if (key == "v_type") checkValueType();
    }

    /// Codes come in groups that must divide a head.
    void checkRowType() {
        if (model_ == nullptr) return;
        const Status fits = checkQuant("key", config_.kv.quant, model_->headDim);
        if (fits) return;
        refuse("KV-TYPE", "kv_type", "f16, bf16, f32", "f16",
               format("the heads of {} have {} numbers, which groups of {} do not divide",
                      model_->name, model_->headDim, config_.kv.quant.group));
    }

    /// Likewise; and numbers that are stored plainly have one type.
    void checkValueType() {
        if (!config_.kv.values) return;
        const KvRowType& values = *config_.kv.values;
        if (values.quant.plain() && config_.kv.quant.plain() && values.type != config_.kv.type)
            refuse("KV-TYPE", "v_type",
                   format("same, {}, q8_0, q4_0", knobText(config_, "kv_type")), "same",
                   "keys and values that are plain numbers have one type");
        if (model_ == nullptr || broken("v_type") ||
            checkQuant("value", values.quant, model_->headDim))
            return;
        refuse("KV-TYPE", "v_type", "same, f16, bf16, f32", "same",
               format("the heads of {} have {} numbers, which groups of {} do not divide",
                      model_->name, model_->headDim, values.quant.group));
    }

    /// Settings that cannot stand beside each other, or beside what the model is.
    void checkExclusions() {
        for (const Exclusion* hit : excludedBy(wishesOf(config_, model_))) {
            const bool isSetting = findKnob(hit->second) != nullptr;
            const std::string_view field = isSetting ? hit->second : hit->first;
            if (broken(field)) continue;
            found_.push_back(
                {.rule = std::string(hit->id),
                 .field = std::string(field),
                 .found = knobText(config_, field),
                 .allowed = format("off beside {}", isSetting ? hit->first : hit->second),
                 .nearest = "",
                 .sentence = sentenceOf(*hit)});
        }
    }

    void checkBudgetRequired() {
        if (config_.kv.method != CompactionMethod::L2 || config_.kv.budget) return;
        if (config_.cacheLimitMiB > 0) return;  // the budget follows from it
        const int least = std::max(config_.kv.nSink, 0) + std::max(config_.kv.keepRecent, 0) + 1;
        refuse({.rule = "BUD-REQ",
                .field = "budget",
                .found = "off",
                .allowed = format("{} or more while method is l2", least),
                .nearest = format("{}", least),
                .sentence = ""},
               "l2 evicts down to a budget");
    }

    /// A method that could never make anything smaller.
    void checkReach() {
        if (model_ == nullptr || config_.kv.method == CompactionMethod::None || broken("method"))
            return;
        const CompactionReach reach = compactionReach(config_, *model_);
        if (reach.windowed < reach.layers || reach.layers == 0) return;
        refuse("METHOD-LAYERS", "method", "none", "none",
               format("every layer of {} keeps a window of its own{}", model_->name,
                      worksUniformly() ? ", unless layer_caches is uniform" : ""));
    }
    [[nodiscard]] bool worksUniformly() const {
        EngineConfig uniform = config_;
        uniform.kv.layerCaches = LayerCaches::Uniform;
        return compactionReach(uniform, *model_).touched > 0;
    }

    [[nodiscard]] std::optional<int> contextLimit() const {
        if (config_.context >= kLeastContext) return config_.context;
        if (model_ != nullptr && model_->context > 0) return model_->context;
        return std::nullopt;
    }

    void checkBudget() {
        if (!config_.kv.budget) return;
        const std::int64_t least = std::int64_t{config_.kv.nSink} + config_.kv.keepRecent + 1;
        const std::optional<int> most = contextLimit();
        const std::string allowed =
            most ? format("{} to {}", least, *most) : format("{} or more", least);
        if (*config_.kv.budget < least) {
            const bool possible = !most || least <= *most;
            refuse("BUD-MIN", "budget", allowed, possible ? format("{}", least) : "",
                   format("{} sinks, {} recent tokens and one more slot must fit", config_.kv.nSink,
                          config_.kv.keepRecent));
        } else if (most && *config_.kv.budget > *most) {
            refuse("BUD-CTX", "budget", allowed, least <= *most ? format("{}", *most) : "",
                   format("the context has {} tokens", *most));
        }
    }

    /// Without a budget the protected tokens must still leave something to compact.
    void checkProtected() {
        const std::optional<int> most = contextLimit();
        if (idle("keep_recent") || config_.kv.budget || !most) return;
        const std::int64_t room = std::int64_t{*most} - config_.kv.nSink - 1;
        if (config_.kv.keepRecent <= room || room < 0) return;
        refuse("REC-RANGE", "keep_recent", format("0 to {}", room), format("{}", room),
               format("the context has {} tokens and nothing would be left to compact", *most));
    }

    void checkMargin() {
        if (!config_.kv.margin || !config_.kv.budget || *config_.kv.budget < 1) return;
        if (*config_.kv.margin <= *config_.kv.budget) return;
        refuse("MARGIN-RANGE", "margin", format("off, or 1 to {}", *config_.kv.budget),
               format("{}", *config_.kv.budget), "a margin may not pass the budget");
    }

    /// What stays must leave room for what comes.
    void checkShift() {
        if (!config_.contextShift) return;
        const std::optional<int> limit = contextLimit();
        if (limit && *config_.contextShift > *limit / 2)
            refuse("SHIFT-RANGE", "context_shift", format("off, or 0 to {}", *limit / 2),
                   format("{}", *limit / 2), format("the context has {} tokens", *limit));
        else if (model_ != nullptr && !model_->shiftNote.empty() &&
                 !hasSlidingLayers(cacheModelOf(*model_)))
            refuse("SHIFT-MODEL", "context_shift", "off", "off", model_->shiftNote);
    }

    void checkLayers() {
        const int layers = model_ != nullptr ? model_->layers : 4096;
        std::set<int> seen;
        for (const int layer : config_.kv.skipLayers) {
            if (!(layer >= 0 && layer < layers)) {
                refuse("LAYER-RANGE", "skip_layers", format("layers 0 to {}", layers - 1),
                       validLayers(layers),
                       model_ != nullptr ? format("{} has {} layers", model_->name, layers) : "");
                return;
            }
            if (!seen.insert(layer).second) {
                refuse("LAYER-RANGE", "skip_layers", "each layer once", validLayers(layers),
                       format("layer {} is named twice", layer));
                return;
            }
        }
        if (model_ == nullptr || idle("skip_layers") || broken("method")) return;
        const CompactionReach reach = compactionReach(config_, *model_);
        if (reach.touched > 0) return;
        refuse("LAYER-RANGE", "skip_layers",
               reach.windowed == 0 ? format("fewer than all {} layers", layers)
                                   : "fewer layers without a window of their own",
               "off", format("{} would leave every layer as it is", knobText(config_, "method")));
    }

    void checkProfile() {
        if (model_ == nullptr || model_->headProfile ||
            config_.kv.headBudgets != HeadBudgets::Profile ||
            config_.kv.method != CompactionMethod::AttentionMatching)
            return;
        refuse("HEADS-PROFILE", "head_budgets", "auto, uniform, entropy, coverage", "auto",
               format("{} has no head profile yet (lacuna calibrate-kv makes it)", model_->name));
    }

    /// The tokens that no compaction touches and one chunk must fit.
    void checkCacheLimit() {
        if (model_ == nullptr || config_.cacheLimitMiB <= 0 || broken("kv_type")) return;
        // Without a method nothing is compacted, and so nothing is kept from it.
        const bool compacts = config_.kv.method != CompactionMethod::None;
        const std::int64_t kept =
            compacts ? std::int64_t{config_.kv.nSink} + config_.kv.keepRecent : 0;
        const std::int64_t tokens = kept + 1 + std::max(config_.prefillChunk, 1);
        constexpr double kMiB = 1024.0 * 1024.0;
        const std::int64_t bytes = cacheBytes(cacheModelOf(*model_), config_.kv, tokens);
        if (static_cast<double>(bytes) <= config_.cacheLimitMiB * kMiB) return;
        const std::string least =
            format("{:.1f}", std::ceil(static_cast<double>(bytes) / kMiB * 10) / 10);
        refuse("LIMIT-RANGE", "cache_limit", format("0, or {} or more", least), least,
               compacts ? format("{} sinks, {} recent tokens and a prefill chunk of {} must fit",
                                 config_.kv.nSink, config_.kv.keepRecent, config_.prefillChunk)
                        : format("a prefill chunk of {} must fit", config_.prefillChunk));
    }

    [[nodiscard]] std::string validLayers(int layers) const {
        std::set<int> valid;
        for (const int layer : config_.kv.skipLayers)
            if (layer >= 0 && layer < layers) valid.insert(layer);
        return valid.empty() ? "off" : format("{}", fmt::join(valid, ","));
    }

    void checkContext() {
        if (config_.context == 0) return;
        const int trained = model_ != nullptr ? model_->context : 1'048'576;
        const std::string allowed = format("0, or {} to {}", kLeastContext, trained);
        if (config_.context < kLeastContext)
            refuse("CTX-RANGE", "context", allowed, format("{}", kLeastContext), "");
        else if (config_.context > trained)
            refuse("CTX-RANGE", "context", allowed, format("{}", trained),
                   format("the model was trained with {} tokens", trained));
    }

    /// Refuses only what cannot fit at all: a context set by hand whose cache and weights together
    /// pass the whole memory. A context of 0 follows the memory instead (effectiveContext).
    void checkMemory() {
        if (model_ == nullptr || machine_.memoryBytes <= 0 || broken("context") ||
            broken("kv_type"))
            return;
        const CacheModel cache = cacheModelOf(*model_);
        const int tokens = config_.context == 0 ? kLeastContext : config_.context;
        const std::int64_t needed = model_->weightBytes + cacheBytes(cache, config_.kv, tokens);
        if (needed <= machine_.memoryBytes) return;
        const std::int64_t fits =
            tokensThatFit(cache, config_.kv, machine_.memoryBytes - model_->weightBytes, tokens);
        refuse("MEM-PLAN", "context",
               fits >= kLeastContext ? format("{} to {}", kLeastContext, fits) : "none",
               fits >= kLeastContext ? format("{}", fits) : "",
               format("weights of {} MiB and a cache of {} MiB pass the memory of {} MiB",
                      model_->weightBytes >> 20, (needed - model_->weightBytes) >> 20,
                      machine_.memoryBytes >> 20));
    }

    const EngineConfig& config_;
    const ModelFacts* model_;
    const MachineFacts& machine_;
    std::vector<RuleViolation> found_;
};

ErrorCode codeOf(std::string_view rule) {
    if (rule == "KEY-UNKNOWN") return ErrorCode::UnknownKey;
    if (rule == "CHOICE" || rule == "NUMBER") return ErrorCode::InvalidArgument;
    if (rule == "BUD-REQ" || rule.starts_with("EX-")) return ErrorCode::Conflict;
    if (rule == "HEADS-PROFILE" || rule == "SHIFT-MODEL" || rule == "METHOD-LAYERS")
        return ErrorCode::Unsupported;
    if (rule == "MEM-PLAN") return ErrorCode::NoMemory;
    return ErrorCode::Range;
}

}  // namespace

tl::expected<ValidConfig, std::vector<RuleViolation>> check(const EngineConfig& config,
                                                            const ModelFacts* model,
                                                            const MachineFacts& machine) {
    std::vector<RuleViolation> violations = Checker(config, model, machine).run();
    if (!violations.empty())
        return tl::unexpected<std::vector<RuleViolation>>(std::move(violations));
    return ValidConfig(config);
}

Status checkBesideDraft(const EngineConfig& config) {
    CacheWishes wishes = wishesOf(config, nullptr);
    const std::size_t without = excludedBy(wishes).size();
    wishes.draftModel = true;
    const std::vector<const Exclusion*> hits = excludedBy(wishes);
    if (hits.size() == without) return {};
    const auto hit = std::ranges::find_if(
        hits, [](const Exclusion* one) { return one->second == "draft model"; });
    return fail(ErrorCode::Conflict, sentenceOf(hit == hits.end() ? *hits.front() : **hit));
}

int effectiveContext(const EngineConfig& config, const ModelFacts& model,
                     const MachineFacts& machine) {
    if (config.context > 0) return config.context;
    if (machine.memoryBytes <= 0) return model.context;
    // A quarter of the memory stays for everything else on the machine.
    const std::int64_t fits =
        tokensThatFit(cacheModelOf(model), config.kv,
                      machine.memoryBytes / 4 * 3 - model.weightBytes, model.context);
    return static_cast<int>(
        std::clamp<std::int64_t>(fits, std::min(kLeastContext, model.context), model.context));
}

Error violationsError(std::span<const RuleViolation> violations) {
    std::string what;
    for (const RuleViolation& violation : violations)
        what += format("{}{}: {}", what.empty() ? "" : " ", violation.rule, violation.sentence);
    const ErrorCode code =
        violations.empty() ? ErrorCode::Internal : codeOf(violations.front().rule);
    return fail(code, std::move(what)).value();
}

}  // namespace lacuna
