#pragma once
/// \file
/// Byte-pair encoding by ranked merges: the characters of a piece merge pair by pair, the
/// best-ranked pair first. In a byte-level vocabulary each character stands for a byte.
/// Immutable after creation; may be used from many threads.
/// Source: Sennrich et al. 2016 (arXiv:1508.07909); Radford et al. 2019 (GPT-2).

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/text/token_model.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

class MergeBpe : public TokenModel {
  public:
    /// Reads the merges of `vocabulary`, which must outlive this. Errors: TokMerges,
    /// Cancelled.
    [[nodiscard]] static Result<MergeBpe> create(const Vocabulary& vocabulary, WorkBudget& work);

    /// n log n in the bytes of the piece.
    [[nodiscard]] Status encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const override;

  private:
    struct Merge {
        std::int32_t rank = 0;
        TokenId result = 0;
    };
    /// Pair of ids to merge: open addressing, because this look-up is all that encoding does.
    struct Entry {
        std::uint64_t pair = 0;
        Merge merge;
        bool used = false;
    };
    /// Where a character stands in its piece.
    struct Place {
        bool first = false;
        bool last = false;
    };
    explicit MergeBpe(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    [[nodiscard]] Status readMerges(WorkBudget& work);
    [[nodiscard]] bool insert(std::uint64_t pair, Merge merge);
    [[nodiscard]] const Merge* find(TokenId left, TokenId right) const;
    [[nodiscard]] std::optional<TokenId> firstId(std::string_view character, Place place) const;
    [[nodiscard]] std::vector<TokenId> firstIds(std::string_view piece, TextWork& work) const;
    [[nodiscard]] bool spell(std::string_view character, Place place,
                             std::vector<TokenId>& ids) const;
    void mergeInto(const std::vector<TokenId>& first, TextWork& work,
                   std::vector<TokenId>& out) const;

    const Vocabulary* vocabulary_;
    std::vector<Entry> table_;       // size a power of two, at most half full
    std::vector<TokenId> firstIds_;  // by code point, for the first ones
};

}  // namespace lacuna
