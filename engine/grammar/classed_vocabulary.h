#pragma once
/// \file
/// A vocabulary as one grammar sees it: bytes that the grammar never tells apart are one class, and
/// tokens that spell the same classes are one node. How much that saves is up to the grammar: with
/// the names of a schema in it 57,506 nodes become 40,165. Immutable; shared by all answers of one
/// grammar.

#include <memory>
#include <optional>

#include "engine/grammar/pushdown.h"
#include "engine/grammar/vocabulary_tries.h"

namespace lacuna {

class ClassedVocabulary {
  public:
    /// Costs one sort of the vocabulary: about 10 ms for 32,000 tokens.
    ClassedVocabulary(std::shared_ptr<const Pushdown> grammar,
                      std::shared_ptr<const VocabularyTries> tries);

    [[nodiscard]] const std::shared_ptr<const Pushdown>& grammar() const { return grammar_; }
    [[nodiscard]] const VocabularyTries& tries() const { return *tries_; }
    /// Trees whose bytes are classes of the grammar.
    [[nodiscard]] const TokenTrie& atStart() const { return start_ ? *start_ : inside_; }
    [[nodiscard]] const TokenTrie& inside() const { return inside_; }

  private:
    std::shared_ptr<const Pushdown> grammar_;
    std::shared_ptr<const VocabularyTries> tries_;
    TokenTrie inside_;
    std::optional<TokenTrie> start_;  ///< none: as inside
};

}  // namespace lacuna
