#include "engine/format/convert_hyperparameters.h"

#include <cmath>

#include "engine/base/string_format.h"
#include "engine/format/gguf_layers.h"
#include "engine/format/gguf_rope.h"

namespace lacuna {
namespace {

class KeyWriter {
  public:
    KeyWriter(GgufMetadata& metadata, const ModelSpec& spec, const Architecture& architecture)
        : metadata_(metadata), spec_(spec), architecture_(architecture) {}
    void write();

  private:
    [[nodiscard]] std::string key(std::string_view suffix) const {
        return format("{}.{}", architecture_.ggufName, suffix);
    }
    void add(std::string_view suffix, int value) {
        metadata_.addUnsigned(key(suffix), static_cast<std::uint32_t>(value));
    }
    void add(std::string_view suffix, float value) { metadata_.addFloat(key(suffix), value); }
    void addUnless(float neutral, std::string_view suffix, float value) {
        if (value != neutral) add(suffix, value);
    }
    void writeSizes();
    void writeRope();
    void writeScaling();
    void writeExperts();
    void writeWindows();
    void writeScales();

    GgufMetadata& metadata_;
    const ModelSpec& spec_;
    const Architecture& architecture_;
};

void KeyWriter::writeSizes() {
    add("block_count", spec_.layers);
    add("context_length", spec_.context);
    add("embedding_length", spec_.hidden);
    add("feed_forward_length", spec_.feedForward);
    add("attention.head_count", spec_.heads);
    add("attention.head_count_kv", spec_.kvHeads);
    add("attention.key_length", spec_.headDim);
    add("attention.value_length", spec_.headDim);
    add("attention.layer_norm_rms_epsilon", spec_.rmsEpsilon);
    add("vocab_size", spec_.vocabulary);
}

void KeyWriter::writeRope() {
    add("rope.dimension_count", spec_.rope.dim);
    add("rope.freq_base", spec_.rope.base);
    if (spec_.localRope)
        addUnless(architecture_.localRopeBase, "rope.freq_base_swa", spec_.localRope->base);
    writeScaling();
}

/// The Llama-3 rule is written as divisors, a tensor.
void KeyWriter::writeScaling() {
    const RopeSpec& rope = spec_.rope;
    const auto scaling = [&](std::string_view name) {
        metadata_.addText(key("rope.scaling.type"), name);
        add("rope.scaling.factor", rope.factor);
    };
    const auto magnitude = [&](double usual) {
        // A last bit that comes from the way there and back is no difference.
        constexpr double kSame = 1e-6;
        const double share = static_cast<double>(rope.magnitude) / usual;
        if (std::fabs(share - 1.0) > kSame)
            add("rope.scaling.attn_factor", static_cast<float>(share));
    };
    if (rope.scaling == RopeSpec::Scaling::Linear) scaling("linear");
    if (rope.scaling == RopeSpec::Scaling::Yarn) {
        scaling("yarn");
        addUnless(32.0F, "rope.scaling.yarn_beta_fast", rope.betaFast);
        addUnless(1.0F, "rope.scaling.yarn_beta_slow", rope.betaSlow);
        magnitude(ggufYarnMagnitude(static_cast<double>(rope.factor)));
    }
    if (rope.scaling == RopeSpec::Scaling::LongRope) {
        scaling("longrope");
        magnitude(1.0);
    }
    if (rope.scaling == RopeSpec::Scaling::Yarn || rope.scaling == RopeSpec::Scaling::LongRope)
        add("rope.scaling.original_context_length", rope.originalContext);
}

void KeyWriter::writeExperts() {
    const ExpertSpec& experts = spec_.experts;
    if (experts.count == 0) return;
    add("expert_count", experts.count);
    add("expert_used_count", experts.perToken);
    if (experts.feedForward != spec_.feedForward || architecture_.ggufName != "llama")
        add("expert_feed_forward_length", experts.feedForward);
    if (experts.sharedFeedForward != 0)
        add("expert_shared_feed_forward_length", experts.sharedFeedForward);
    if (experts.normaliseWeights != architecture_.normalisesExperts)
        metadata_.addBool(key("expert_weights_norm"), experts.normaliseWeights);
    addUnless(1.0F, "expert_weights_scale", experts.weightScale);
}

/// The number n when all layers but every n-th slide.
std::optional<int> periodOf(const std::vector<bool>& sliding) {
    for (std::size_t n = 2; n <= sliding.size(); ++n) {
        bool fits = true;
        for (std::size_t i = 0; i < sliding.size(); ++i)
            fits = fits && sliding[i] == ((i + 1) % n != 0);
        if (fits) return static_cast<int>(n);
    }
    return std::nullopt;
}

void KeyWriter::writeWindows() {
    if (spec_.window == 0) return;
    add("attention.sliding_window", spec_.window);
    std::vector<bool> sliding;
    for (const LayerSpec& layer : spec_.layerSpecs) sliding.push_back(layer.sliding);
    const auto rule = ggufWindowRule(architecture_, spec_.layerSpecs);
    if (rule && *rule == sliding) return;
    const auto period = periodOf(sliding);
    if (period)
        add("attention.sliding_window_pattern", *period);
    else
        metadata_.addBools(key("attention.sliding_window_pattern"), sliding);
}

void KeyWriter::writeScales() {
    if (spec_.attentionScale) add("attention.scale", *spec_.attentionScale);
    if (!architecture_.scalesEmbedding) addUnless(1.0F, "embedding_scale", spec_.embeddingScale);
    addUnless(1.0F, "residual_scale", spec_.residualScale);
    addUnless(1.0F, "logit_scale", 1.0F / spec_.logitScale);
    const bool capped = architecture_.name == "gemma2";  // its readers assume caps
    if (capped || spec_.attentionSoftCap != 0.0F)
        add("attn_logit_softcapping", spec_.attentionSoftCap);
    if (capped || spec_.logitSoftCap != 0.0F) add("final_logit_softcapping", spec_.logitSoftCap);
}

void KeyWriter::write() {
    writeSizes();
    writeRope();
    writeExperts();
    writeWindows();
    writeScales();
}

}  // namespace

void addHyperparameters(GgufMetadata& metadata, const ModelSpec& spec,
                        const Architecture& architecture) {
    KeyWriter(metadata, spec, architecture).write();
}

}  // namespace lacuna
