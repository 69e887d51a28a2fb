#pragma once
/// \file
/// Rows of some tokens next to those that are transformed: as they lie in the cache, or as codes of
/// 8 bits (docs/number-formats.md, "Group codes"). Plain data and its bytes in a page, whose bytes
/// of one place are entropy-coded together. docs/stored-caches.md, "The page".

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/compress/transform_codec.h"
#include "engine/kv/row_format.h"

namespace lacuna {

enum class RowKeeping { AsTheyLie, EightBits };

/// Whether rows of such a cache can be kept as codes: their lengths have groups.
[[nodiscard]] bool hasEightBitRows(const KvShape& shape);

class KeptRows {
  public:
    /// Room for so many tokens. @pre rows of the shape are plain numbers; for codes hasEightBitRows
    KeptRows(const KvShape& shape, RowKeeping keeping, std::int64_t tokens);

    [[nodiscard]] std::int64_t tokens() const { return tokens_; }
    [[nodiscard]] bool coded() const { return !formatOf(KvSide::Keys).quant.plain(); }
    /// Takes the row of `slot` of a head as the one of the token `index` of those kept.
    void take(const KvHeadView& view, int layer, int head, KvSide side, std::int64_t index,
              int slot);
    /// The numbers of all heads of a token, [heads, dim].
    void read(int layer, KvSide side, std::int64_t index, std::span<float> out) const;

    void write(std::string& out) const;
    /// Errors: Corrupt.
    [[nodiscard]] Status readFrom(ByteReader& reader);

  private:
    [[nodiscard]] const RowFormat& formatOf(KvSide side) const {
        return side == KvSide::Keys ? keys_ : values_;
    }
    [[nodiscard]] std::size_t offsetOf(int layer, KvSide side, std::int64_t index) const;
    /// Calls `each(place)` for the bytes that are coded together.
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
