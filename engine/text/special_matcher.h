#pragma once
/// \file
/// Finds spellings of special tokens in a text, leftmost first and longest at each position.
/// User-defined tokens match anywhere, control tokens only where the caller allows it. Immutable
/// after creation; may be used from many threads.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/text_work.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

class SpecialMatcher {
  public:
    enum class Allowed { Anywhere, MarkedOnly };
    /// Ignores empty texts and those over 1,024 bytes. Errors: TokVocab if all texts together
    /// exceed 4 MiB.
    [[nodiscard]] Status add(std::string_view text, const AddedToken& token, Allowed allowed);
    [[nodiscard]] bool empty() const { return edges_.empty(); }

    struct Match {
        ByteRange range;
        TokenId id = 0;
    };
    /// Returns all non-overlapping matches in order, including the white space that tokens absorb.
    /// Control tokens match only within one of the ordered, disjoint ranges `marked`. Cost: text
    /// length x longest special text. The result is incomplete if `work` is exhausted.
    [[nodiscard]] std::vector<Match> find(std::string_view text, std::span<const ByteRange> marked,
                                          TextWork& work) const;

  private:
    struct Node {
        std::optional<AddedToken> anywhere;
        std::optional<AddedToken> markedOnly;
    };
    [[nodiscard]] std::optional<std::uint32_t> child(std::uint32_t node, unsigned char byte) const;
    struct Found {
        ByteRange range;
        AddedToken token;
    };
    [[nodiscard]] std::optional<Found> longestAt(std::string_view text, std::size_t at,
                                                 std::size_t markedEnd, TextWork& work) const;

    std::vector<Node> nodes_ = std::vector<Node>(1);
    std::unordered_map<std::uint64_t, std::uint32_t> edges_;  // node << 8 | byte -> node
    std::array<bool, 256> starts_{};
    std::size_t bytes_ = 0;
};

}  // namespace lacuna
