#pragma once
/// \file
/// What the rows of a cache of rotated codes are rotated by: one rotation for the keys and one for
/// the values of each layer, all from one seed. Private to this room. Immutable, any thread; copies
/// share what was built.
///
/// In a saved state: u32 where the rotations come from (0: from a seed), u64 seed; nothing where no
/// rows are rotated.

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
    /// Errors: InvalidArgument, naming a length that has no rotation.
    [[nodiscard]] static Result<LayerRotations> make(const KvShape& shape, std::uint64_t seed);

    /// By head (layer * kvHeads + head); all heads of a layer have the same. Null: not rotated.
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
/// The seed that was written. Errors: Corrupt, Incompatible (rotations that come from elsewhere).
[[nodiscard]] Result<std::uint64_t> readRotationSeed(ByteReader& reader, const KvShape& shape);

}  // namespace lacuna
