#include "engine/format/convert_metadata.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <system_error>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/gguf_types.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_spec.h"
#include "engine/format/printable.h"
#include "engine/format/tokenizer_files.h"
#include "engine/text/splitting_rules.h"

namespace lacuna {
namespace {

bool follows(const ModelSpec& spec, ExpertLayerRule rule) {
    for (int i = 0; i < spec.layers; ++i)
        if (spec.layer(i).experts != (i >= rule.leading && (i + 1) % rule.step == 0)) return false;
    return true;
}

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
    void writeLayerSizes();
    /// Writes a number, or a list with one for each layer if they differ.
    void addPerLayer(std::string_view suffix, int LayerSpec::*size);
    void writeRope();
    void writeScaling();
    void writeExperts();
    void writeWindows();
    void writeScales();
    void writeRules();

    GgufMetadata& metadata_;
    const ModelSpec& spec_;
    const Architecture& architecture_;
};

void KeyWriter::addPerLayer(std::string_view suffix, int LayerSpec::*size) {
    std::vector<std::int32_t> sizes;
    for (int i = 0; i < spec_.layers; ++i) sizes.push_back(spec_.layer(i).*size);
    if (std::ranges::adjacent_find(sizes, std::ranges::not_equal_to()) == sizes.end())
        add(suffix, sizes.front());
    else
        metadata_.addInts(key(suffix), sizes);
}

void KeyWriter::writeLayerSizes() {
    if (!architecture_.layerSizes) return;
    int shared = 0;
    for (int i = 0; i < spec_.layers; ++i) shared += spec_.layer(i).readsCacheOf ? 1 : 0;
    add("attention.shared_kv_layers", shared);
    add("embedding_length_per_layer_input", spec_.layerEmbedding);
    add("attention.key_length_swa", spec_.headDimOf(/*sliding=*/true));
    add("attention.value_length_swa", spec_.headDimOf(/*sliding=*/true));
}

void KeyWriter::writeSizes() {
    add("block_count", spec_.layers);
    add("context_length", spec_.context);
    add("embedding_length", spec_.hidden);
    addPerLayer("feed_forward_length", &LayerSpec::feedForward);
    add("attention.head_count", spec_.heads);
    addPerLayer("attention.head_count_kv", &LayerSpec::kvHeads);
    add("attention.key_length", spec_.headDimOf(/*sliding=*/false));
    add("attention.value_length", spec_.headDimOf(/*sliding=*/false));
    writeLayerSizes();
    add(ggufEpsilonKey(architecture_), spec_.rmsEpsilon);
    add("vocab_size", spec_.vocabulary);
}

void KeyWriter::writeRope() {
    add("rope.dimension_count", spec_.rope.dim);
    add("rope.freq_base", spec_.rope.base);
    if (spec_.localRope)
        addUnless(architecture_.layerSizes ? 0.0F : architecture_.localRopeBase,
                  "rope.freq_base_swa", spec_.localRope->base);
    if (spec_.localRope && architecture_.layerSizes)
        add("rope.dimension_count_swa", spec_.localRope->dim);
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
        // tolerance for the rounding of a round trip
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
    constexpr int kSigmoid = 2;
    if (experts.scoring == ExpertScoring::Sigmoid && !experts.weighsInput)
        add("expert_gating_func", kSigmoid);
    if (architecture_.groupedRouting) {
        add("expert_group_count", experts.groups);
        add("expert_group_used_count", experts.groupsPerToken);
    }
    if (architecture_.defaults.sharedExperts != 0)
        add("expert_shared_count", experts.sharedFeedForward / experts.feedForward);
    const auto layers = expertLayersOf(spec_);
    if (!layers || architecture_.expertLayers == ExpertLayers::EveryNth) return;
    if (architecture_.expertLayers != ExpertLayers::Listed)
        add("leading_dense_block_count", layers->leading);
    if (architecture_.expertLayers != ExpertLayers::AfterDense)
        add("interleave_moe_layer_step", layers->step);
}

/// Returns n if all layers but every n-th slide.
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
    if (rule && *rule == sliding && !architecture_.layerSizes) return;
    const auto period = architecture_.layerSizes ? std::nullopt : periodOf(sliding);
    if (period)
        add("attention.sliding_window_pattern", *period);
    else
        metadata_.addBools(key("attention.sliding_window_pattern"), sliding);
}

void KeyWriter::writeScales() {
    if (spec_.attentionScale && *spec_.attentionScale != architecture_.attentionScale)
        add("attention.scale", *spec_.attentionScale);
    if (!architecture_.scalesEmbedding) addUnless(1.0F, "embedding_scale", spec_.embeddingScale);
    addUnless(1.0F, "residual_scale", spec_.residualScale);
    const bool multiplies = architecture_.logitScaleMultiplies;
    addUnless(1.0F, "logit_scale", multiplies ? spec_.logitScale : 1.0F / spec_.logitScale);
    const bool capped = architecture_.name == "gemma2";  // readers of gemma2 assume caps
    if (capped || spec_.attentionSoftCap != 0.0F)
        add("attn_logit_softcapping", spec_.attentionSoftCap);
    if (capped || spec_.logitSoftCap != 0.0F) add("final_logit_softcapping", spec_.logitSoftCap);
}

