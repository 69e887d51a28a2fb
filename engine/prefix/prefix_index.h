#pragma once
/// \file
/// Which stored texts begin as a new one does: a radix tree over token ids. A text is found by its
/// ids alone, never by a hash of them. Each has an open part: the shortest length it can be cut
/// back to, 0 where it can be cut anywhere. Owned by the engine thread. docs/prefix-cache.md,
/// "Matching".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

/// Who a stored text is, given by whoever stores it.
using PrefixId = std::uint64_t;

/// The stored text that serves a new one best.
struct PrefixHit {
    PrefixId id = 0;
    std::int64_t usable = 0;  ///< first tokens of the new text that it gives
    std::int64_t length = 0;  ///< of the stored text; more than `usable`: it is cut back to that
    friend bool operator==(const PrefixHit&, const PrefixHit&) = default;
};

class PrefixIndex {
  public:
    PrefixIndex();
    PrefixIndex(PrefixIndex&&) noexcept = default;
    PrefixIndex& operator=(PrefixIndex&&) noexcept = default;
    ~PrefixIndex();

    /// `shortest`: the least length that the text can be cut back to. False, and nothing has
    /// changed, where the same tokens are there already. @pre tokens are there, 0 <= shortest <=
    /// their number
    bool insert(std::span<const TokenId> tokens, std::int64_t shortest, PrefixId id);
    /// False where the tokens are not there.
    bool erase(std::span<const TokenId> tokens);
    /// The text of exactly these tokens.
    [[nodiscard]] std::optional<PrefixId> find(std::span<const TokenId> tokens) const;
    /// Texts that `tokens` begins with, shorter than it, shortest first.
    [[nodiscard]] std::vector<PrefixId> startsOf(std::span<const TokenId> tokens) const;
    /// The text that gives most of the first `most` tokens; among equals the shortest, which is cut
    /// least. Nothing where none gives any.
    [[nodiscard]] std::optional<PrefixHit> longest(std::span<const TokenId> tokens,
                                                   std::int64_t most) const;
    /// Tokens that some text has in common with these from the start, usable or not.
    [[nodiscard]] std::int64_t common(std::span<const TokenId> tokens) const;
    /// A text among those that have most in common. Nothing where none has any.
    [[nodiscard]] std::optional<PrefixId> nearest(std::span<const TokenId> tokens) const;

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Of the tree itself.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Aborts the program when an invariant is broken; called in tests.
    void checkInvariants() const;

  private:
    struct Node;
    struct Walk;
    [[nodiscard]] Walk walk(std::span<const TokenId> tokens) const;
    void changed(Node& node, std::int64_t bytesBefore);

    std::unique_ptr<Node> root_;
    std::size_t size_ = 0;
    std::int64_t bytes_ = 0;
};

}  // namespace lacuna
