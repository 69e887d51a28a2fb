#include "engine/format/tensor_facts.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/format/architectures.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kHashedEdge = 4096;  // bytes at each end of a tensor that enter the
                                             // fingerprint

/// True when a tensor of this role has work in this model: experts only in layers of experts, and
/// so on.
bool hasPlace(const ModelSpec& spec, const NamedRole& named) {
    const bool expertLayer =
        named.layer && *named.layer < spec.layers && spec.layer(*named.layer).experts;
    if (isExpertRole(named.role) && !expertLayer) return false;
    if (isDenseFeedForwardRole(named.role) && expertLayer) return false;
    return !named.expert || *named.expert < spec.experts.count;
}

/// Refuses tensors that would be ignored, and layer counts that differ from the tensors'.
Status checkTensorSet(const ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    std::set<int> layers;
    for (const TensorInfo& tensor : source.tensors()) {
        if (names.isIgnorable(tensor.name)) continue;
        const auto named = names.roleOf(tensor.name);
        if (named && named->layer) layers.insert(*named->layer);
        const bool outside = named && named->layer && *named->layer >= spec.layers;
        if (!outside && (!named || !hasPlace(spec, *named)))
            return fail(ErrorCode::Unsupported,
                        format("the tensor {} has no place in a {} model as computed here",
                               printable(tensor.name), spec.architecture));
    }
    const int highest = layers.empty() ? -1 : *layers.rbegin();
    if (layers.size() == static_cast<std::size_t>(spec.layers) && highest == spec.layers - 1)
        return {};
    return fail(ErrorCode::ModelBadLayers,
                format("the model says {} layers; tensors of {} layers are there, up to number {}",
                       spec.layers, layers.size(), highest));
}

/// Type of most matrix bytes.
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

/// GGUF has no keys for tied embeddings and for biases: they are tied when there is no output
/// matrix. A Hugging Face configuration says it, and some checkpoints store the tied matrix a
/// second time.
void addGgufFacts(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    const Architecture& architecture = names.architecture();
    spec.tiedEmbeddings = source.find(names.first(TensorRole::Output)) == nullptr;
    spec.qkvBias = architecture.qkvBias == Presence::Always ||
                   isThere(source, names, TensorRole::QueryBias) ||
                   isThere(source, names, TensorRole::KeyBias) ||
                   isThere(source, names, TensorRole::ValueBias);
    spec.outputBias = isThere(source, names, TensorRole::OutputBias);
    spec.feedForwardBias = isThere(source, names, TensorRole::GateBias) ||
                           isThere(source, names, TensorRole::UpBias) ||
                           isThere(source, names, TensorRole::DownBias);
}

bool isRopeRole(TensorRole role) {
    return role == TensorRole::RopeFactors || role == TensorRole::RopeLongFactors ||
           role == TensorRole::RopeShortFactors;
}

void addSizes(ModelSpec& spec, const TensorSource& source, const TensorNames& names) {
    for (const TensorInfo& tensor : source.tensors()) {
        const auto named = names.roleOf(tensor.name);
        if (!named || (named->role == TensorRole::Output && spec.tiedEmbeddings)) continue;
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : tensor.shape) elements *= extent;
        if (!isRopeRole(named->role)) spec.parameters += elements;
        spec.weightBytes += tensor.bytes;
    }
}

}  // namespace

Result<ModelSpec> withTensorFacts(ModelSpec spec, const TensorSource& source, Container container,
                                  std::span<const std::byte> metadata) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    const TensorNames names = TensorNames::of(container, *architecture, source);
    LACUNA_TRY_STATUS(checkTensorSet(spec, source, names));
    if (container == Container::Gguf) addGgufFacts(spec, source, names);
    spec.fileType = commonestType(source);
    addSizes(spec, source, names);
    spec.fingerprint = fingerprint(source, metadata);
    LACUNA_TRY_STATUS(spec.check());
    return spec;
}

}  // namespace lacuna