void KeyWriter::writeRules() {
    if (architecture_.parallelResidual == Presence::Optional)
        metadata_.addBool(key("use_parallel_residual"), spec_.parallelResidual);
    if (architecture_.positionSwitch && !spec_.layer(0).rotary)
        metadata_.addBool(key("rope.scaling.finetuned"), false);
    addUnless(0.0F, "attention.temperature_scale", spec_.temperature.scale);
    if (spec_.xielu.empty()) return;
    const auto list = [&](const char* name, float XieluCurve::*number) {
        std::vector<float> values;
        for (const XieluCurve& curve : spec_.xielu) values.push_back(curve.*number);
        metadata_.addFloats(name, values);
    };
    list("xielu.alpha_p", &XieluCurve::alphaPositive);
    list("xielu.alpha_n", &XieluCurve::alphaNegative);
    list("xielu.beta", &XieluCurve::beta);
    list("xielu.eps", &XieluCurve::epsilon);
}

void KeyWriter::write() {
    writeRules();
    writeSizes();
    writeRope();
    writeExperts();
    writeWindows();
    writeScales();
}

/// Keys begin with the architecture's GGUF name. Properties implied by an architecture (gemma's
/// pattern of windows) are not written, because readers may refuse unexpected keys. @pre
/// checkConvertible(spec)
void addHyperparameters(GgufMetadata& metadata, const ModelSpec& spec,
                        const Architecture& architecture) {
    KeyWriter(metadata, spec, architecture).write();
}

/// Returns the GGUF name of these patterns.
Result<std::string> ruleName(const TokenizerData& data) {
    if (!data.preTokenizer.empty()) return data.preTokenizer;
    std::vector<SplitStep> steps = data.splits;
    // If the matches cover the text, keeping only them equals isolating them.
    for (SplitStep& step : steps)
        if (step.invert && step.behaviour == SplitBehaviour::Removed) {
            step.invert = false;
            step.behaviour = SplitBehaviour::Isolated;
        }
    if (const auto name = splittingRuleName(steps)) return std::string(*name);
    return fail(ErrorCode::TokPreUnknown,
                format("the tokenizer splits text by a rule for which GGUF has no name; known are "
                       "those of {}",
                       knownSplittingRules()));
}

/// Checks that GGUF has a form of this kind that other programs read in the same way.
Status checkKind(const TokenizerData& data) {
    const bool scored = data.scores.size() == data.pieces.size();
    const bool spaces = data.kind == TokenizerKind::SentencePieceBpe ||
                        (data.kind == TokenizerKind::CharacterBpe && scored);
    if (data.kind == TokenizerKind::ByteLevelBpe || spaces) return {};
    return fail(ErrorCode::TokPreUnknown,
                format("a {} tokenizer with additional steps cannot be written to GGUF",
                       tokenizerKindName(data.kind)));
}

std::int32_t typeNumber(TokenKind kind) {
    switch (kind) {
        case TokenKind::Normal:
            return 1;
        case TokenKind::Unknown:
            return 2;
        case TokenKind::Control:
            return 3;
        case TokenKind::UserDefined:
            return 4;
        case TokenKind::Unused:
            return 5;
        case TokenKind::Byte:
            return 6;
    }
    return 1;
}

void addId(GgufMetadata& metadata, std::string_view key, std::optional<TokenId> id) {
    if (id) metadata.addUnsigned(key, static_cast<std::uint32_t>(*id));
}

/// Returns the ends of a turn that readers would not recognise by name.
std::vector<TokenId> unnamedEnds(const TokenizerData& data) {
    TokenizerData byName = data;
    byName.endOfTurn.clear();
    addKnownEnds(byName);
    std::vector<TokenId> rest;
    for (const TokenId id : data.endOfTurn)
        if (std::ranges::find(byName.endOfTurn, id) == byName.endOfTurn.end() && id != data.eos)
            rest.push_back(id);
    return rest;
}

void addSpecialIds(GgufMetadata& metadata, const TokenizerData& data) {
    addId(metadata, "tokenizer.ggml.bos_token_id", data.bos);
    addId(metadata, "tokenizer.ggml.eos_token_id", data.eos);
    addId(metadata, "tokenizer.ggml.unknown_token_id", data.unknown);
    addId(metadata, "tokenizer.ggml.padding_token_id", data.pad);
    const std::vector<TokenId> ends = unnamedEnds(data);
    if (!ends.empty()) addId(metadata, "tokenizer.ggml.eot_token_id", ends[0]);
    if (ends.size() > 1) addId(metadata, "tokenizer.ggml.eom_token_id", ends[1]);
    metadata.addBool("tokenizer.ggml.add_bos_token", data.addBos);
    metadata.addBool("tokenizer.ggml.add_eos_token", data.addEos);
}

}  // namespace

