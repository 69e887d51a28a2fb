#include "engine/format/gguf_spec.h"

#include <algorithm>
#include <array>
#include <limits>

#include "engine/base/byte_reader.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
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
    LACUNA_TRY(const auto parts, file.getUnsigned("split.count"));
    if (!parts || *parts == 1) return {};
    LACUNA_TRY(const auto part, file.getUnsigned("split.no"));
    if (*parts == 0 || *parts >= std::numeric_limits<std::uint16_t>::max() || !part ||
        *part >= *parts)
        return fail(ErrorCode::GgufSplit, format("split.no {} of split.count {} makes no sense",
                                                 part.value_or(0), *parts));
    return fail(ErrorCode::GgufSplit,
                format("this is part {} of a model in {} files; join them into one file first",
                       *part + 1, *parts));
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

/// Reads the keys of one architecture, "llama.block_count" for "block_count".
class SpecReader {
  public:
    SpecReader(const GgufFile& file, const Architecture& architecture)
        : file_(file), architecture_(architecture) {}
    [[nodiscard]] Result<ModelSpec> read() const;

  private:
    [[nodiscard]] std::string key(std::string_view suffix) const {
        return format("{}.{}", architecture_.name, suffix);
    }
    [[nodiscard]] Result<std::optional<int>> optionalInt(std::string_view suffix,
                                                         ErrorCode tooLarge) const;
    [[nodiscard]] Result<int> requiredInt(std::string_view suffix, ErrorCode tooLarge) const;
    [[nodiscard]] Result<std::optional<int>> headCount(std::string_view suffix, int layers) const;
    [[nodiscard]] Status readHeads(ModelSpec& spec) const;
    [[nodiscard]] Status readRope(ModelSpec& spec) const;
    [[nodiscard]] Status readVocabulary(ModelSpec& spec) const;
    [[nodiscard]] Status readNames(ModelSpec& spec) const;
    [[nodiscard]] Status refuseUnknownFeatures(const ModelSpec& spec) const;

    const GgufFile& file_;
    const Architecture& architecture_;
};

