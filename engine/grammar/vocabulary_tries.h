#pragma once
/// \file
/// The vocabulary of a model as trees of bytes, and as one grammar sees it. Immutable; shared by
/// answers.

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

/// The texts of a vocabulary as a tree of bytes, in the order of a walk, so that what one byte
/// rules out is passed over at once. One for each way a text can begin.
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

/// What the tokens of a model spell, at the beginning of a text and inside it: a SentencePiece
/// vocabulary shows no space before its first word. Immutable; made once for a model and shared.
class VocabularyTries {
  public:
    /// Errors: Unsupported for a vocabulary whose tokens change the text before them (WordPiece,
    /// word suffixes) or show more than 256 MiB of text, those of the tokenizer, Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const VocabularyTries>> create(
        const Tokenizer& tokenizer, StopAsked stop = {});

    [[nodiscard]] const TokenTrie& atStart() const { return start_ ? *start_ : inside_; }
    [[nodiscard]] const TokenTrie& inside() const { return inside_; }
    [[nodiscard]] std::span<const TokenId> endTokens() const { return ends_; }

  private:
    VocabularyTries(std::vector<std::string> inside, std::vector<TokenId> ends, WorkBudget& work)
        : inside_(std::move(inside), &work), ends_(std::move(ends)) {}

    TokenTrie inside_;
    std::optional<TokenTrie> start_;  ///< none: as inside
    std::vector<TokenId> ends_;
};

/// A vocabulary as one grammar sees it: bytes that the grammar never tells apart are one class, and
/// tokens that spell the same classes are one node. How much that saves is up to the grammar: with
/// the names of a schema in it 57,506 nodes become 40,000, of broad classes 2,000. Immutable;
/// shared by all answers of one grammar.
class ClassedVocabulary {
  public:
    /// Costs two sorts of the vocabulary. When `work` is over before the end, it is of no use.
    ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                      std::shared_ptr<const VocabularyTries> tries, WorkBudget* work = nullptr);
    /// The same, asking whether to go on. Errors: Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const ClassedVocabulary>> create(
        std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries,
        StopAsked stop);

    [[nodiscard]] const std::shared_ptr<const Pushdown>& grammar() const { return grammar_; }
    [[nodiscard]] const VocabularyTries& tries() const { return *tries_; }
    /// Trees whose bytes are classes of the grammar (Pushdown::classes).
    [[nodiscard]] const TokenTrie& atStart() const { return start_ ? *start_ : inside_; }
    [[nodiscard]] const TokenTrie& inside() const { return inside_; }
    /// The tokens of inside() by their broad classes (Pushdown::broadClasses).
    [[nodiscard]] const TokenTrie& broad() const { return broad_; }

  private:
    std::shared_ptr<const Pushdown> grammar_;
    std::shared_ptr<const VocabularyTries> tries_;
    TokenTrie inside_;
    TokenTrie broad_;
    std::optional<TokenTrie> start_;  ///< none: as inside
};

}  // namespace lacuna
