#pragma once
/// \file
/// What the tokens of a model spell, at the beginning of a text and inside it: a SentencePiece
/// vocabulary shows no space before its first word. Immutable; made once for a model and shared.

#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/grammar/token_trie.h"
#include "engine/text/tokenizer.h"

namespace lacuna {

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

}  // namespace lacuna
