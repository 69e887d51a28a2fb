#pragma once
/// \file
/// Rotations for the rows of a cache of rotated codes: one for the keys and one for the values of
/// each layer, all from one seed, or of each head, calibrated on the model. Internal to engine/kv.
/// Immutable, any thread; copies share the rotations.
///
/// Saved state: u32 source of the rotations; if 0, u64 seed; if 1 (calibrated), the 32 characters
/// of CalibratedRotations::hash. Empty if no rows are rotated.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Seed of every new cache, so that the same text has the same codes in every conversation.
inline constexpr std::uint64_t kRotationSeed = 0x6C6163756E61ULL;

class LayerRotations {
  public:
    LayerRotations() = default;  ///< For rows that are not rotated.
    /// Takes the rotations of the shape, otherwise creates them from the seed. Errors:
    /// InvalidArgument, naming a length without a rotation, or calibrated rotations whose counts
    /// differ from the shape.
    [[nodiscard]] static Result<LayerRotations> make(const KvShape& shape, std::uint64_t seed);

    /// `head` is layer * kvHeads + head. Null: not rotated.
    [[nodiscard]] const Rotation* keys(std::size_t head) const;
    [[nodiscard]] const Rotation* values(std::size_t head) const;
    [[nodiscard]] std::uint64_t seed() const;
    /// Returns true if both share the same rotation objects, not merely equal ones.
    [[nodiscard]] bool sharedWith(const LayerRotations& other) const {
        return built_ == other.built_;
    }

  private:
    struct Built;
    std::shared_ptr<const Built> built_;
};

/// Writes the source of `rotations`, if the shape has rotated rows.
void putRotations(std::string& out, const KvShape& shape, const LayerRotations& rotations);
/// Reads the source: returns the seed, or sets the rotations of `shape` to `wanted` if the hash
/// matches. Errors: Corrupt, Incompatible (another source, or other calibrated rotations).
[[nodiscard]] Result<std::uint64_t> readRotations(
    ByteReader& reader, KvShape& shape, const std::shared_ptr<const CalibratedRotations>& expected);

}  // namespace lacuna
