#include "engine/format/model_container.h"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/gguf_spec.h"
#include "engine/format/gguf_types.h"
#include "engine/format/hf_config.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kHashedEdge = 4096;  // bytes at each end of a tensor that are part of the
                                             // fingerprint

/// True if a tensor of this role is used in this model: experts only in layers of experts, and so
/// on.
bool hasPlace(const ModelSpec& spec, const TensorNames& names, const NamedRole& named) {
    const bool expertLayer =
        named.layer && *named.layer < spec.layers && spec.layer(*named.layer).experts;
    if (isExpertRole(named.role) && !expertLayer) return false;
    // The safetensors of granite give the shared expert the names of a dense feed-forward.
    const std::string both = names.first(TensorRole::GateUp);
    const bool shared = !both.empty() && both == names.first(TensorRole::SharedGateUp);
    if (isDenseFeedForwardRole(named.role) && expertLayer && !spec.experts.parallelToDense &&
        !shared)
        return false;
    if (isLayerEmbeddingRole(named.role)) return spec.layerEmbedding > 0;
    if (named.role == TensorRole::QueryNorm) return !named.number || *named.number < spec.heads;
    if (named.role == TensorRole::KeyNorm) return !named.number || *named.number < spec.kvHeads;
    return !named.number || *named.number < spec.experts.count;
}

/// Refuses tensors that would be ignored, and layer counts that differ from the tensors'.
Status checkTensorSet(const ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    std::set<int> layers;
    for (const TensorInfo& tensor : source.tensors()) {
        if (names.isIgnorable(tensor.name)) continue;
        if (source.find(names.matrixOfScale(tensor.name)) != nullptr) continue;
        if (isDraftTensor(spec, names, tensor.name)) continue;
        const auto named = names.roleOf(tensor.name);
        if (named && named->layer) layers.insert(*named->layer);
        const bool outside = named && named->layer && *named->layer >= spec.layers;
        if (!outside && (!named || !hasPlace(spec, names, *named)))
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} is not supported in a {} model",
                               printable(tensor.name), spec.architecture));
    }
    const int highest = layers.empty() ? -1 : *layers.rbegin();
    if (layers.size() == static_cast<std::size_t>(spec.layers) && highest == spec.layers - 1)
        return {};
    return fail(ErrorCode::ModelBadLayers,
                format("the model states {} layers but has tensors of {} layers, up to number {}",
                       spec.layers, layers.size(), highest));
}

/// Returns the type of most matrix bytes.
std::string commonestType(const TensorSource& source) {
    std::map<DType, std::uint64_t> bytes;
    for (const TensorInfo& tensor : source.tensors())
        if (tensor.shape.size() > 1) bytes[tensor.type] += tensor.bytes;
    const auto larger = [](const auto& a, const auto& b) { return a.second < b.second; };
    const auto most = std::ranges::max_element(bytes, larger);
    return most == bytes.end() ? std::string("F32") : std::string(info(most->first).name);
}

std::string fingerprint(const TensorSource& source, std::span<const std::byte> metadata) {
    std::string text = format("{:016x}\n", hash64(metadata));
    for (const TensorInfo& tensor : source.tensors()) {
        const std::span<const std::byte> data(tensor.data, static_cast<std::size_t>(tensor.bytes));
        const std::size_t edge = static_cast<std::size_t>(std::min(tensor.bytes, kHashedEdge));
        text += format("{} {} [{}] {:016x} {:016x}\n", tensor.name, info(tensor.type).name,
                       fmt::join(tensor.shape, ", "), hash64(data.first(edge)),
                       hash64(data.last(edge)));
    }
    return hashHex(std::as_bytes(std::span(text.data(), text.size())));
}

bool isThere(const TensorSource& source, const TensorNames& names, TensorRole role) {
    return std::ranges::any_of(source.tensors(), [&](const TensorInfo& tensor) {
        const auto named = names.roleOf(tensor.name);
        return named && named->role == role;
    });
}

/// The largest model of llama4, with 128 experts in 48 layers, is the only one without these norms.
void addQkNorm(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    constexpr int kLayers = 48;
    constexpr int kExperts = 128;
    if (!names.architecture().qkNormSwitch) return;
    const bool normed = spec.qkNorm == QkNorm::RotatedHeads
                            ? spec.layers != kLayers || spec.experts.count != kExperts
                            : isThere(source, names, TensorRole::QueryNorm);
    if (!normed) spec.qkNorm = QkNorm::None;
}

