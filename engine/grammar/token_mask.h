#pragma once
/// \file
/// Which tokens may come next in a text that follows a grammar. Walks the vocabulary's tree of
/// classes beside the grammar once for each place and keeps the newest masks. Owned by one answer.
/// Cost: a few ns for each node of the tree that the grammar can reach and for each token that may
/// come; nothing for a place seen before.

#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/grammar/classed_vocabulary.h"
#include "engine/grammar/grammar_reader.h"

namespace lacuna {

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
    /// text may end. Errors: Unsupported when no token may come, or the text could mean more things
    /// at once than are followed.
    [[nodiscard]] Result<std::span<const std::uint64_t>> allowed();
    /// Moves on behind a token. Errors: InvalidArgument when it may not come here.
    [[nodiscard]] Status accept(TokenId token);
    /// How many of `tokens` may come one after the other from here.
    [[nodiscard]] std::size_t fitting(std::span<const TokenId> tokens);
    /// Whether the text may end here.
    [[nodiscard]] bool mayEnd() const { return ended_ || reader_.mayEnd(place_); }

  private:
    static constexpr std::size_t kMostPlaces = 50'000;
    static constexpr std::size_t kMostMasks = 512;

    /// The texts of the tokens here, or behind a first one.
    [[nodiscard]] const TokenTrie& texts(bool started) const {
        return started ? vocabulary_->tries().inside() : vocabulary_->tries().atStart();
    }
    [[nodiscard]] std::vector<std::uint64_t> walk();
    void makeRoom();

    GrammarReader reader_;
    std::shared_ptr<const ClassedVocabulary> vocabulary_;
    GrammarReader::Place place_;
    bool started_ = false;  ///< a token has come
    bool ended_ = false;    ///< an end token has come
    std::unordered_map<GrammarReader::Place, std::vector<std::uint64_t>> masks_;
    std::vector<GrammarReader::Place> path_;
};

}  // namespace lacuna
