#pragma once
/// \file
/// Validated table of pieces from TokenizerData, with an index from text to id. Control, unknown
/// and byte pieces are not in the text index, so no merge can result in one of them. Immutable
/// after creation; may be used from many threads.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/text/tokenizer.h"

namespace lacuna {

class Vocabulary {
  public:
    /// Validates counts, scores, byte pieces and special ids. Errors: TokVocab, TokByteToken,
    /// TokSpecialId. The result is incomplete if `work` is exhausted.
    [[nodiscard]] static Result<Vocabulary> create(TokenizerData data, WorkBudget& work);
    Vocabulary(Vocabulary&&) noexcept = default;
    Vocabulary& operator=(Vocabulary&&) noexcept = default;
    Vocabulary(const Vocabulary&) = delete;
    Vocabulary& operator=(const Vocabulary&) = delete;

    [[nodiscard]] const TokenizerData& data() const { return data_; }
    [[nodiscard]] int size() const { return static_cast<int>(data_.pieces.size()); }
    [[nodiscard]] bool holds(TokenId id) const { return id >= 0 && id < size(); }
    /// @pre holds(id)
    [[nodiscard]] const std::string& piece(TokenId id) const {
        return data_.pieces[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] TokenKind kind(TokenId id) const {
        return data_.kinds.empty() ? TokenKind::Normal : data_.kinds[static_cast<std::size_t>(id)];
    }
    [[nodiscard]] double score(TokenId id) const {
        return data_.scores.empty() ? 0.0 : data_.scores[static_cast<std::size_t>(id)];
    }
    /// Returns the id of a piece that text may become; the first one if a text occurs twice.
    [[nodiscard]] std::optional<TokenId> findText(std::string_view piece) const;
    /// Returns the id of any piece, including control pieces.
    [[nodiscard]] std::optional<TokenId> findAny(std::string_view piece) const;
    /// Length in bytes of the longest piece that text may become.
    [[nodiscard]] std::size_t longestText() const { return longestText_; }
    /// Returns the id of the piece for a byte; nullopt if there is none.
    [[nodiscard]] std::optional<TokenId> byteId(std::uint8_t byte) const;
    /// Returns the piece for text that cannot be spelled; never a control piece.
    [[nodiscard]] std::optional<TokenId> unknownOfText() const;
    /// Returns the byte of a byte piece. @pre holds(id)
    [[nodiscard]] std::optional<std::uint8_t> byteOf(TokenId id) const;

  private:
    explicit Vocabulary(TokenizerData data) : data_(std::move(data)) {}
    [[nodiscard]] Status checkCounts() const;
    [[nodiscard]] Status checkSpecialIds() const;
    void index(WorkBudget& work);
    [[nodiscard]] Status indexBytes();

    TokenizerData data_;
    // Views into data_.pieces, whose strings do not move after construction.
    std::unordered_map<std::string_view, TokenId> text_;
    std::unordered_map<std::string_view, TokenId> special_;
    std::vector<TokenId> byteIds_;  // [256], kNone if the vocabulary lacks the byte
    std::size_t longestText_ = 0;
};

}  // namespace lacuna
