#pragma once
/// \file
/// Finds the spellings of special tokens in a text: leftmost first, longest at the same place.
/// Two sets live side by side: user-defined tokens match anywhere, control tokens only where the
/// caller allows it. Immutable after creation; may be used from many threads.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/base/ids.h"
#include "engine/text/unicode.h"

namespace lacuna {

class SpecialMatcher {
  public:
    enum class Allowed { Anywhere, MarkedOnly };
    /// Texts over 1,024 bytes and empty ones are not matched.
    void add(std::string_view text, TokenId id, Allowed allowed);

    struct Match {
        ByteRange range;
        TokenId id = 0;
    };
    /// All matches, not overlapping, in order. `marked` are the ranges, ordered and apart, inside
    /// which control tokens may match whole. Cost: text length x longest special text.
    [[nodiscard]] std::vector<Match> find(std::string_view text,
                                          std::span<const ByteRange> marked) const;

  private:
    struct Node {
        std::optional<TokenId> anywhere;
        std::optional<TokenId> markedOnly;
    };
    [[nodiscard]] std::optional<std::uint32_t> child(std::uint32_t node, unsigned char byte) const;
    [[nodiscard]] std::optional<Match> longestAt(std::string_view text, std::size_t at,
                                                 std::size_t markedEnd) const;

    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::unordered_map<std::uint64_t, std::uint32_t> edges_;  // node << 8 | byte -> node
    std::array<bool, 256> starts_{};
};

}  // namespace lacuna
