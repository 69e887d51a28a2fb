#include "engine/text/token_models.h"

#include <algorithm>
#include <limits>

// best[i] is the best segmentation of the first i bytes; each position extends it by all pieces
// found in one walk down the trie. Ties keep the segmentation found first, as in the library. Text
// without a piece is unknown, one character at a time with a penalty; adjacent unknown characters
// are then joined.

namespace lacuna {
namespace {

constexpr TokenId kNone = -1;
constexpr double kUnknownPenalty = 10.0;
constexpr std::size_t kMaxPieceBytes = 1024;  // longer walks from every position would take
                                              // quadratic time

bool takesPart(TokenKind kind) {
    return kind == TokenKind::Normal || kind == TokenKind::UserDefined;
}

}  // namespace

Result<Unigram> Unigram::create(const Vocabulary& vocabulary) {
    if (!vocabulary.unknownOfText() && !vocabulary.data().byteFallback)
        return fail(ErrorCode::TokVocab,
                    "a unigram vocabulary needs an unknown piece or byte pieces; it has neither");
    return Unigram(vocabulary);
}

Unigram::Unigram(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
    const TokenizerData& data = vocabulary.data();
    bonus_ = data.sentencePiece.used && data.sentencePiece.freezeUserDefined;
    std::vector<std::pair<std::string_view, TokenId>> pieces;
    double least = std::numeric_limits<double>::max();
    double greatest = std::numeric_limits<double>::lowest();
    for (TokenId id = 0; id < vocabulary.size(); ++id) {
        if (!takesPart(vocabulary.kind(id)) || vocabulary.piece(id).empty() ||
            vocabulary.piece(id).size() > kMaxPieceBytes)
            continue;
        pieces.emplace_back(vocabulary.piece(id), id);
        if (vocabulary.kind(id) != TokenKind::Normal) continue;
        least = std::min(least, vocabulary.score(id));
        greatest = std::max(greatest, vocabulary.score(id));
    }
    trie_ = PieceTrie(std::move(pieces));
    if (least <= greatest) {
        unknownScore_ = least - kUnknownPenalty;
        greatestScore_ = greatest;
    }
}

template <class Sum>
Sum Unigram::scoreOf(TokenId id, std::size_t bytes) const {
    if (bonus_ && vocabulary_->kind(id) == TokenKind::UserDefined)
        return static_cast<Sum>(static_cast<double>(bytes) * greatestScore_ - 0.1);
    return static_cast<Sum>(vocabulary_->score(id));
}

template <class Sum>
std::vector<ByteRange> Unigram::bestCut(std::string_view text, TextWork& work,
                                        std::vector<TokenId>& ids) const {
    struct Way {
        Sum sum = 0;
        std::uint32_t begin = 0;  // start of the last piece
        TokenId id = kNone;       // id of the last piece; kNone if unknown
        bool found = false;
    };
    std::vector<Way> best(text.size() + 1);
    const auto offer = [&](std::size_t begin, std::size_t end, TokenId id, Sum sum) {
        Way& way = best[end];
        if (!way.found || sum > way.sum) way = {sum, static_cast<std::uint32_t>(begin), id, true};
    };
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Char c = utf8CharAt(text, at);
        const std::size_t character = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        const Sum here = best[at].sum;
        bool covered = false;
        PieceTrie::Node node = PieceTrie::kRoot;
        for (std::size_t end = at; end < text.size();) {
            const auto next = trie_.child(node, static_cast<unsigned char>(text[end]));
            if (!next) break;
            node = *next;
            ++end;
            if (!work.spend()) return {};
            const auto id = trie_.piece(node);
            if (!id) continue;
            offer(at, end, *id, scoreOf<Sum>(*id, end - at) + here);
            covered = covered || end - at == character;
        }
        if (!work.spend()) return {};
        if (!covered) offer(at, at + character, kNone, static_cast<Sum>(unknownScore_) + here);
        at += character;
    }
    std::vector<ByteRange> ranges;
    for (std::size_t end = text.size(); end > 0; end = best[end].begin) {
        ranges.push_back({best[end].begin, end});
        ids.push_back(best[end].id);
    }
    std::ranges::reverse(ranges);
    std::ranges::reverse(ids);
    return ranges;
}

void Unigram::emitUnknown(std::string_view text, std::vector<TokenId>& out) const {
    if (vocabulary_->data().byteFallback) {
        for (const char c : text)
            if (const auto id = vocabulary_->byteId(static_cast<std::uint8_t>(c)))
                out.push_back(*id);
        return;
    }
    out.push_back(*vocabulary_->unknownOfText());
}

Status Unigram::encodeInto(std::string_view piece, TextWork& work,
                           std::vector<TokenId>& out) const {
    std::vector<TokenId> ids;
    const std::vector<ByteRange> ranges = vocabulary_->data().singleScores
                                              ? bestCut<float>(piece, work, ids)
                                              : bestCut<double>(piece, work, ids);
    LACUNA_TRY_STATUS(work.status());
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (ids[i] != kNone) {
            out.push_back(ids[i]);
            continue;
        }
        const std::size_t begin = ranges[i].begin;
        while (i + 1 < ids.size() && ids[i + 1] == kNone) ++i;
        emitUnknown(piece.substr(begin, ranges[i].end - begin), out);
    }
    return {};
}

}  // namespace lacuna
