#pragma once
/// \file
/// Restricts the tokens that may come next in an answer: the interface, and its implementation for
/// grammars and JSON schemas. Owned by one answer and its thread.

#include <memory>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/generate/generation_options.h"
#include "engine/grammar/token_mask.h"

namespace lacuna {

/// Advances with each sampled token.
class TokenConstraint {
  public:
    virtual ~TokenConstraint() = default;
    /// Sets the logits [vocabulary] of tokens that may not come next to minus infinity. Errors:
    /// Unsupported if no token of the vocabulary is allowed, describing the state of the answer.
    [[nodiscard]] virtual Status mask(std::span<float> logits) = 0;
    /// Advances by a token. @pre mask() left it allowed
    [[nodiscard]] virtual Status accept(TokenId token) = 0;
    /// Returns how many of `tokens` are allowed in sequence from the current state, which does not
    /// change.
    [[nodiscard]] virtual std::size_t fitting(std::span<const TokenId> tokens) = 0;
};

/// Constraint given by a grammar or JSON schema. Created for one answer from the token texts of the
/// model, which all answers share.
class GrammarConstraint final : public TokenConstraint {
  public:
    explicit GrammarConstraint(std::shared_ptr<const ClassedVocabulary> vocabulary)
        : mask_(std::move(vocabulary)) {}
    /// For a grammar that is not shared with other answers.
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

/// Compiles the form in the rules; null if any text is allowed. Errors: those of parseGrammar,
/// schemaGrammar and Pushdown::compile; Cancelled.
[[nodiscard]] Result<std::shared_ptr<const Pushdown>> formGrammar(const AnswerRules& rules,
                                                                  StopRequested stop = {});

}  // namespace lacuna
