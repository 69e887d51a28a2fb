#include "engine/format/load_latent.h"

#include <cstring>

#include "engine/base/string_format.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {

using enum TensorRole;

namespace {

/// Writes the transpose of a matrix of plain floats, or of blocks decoded to F32.
void transpose(const WeightMatrix& matrix, std::size_t elementBytes, std::byte* to) {
    const auto columns = static_cast<std::size_t>(matrix.columns);
    const auto rows = static_cast<std::size_t>(matrix.rows);
    const std::size_t stride = rowBytes(matrix.type, columns);
    std::vector<float> decoded(isPlainFloat(matrix.type) ? 0 : columns);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::byte* from = matrix.data + row * stride;
        if (!decoded.empty()) {
            decodeRow(matrix.type, from, decoded);
            from = reinterpret_cast<const std::byte*>(decoded.data());
        }
        for (std::size_t column = 0; column < columns; ++column)
            std::memcpy(to + (column * rows + row) * elementBytes, from + column * elementBytes,
                        elementBytes);
    }
}

}  // namespace

Result<std::vector<WeightMatrix>> LatentLoader::transposed(
    const std::vector<WeightMatrix>& matrices) {
    const WeightMatrix& first = matrices.front();
    const DType type = isPlainFloat(first.type) ? first.type : DType::F32;
    const std::size_t elementBytes = rowBytes(type, 1);
    const std::size_t bytes = static_cast<std::size_t>(first.rows * first.columns) * elementBytes;
    LACUNA_TRY(LargePages memory, LargePages::allocate(bytes * matrices.size()));
    std::vector<WeightMatrix> out;
    for (const WeightMatrix& matrix : matrices) {
        std::byte* const to = memory.data() + out.size() * bytes;
        transpose(matrix, elementBytes, to);
        WeightMatrix turned{type, matrix.columns, matrix.rows, to,
                            format("{}, transposed", matrix.name)};
        turned.scale = matrix.scale;
        out.push_back(std::move(turned));
    }
    rearranged_.push_back(std::make_shared<LargePages>(std::move(memory)));
    return out;
}

/// Files with one tensor for keys and values of all heads hold the keys of a head, then its values,
/// and the keys are not transposed.
Status LatentLoader::heads(LatentWeights& weights, int index) {
    const LatentAttention& latent = *spec_.latent;
    const std::int64_t each = std::int64_t{latent.unrotated} + latent.value;
    const bool apart = finder_.has({LatentKeyUp, index});
    if (apart) {
        LACUNA_TRY(weights.keys, finder_.matrices({LatentKeyUp, index}, spec_.heads, latent.length,
                                                  latent.unrotated));
        LACUNA_TRY(weights.values, finder_.matrices({LatentValueUp, index}, spec_.heads,
                                                    latent.value, latent.length));
        if (!finder_.has({LatentUp, index})) return {};  // some files hold both forms
    }
    LACUNA_TRY(const WeightMatrix both,
               finder_.matrix({LatentUp, index}, spec_.heads * each, latent.length));
    if (apart) return {};
    std::vector<WeightMatrix> keys;
    for (int head = 0; head < spec_.heads; ++head) {
        keys.push_back(rowsOf(both, head * each, latent.unrotated));
        weights.values.push_back(rowsOf(both, head * each + latent.unrotated, latent.value));
    }
    LACUNA_TRY(weights.keys, transposed(keys));
    return {};
}

Status LatentLoader::queries(LayerWeights& weights, int index) {
    const LatentAttention& latent = *spec_.latent;
    const std::int64_t rows = std::int64_t{spec_.heads} * latent.queryLength();
    if (latent.queryRank == 0) {
        LACUNA_TRY(weights.query, finder_.matrix({Query, index}, rows, spec_.hidden));
        return {};
    }
    LACUNA_TRY(weights.latent.queryDown,
               finder_.matrix({QueryDown, index}, latent.queryRank, spec_.hidden));
    LACUNA_TRY(weights.latent.queryNorm,
               finder_.vector({QueryLatentNorm, index}, latent.queryRank));
    LACUNA_TRY(weights.query, finder_.matrix({QueryUp, index}, rows, latent.queryRank));
    return {};
}

Status LatentLoader::load(LayerWeights& weights, int index) {
    const LatentAttention& latent = *spec_.latent;
    LACUNA_TRY_STATUS(queries(weights, index));
    LACUNA_TRY(weights.key, finder_.matrix({LatentKey, index}, latent.keyLength(), spec_.hidden));
    LACUNA_TRY(weights.latent.norm, finder_.vector({LatentNorm, index}, latent.length));
    LACUNA_TRY_STATUS(heads(weights.latent, index));
    LACUNA_TRY(weights.output, finder_.matrix({AttentionOutput, index}, spec_.hidden,
                                              std::int64_t{spec_.heads} * latent.value));
    return {};
}

}  // namespace lacuna
