#pragma once
/// \file
/// What the rows of a cache of rotated codes are rotated by: one rotation for the keys and one for
/// the values of each layer, all from one seed, or of each head, as they were calibrated on the
/// model. Private to this room. Immutable, any thread; copies share what was built.
///
/// In a saved state: u32 where the rotations come from; 0: u64 seed; 1: calibrated, the 32 letters
/// of CalibratedRotations::hash. Nothing where no rows are rotated.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Of every new cache: the same text then has the same codes in every conversation.
inline constexpr std::uint64_t kRotationSeed = 0x6C6163756E61ULL;

class LayerRotations {
  public:
    LayerRotations() = default;  ///< of rows that are not rotated
    /// Those of the shape, else from the seed. Errors: InvalidArgument, naming a length that has no
    /// rotation, or counts of calibrated ones that are not those of the shape.
    [[nodiscard]] static Result<LayerRotations> make(const KvShape& shape, std::uint64_t seed);

    /// By head (layer * kvHeads + head). Null: not rotated.
    [[nodiscard]] const Rotation* keys(std::size_t head) const;
    [[nodiscard]] const Rotation* values(std::size_t head) const;
    [[nodiscard]] std::uint64_t seed() const;
    /// Whether both are the very same rotations, not only equal ones.
    [[nodiscard]] bool sharedWith(const LayerRotations& other) const {
        return built_ == other.built_;
    }

  private:
    struct Built;
    std::shared_ptr<const Built> built_;
};

/// Writes what `rotations` come from, where the shape has rotated rows.
void putRotations(std::string& out, const KvShape& shape, const LayerRotations& rotations);
/// Reads what was written: the seed, or, where `wanted` have the hash, into the shape `wanted`.
/// Errors: Corrupt, Incompatible (rotations that come from elsewhere, or other calibrated ones).
[[nodiscard]] Result<std::uint64_t> readRotations(
    ByteReader& reader, KvShape& shape, const std::shared_ptr<const CalibratedRotations>& wanted);

}  // namespace lacuna
