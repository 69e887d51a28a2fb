#pragma once
/// \file
/// The checked table of pieces: what TokenizerData holds, with an index from text to id.
/// Control, unknown and byte pieces are not in the text index, so no merge can end in one of them.
/// Immutable after creation; may be used from many threads.

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
    /// Checks counts, scores, byte pieces and special ids.
    /// Errors: TokVocab, TokByteToken, TokSpecialId; incomplete once `work` is over.
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
    /// Id of a piece that text may become; the first one where a text stands twice.
    [[nodiscard]] std::optional<TokenId> findText(std::string_view piece) const;
    /// Id of any piece, control ones too.
    [[nodiscard]] std::optional<TokenId> findAny(std::string_view piece) const;
    /// Length in bytes of the longest piece that text may become.
    [[nodiscard]] std::size_t longestText() const { return longestText_; }
    /// Id of the piece for one byte, where there is one.
    [[nodiscard]] std::optional<TokenId> byteId(std::uint8_t byte) const;
    /// The piece that stands for what cannot be spelled; never a control piece.
    [[nodiscard]] std::optional<TokenId> unknownOfText() const;
    /// The byte of a byte piece. @pre holds(id)
    [[nodiscard]] std::optional<std::uint8_t> byteOf(TokenId id) const;

  private:
    explicit Vocabulary(TokenizerData data) : data_(std::move(data)) {}
    [[nodiscard]] Status checkCounts() const;
    [[nodiscard]] Status checkSpecialIds() const;
    void index(WorkBudget& work);
    [[nodiscard]] Status indexBytes();

    TokenizerData data_;
    // Views into data_.pieces, whose strings never move once data_ stands.
    std::unordered_map<std::string_view, TokenId> text_;
    std::unordered_map<std::string_view, TokenId> special_;
    std::vector<TokenId> byteIds_;  // [256], kNone where the vocabulary lacks one
    std::size_t longestText_ = 0;
};

}  // namespace lacuna
