#include "engine/format/config_experts.h"

#include <algorithm>
#include <string_view>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

class ExpertReader {
  public:
    ExpertReader(ModelSpec& spec, std::vector<LayerSpec>& layers, const ConfigFields& config,
                 const Architecture& architecture)
        : spec_(spec), layers_(layers), config_(config), architecture_(architecture) {}
    [[nodiscard]] Status read();

  private:
    [[nodiscard]] Status refuseExperts() const;
    [[nodiscard]] Result<bool> hasExperts() const;
    [[nodiscard]] Status readCounts();
    [[nodiscard]] Status readWidths();
    [[nodiscard]] Status readShared();
    [[nodiscard]] Status readWeights();
    [[nodiscard]] Status readSelection();
    [[nodiscard]] Status readMethod();
    [[nodiscard]] Status readLayers();
    [[nodiscard]] Status readNth();
    [[nodiscard]] Status readFrom(const char* name, int fallback);
    [[nodiscard]] Status readBehindDense();
    [[nodiscard]] Status readBetween();
    [[nodiscard]] Status readListed();
    [[nodiscard]] Result<int> step(const char* name, int fallback) const;

    ModelSpec& spec_;
    std::vector<LayerSpec>& layers_;
    const ConfigFields& config_;
    const Architecture& architecture_;
};

Status ExpertReader::refuseExperts() const {
    for (const char* name : {"num_local_experts", "num_experts"}) {
        LACUNA_TRY(const auto count, config_.optionalInt(name, ErrorCode::ModelBadDim));
        if (count.value_or(0) > 1) return config_.refuse(name);
    }
    return {};
}

/// Gemma 4 states the number of experts of a model without them as null.
Result<bool> ExpertReader::hasExperts() const {
    if (architecture_.experts == Presence::Always) return true;
    if (architecture_.experts == Presence::Optional && architecture_.mixer) {
        if (architecture_.expertLayers == ExpertLayers::Lettered)
            return std::ranges::any_of(layers_, [](const LayerSpec& one) { return one.experts; });
        LACUNA_TRY(const auto count,
                   config_.optionalInt(architecture_.keys.experts, ErrorCode::ModelBadDim));
        return count.value_or(0) > 0;
    }
    if (!architecture_.expertsParallelToDense) {
        LACUNA_TRY_STATUS(refuseExperts());
        return false;
    }
    LACUNA_TRY(const bool used, config_.flag("enable_moe_block"));
    for (const char* name : {"num_experts", "top_k_experts"})
        static_cast<void>(config_.hasMember(name));
    return used;
}

