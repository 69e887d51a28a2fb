#include "engine/format/gguf_spec.h"

#include <array>
#include <cmath>
#include <limits>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_keys.h"
#include "engine/format/gguf_layers.h"
#include "engine/format/gguf_rope.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

constexpr std::string_view kTokensKey = "tokenizer.ggml.tokens";

struct FileKind {
    std::string_view type;
    std::string_view meaning;
};
constexpr std::array<FileKind, 5> kFileKinds{{
    {"adapter", "a LoRA adapter, which belongs to another model"},
    {"mmproj", "an image encoder (mmproj), which belongs to another model"},
    {"projector", "an image encoder (mmproj), which belongs to another model"},
    {"imatrix", "an importance matrix for quantising"},
    {"vocab", "a vocabulary without weights"},
}};

Status checkKind(const GgufFile& file) {
    LACUNA_TRY(const auto type, file.getText("general.type"));
    for (const FileKind& kind : kFileKinds)
        if (type && *type == kind.type)
            return fail(ErrorCode::ModelKind, format("this is {}", kind.meaning));
    // Bytes in memory may be one part of several; an opened file holds all of them.
    LACUNA_TRY(const auto parts, file.getUnsigned("split.count"));
    if (parts.value_or(1) == file.parts()) return {};
    return fail(ErrorCode::GgufSplit, format("this is one part of a model in {} files", *parts));
}

Result<const Architecture*> architectureOf(const GgufFile& file) {
    if (file.header().metadata.empty())
        return fail(
            ErrorCode::GgufNoArch,
            format("the file holds no metadata, so it names no architecture; supported are {}",
                   architectureList()));
    LACUNA_TRY(const auto name, file.getText("general.architecture"));
    if (!name)
        return fail(
            ErrorCode::ModelArchUnknown,
            format("general.architecture is missing; supported are {}", architectureList()));
    return findArchitecture(*name);
}

/// Reads the facts that metadata tells, one group after the other.
class SpecReader {
  public:
    SpecReader(const GgufFile& file, std::string_view name, const Architecture& architecture)
        : file_(file), keys_(file, name), architecture_(architecture) {}
    [[nodiscard]] Result<ModelSpec> read() const;

  private:
    [[nodiscard]] Status readNames(ModelSpec& spec) const;
    [[nodiscard]] Status readSizes(ModelSpec& spec) const;
    [[nodiscard]] Status readHeads(ModelSpec& spec) const;
    [[nodiscard]] Status readVocabulary(ModelSpec& spec) const;
    [[nodiscard]] Status readScales(ModelSpec& spec) const;
    [[nodiscard]] Result<float> scale(std::string_view suffix) const;
    [[nodiscard]] Status refuseUnknownFeatures() const;

    const GgufFile& file_;
    const GgufKeys keys_;
    const Architecture& architecture_;
};

