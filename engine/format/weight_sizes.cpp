#include "engine/format/weight_sizes.h"

#include <cstdint>
#include <optional>

#include "engine/tensor/dtype.h"

namespace lacuna {
namespace {

/// Returns the bytes of a tensor in its file, with separate scales.
std::uint64_t storedBytes(const TensorInfo& tensor) {
    constexpr std::uint64_t kBytesOfAScale = 16;
    return tensor.bytes + (tensor.scales != nullptr ? tensor.bytes / kBytesOfAScale : 0);
}

std::uint64_t elementsOf(const TensorInfo& tensor) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : tensor.shape) elements *= extent;
    return elements;
}

/// True for tables whose rows are looked up in the file.
bool isTable(const ModelSpec& spec, TensorRole role) {
    return (role == TensorRole::Embedding && !spec.tiedEmbeddings) ||
           role == TensorRole::LayerEmbedding || role == TensorRole::DraftEmbedding;
}

/// True for norms, biases and kernels of convolutions, which are decoded to F32.
bool isDecoded(const TensorInfo& tensor, TensorRole role) {
    if (tensor.shape.size() < 2) return true;
    switch (role) {
        case TensorRole::AllExpertGateBiases:
        case TensorRole::AllExpertUpBiases:
        case TensorRole::AllExpertGateUpBiases:
        case TensorRole::AllExpertDownBiases:
        case TensorRole::ConvolutionKernel:
        case TensorRole::QueryConvolution:
        case TensorRole::KeyConvolution:
        case TensorRole::ValueConvolution:
            return true;
        default:
            return false;
    }
}

/// The tensors of a model, or of its draft block.
struct NamedPart {
    const ModelSpec& spec;
    const TensorSource& source;
    const TensorNames& names;
};

/// Memory of the matrices for keys and values of all heads in one tensor: the keys of a head are
/// transposed on loading, and decoded if they are blocks. Nothing if the file also holds the
/// matrices apart.
std::uint64_t latentBytes(const NamedPart& part, const TensorInfo& tensor, const NamedRole& named) {
    const std::string apart = part.names.first(TensorRole::LatentKeyUp, named.layer.value_or(0));
    if (part.source.find(apart) != nullptr) return 0;
    if (!part.spec.latent || isPlainFloat(tensor.type)) return tensor.bytes;
    const auto keys = static_cast<std::uint64_t>(part.spec.latent->unrotated);
    const auto values = static_cast<std::uint64_t>(part.spec.latent->value);
    if (keys + values == 0) return tensor.bytes;
    return tensor.bytes / (keys + values) * values +
           elementsOf(tensor) / (keys + values) * keys * sizeof(float);
}

/// Memory of a tensor after loading.
std::uint64_t residentBytes(const NamedPart& part, const TensorInfo& tensor,
                            const NamedRole& named) {
    if (isTable(part.spec, named.role)) return 0;
    if (named.role == TensorRole::LatentUp) return latentBytes(part, tensor, named);
    if (isDecoded(tensor, named.role)) return elementsOf(tensor) * sizeof(float);
    return storedBytes(tensor);
}

/// True if a draft block reads the model's own output matrix in place of its copy of it.
bool repeatsOutput(const NamedPart& model, const TensorInfo& tensor, TensorRole role) {
    if (role != TensorRole::DraftOutput) return false;
    const TensorInfo* const own = model.source.find(
        model.names.first(model.spec.tiedEmbeddings ? TensorRole::Embedding : TensorRole::Output));
    return own != nullptr && own->type == tensor.type && own->shape == tensor.shape;
}

}  // namespace

void addWeightBytes(ModelSpec& spec, const TensorSource& source, const TensorNames& names,
                    std::span<const NamedTensor> tensors) {
    const NamedPart model{spec, source, names};
    const std::optional<DraftNames> block = draftNamesOf(spec, names, source);
    for (const auto& [tensor, named] : tensors) {
        const bool ofBlock = block && isDraftBlockTensor(spec, names, tensor->name);
        const auto role = ofBlock ? block->names.roleOf(tensor->name) : named;
        const bool own = named && !(named->role == TensorRole::Output && spec.tiedEmbeddings) &&
                         !isDraftTensor(spec, names, tensor->name) &&
                         !isUnusedInLayer(spec, *named);
        if (!own && !ofBlock) continue;
        spec.weightBytes += storedBytes(*tensor);
        if (!role || repeatsOutput(model, *tensor, role->role)) continue;
        const NamedPart part{spec, source, ofBlock ? block->names : names};
        spec.residentBytes += residentBytes(part, *tensor, *role);
        if (isTable(spec, role->role)) spec.tableBytes += storedBytes(*tensor);
    }
}

}  // namespace lacuna