/// Published files and files written by transformers 5 use two names for the number of experts.
Status ExpertReader::readCounts() {
    const ConfigDefaults& defaults = architecture_.defaults;
    const ConfigKeys& keys = architecture_.keys;
    LACUNA_TRY(const auto local, config_.sameInt("num_local_experts", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto own, config_.sameInt(keys.experts, ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto used, config_.sameInt(keys.expertsPerToken, ErrorCode::ModelBadDim));
    const auto missing = [&](const char* name) {
        return fail(ErrorCode::ModelMissingKey,
                    format("{}: {}{} is missing", kConfigFile, config_.path(), name));
    };
    spec_.experts.count = own.value_or(local.value_or(defaults.experts));
    if (!own && !local && defaults.experts == 0) return missing(keys.experts);
    spec_.experts.perToken = used.value_or(defaults.expertsPerToken);
    if (!used && defaults.expertsPerToken == 0) return missing(keys.expertsPerToken);
    return {};
}

Status ExpertReader::readWidths() {
    const int usual = architecture_.defaults.expertFeedForward;
    const std::string_view key = architecture_.keys.expertFeedForward;
    // Mixtral has no dense layers, and its experts use the feed-forward size of other families.
    spec_.experts.feedForward = spec_.feedForward;
    if ((usual != 0 || architecture_.expertsParallelToDense) && !key.empty()) {
        LACUNA_TRY(spec_.experts.feedForward,
                   config_.requiredInt(key.data(), ErrorCode::ModelBadDim, usual));
    }
    if (architecture_.expertLayers != ExpertLayers::AfterSkipped) return {};
    // Hunyuan's configuration class uses one width, which published files state twice.
    LACUNA_TRY(const auto own, config_.sameInt("moe_intermediate_size", ErrorCode::ModelBadDim));
    if (own && *own != spec_.feedForward) return config_.refuse("moe_intermediate_size");
    return {};
}

Status ExpertReader::readShared() {
    if (architecture_.sharedExpert == Presence::Never) return {};
    const ConfigDefaults& defaults = architecture_.defaults;
    const ConfigKeys& keys = architecture_.keys;
    ExpertSpec& experts = spec_.experts;
    if (std::string_view(keys.sharedExperts).empty() && defaults.sharedExperts == 0) {
        const bool optional = architecture_.sharedExpert == Presence::Optional;
        if (optional && defaults.sharedFeedForward == 0 &&
            !config_.hasMember(keys.sharedFeedForward))
            return {};
        LACUNA_TRY(experts.sharedFeedForward,
                   config_.requiredInt(keys.sharedFeedForward, ErrorCode::ModelBadDim,
                                       defaults.sharedFeedForward));
        return {};
    }
    int count = defaults.sharedExperts;
    if (!std::string_view(keys.sharedExperts).empty()) {
        LACUNA_TRY(const auto given, config_.sameInt(keys.sharedExperts, ErrorCode::ModelBadDim));
        const int absent = config_.hasMember(keys.sharedExperts) ? 0 : count;  // null means none
        count = given.value_or(absent);
    }
    if (!inRange(count, 0, kMaxExperts)) return config_.refuse(keys.sharedExperts);
    if (!inRange(experts.feedForward, 1, kMaxFeedForward)) return spec_.check();
    experts.sharedFeedForward = static_cast<int>(
        std::min<std::int64_t>(std::int64_t{count} * experts.feedForward, kMaxFeedForward + 1));
    return {};
}

Status ExpertReader::readWeights() {
    const ConfigDefaults& defaults = architecture_.defaults;
    ExpertSpec& experts = spec_.experts;
    // Families without a separate expert width always normalise.
    const bool always = defaults.expertFeedForward == 0;
    LACUNA_TRY(const bool said, config_.flag(architecture_.keys.normalisesExperts,
                                             always || defaults.normalisesExperts));
    experts.normaliseWeights = always ? architecture_.normalisesExperts : said;
    if (architecture_.expertsWeighInput) experts.normaliseWeights = false;
    if (experts.scoring == ExpertScoring::SparseMixer) {
        LACUNA_TRY(const double jitter, config_.number("router_jitter_noise", 0.01));
        experts.jitter = static_cast<float>(jitter);
    }
    if (architecture_.expertLayers == ExpertLayers::Between) {
        LACUNA_TRY(const double least, config_.number("moe_norm_min", 1e-12));
        experts.smallestSum = static_cast<float>(least);
    }
    return {};
}

Status ExpertReader::readSelection() {
    ExpertSpec& experts = spec_.experts;
    experts.selectionBias = architecture_.selectionBias == Presence::Always;
    if (architecture_.selectionBias == Presence::Optional) {
        LACUNA_TRY(experts.selectionBias,
                   config_.flag("use_routing_bias", experts.scoring == ExpertScoring::Sigmoid));
    }
    if (experts.scoring == ExpertScoring::Sigmoid) {
        const char* const name = architecture_.keys.expertScoring;
        LACUNA_TRY(const auto scoring, config_.text(name));
        if (scoring && *scoring != "sigmoid") return config_.refuse(name);
    }
    // Experts on a narrower projection of the input: large models of nemotron_h.
    LACUNA_TRY(const auto latent, config_.optionalInt("moe_latent_size", ErrorCode::ModelBadDim));
    if (latent.value_or(0) > 0) return config_.refuse("moe_latent_size");
    if (!architecture_.groupedRouting) return {};
    // Null stands for no groups.
    LACUNA_TRY(const auto groups,
               config_.optionalInt(architecture_.keys.expertGroups, ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto used, config_.optionalInt("topk_group", ErrorCode::ModelBadDim));
    experts.groups = groups.value_or(1);
    experts.groupsPerToken = used.value_or(1);
    if (architecture_.latentAttention) LACUNA_TRY_STATUS(readMethod());
    LACUNA_TRY(const double scale, config_.number("routed_scaling_factor", 1.0));
    experts.weightScale = static_cast<float>(scale);
    return {};
}

/// The method by which experts are chosen: DeepSeek-V2 knows two, later models one.
Status ExpertReader::readMethod() {
    ExpertSpec& experts = spec_.experts;
    const bool softmax = experts.scoring == ExpertScoring::Softmax;
    LACUNA_TRY(const auto said, config_.text("topk_method"));
    const std::string method = said.value_or(softmax ? "greedy" : "noaux_tc");
    if (softmax ? method != "greedy" && method != "group_limited_greedy" : method != "noaux_tc")
        return config_.refuse("topk_method");
    if (method == "greedy") experts.groups = experts.groupsPerToken = 1;
    if (softmax) experts.groupBest = 1;
    return {};
}

Result<int> ExpertReader::step(const char* name, int fallback) const {
    LACUNA_TRY(const int every, config_.requiredInt(name, ErrorCode::ModelBadLayers, fallback));
    if (every == 0) return config_.wrong(name, "1 or more layers");
    return every;
}

Status ExpertReader::readNth() {
    LACUNA_TRY(const int every, step("decoder_sparse_step", 1));
    LACUNA_TRY(const auto dense, config_.ints("mlp_only_layers"));
    for (int i = 0; i < spec_.layers; ++i)
        layers_[static_cast<std::size_t>(i)].experts =
            (i + 1) % every == 0 && !(dense && std::ranges::find(*dense, i) != dense->end());
    return {};
}

Status ExpertReader::readFrom(const char* name, int fallback) {
    LACUNA_TRY(const auto first, config_.optionalInt(name, ErrorCode::ModelBadLayers));
    for (int i = first.value_or(fallback); i < spec_.layers; ++i)
        layers_[static_cast<std::size_t>(i)].experts = true;
    return {};
}

/// Files written by transformers 5 may list the layers instead of counting the dense ones.
Status ExpertReader::readBehindDense() {
    constexpr const char* kList = "mlp_layer_types";
    LACUNA_TRY(const auto kinds, config_.texts(kList));
    if (!kinds || config_.find("first_k_dense_replace") != nullptr)
        return readFrom("first_k_dense_replace", 1);
    if (kinds->size() != layers_.size()) return config_.wrong(kList, "a name for each layer");
    for (std::size_t i = 0; i < layers_.size(); ++i) layers_[i].experts = (*kinds)[i] == "sparse";
    return {};
}

/// The range includes the last index; -1 is the last layer.
Status ExpertReader::readBetween() {
    LACUNA_TRY(const auto first,
               config_.optionalInt("moe_layer_start_index", ErrorCode::ModelBadLayers));
    LACUNA_TRY(const double last, config_.number("moe_layer_end_index", -1.0));
    LACUNA_TRY(const int every, step("moe_layer_interval", 1));
    for (int i = first.value_or(1); i < spec_.layers; ++i)
        layers_[static_cast<std::size_t>(i)].experts =
            (i + 1) % every == 0 && (last == -1.0 || i <= last);
    return {};
}

Status ExpertReader::readListed() {
    LACUNA_TRY(const int every, step("interleave_moe_layer_step", 1));
    LACUNA_TRY(const auto listed, config_.ints("moe_layers"));
    if (!listed) {
        for (int i = every - 1; i < spec_.layers; i += every)
            layers_[static_cast<std::size_t>(i)].experts = true;
        return {};
    }
    for (const int i : *listed) {
        if (i >= spec_.layers) return config_.wrong("moe_layers", "numbers of layers");
        layers_[static_cast<std::size_t>(i)].experts = true;
    }
    return {};
}

Status ExpertReader::readLayers() {
    switch (architecture_.expertLayers) {
        case ExpertLayers::EveryNth:
            return readNth();
        case ExpertLayers::AfterDense:
            return readBehindDense();
        case ExpertLayers::AfterSkipped:
            return readFrom("moe_layer_num_skipped", 0);
        case ExpertLayers::Between:
            return readBetween();
        case ExpertLayers::AfterCounted:
            return readFrom("num_dense_layers", 2);
        case ExpertLayers::Lettered:
            return {};
        case ExpertLayers::Listed:
            return readListed();
    }
    return {};
}

Status ExpertReader::read() {
    LACUNA_TRY(const bool used, hasExperts());
    if (!used) return {};
    LACUNA_TRY_STATUS(readCounts());
    LACUNA_TRY_STATUS(readWidths());
    LACUNA_TRY_STATUS(readShared());
    LACUNA_TRY_STATUS(readWeights());
    LACUNA_TRY_STATUS(readSelection());
    return readLayers();
}

}  // namespace

Status readConfigExperts(ModelSpec& spec, std::vector<LayerSpec>& layers,
                         const ConfigFields& config, const Architecture& architecture) {
    return ExpertReader(spec, layers, config, architecture).read();
}

}  // namespace lacuna