std::optional<ExpertLayerRule> expertLayersOf(const ModelSpec& spec) {
    int first = 0;
    while (first < spec.layers && !spec.layer(first).experts) ++first;
    for (int step = 1; step <= spec.layers; ++step)
        for (const int leading : {0, first})
            if (follows(spec, {leading, step})) return ExpertLayerRule{leading, step};
    return std::nullopt;
}

Status addTokenizer(GgufMetadata& metadata, const TokenizerData& data, int vocabulary) {
    const auto rows = static_cast<std::size_t>(vocabulary);
    if (data.pieces.size() > rows)
        return fail(ErrorCode::ModelVocab,
                    format("the tokenizer has {} tokens; the model has rows for {}",
                           data.pieces.size(), rows));
    LACUNA_TRY_STATUS(checkKind(data));
    std::vector<std::string> pieces = data.pieces;
    std::vector<std::int32_t> types;
    for (std::size_t id = 0; id < pieces.size(); ++id)
        types.push_back(typeNumber(data.kinds.empty() ? TokenKind::Normal : data.kinds[id]));
    while (pieces.size() < rows) {
        pieces.push_back(format("[PAD{}]", pieces.size()));
        types.push_back(typeNumber(TokenKind::Unused));
    }
    const bool byteLevel = data.kind == TokenizerKind::ByteLevelBpe;
    metadata.addText("tokenizer.ggml.model", byteLevel ? "gpt2" : "llama");
    if (byteLevel) {
        LACUNA_TRY(const std::string rule, ruleName(data));
        metadata.addText("tokenizer.ggml.pre", rule);
    }
    metadata.addTexts("tokenizer.ggml.tokens", pieces);
    metadata.addInts("tokenizer.ggml.token_type", types);
    if (byteLevel) {
        metadata.addTexts("tokenizer.ggml.merges", data.merges);
    } else {
        std::vector<float> scores(rows, 0.0F);
        std::ranges::transform(data.scores, scores.begin(),
                               [](double score) { return static_cast<float>(score); });
        metadata.addFloats("tokenizer.ggml.scores", scores);
        metadata.addBool("tokenizer.ggml.add_space_prefix", data.addSpacePrefix);
    }
    addSpecialIds(metadata, data);
    return {};
}

namespace {

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\"'";
    const auto first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// Returns the `license:` line in the front matter of a model card; empty if there is none.
std::string licenceInCard(const std::filesystem::path& folder) {
    constexpr std::size_t kMaxCardBytes = std::size_t{4} << 20;
    const auto card = readFile(folder / "README.md", kMaxCardBytes);
    if (!card || !card->starts_with("---")) return {};
    const std::string_view text = *card;
    const std::string_view front = text.substr(0, text.find("\n---", 3));
    constexpr std::string_view kField = "\nlicense:";
    const auto at = front.find(kField);
    if (at == std::string_view::npos) return {};
    const std::string_view rest = front.substr(at + kField.size());
    return printable(trimmed(rest.substr(0, rest.find('\n'))));
}

std::string sizeLabel(std::uint64_t parameters) {
    const auto count = static_cast<double>(parameters);
    if (count >= 1e9) return format("{:.1f}B", count / 1e9);
    if (count >= 1e6) return format("{:.0f}M", count / 1e6);
    return format("{:.0f}K", count / 1e3);
}

}  // namespace

Result<GgufMetadata> metadataForGguf(const ModelContainer& model, const ConvertOptions& options) {
    const ModelSpec& spec = model.spec;
    GgufMetadata metadata;
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    metadata.addText("general.architecture", architecture->ggufName);
    metadata.addText("general.type", "model");
    metadata.addText("general.name", options.name.empty() ? spec.name : options.name);
    const std::string licence =
        options.licence.empty() ? licenceInCard(model.path) : options.licence;
    if (!licence.empty()) metadata.addText("general.license", licence);
    metadata.addText("general.size_label", sizeLabel(spec.parameters));
    metadata.addUnsigned("general.file_type", fileTypeNumber(options.type));
    metadata.addUnsigned("general.quantization_version", 2);
    addHyperparameters(metadata, spec, *architecture);
    LACUNA_TRY(const TokenizerData tokenizer, tokenizerFromFolder(model.path));
    LACUNA_TRY_STATUS(addTokenizer(metadata, tokenizer, spec.vocabulary));
    LACUNA_TRY(const auto chatTemplate, templateTextOf(model));
    if (chatTemplate) metadata.addText("tokenizer.chat_template", *chatTemplate);
    return metadata;
}

}  // namespace lacuna
