#pragma once
/// \file
/// Which tokens may come next in a text that follows a grammar. Walks a tree of the vocabulary
/// alongside the grammar once for each place and keeps the newest masks: the small tree of broad
/// classes where nearly all tokens go together in it, reading the few others one by one, else the
/// large one. Owned by one answer. Cost: a few ns for each node of the tree that the grammar can
/// reach and for each token that may come; nothing for a place seen before.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/grammar/grammar_reader.h"
#include "engine/grammar/vocabulary_tries.h"

namespace lacuna {

/// How often masks were made.
struct MaskWalks {
    std::size_t broad = 0;  ///< along the tree of broad classes
    std::size_t fine = 0;   ///< along the other one
};

class TokenMask {
  public:
    explicit TokenMask(std::shared_ptr<const ClassedVocabulary> vocabulary)
        : reader_(vocabulary->grammar()),
          vocabulary_(std::move(vocabulary)),
          place_(reader_.start()) {}
    /// For a grammar that no other answer follows.
    TokenMask(std::shared_ptr<const Pushdown> grammar, std::shared_ptr<const VocabularyTries> tries)
        : TokenMask(
              std::make_shared<const ClassedVocabulary>(std::move(grammar), std::move(tries))) {}

    /// One bit for each token, 64 a word, valid until the next call; the end tokens too, where the
    /// text may end. Errors: Unsupported when no token may come, the text could mean more things at
    /// once than are followed, or a mask takes more than kStepsOfAMask.
    [[nodiscard]] Result<std::span<const std::uint64_t>> allowed();
    /// Moves on after a token. Errors: InvalidArgument when it may not come here.
    [[nodiscard]] Status accept(TokenId token);
    /// How many of `tokens` may come one after the other from here.
    [[nodiscard]] std::size_t fitting(std::span<const TokenId> tokens);
    /// Whether the text may end here.
    [[nodiscard]] bool mayEnd() const { return ended_ || reader_.mayEnd(place_); }
    [[nodiscard]] const MaskWalks& walks() const { return walks_; }

    /// Most steps of the reader for one mask, or one check of tokens: some tens of milliseconds.
    /// Masks under schemas in use take a hundredth of it.
    static constexpr std::uint64_t kStepsOfAMask = 4'000'000;

  private:
    static constexpr std::size_t kMaxPlaces = 2'048;
    static constexpr std::size_t kMaxMasks = 512;
    /// One in so many tokens may be read alone.
    static constexpr std::size_t kAloneOneIn = 32;

    /// The texts of the tokens here, or after a first one.
    [[nodiscard]] const TokenTrie& texts(bool started) const {
        return started ? vocabulary_->tries().inside() : vocabulary_->tries().atStart();
    }
    [[nodiscard]] std::vector<std::uint64_t> walk();
    /// Whether the walk came to its end.
    [[nodiscard]] bool walkBroad(std::vector<std::uint64_t>& mask);
    void walkFine(std::vector<std::uint64_t>& mask);
    void makeRoom();

    GrammarReader reader_;
    std::shared_ptr<const ClassedVocabulary> vocabulary_;
    GrammarReader::Place place_;
    bool started_ = false;  ///< a token has come
    bool ended_ = false;    ///< an end token has come
    std::unordered_map<GrammarReader::Place, std::vector<std::uint64_t>> masks_;
    std::vector<GrammarReader::Place> path_;
    MaskWalks walks_;
};

}  // namespace lacuna
