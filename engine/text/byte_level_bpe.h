#pragma once
/// \file
/// Byte-level BPE: the bytes of a piece merge pair by pair, the best-ranked pair first.
/// Immutable after creation; may be used from many threads.
/// Source: Sennrich et al. 2016 (arXiv:1508.07909); Radford et al. 2019 (GPT-2).

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

class ByteLevelBpe {
  public:
    /// Reads the merges of `vocabulary`, which must outlive this. Errors: TokMerges.
    [[nodiscard]] static Result<ByteLevelBpe> create(const Vocabulary& vocabulary);

    /// Appends the ids of one pre-split piece to `out`: n log n in its bytes.
    /// Errors: TokByteToken when the vocabulary cannot spell one of the bytes.
    [[nodiscard]] Status encodeInto(std::string_view piece, std::vector<TokenId>& out) const;

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
    explicit ByteLevelBpe(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {}
    [[nodiscard]] Status readMerges();
    [[nodiscard]] bool insert(std::uint64_t pair, Merge merge);
    [[nodiscard]] const Merge* find(TokenId left, TokenId right) const;
    [[nodiscard]] Result<std::vector<TokenId>> byteIds(std::string_view piece) const;
    void mergeInto(const std::vector<TokenId>& bytes, std::vector<TokenId>& out) const;

    const Vocabulary* vocabulary_;
    std::vector<Entry> table_;  // size a power of two, at most half full
};

}  // namespace lacuna
