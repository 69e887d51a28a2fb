#include "engine/text/vocabulary.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/text/byte_alphabet.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxPieces = 1U << 20;
constexpr std::size_t kBytes = 256;
constexpr TokenId kNone = -1;

std::optional<unsigned> hexDigit(char c) {
    if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
    if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
    if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
    return std::nullopt;
}

/// Returns the byte of "<0x41>"; nullopt for any other spelling.
std::optional<std::uint8_t> byteOfPiece(std::string_view piece) {
    if (piece.size() != 6 || piece.substr(0, 3) != "<0x" || piece[5] != '>') return std::nullopt;
    const auto high = hexDigit(piece[3]);
    const auto low = hexDigit(piece[4]);
    if (!high || !low) return std::nullopt;
    return static_cast<std::uint8_t>(*high * 16 + *low);
}

bool textMayBecome(TokenKind kind) {
    switch (kind) {
        case TokenKind::Normal:
        case TokenKind::UserDefined:
        case TokenKind::Unused:
            return true;
        case TokenKind::Unknown:
        case TokenKind::Control:
        case TokenKind::Byte:
            return false;
    }
    return false;
}

}  // namespace

Result<Vocabulary> Vocabulary::create(TokenizerData data, WorkBudget& work) {
    Vocabulary made(std::move(data));
    LACUNA_TRY_STATUS(made.checkCounts());
    LACUNA_TRY_STATUS(made.checkSpecialIds());
    made.index(work);
    LACUNA_TRY_STATUS(made.indexBytes());
    return made;
}

Status Vocabulary::checkCounts() const {
    const std::size_t count = data_.pieces.size();
    if (count == 0) return fail(ErrorCode::TokVocab, "the vocabulary has no tokens");
    if (count > kMaxPieces)
        return fail(
            ErrorCode::TokVocab,
            format("the vocabulary has {} tokens; at most {} are allowed", count, kMaxPieces));
    if (!data_.kinds.empty() && data_.kinds.size() != count)
        return fail(ErrorCode::TokVocab, format("the vocabulary has {} tokens but {} token types",
                                                count, data_.kinds.size()));
    if (!data_.scores.empty() && data_.scores.size() != count)
        return fail(ErrorCode::TokVocab, format("the vocabulary has {} tokens but {} scores", count,
                                                data_.scores.size()));
    const bool scored =
        data_.kind == TokenizerKind::SentencePieceBpe || data_.kind == TokenizerKind::Unigram;
    if (scored && data_.scores.empty())
        return fail(ErrorCode::TokVocab,
                    "a SentencePiece vocabulary needs a score for each token, but has none");
    for (std::size_t i = 0; i < data_.scores.size(); ++i)
        if (!std::isfinite(data_.scores[i]))
            return fail(ErrorCode::TokVocab,
                        format("the score of token {} is {}; expected a finite number", i,
                               data_.scores[i]));
    return {};
}

Status Vocabulary::checkSpecialIds() const {
    const auto check = [&](std::string_view name, std::optional<TokenId> id) -> Status {
        if (!id || holds(*id)) return {};
        return fail(ErrorCode::TokSpecialId,
                    format("the {} token is {}; expected 0 to {}", name, *id, size() - 1));
    };
    LACUNA_TRY_STATUS(check("bos", data_.bos));
    LACUNA_TRY_STATUS(check("eos", data_.eos));
    LACUNA_TRY_STATUS(check("unknown", data_.unknown));
    LACUNA_TRY_STATUS(check("padding", data_.pad));
    for (const TokenId id : data_.endOfTurn) LACUNA_TRY_STATUS(check("end-of-turn", id));
    if (data_.addBos && !data_.bos)
        return fail(ErrorCode::TokSpecialId,
                    "texts should start with bos, but no bos token is set");
    if (data_.addEos && !data_.eos)
        return fail(ErrorCode::TokSpecialId, "texts should end with eos, but no eos token is set");
    return {};
}

void Vocabulary::index(WorkBudget& work) {
    text_.reserve(data_.pieces.size());
    for (TokenId id = 0; id < size(); ++id) {
        const std::string& text = piece(id);
        if (!work.spend(1 + text.size())) return;
        if (text.empty()) continue;
        if (!textMayBecome(kind(id))) {
            special_.emplace(text, id);
            continue;
        }
        text_.emplace(text, id);
        longestText_ = std::max(longestText_, text.size());
    }
}

Status Vocabulary::indexBytes() {
    byteIds_.assign(kBytes, kNone);
    if (data_.kind == TokenizerKind::ByteLevelBpe) {
        for (std::size_t byte = 0; byte < kBytes; ++byte)
            byteIds_[byte] =
                findText(alphabetChar(static_cast<std::uint8_t>(byte))).value_or(kNone);
        return {};
    }
    for (TokenId id = 0; id < size(); ++id) {
        if (kind(id) != TokenKind::Byte) continue;
        const auto byte = byteOfPiece(piece(id));
        if (!byte)
            return fail(ErrorCode::TokByteToken,
                        format("token {} is a byte token spelled \"{}\"; expected <0x00> to <0xFF>",
                               id, piece(id)));
        if (byteIds_[*byte] == kNone) byteIds_[*byte] = id;
    }
    // Character BPE uses byte fallback only if all bytes of a character have pieces.
    const bool partly = data_.kind == TokenizerKind::CharacterBpe;
    if (!data_.byteFallback || partly || data_.kind == TokenizerKind::WordPiece) return {};
    const auto missing = std::find(byteIds_.begin(), byteIds_.end(), kNone);
    if (missing != byteIds_.end())
        return fail(ErrorCode::TokByteToken,
                    format("the vocabulary falls back to bytes but has no token <0x{:02X}>",
                           missing - byteIds_.begin()));
    return {};
}

std::optional<TokenId> Vocabulary::findText(std::string_view piece) const {
    const auto found = text_.find(piece);
    if (found == text_.end()) return std::nullopt;
    return found->second;
}

std::optional<TokenId> Vocabulary::findAny(std::string_view piece) const {
    const auto found = special_.find(piece);
    if (found != special_.end()) return found->second;
    return findText(piece);
}

std::optional<TokenId> Vocabulary::byteId(std::uint8_t byte) const {
    if (byteIds_[byte] == kNone) return std::nullopt;
    return byteIds_[byte];
}

std::optional<TokenId> Vocabulary::unknownOfText() const {
    if (!data_.unknown || kind(*data_.unknown) == TokenKind::Control) return std::nullopt;
    return data_.unknown;
}

std::optional<std::uint8_t> Vocabulary::byteOf(TokenId id) const {
    if (kind(id) != TokenKind::Byte) return std::nullopt;
    return byteOfPiece(piece(id));
}

}  // namespace lacuna