/// True if no full layer with a cache of its own has a value matrix: then keys are the values.
void addKeysAsValues(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    if (!names.architecture().layerSizes) return;
    std::vector<int> full;
    for (int i = 0; i < spec.layers; ++i) {
        const LayerSpec layer = spec.layer(i);
        if (layer.sliding || layer.readsCacheOf) continue;
        if (source.find(names.first(TensorRole::Value, i)) != nullptr) return;
        full.push_back(i);
    }
    if (spec.layerSpecs.empty()) spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    for (const int i : full) spec.layerSpecs[static_cast<std::size_t>(i)].keysAsValues = true;
}

/// GGUF has no keys for tied embeddings and biases: embeddings are tied if there is no output
/// matrix. A Hugging Face configuration states it, and some checkpoints store the tied matrix a
/// second time.
void addGgufFacts(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    const Architecture& architecture = names.architecture();
    spec.tiedEmbeddings = source.find(names.first(TensorRole::Output)) == nullptr;
    spec.qkvBias = architecture.qkvBias == Presence::Always ||
                   isThere(source, names, TensorRole::QueryBias) ||
                   isThere(source, names, TensorRole::KeyBias) ||
                   isThere(source, names, TensorRole::ValueBias);
    spec.outputBias = architecture.outputBias == Presence::Always ||
                      isThere(source, names, TensorRole::OutputBias);
    spec.feedForwardBias = architecture.feedForwardBias == Presence::Always ||
                           isThere(source, names, TensorRole::GateBias) ||
                           isThere(source, names, TensorRole::UpBias) ||
                           isThere(source, names, TensorRole::DownBias);
    if (!std::string_view(architecture.keys.logitBias).empty())
        spec.logitBias = isThere(source, names, TensorRole::LogitBias);
    spec.experts.selectionBias = architecture.selectionBias == Presence::Always ||
                                 isThere(source, names, TensorRole::SelectionBias);
    addQkNorm(spec, source, names);
    addKeysAsValues(spec, source, names);
}

/// Reads a tensor of a single number. Errors: ModelMissingTensor, ModelShape.
Result<float> numberOf(const TensorSource& source, const std::string& name) {
    const TensorInfo* tensor = source.find(name);
    if (tensor == nullptr)
        return fail(ErrorCode::ModelMissingTensor, format("the tensor {} is missing", name));
    const bool one = std::ranges::all_of(tensor->shape, [](auto extent) { return extent == 1; });
    if (!one || info(tensor->type).blockLength != 1)
        return fail(ErrorCode::ModelShape, format("the tensor {} has shape [{}]; one number "
                                                  "expected",
                                                  name, fmt::join(tensor->shape, ", ")));
    float value = 0;
    decodeRow(tensor->type, tensor->data, {&value, 1});
    return value;
}

/// A GGUF file has these numbers in its metadata.
Status addXielu(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    if (spec.activation != Activation::Xielu || !spec.xielu.empty()) return {};
    for (int layer = 0; layer < spec.layers; ++layer) {
        const auto number = [&](TensorRole role) {
            return numberOf(source, names.first(role, layer));
        };
        XieluCurve curve;
        LACUNA_TRY(curve.alphaPositive, number(TensorRole::XieluAlphaPositive));
        LACUNA_TRY(curve.alphaNegative, number(TensorRole::XieluAlphaNegative));
        LACUNA_TRY(curve.beta, number(TensorRole::XieluBeta));
        LACUNA_TRY(curve.epsilon, number(TensorRole::XieluEpsilon));
        spec.xielu.push_back(curve);
    }
    return {};
}