Result<std::optional<int>> SpecReader::optionalInt(std::string_view suffix,
                                                   ErrorCode tooLarge) const {
    LACUNA_TRY(const auto value, file_.getUnsigned(key(suffix)));
    if (!value) return std::nullopt;
    if (*value > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return fail(tooLarge, format("{} is {}, which is far too large", key(suffix), *value));
    return static_cast<int>(*value);
}

Result<int> SpecReader::requiredInt(std::string_view suffix, ErrorCode tooLarge) const {
    return needed(optionalInt(suffix, tooLarge), key(suffix));
}

/// A number, or a list with the same number for every layer.
Result<std::optional<int>> SpecReader::headCount(std::string_view suffix, int layers) const {
    const GgufValue* value = file_.findValue(key(suffix));
    if (value == nullptr || value->type != GgufType::Array)
        return optionalInt(suffix, ErrorCode::ModelBadHeads);
    const auto* array = std::get_if<GgufArray>(&value->value);
    if (array->elementType == GgufType::Array)
        return fail(
            ErrorCode::ModelBadHeads,
            format("{} is a list of lists; one number for each layer expected", key(suffix)));
    LACUNA_TRY(const auto items, needed(file_.getInts(key(suffix)), key(suffix)));
    if (items.empty() || items.size() != static_cast<std::size_t>(layers))
        return fail(ErrorCode::ModelBadHeads, format("{} lists {} layers; the model has {}",
                                                     key(suffix), items.size(), layers));
    if (std::ranges::adjacent_find(items, std::ranges::not_equal_to()) != items.end())
        return fail(ErrorCode::ModelBadHeads,
                    format("{} differs from layer to layer, which {} models do not do", key(suffix),
                           architecture_.name));
    return items.front();
}

Status SpecReader::readHeads(ModelSpec& spec) const {
    LACUNA_TRY(spec.heads,
               needed(headCount("attention.head_count", spec.layers), key("attention.head_count")));
    LACUNA_TRY(const auto kvHeads, headCount("attention.head_count_kv", spec.layers));
    spec.kvHeads = kvHeads.value_or(spec.heads);
    if (spec.heads < 1) return spec.check();  // refuses before the division below
    LACUNA_TRY(const auto keyLength, optionalInt("attention.key_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(const auto valueLength,
               optionalInt("attention.value_length", ErrorCode::ModelBadDim));
    if (!keyLength && spec.hidden % spec.heads != 0)
        return fail(ErrorCode::ModelBadDim,
                    format("embedding_length {} is not a multiple of {} heads, and {} is missing",
                           spec.hidden, spec.heads, key("attention.key_length")));
    spec.headDim = keyLength.value_or(spec.hidden / spec.heads);
    if (valueLength.value_or(spec.headDim) != spec.headDim)
        return fail(ErrorCode::ModelBadDim,
                    format("key_length {} and value_length {} differ, which is not supported",
                           spec.headDim, *valueLength));
    return {};
}

Status SpecReader::readRope(ModelSpec& spec) const {
    RopeSpec& rope = spec.rope;
    rope.pairing = architecture_.ggufPairing;
    LACUNA_TRY(const auto base, file_.getFloat(key("rope.freq_base")));
    rope.base = static_cast<float>(base.value_or(10000.0));
    LACUNA_TRY(const auto dim, optionalInt("rope.dimension_count", ErrorCode::ModelBadRope));
    rope.dim = dim.value_or(spec.headDim);
    LACUNA_TRY(const auto kind, file_.getText(key("rope.scaling.type")));
    LACUNA_TRY(const auto factor, file_.getFloat(key("rope.scaling.factor")));
    LACUNA_TRY(const auto oldFactor, file_.getFloat(key("rope.scale_linear")));
    if (kind && *kind != "none" && *kind != "linear")
        return fail(ErrorCode::ModelBadRope,
                    format("{} \"{}\" is not supported; none and linear are",
                           key("rope.scaling.type"), printable(*kind)));
    if (kind ? *kind == "linear" : oldFactor.has_value()) {
        rope.scaling = RopeSpec::Scaling::Linear;
        rope.factor = static_cast<float>(factor.value_or(oldFactor.value_or(1.0)));
    }
    return {};
}

/// Three figures that must agree: the key, the list of tokens and the rows of the embedding.
Status SpecReader::readVocabulary(ModelSpec& spec) const {
    LACUNA_TRY(const auto said, file_.getUnsigned(key("vocab_size")));
    std::optional<std::uint64_t> listed;
    if (const GgufValue* tokens = file_.findValue(kTokensKey))
        if (const auto* array = std::get_if<GgufArray>(&tokens->value)) listed = array->count;
    std::optional<std::uint64_t> rows;
    const std::string embedding = tensorName(Container::Gguf, TensorRole::Embedding);
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
        return fail(
            ErrorCode::ModelVocab,
            format("the vocabulary sizes differ: {} {}, {} {}, rows of {} {}", key("vocab_size"),
                   text(said), kTokensKey, text(listed), embedding, text(rows)));
    if (vocabulary > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return fail(ErrorCode::ModelVocab,
                    format("a vocabulary of {} tokens is far too large", vocabulary));
    spec.vocabulary = static_cast<int>(vocabulary);
    return {};
}

Status SpecReader::readNames(ModelSpec& spec) const {
    LACUNA_TRY(const auto name, file_.getText("general.name"));
    LACUNA_TRY(const auto licence, file_.getText("general.license"));
    constexpr std::size_t kMostName = 200;
    spec.name = name && !name->empty() ? printable(*name, kMostName)
                                       : printable(file_.path().stem().string(), kMostName);
    spec.licence = printable(licence.value_or(""), kMostName);
    return {};
}

Status SpecReader::refuseUnknownFeatures(const ModelSpec& spec) const {
    LACUNA_TRY(const auto experts, file_.getUnsigned(key("expert_count")));
    if (experts.value_or(0) > 0)
        return fail(ErrorCode::Unsupported,
                    format("{} is {}: mixtures of experts are not supported", key("expert_count"),
                           *experts));
    LACUNA_TRY(const auto window, file_.getUnsigned(key("attention.sliding_window")));
    if (window.value_or(0) > 0 && *window < static_cast<std::uint64_t>(spec.context))
        return fail(ErrorCode::Unsupported,
                    format("{} is {}: sliding windows shorter than the context are not supported",
                           key("attention.sliding_window"), *window));
    return {};
}

Result<ModelSpec> SpecReader::read() const {
    ModelSpec spec;
    spec.architecture = architecture_.name;
    LACUNA_TRY_STATUS(readNames(spec));
    LACUNA_TRY(spec.layers, requiredInt("block_count", ErrorCode::ModelBadLayers));
    LACUNA_TRY(spec.context, requiredInt("context_length", ErrorCode::ModelBadCtx));
    LACUNA_TRY(spec.hidden, requiredInt("embedding_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(spec.feedForward, requiredInt("feed_forward_length", ErrorCode::ModelBadDim));
    LACUNA_TRY(const double epsilon, needed(file_.getFloat(key("attention.layer_norm_rms_epsilon")),
                                            key("attention.layer_norm_rms_epsilon")));
    spec.rmsEpsilon = static_cast<float>(epsilon);
    LACUNA_TRY_STATUS(readHeads(spec));
    LACUNA_TRY_STATUS(readRope(spec));
    LACUNA_TRY_STATUS(readVocabulary(spec));
    LACUNA_TRY_STATUS(spec.check());
    LACUNA_TRY_STATUS(refuseUnknownFeatures(spec));
    return spec;
}

}  // namespace

Result<ModelSpec> specFromGguf(const GgufFile& file) {
    LACUNA_TRY_STATUS(checkKind(file));
    LACUNA_TRY(const Architecture* architecture, architectureOf(file));
    if (file.header().tensors.empty())
        return fail(ErrorCode::ModelKind,
                    "this is a vocabulary without weights; it can only be used as a tokenizer");
    return SpecReader(file, *architecture).read();
}

}  // namespace lacuna
