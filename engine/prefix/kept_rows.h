#pragma once
/// \file
/// Rows of tokens that are not transformed: in the cache's format, or as 8-bit codes
/// (docs/number-formats.md, "Group codes"). Serialises to the bytes of a page, entropy-coded per
/// byte plane. docs/stored-caches.md, "The page".

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/compress/transform/transform_codec.h"
#include "engine/kv/row_format.h"

namespace lacuna {

enum class RowKeeping { AsTheyLie, EightBits };

/// Returns true if rows of such a cache can be stored as 8-bit codes: their lengths must be
/// multiples of the group size.
[[nodiscard]] bool hasEightBitRows(const KvShape& shape);

class KeptRows {
  public:
    /// Allocates rows for this many tokens. @pre rows of the shape are plain numbers; for codes
    /// hasEightBitRows
    KeptRows(const KvShape& shape, RowKeeping keeping, std::int64_t tokens);

    [[nodiscard]] std::int64_t tokens() const { return tokens_; }
    [[nodiscard]] bool coded() const { return !formatOf(KvSide::Keys).quant.plain(); }
    /// Stores the row in `slot` of a head as that of kept token `index`.
    void take(const KvHeadView& view, int layer, int head, KvSide side, std::int64_t index,
              int slot);
    /// Reads a token's values of all heads, [heads, dim].
    void read(int layer, KvSide side, std::int64_t index, std::span<float> out) const;

    void write(std::string& out) const;
    /// Errors: Corrupt.
    [[nodiscard]] Status readFrom(ByteReader& reader);

  private:
    [[nodiscard]] const RowFormat& formatOf(KvSide side) const {
        return side == KvSide::Keys ? keys_ : values_;
    }
    [[nodiscard]] std::size_t offsetOf(int layer, KvSide side, std::int64_t index) const;
    /// Calls `each(offset)` for the bytes of a plane, which are coded together.
    template <class Each>
    void eachByte(std::size_t plane, const Each& each) const;
    [[nodiscard]] std::size_t planes() const;

    KvShape shape_;
    RowFormat keys_;
    RowFormat values_;
    std::int64_t tokens_;
    std::vector<std::byte> bytes_;  ///< [layers][keys, values][tokens, heads] rows
};

}  // namespace lacuna
