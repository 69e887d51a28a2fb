#pragma once
/// \file
/// The texts of a vocabulary as a tree of bytes, in the order of a walk, so that what one byte
/// rules out is passed over at once. Immutable; one for each way a text can begin.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/work_budget.h"

namespace lacuna {

class TokenTrie {
  public:
    struct Node {
        std::uint32_t end = 0;         ///< first node that is not below this one
        std::uint32_t firstToken = 0;  ///< in tokens(), here or below
        std::uint32_t tokens = 0;      ///< spelled by exactly the bytes up to here
        std::uint16_t depth = 0;       ///< 0 for a first byte
        std::uint8_t byte = 0;
    };
    /// Tokens with a longer text are left out.
    static constexpr std::size_t kMaxTextLength = 1024;

    /// `texts` [vocabulary]; a token without text is left out. When `work` is over before the end,
    /// the tree is of no use.
    explicit TokenTrie(std::vector<std::string> texts, WorkBudget* work = nullptr);

    /// Parents before children, siblings by byte.
    [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
    [[nodiscard]] std::span<const TokenId> tokens() const { return order_; }
    /// Tokens spelled by the bytes up to the end of a node, and those that go on from there.
    [[nodiscard]] std::span<const TokenId> tokensFrom(const Node& node) const {
        const std::size_t end =
            node.end < nodes_.size() ? nodes_[node.end].firstToken : order_.size();
        return std::span(order_).subspan(node.firstToken, end - node.firstToken);
    }
    [[nodiscard]] int depth() const { return depth_; }  ///< bytes of the longest text
    [[nodiscard]] std::string_view text(TokenId id) const {
        return texts_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::size_t vocabulary() const { return texts_.size(); }

  private:
    void sortByText(WorkBudget* work);
    void addNodes(std::string_view previous, std::string_view text,
                  std::vector<std::uint32_t>& path, std::size_t token);

    std::vector<std::string> texts_;
    std::vector<TokenId> order_;  ///< by text
    std::vector<Node> nodes_;
    int depth_ = 0;
};

}  // namespace lacuna
