#include "engine/kv/layer_rotations.h"

#include <tuple>
#include <vector>

#include "engine/base/lazy.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/state_words.h"

namespace lacuna {

struct LayerRotations::Built {
    std::uint64_t seed = 0;
    std::size_t kvHeads = 1;
    std::vector<Rotation> keys;  ///< [layers]; may be empty
    std::vector<Rotation> values;
    std::shared_ptr<const CalibratedRotations> calibrated;  ///< replaces all of the above; may be
                                                            ///< null
    bool keysTurn = false;                                  ///< true if these rows are rotated
    bool valuesTurn = false;
    [[nodiscard]] int layer(std::size_t head) const { return static_cast<int>(head / kvHeads); }
    [[nodiscard]] int inner(std::size_t head) const { return static_cast<int>(head % kvHeads); }
};

namespace {

constexpr std::uint64_t kKeyStream = 0;
constexpr std::uint64_t kValueStream = 1;
constexpr std::uint32_t kFromSeed = 0;
constexpr std::uint32_t kCalibrated = 1;
constexpr std::size_t kHashLetters = 32;

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

/// Errors: InvalidArgument.
Status checkFit(const CalibratedRotations& found, const KvShape& shape) {
    const bool fits = found.layers() == shape.layers && found.kvHeads() == shape.kvHeads &&
                      (!shape.keyQuant.rotated() || found.dim() == shape.keyDim) &&
                      (!shape.valueQuant.rotated() || found.dim() == shape.valueDim);
    if (fits) return {};
    return fail(ErrorCode::InvalidArgument,
                format("calibrated rotations of {} layers, {} KV heads and length {} do not fit a "
                       "cache of {}, {} and {}",
                       found.layers(), found.kvHeads(), found.dim(), shape.layers, shape.kvHeads,
                       shape.keyDim));
}

}  // namespace

Result<LayerRotations> LayerRotations::make(const KvShape& shape, std::uint64_t seed) {
    LayerRotations out;
    if (!shape.rotated()) return out;
    auto built = std::make_shared<Built>();
    built->kvHeads = static_cast<std::size_t>(shape.kvHeads);
    built->keysTurn = shape.keyQuant.rotated();
    built->valuesTurn = shape.valueQuant.rotated();
    if (shape.rotations != nullptr) {
        LACUNA_TRY_STATUS(checkFit(*shape.rotations, shape));
        built->calibrated = shape.rotations;
        out.built_ = std::move(built);
        return out;
    }
    built->seed = seed;
    const auto make = [&]() -> Result<std::shared_ptr<const Built>> {
        if (shape.keyQuant.rotated()) {
            LACUNA_TRY(built->keys, rotationsOf(shape.layers, shape.keyDim, seed, kKeyStream));
        }
        if (shape.valueQuant.rotated()) {
            LACUNA_TRY(built->values,
                       rotationsOf(shape.layers, shape.valueDim, seed, kValueStream));
        }
        return std::shared_ptr<const Built>(std::move(built));
    };
    // All caches of a model share the same rotations.
    static Lazy<std::tuple<int, int, int, int, std::uint64_t>, Built> known;
    LACUNA_TRY(out.built_,
               known.get({shape.layers, shape.kvHeads, shape.keyQuant.rotated() ? shape.keyDim : 0,
                          shape.valueQuant.rotated() ? shape.valueDim : 0, seed},
                         make));
    return out;
}

const Rotation* LayerRotations::keys(std::size_t head) const {
    if (!built_ || !built_->keysTurn) return nullptr;
    if (built_->calibrated != nullptr)
        return &built_->calibrated->keys(built_->layer(head), built_->inner(head));
    return &built_->keys[head / built_->kvHeads];
}

const Rotation* LayerRotations::values(std::size_t head) const {
    if (!built_ || !built_->valuesTurn) return nullptr;
    if (built_->calibrated != nullptr)
        return &built_->calibrated->values(built_->layer(head), built_->inner(head));
    return &built_->values[head / built_->kvHeads];
}

std::uint64_t LayerRotations::seed() const {
    return built_ ? built_->seed : 0;
}

void putRotations(std::string& out, const KvShape& shape, const LayerRotations& rotations) {
    if (!shape.rotated()) return;
    if (shape.rotations != nullptr) {
        putWord(out, kCalibrated);
        out += shape.rotations->hash();
        return;
    }
    putWord(out, kFromSeed);
    putWord(out, rotations.seed());
}

namespace {

Status readCalibrated(ByteReader& reader, KvShape& shape,
                      const std::shared_ptr<const CalibratedRotations>& expected) {
    const auto hash = reader.takeText(kHashLetters);
    if (!hash) return corruptState("it ends within the header");
    if (expected == nullptr)
        return fail(ErrorCode::Incompatible,
                    format("saved cache: its rows need calibrated rotations ({}), which are not in "
                           "use; they are stored next to the model and used when kv_type or v_type "
                           "is t8 to t1 and kv_rotation is auto or calibrated",
                           *hash));
    if (expected->hash() != *hash)
        return fail(ErrorCode::Incompatible,
                    format("saved cache: its rows use calibrated rotations {}, but the model now "
                           "has {}; read the text again",
                           *hash, expected->hash()));
    shape.rotations = expected;
    return {};
}

}  // namespace

Result<std::uint64_t> readRotations(ByteReader& reader, KvShape& shape,
                                    const std::shared_ptr<const CalibratedRotations>& expected) {
    if (!shape.rotated()) return std::uint64_t{0};
    const auto source = reader.read<std::uint32_t>();
    if (!source) return corruptState("it ends within the header");
    if (*source == kCalibrated) {
        LACUNA_TRY_STATUS(readCalibrated(reader, shape, expected));
        return std::uint64_t{0};
    }
    if (*source != kFromSeed)
        return fail(
            ErrorCode::Incompatible,
            format("saved cache: its rotations are of kind {}; this program reads {} and {}",
                   *source, kFromSeed, kCalibrated));
    const auto seed = reader.read<std::uint64_t>();
    if (!seed) return corruptState("it ends within the header");
    return *seed;
}

}  // namespace lacuna
