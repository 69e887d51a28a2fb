#pragma once
/// \file
/// A grammar or JSON schema as a constraint of an answer. Made for one answer from the texts of the
/// model's tokens, which all answers share.

#include <memory>

#include "engine/generate/answer_rules.h"
#include "engine/generate/token_constraint.h"
#include "engine/grammar/token_mask.h"

namespace lacuna {

class GrammarConstraint final : public TokenConstraint {
  public:
    explicit GrammarConstraint(std::shared_ptr<const ClassedVocabulary> vocabulary)
        : mask_(std::move(vocabulary)) {}
    /// For a grammar that no other answer follows.
    GrammarConstraint(std::shared_ptr<const Pushdown> grammar,
                      std::shared_ptr<const VocabularyTries> tries)
        : mask_(std::move(grammar), std::move(tries)) {}

    [[nodiscard]] Status mask(std::span<float> logits) override;
    [[nodiscard]] Status accept(TokenId token) override { return mask_.accept(token); }
    [[nodiscard]] std::size_t fitting(std::span<const TokenId> tokens) override {
        return mask_.fitting(tokens);
    }

  private:
    TokenMask mask_;
};

/// What the form of the rules asks for, as states; null when every text will do.
/// Errors: those of parseGrammar, schemaGrammar and Pushdown::compile; Cancelled.
[[nodiscard]] Result<std::shared_ptr<const Pushdown>> formGrammar(const AnswerRules& rules,
                                                                  StopAsked stop = {});

}  // namespace lacuna
