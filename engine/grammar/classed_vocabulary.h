#pragma once
/// \file
/// A vocabulary as one grammar sees it: bytes that the grammar never tells apart are one class, and
/// tokens that spell the same classes are one node. How much that saves is up to the grammar: with
/// the names of a schema in it 57,506 nodes become 40,000, of broad classes 2,000. Immutable;
/// shared by all answers of one grammar.

#include <memory>
#include <optional>

#include "engine/grammar/pushdown.h"
#include "engine/grammar/vocabulary_tries.h"

namespace lacuna {

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