/// Reads the scores of the sinks. Errors: ModelMissingTensor, ModelShape, ModelNonFinite.
Status addSinks(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    if (!spec.sinks) return {};
    const auto heads = static_cast<std::size_t>(spec.heads);
    std::vector<float> row(heads);
    for (int layer = 0; layer < spec.layers; ++layer) {
        const std::string name = names.first(TensorRole::Sinks, layer);
        const TensorInfo* tensor = source.find(name);
        if (tensor == nullptr)
            return fail(ErrorCode::ModelMissingTensor, format("the tensor {} is missing", name));
        if (tensor->shape != std::vector<std::uint64_t>{heads} || !isPlainFloat(tensor->type))
            return fail(ErrorCode::ModelShape,
                        format("the tensor {} is {} [{}]; floats [{}] expected", name,
                               info(tensor->type).name, fmt::join(tensor->shape, ", "), heads));
        decodeRow(tensor->type, tensor->data, row);
        if (!std::ranges::all_of(row, [](float score) { return std::isfinite(score); }))
            return fail(ErrorCode::ModelNonFinite,
                        format("the tensor {} contains a score that is not finite", name));
        spec.sinkScores.insert(spec.sinkScores.end(), row.begin(), row.end());
    }
    return {};
}

bool isRopeRole(TensorRole role) {
    return role == TensorRole::RopeFactors || role == TensorRole::RopeLongFactors ||
           role == TensorRole::RopeShortFactors;
}

/// Returns whether the output matrix of a file is the embedding stored a second time: rows of both
/// are decoded and compared, since they may be quantised differently.
bool repeatsEmbedding(const TensorInfo& output, const TensorInfo* embedding) {
    constexpr std::uint64_t kRows = 16;
    constexpr double kSame = 0.9;  // cosine; matrices of 2 bits exceed it, unrelated ones have
                                   // about 0
    if (embedding == nullptr || embedding->shape != output.shape || output.shape.size() != 2 ||
        embedding->scales != nullptr || output.scales != nullptr)
        return false;
    const std::uint64_t rows = output.shape.front();
    std::vector<float> a(output.shape.back());
    std::vector<float> b(a.size());
    double product = 0;
    double squares[2] = {0, 0};
    for (std::uint64_t i = 0; i < kRows && i < rows; ++i) {
        const std::uint64_t row = rows / kRows * i;
        const auto decode = [&](const TensorInfo& tensor, std::span<float> into) {
            const std::uint64_t bytes = rowBytes(tensor.type, into.size());
            decodeRow(tensor.type, tensor.data + row * bytes, into);
        };
        decode(output, a);
        decode(*embedding, b);
        for (std::size_t k = 0; k < a.size(); ++k) {
            product += double{a[k]} * double{b[k]};
            squares[0] += double{a[k]} * double{a[k]};
            squares[1] += double{b[k]} * double{b[k]};
        }
    }
    return product > kSame * std::sqrt(squares[0] * squares[1]);
}

void addSizes(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    constexpr std::uint64_t kBytesOfAScale = 16;
    for (const TensorInfo& tensor : source.tensors()) {
        const std::uint64_t scales = tensor.scales != nullptr ? tensor.bytes / kBytesOfAScale : 0;
        if (isDraftBlockTensor(spec, names, tensor.name)) spec.weightBytes += tensor.bytes + scales;
        const auto named = names.roleOf(tensor.name);
        if (!named || (named->role == TensorRole::Output && spec.tiedEmbeddings)) continue;
        if (isDraftTensor(spec, names, tensor.name) || isUnusedInLayer(spec, *named)) continue;
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : tensor.shape) elements *= extent;
        const bool again =
            named->role == TensorRole::Output &&
            repeatsEmbedding(tensor, source.find(names.first(TensorRole::Embedding)));
        if (!isRopeRole(named->role) && !isXieluRole(named->role) && !again)
            spec.parameters += elements;
        spec.weightBytes += tensor.bytes + scales;
    }
}

}  // namespace

Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source, Container container,
                                  std::span<const std::byte> metadata) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    const TensorNames names = TensorNames::of(container, *architecture, source);
    LACUNA_TRY_STATUS(checkTensorSet(spec, source, names));
    if (container == Container::Gguf) addGgufFacts(spec, source, names);
    LACUNA_TRY_STATUS(addXielu(spec, source, names));
    LACUNA_TRY_STATUS(addSinks(spec, source, names));
    spec.imageEncoder = std::ranges::any_of(
        source.tensors(), [&](const TensorInfo& one) { return names.isImageTensor(one.name); });
    spec.draftBlock = draftNamesOf(spec, names, source).has_value();
    spec.fileType = commonestType(source);
    addSizes(spec, source, names);
    spec.fingerprint = fingerprint(source, metadata);
    LACUNA_TRY_STATUS(spec.check());
    return spec;
}

