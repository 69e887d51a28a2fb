#pragma once
/// \file
/// The pieces of a vocabulary as a tree of bytes: which of them begin at a place is found in one
/// walk. Immutable after creation; may be used from many threads.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

class PieceTrie {
  public:
    PieceTrie() = default;
    /// Of two equal texts the first one counts. Views are not kept.
    explicit PieceTrie(std::vector<std::pair<std::string_view, TokenId>> pieces);

    using Node = std::uint32_t;
    static constexpr Node kRoot = 0;
    [[nodiscard]] std::optional<Node> child(Node node, unsigned char byte) const;
    /// The piece that ends at a node.
    [[nodiscard]] std::optional<TokenId> piece(Node node) const;
    /// Bytes of the longest piece at the start of `text`; 0 when there is none.
    [[nodiscard]] std::size_t longestPrefix(std::string_view text) const;

  private:
    struct Entry {
        std::uint32_t firstChild = 0;
        std::uint16_t children = 0;
        unsigned char byte = 0;
        TokenId id = -1;
    };
    std::vector<Entry> nodes_ = std::vector<Entry>(1);  // children side by side, by rising byte
};

}  // namespace lacuna
