#pragma once
/// \file
/// Byte tries over the vocabulary of a model, independent of a grammar and specialised for one.
/// Immutable; shared by answers.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/grammar/pushdown.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

/// Trie over the texts of a vocabulary, stored in depth-first order, so that a subtree can be
/// skipped at once. There is one trie for each way a text can begin.
class TokenTrie {
  public:
    struct Node {
        std::uint32_t end = 0;         ///< first node outside of this subtree
        std::uint32_t firstToken = 0;  ///< index in tokens() of the first token at or below this
                                       ///< node
        std::uint32_t tokens = 0;      ///< number of tokens whose text ends exactly here
        std::uint16_t depth = 0;       ///< 0 for the first byte
        std::uint8_t byte = 0;
    };
    /// Tokens with longer texts are excluded.
    static constexpr std::size_t kMaxTextLength = 1024;

    /// `texts` [vocabulary]; tokens without text are excluded. The trie is unusable if `work` runs
    /// out before the end.
    explicit TokenTrie(std::vector<std::string> texts, WorkBudget* work = nullptr);

    /// Parents precede children; siblings are sorted by byte.
    [[nodiscard]] std::span<const Node> nodes() const { return nodes_; }
    [[nodiscard]] std::span<const TokenId> tokens() const { return order_; }
    /// Returns the tokens whose text ends at or below a node.
    [[nodiscard]] std::span<const TokenId> tokensFrom(const Node& node) const {
        const std::size_t end =
            node.end < nodes_.size() ? nodes_[node.end].firstToken : order_.size();
        return std::span(order_).subspan(node.firstToken, end - node.firstToken);
    }
    [[nodiscard]] int depth() const { return depth_; }  ///< length of the longest text in bytes
    [[nodiscard]] std::string_view text(TokenId id) const {
        return texts_[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] std::size_t vocabulary() const { return texts_.size(); }

  private:
    void sortByText(WorkBudget* work);
    void addNodes(std::string_view previous, std::string_view text,
                  std::vector<std::uint32_t>& path, std::size_t token);

    std::vector<std::string> texts_;
    std::vector<TokenId> order_;  ///< sorted by text
    std::vector<Node> nodes_;
    int depth_ = 0;
};

/// Texts of a model's tokens, at the beginning of a text and inside it: a SentencePiece vocabulary
/// omits the space before the first word. Immutable; created once per model and shared.
class VocabularyTries {
  public:
    /// Errors: Unsupported for a vocabulary whose tokens change the preceding text (WordPiece, word
    /// suffixes) or have more than 256 MiB of text, those of the tokenizer, Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const VocabularyTries>> create(
        const Tokenizer& tokenizer, StopRequested stop = {});

    [[nodiscard]] const TokenTrie& atStart() const { return start_ ? *start_ : inside_; }
    [[nodiscard]] const TokenTrie& inside() const { return inside_; }
    [[nodiscard]] std::span<const TokenId> endTokens() const { return ends_; }

  private:
    VocabularyTries(std::vector<std::string> inside, std::vector<TokenId> ends, WorkBudget& work)
        : inside_(std::move(inside), &work), ends_(std::move(ends)) {}

    TokenTrie inside_;
    std::optional<TokenTrie> start_;  ///< nullopt if the same as inside_
    std::vector<TokenId> ends_;
};

/// A vocabulary specialised for one grammar: bytes that the grammar never distinguishes form one
/// class, and tokens with the same classes share a node. The saving depends on the grammar: for a
/// schema with property names, 57,506 nodes become 40,000, or 2,000 for broad classes. Immutable;
/// shared by all answers with the same grammar.
class ClassedVocabulary {
  public:
    /// Sorts the vocabulary twice. The result is unusable if `work` runs out before the end.
    ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                      std::shared_ptr<const VocabularyTries> tries, WorkBudget* work = nullptr);
    /// Same, but cancellable. Errors: Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const ClassedVocabulary>> create(
        std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries,
        StopRequested stop);

    [[nodiscard]] const std::shared_ptr<const Pushdown>& grammar() const { return grammar_; }
    [[nodiscard]] const VocabularyTries& tries() const { return *tries_; }
    /// Tries over the byte classes of the grammar (Pushdown::classes).
    [[nodiscard]] const TokenTrie& atStart() const { return start_ ? *start_ : inside_; }
    [[nodiscard]] const TokenTrie& inside() const { return inside_; }
    /// Trie of inside() over broad classes (Pushdown::broadClasses).
    [[nodiscard]] const TokenTrie& broad() const { return broad_; }

  private:
    std::shared_ptr<const Pushdown> grammar_;
    std::shared_ptr<const VocabularyTries> tries_;
    TokenTrie inside_;
    TokenTrie broad_;
    std::optional<TokenTrie> start_;  ///< nullopt if the same as inside_
};

}  // namespace lacuna
