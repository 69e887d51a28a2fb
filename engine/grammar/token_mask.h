#pragma once
/// \file
/// Computes which tokens may come next in a text that follows a grammar. For each reader state, a
/// trie of the vocabulary is walked in parallel with the grammar, and the latest masks are cached.
/// The small trie of broad classes is used if nearly all of its classes are uniform, checking the
/// few other tokens individually; otherwise the large trie. Owned by one answer. Cost: a few ns per
/// reachable trie node and allowed token; none for a cached state.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar_reader.h"
#include "engine/grammar/vocabulary_tries.h"

namespace lacuna {

/// Number of computed masks.
struct MaskWalks {
    std::size_t broad = 0;  ///< masks computed with the trie of broad classes
    std::size_t fine = 0;   ///< masks computed with the trie of fine classes
};

class TokenMask {
  public:
    explicit TokenMask(std::shared_ptr<const ClassedVocabulary> vocabulary)
        : reader_(vocabulary->grammar()),
          vocabulary_(std::move(vocabulary)),
          place_(reader_.start()) {}
    /// For a grammar that is not shared with other answers.
    TokenMask(std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries)
        : TokenMask(
              std::make_shared<const ClassedVocabulary>(std::move(grammar), std::move(tries))) {}

    /// Returns one bit per token, 64 per word, valid until the next call; includes the end tokens
    /// if the text may end. Errors: Unsupported if no token is allowed, the text is too ambiguous,
    /// or a mask takes more than kStepsPerMask steps.
    [[nodiscard]] Result<std::span<const std::uint64_t>> allowed();
    /// Advances by a token. Errors: InvalidArgument if it is not allowed.
    [[nodiscard]] Status accept(TokenId token);
    /// Returns how many of `tokens` are allowed in sequence from the current state.
    [[nodiscard]] std::size_t fitting(std::span<const TokenId> tokens);
    /// Returns true if the text may end here.
    [[nodiscard]] bool mayEnd() const { return ended_ || reader_.mayEnd(place_); }
    [[nodiscard]] const MaskWalks& walks() const { return walks_; }

    /// Maximum number of reader steps for one mask, or for one check of tokens: some tens of
    /// milliseconds. Masks of schemas in use take a hundredth of it.
    static constexpr std::uint64_t kStepsPerMask = 4'000'000;

  private:
    static constexpr std::size_t kMaxIndexedStates = 2'048;
    static constexpr std::size_t kMaxMasks = 512;
    /// At most one in this many tokens is checked individually.
    static constexpr std::size_t kOneCheckedIn = 32;

    /// Texts of the tokens, at the beginning of the answer or after its first token.
    [[nodiscard]] const TokenTrie& texts(bool started) const {
        return started ? vocabulary_->tries().inside() : vocabulary_->tries().atStart();
    }
    [[nodiscard]] std::vector<std::uint64_t> walk();
    /// Returns false if the walk was abandoned.
    [[nodiscard]] bool walkBroad(std::vector<std::uint64_t>& mask);
    void walkFine(std::vector<std::uint64_t>& mask);
    void makeRoom();

    GrammarReader reader_;
    std::shared_ptr<const ClassedVocabulary> vocabulary_;
    GrammarReader::Place place_;
    bool started_ = false;  ///< at least one token was accepted
    bool ended_ = false;    ///< an end token was accepted
    std::unordered_map<GrammarReader::Place, std::vector<std::uint64_t>> masks_;
    std::vector<GrammarReader::Place> path_;
    MaskWalks walks_;
};

}  // namespace lacuna