namespace {

namespace fs = std::filesystem;
constexpr std::size_t kMaxTemplateBytes = std::size_t{1} << 20;

tl::unexpected<Error> inFile(Error error, const fs::path& path) {
    return tl::unexpected<Error>(withPrefix(std::move(error), printableName(path)));
}

/// A mapped model larger than the machine's memory would be read from disk for every token.
Status checkMemory(const ModelSpec& spec) {
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long pageBytes = ::sysconf(_SC_PAGESIZE);
    if (pages <= 0 || pageBytes <= 0) return {};
    const std::uint64_t memory =
        static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(pageBytes);
    if (spec.weightBytes <= memory) return {};
    return fail(ErrorCode::NoMemory,
                format("the weights need {:.1f} GiB; this machine has {:.1f} GiB of memory",
                       static_cast<double>(spec.weightBytes) / 0x1p30,
                       static_cast<double>(memory) / 0x1p30));
}

Status checkTypes(const GgufFile& file) {
    for (const GgufTensor& tensor : file.header().tensors)
        if (!dtypeFromGguf(tensor.type))
            return fail(ErrorCode::ModelTypeUse,
                        format("the tensor {} has type {}, which weights cannot have; floats and "
                               "block types are supported",
                               printable(tensor.name), ggufTypeName(tensor.type)));
    return {};
}

Result<ModelSpec> ggufFacts(const GgufFile& file, std::span<const std::byte> header) {
    LACUNA_TRY(ModelSpec spec, specFromGguf(file));
    LACUNA_TRY_STATUS(checkTypes(file));
    LACUNA_TRY(spec, withTensorFacts(std::move(spec), file, Container::Gguf, header));
    LACUNA_TRY_STATUS(checkMemory(spec));
    return spec;
}

Result<ModelContainer> openGguf(const fs::path& path) {
    ModelContainer model;
    model.path = path;
    LACUNA_TRY(GgufFile file, GgufFile::open(path));
    model.gguf = std::make_unique<GgufFile>(std::move(file));
    auto spec = orChanged(ggufFacts(*model.gguf, model.gguf->headerBytes()), *model.gguf);
    if (!spec) return inFile(std::move(spec).error(), path);
    model.spec = std::move(*spec);
    const auto recipe = model.gguf->getUnsigned("general.file_type");
    model.spec.fileType =
        std::string(fileTypeOr(recipe.value_or(std::nullopt), model.spec.fileType));
    return model;
}

Result<ModelSpec> folderFacts(const Safetensors& source, const fs::path& folder) {
    LACUNA_TRY(const std::string config, readConfigText(folder));
    LACUNA_TRY(ModelSpec spec, specFromConfig(config));
    LACUNA_TRY_STATUS(source.checkAllUsable());
    std::error_code ignored;
    spec.name = printableName(fs::weakly_canonical(folder, ignored));
    LACUNA_TRY(spec, withTensorFacts(std::move(spec), source, Container::HuggingFace,
                                     std::as_bytes(std::span(config.data(), config.size()))));
    LACUNA_TRY_STATUS(checkMemory(spec));
    return spec;
}

Result<ModelContainer> openFolder(const fs::path& folder) {
    // Read first, because the configuration decides whether this is a model folder at all.
    LACUNA_TRY_STATUS(readConfigText(folder).map([](const std::string&) {}));
    ModelContainer model;
    model.kind = Container::HuggingFace;
    model.path = folder;
    LACUNA_TRY(Safetensors source, Safetensors::openFolder(folder));
    model.safetensors = std::make_unique<Safetensors>(std::move(source));
    auto spec = orChanged(folderFacts(*model.safetensors, folder), *model.safetensors);
    if (!spec) return inFile(std::move(spec).error(), folder);
    model.spec = std::move(*spec);
    return model;
}

/// tokenizer_config.json holds the template as text, or as a list of named ones.
Result<std::optional<std::string>> templateInConfig(const fs::path& file) {
    constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
    LACUNA_TRY(const std::string text, readFile(file, kMaxBytes));
    const auto config = parseJson(text);
    if (!config)
        return fail(ErrorCode::Config, format("{}: {}", printableName(file), config.error().what));
    const auto found = config->is_object() ? config->find("chat_template") : config->end();
    if (!config->is_object() || found == config->end() || found->is_null()) return std::nullopt;
    if (found->is_string()) return found->get<std::string>();
    if (found->is_array())
        for (const Json& item : *found)
            if (item.is_object() && item.value("name", Json()) == "default" &&
                item.value("template", Json()).is_string())
                return item["template"].get<std::string>();
    return fail(ErrorCode::Config,
                format("{}: chat_template should be text, or a list with one named default",
                       printableName(file)));
}

fs::path folderOf(const fs::path& file) {
    return file.has_parent_path() ? file.parent_path() : fs::path(".");
}

/// Files of a model folder that are read besides its shards. Other JSON files in it, such as a head
/// profile, do not belong to the model.
// clang-format off
constexpr std::array<std::string_view, 18> kFolderFiles{
    "config.json",         "model.safetensors.index.json", "model.safetensors",
    "tokenizer.json",      "tokenizer_config.json",        "special_tokens_map.json",
    "added_tokens.json",   "generation_config.json",       "chat_template.jinja",
    "vocab.json",          "merges.txt",                   "encoder.json",
    "vocab.bpe",           "vocab.txt",                    "tokenizer.model",
    "spiece.model",        "chat_template.json",           "README.md"};
// clang-format on

/// True for NAME-00002-of-00003.gguf and NAME-00001-of-00003.gguf.
bool isPartNextTo(const fs::path& part, const fs::path& other) {
    constexpr std::size_t kEnding = std::string_view("-00001-of-00003.gguf").size();
    constexpr std::size_t kNumber = std::string_view("-00001").size();
    const std::string mine = part.filename().string();
    const std::string its = other.filename().string();
    if (mine.size() != its.size() || mine.size() <= kEnding) return false;
    const std::size_t stem = mine.size() - kEnding;
    return mine.compare(stem + kNumber, 4, "-of-") == 0 && mine.ends_with(".gguf") &&
           its.compare(0, stem, mine, 0, stem) == 0 &&
           its.substr(stem + kNumber) == mine.substr(stem + kNumber);
}

}  // namespace

