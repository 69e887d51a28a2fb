#pragma once
/// \file
/// Radix tree over token ids that finds the stored text with the longest common prefix. Texts are
/// compared by their ids, never by a hash. Each has a shortest length that it can be truncated to,
/// 0 if any. Owned by the engine thread. docs/prefix-cache.md, "Matching".

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

/// Identifies a stored text; chosen by the caller.
using PrefixId = std::uint64_t;

/// The best match for a new text.
struct PrefixHit {
    PrefixId id = 0;
    std::int64_t usable = 0;  ///< leading tokens of the new text that it covers
    std::int64_t length = 0;  ///< length of the stored text; truncated to `usable` if longer
    friend bool operator==(const PrefixHit&, const PrefixHit&) = default;
};

class PrefixIndex {
  public:
    PrefixIndex();
    PrefixIndex(PrefixIndex&&) noexcept = default;
    PrefixIndex& operator=(PrefixIndex&&) noexcept = default;
    ~PrefixIndex();

    /// `shortest` is the shortest length that the text can be truncated to. Returns false and
    /// changes nothing if the same tokens are stored already. @pre tokens is not empty, 0 <=
    /// shortest <= its size
    bool insert(std::span<const TokenId> tokens, std::int64_t shortest, PrefixId id);
    /// Returns false if the tokens are not stored.
    bool erase(std::span<const TokenId> tokens);
    /// Returns the text of exactly these tokens.
    [[nodiscard]] std::optional<PrefixId> find(std::span<const TokenId> tokens) const;
    /// Returns the stored texts that are proper prefixes of `tokens`, shortest first.
    [[nodiscard]] std::vector<PrefixId> startsOf(std::span<const TokenId> tokens) const;
    /// Returns the text that covers most of the first `most` tokens, and of several the shortest,
    /// which needs the least truncation; nullopt if no text covers any.
    [[nodiscard]] std::optional<PrefixHit> longest(std::span<const TokenId> tokens,
                                                   std::int64_t most) const;
    /// Returns the length of the longest common prefix with any stored text, usable or not.
    [[nodiscard]] std::int64_t common(std::span<const TokenId> tokens) const;
    /// Returns a text with the longest common prefix; nullopt if no text shares a token.
    [[nodiscard]] std::optional<PrefixId> nearest(std::span<const TokenId> tokens) const;

    [[nodiscard]] std::size_t size() const { return size_; }
    /// Size of the tree itself.
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
