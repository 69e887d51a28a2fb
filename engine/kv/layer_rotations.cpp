#include "engine/kv/layer_rotations.h"

#include <vector>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/state_words.h"

namespace lacuna {

struct LayerRotations::Built {
    std::uint64_t seed = 0;
    std::size_t kvHeads = 1;
    std::vector<Rotation> keys;  ///< [layers], or none
    std::vector<Rotation> values;
};

namespace {

constexpr std::uint64_t kKeys = 0;
constexpr std::uint64_t kValues = 1;
constexpr std::uint32_t kFromSeed = 0;

Result<std::vector<Rotation>> rotationsOf(int layers, int dim, std::uint64_t seed,
                                          std::uint64_t side) {
    std::vector<Rotation> out;
    for (int layer = 0; layer < layers; ++layer) {
        const std::uint64_t own = randomBits(seed, side, static_cast<std::uint64_t>(layer));
        LACUNA_TRY(Rotation rotation, Rotation::hadamard(dim, own));
        out.push_back(std::move(rotation));
    }
    return out;
}

}  // namespace

Result<LayerRotations> LayerRotations::make(const KvShape& shape, std::uint64_t seed) {
    LayerRotations out;
    if (!shape.rotated()) return out;
    auto built = std::make_shared<Built>();
    built->seed = seed;
    built->kvHeads = static_cast<std::size_t>(shape.kvHeads);
    if (shape.keyQuant.rotated()) {
        LACUNA_TRY(built->keys, rotationsOf(shape.layers, shape.keyDim, seed, kKeys));
    }
    if (shape.valueQuant.rotated()) {
        LACUNA_TRY(built->values, rotationsOf(shape.layers, shape.valueDim, seed, kValues));
    }
    out.built_ = std::move(built);
    return out;
}

const Rotation* LayerRotations::keys(std::size_t head) const {
    return built_ && !built_->keys.empty() ? &built_->keys[head / built_->kvHeads] : nullptr;
}

const Rotation* LayerRotations::values(std::size_t head) const {
    return built_ && !built_->values.empty() ? &built_->values[head / built_->kvHeads] : nullptr;
}

std::uint64_t LayerRotations::seed() const {
    return built_ ? built_->seed : 0;
}

void putRotations(std::string& out, const KvShape& shape, const LayerRotations& rotations) {
    if (!shape.rotated()) return;
    putWord(out, kFromSeed);
    putWord(out, rotations.seed());
}

Result<std::uint64_t> readRotationSeed(ByteReader& reader, const KvShape& shape) {
    if (!shape.rotated()) return std::uint64_t{0};
    const auto source = reader.read<std::uint32_t>();
    if (!source) return corruptState("it ends within the header");
    if (*source != kFromSeed)
        return fail(ErrorCode::Incompatible,
                    format("saved cache: its rotations come from source {}, this program reads {}",
                           *source, kFromSeed));
    const auto seed = reader.read<std::uint64_t>();
    if (!seed) return corruptState("it ends within the header");
    return *seed;
}

}  // namespace lacuna