const TensorSource& ModelContainer::source() const {
    if (kind == Container::Gguf) return *gguf;
    return *safetensors;
}

bool isModelFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored) || path.extension() == ".safetensors" ||
           path.filename() == "config.json";
}

fs::path modelFolder(const fs::path& path) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) return path;
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

std::vector<fs::path> modelFiles(const fs::path& path) {
    std::error_code problem;
    std::vector<fs::path> files;
    const bool folder = isModelFolder(path) && fs::exists(path, problem);
    const fs::path home = folder ? modelFolder(path) : folderOf(path);
    for (fs::directory_iterator at(home, problem), end; !problem && at != end;
         at.increment(problem)) {
        const fs::path& file = at->path();
        if (folder ? file.extension() == ".safetensors" : isPartNextTo(path, file))
            files.push_back(file);
    }
    if (!folder)
        files.push_back(path);
    else
        for (const std::string_view name : kFolderFiles) files.push_back(home / name);
    return files;
}

Result<ModelContainer> openModel(const fs::path& path) {
    std::error_code ignored;
    if (isModelFolder(path) && fs::exists(path, ignored)) return openFolder(modelFolder(path));
    return openGguf(path);
}

Result<std::optional<std::string>> templateTextOf(const ModelContainer& model) {
    std::optional<std::string> text;
    std::error_code ignored;
    if (model.kind == Container::Gguf) {
        LACUNA_TRY(const auto found, model.gguf->getText("tokenizer.chat_template"));
        if (found) text = std::string(*found);
    } else if (const fs::path own = model.path / "chat_template.jinja"; fs::exists(own, ignored)) {
        LACUNA_TRY(text, readFile(own, kMaxTemplateBytes));
    } else if (const fs::path config = model.path / "tokenizer_config.json";
               fs::exists(config, ignored)) {
        LACUNA_TRY(text, templateInConfig(config));
    }
    if (text && text->size() > kMaxTemplateBytes)
        return fail(ErrorCode::TplLimit,
                    format("the chat template has {} bytes; at most {} are read", text->size(),
                           kMaxTemplateBytes));
    return text;
}

}  // namespace lacuna
