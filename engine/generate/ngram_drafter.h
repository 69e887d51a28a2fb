#pragma once
/// \file
/// Proposes what followed the newest earlier occurrence of the last few tokens (prompt lookup
/// decoding). Needs no second model; pays where an answer repeats its prompt or itself.
/// O(1) per token of history and per proposal, apart from copying it.

#include <cstdint>
#include <unordered_map>

#include "engine/generate/drafter.h"

namespace lacuna {

class NgramDrafter final : public Drafter {
  public:
    [[nodiscard]] std::vector<TokenId> propose(const DraftRequest& request) override;

  private:
    static constexpr std::size_t kMinLength = 2;  ///< tokens that must have been seen in a row
    static constexpr std::size_t kMaxLength = 4;  ///< tried first

    void index(std::span<const TokenId> history);

    /// Hash of the tokens before a position, by length -> the newest such position with a
    /// successor.
    std::unordered_map<std::uint64_t, std::size_t> ends_;
    std::size_t indexed_ = 0;  ///< positions before this one are in `ends_`
};

}  // namespace lacuna
