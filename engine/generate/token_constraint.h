#pragma once
/// \file
/// What decides which tokens may come next in an answer: the interface, and a grammar or JSON
/// schema that does. Owned by one answer and its thread.

#include <memory>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/generate/generation_options.h"
#include "engine/grammar/token_mask.h"

namespace lacuna {

/// Moves on with each drawn token.
class TokenConstraint {
  public:
    virtual ~TokenConstraint() = default;
    /// Sets the logits [vocabulary] of tokens that may not come next to minus infinity.
    /// Errors: Unsupported when no token of the vocabulary may, saying where the answer stands.
    [[nodiscard]] virtual Status mask(std::span<float> logits) = 0;
    /// Moves on after a token. @pre mask() left it possible
    [[nodiscard]] virtual Status accept(TokenId token) = 0;
    /// How many of `tokens` may come one after the other from here; nothing moves.
    [[nodiscard]] virtual std::size_t fitting(std::span<const TokenId> tokens) = 0;
};

/// A grammar or JSON schema as a constraint of an answer. Made for one answer from the texts of the
/// model's tokens, which all answers share.
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