Status SpecReader::readHeads(ModelSpec& spec) const {
    LACUNA_TRY(spec.heads, needed(keys_.sameInAllLayers("attention.head_count", spec.layers,
                                                        ErrorCode::ModelBadHeads),
                                  keys_.key("attention.head_count")));
    LACUNA_TRY(const auto kvHeads, keys_.sameInAllLayers("attention.head_count_kv", spec.layers,
                                                         ErrorCode::ModelBadHeads));
    spec.kvHeads = kvHeads.value_or(spec.heads);
    if (spec.heads < 1) return spec.check();  // refuses before the division below
    LACUNA_TRY(const auto keyLength,
               keys_.optionalInt("attention.key_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto valueLength,
               keys_.optionalInt("attention.value_length", ErrorCode::ModelBadDim));
    if (!keyLength && spec.hidden % spec.heads != 0)
        return fail(ErrorCode::ModelBadDim,
                    format("embedding_length {} is not a multiple of {} heads, and {} is missing",
                           spec.hidden, spec.heads, keys_.key("attention.key_length")));
    spec.headDim = keyLength.value_or(spec.hidden / spec.heads);
    if (valueLength.value_or(spec.headDim) != spec.headDim)
        return fail(ErrorCode::ModelBadDim,
                    format("key_length {} and value_length {} differ, which is not supported",
                           spec.headDim, *valueLength));
    return {};
}

/// Three figures that must agree: the key, the list of tokens and the rows of the embedding.
Status SpecReader::readVocabulary(ModelSpec& spec) const {
    LACUNA_TRY(const auto said, file_.getUnsigned(keys_.key("vocab_size")));
    std::optional<std::uint64_t> listed;
    if (const GgufValue* tokens = file_.findValue(kTokensKey))
        if (const auto* array = std::get_if<GgufArray>(&tokens->value)) listed = array->count;
    std::optional<std::uint64_t> rows;
    const std::string embedding =
        TensorNames(Container::Gguf, architecture_).first(TensorRole::Embedding);
    for (const GgufTensor& tensor : file_.header().tensors)
        if (tensor.name == embedding) rows = tensor.shape.front();
    const std::uint64_t vocabulary = rows ? *rows : listed ? *listed : said.value_or(0);
    const auto differs = [&](const std::optional<std::uint64_t>& other) {
        return other && *other != vocabulary;
    };
    const auto text = [](const std::optional<std::uint64_t>& n) {
        return n ? format("{}", *n) : std::string("not given");
    };
    if (differs(said) || differs(listed))
        return fail(ErrorCode::ModelVocab,
                    format("the vocabulary sizes differ: {} {}, {} {}, rows of {} {}",
                           keys_.key("vocab_size"), text(said), kTokensKey, text(listed), embedding,
                           text(rows)));
    if (vocabulary > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return fail(ErrorCode::ModelVocab,
                    format("a vocabulary of {} tokens is far too large", vocabulary));
    spec.vocabulary = static_cast<int>(vocabulary);
    return {};
}

Status SpecReader::readNames(ModelSpec& spec) const {
    LACUNA_TRY(const auto name, file_.getText("general.name"));
    LACUNA_TRY(const auto licence, file_.getText("general.license"));
    constexpr std::size_t kMaxNameLength = 200;
    spec.name = name && !name->empty() ? printable(*name, kMaxNameLength)
                                       : printable(file_.path().stem().string(), kMaxNameLength);
    spec.licence = printable(licence.value_or(""), kMaxNameLength);
    return {};
}

/// 1 where the key is absent or 0.
Result<float> SpecReader::scale(std::string_view suffix) const {
    LACUNA_TRY(const auto value, keys_.number(suffix));
    return static_cast<float>(value.value_or(0.0) == 0.0 ? 1.0 : *value);
}

/// The root that gemma divides by is in no key: it is that of the head size, but for the largest
/// models (46 layers of gemma2, 62 of gemma3), where it is that of hidden size over heads.
float gemmaAttentionScale(const ModelSpec& spec) {
    constexpr int kMaxLayersOfGemma2 = 46;
    constexpr int kMaxLayersOfGemma3 = 62;
    const bool largest =
        spec.layers == (spec.architecture == "gemma2" ? kMaxLayersOfGemma2 : kMaxLayersOfGemma3);
    const double width = largest ? static_cast<double>(spec.hidden) / spec.heads : spec.headDim;
    return static_cast<float>(1.0 / std::sqrt(width));
}

Status SpecReader::readScales(ModelSpec& spec) const {
    LACUNA_TRY(spec.embeddingScale, scale("embedding_scale"));
    LACUNA_TRY(spec.residualScale, scale("residual_scale"));
    LACUNA_TRY(const auto attention, keys_.number("attention.scale"));
    if (architecture_.scalesEmbedding) {
        spec.embeddingScale = std::sqrt(static_cast<float>(spec.hidden));
        spec.attentionScale = gemmaAttentionScale(spec);
    }
    if (attention && *attention != 0.0) spec.attentionScale = static_cast<float>(*attention);
    LACUNA_TRY(const auto divisor, keys_.number("logit_scale"));
    if (divisor && *divisor != 0.0) spec.logitScale = static_cast<float>(1.0 / *divisor);
    LACUNA_TRY(const auto attentionCap, keys_.number("attn_logit_softcapping"));
    LACUNA_TRY(const auto logitCap, keys_.number("final_logit_softcapping"));
    // Files of gemma2 older than these keys mean the values of the published models.
    const bool capped = architecture_.name == "gemma2";
    spec.attentionSoftCap = static_cast<float>(attentionCap.value_or(capped ? 50.0 : 0.0));
    spec.logitSoftCap = static_cast<float>(logitCap.value_or(capped ? 30.0 : 0.0));
    return {};
}

/// Keys of other models' features that would change the result.
Status SpecReader::refuseUnknownFeatures() const {
    for (const char* suffix :
         {"attention.max_alibi_bias", "attention.clamp_kqv", "attention.temperature_scale",
          "attention.value_scale", "attention.output_scale", "router_logit_softcapping"}) {
        LACUNA_TRY(const auto value, keys_.number(suffix));
        if (value.value_or(0.0) != 0.0)
            return fail(ErrorCode::Unsupported,
                        format("{} {} is not supported", keys_.key(suffix), *value));
    }
    LACUNA_TRY(const auto causal, keys_.flag("attention.causal"));
    if (!causal.value_or(true))
        return fail(ErrorCode::Unsupported,
                    format("{} false is not supported", keys_.key("attention.causal")));
    return {};
}

Status SpecReader::readSizes(ModelSpec& spec) const {
    LACUNA_TRY(spec.layers, keys_.requiredInt("block_count", ErrorCode::ModelBadLayers));
    LACUNA_TRY(spec.context, keys_.requiredInt("context_length", ErrorCode::ModelBadCtx));
    LACUNA_TRY(spec.hidden, keys_.requiredInt("embedding_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.feedForward, needed(keys_.sameInAllLayers("feed_forward_length", spec.layers,
                                                              ErrorCode::ModelBadDim),
                                        keys_.key("feed_forward_length")));
    LACUNA_TRY(const double epsilon, needed(keys_.number("attention.layer_norm_rms_epsilon"),
                                            keys_.key("attention.layer_norm_rms_epsilon")));
    spec.rmsEpsilon = static_cast<float>(epsilon);
    return readHeads(spec);
}

Result<ModelSpec> SpecReader::read() const {
    ModelSpec spec;
    spec.architecture = architecture_.name;
    spec.qkNorm = architecture_.qkNorm;
    spec.norms = architecture_.norms;
    spec.activation = architecture_.activation;
    LACUNA_TRY_STATUS(readNames(spec));
    LACUNA_TRY_STATUS(readSizes(spec));
    LACUNA_TRY_STATUS(readVocabulary(spec));
    LACUNA_TRY_STATUS(readScales(spec));
    LACUNA_TRY_STATUS(readGgufLayers(spec, keys_, architecture_));
    LACUNA_TRY(GgufRope rope, ropeFromGguf(keys_, architecture_, spec));
    spec.rope = std::move(rope.rope);
    if (spec.window != 0) spec.localRope = std::move(rope.local);
    LACUNA_TRY_STATUS(spec.check());
    LACUNA_TRY_STATUS(refuseUnknownFeatures());
    return spec;
}

}  // namespace

Result<ModelSpec> specFromGguf(const GgufFile& file) {
    LACUNA_TRY_STATUS(checkKind(file));
    LACUNA_TRY(const Architecture* architecture, architectureOf(file));
    if (file.header().tensors.empty())
        return fail(ErrorCode::ModelKind,
                    "this is a vocabulary without weights; it can only be used as a tokenizer");
    LACUNA_TRY(const auto name, file.getText("general.architecture"));
    return SpecReader(file, *name, *architecture).read();
}

}  // namespace lacuna
