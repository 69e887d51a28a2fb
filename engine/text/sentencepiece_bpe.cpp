#include "engine/text/token_models.h"

#include <algorithm>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/text/unicode.h"

// Candidate pairs are in one heap, ordered by score, then by position. Unused pieces take part in
// merging and are split again at the end, as in the reference. An invalid byte is a separate
// symbol, which only byte fallback can spell.

namespace lacuna {
namespace {

constexpr std::int32_t kEnd = -1;
constexpr std::size_t kMaxPieceBytes = 1024;  // limit of user-defined pieces

struct Symbol {
    std::size_t begin = 0;  // range in the marked text; empty after a merge
    std::size_t bytes = 0;
    std::int32_t previous = kEnd;
    std::int32_t next = kEnd;
    bool frozen = false;  // a user-defined piece, excluded from merging
};

struct Candidate {
    double score = 0;
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::size_t bytes = 0;  // length of both symbols; the candidate is stale if it has changed
};

struct Worse {
    bool operator()(const Candidate& a, const Candidate& b) const {
        return a.score != b.score ? a.score < b.score : a.left > b.left;
    }
};

/// State of encoding one text.
class Merging {
  public:
    Merging(const Vocabulary& vocabulary, const PieceTrie& frozen, std::string_view text,
            TextWork& work)
        : vocabulary_(vocabulary), text_(text), work_(work) {
        for (std::size_t at = 0; at < text.size() && work.spend();) {
            const std::size_t whole = frozen.longestPrefix(text.substr(at));
            work.spendBytes(whole);
            const Utf8Char c = utf8CharAt(text, at);
            const std::size_t character = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
            const std::size_t bytes = whole > 0 ? whole : character;
            const auto index = static_cast<std::int32_t>(symbols_.size());
            if (index > 0) symbols_.back().next = index;
            symbols_.push_back({at, bytes, index - 1, kEnd, whole > 0});
            at += bytes;
        }
    }

    void run() {
        for (std::int32_t i = 0; i < static_cast<std::int32_t>(symbols_.size()) && !work_.over();
             ++i)
            consider(i);
        while (!queue_.empty() && work_.spend()) {
            const Candidate best = queue_.top();
            queue_.pop();
            Symbol& left = symbol(best.left);
            Symbol& right = symbol(best.right);
            if (left.bytes == 0 || right.bytes == 0 || left.bytes + right.bytes != best.bytes)
                continue;
            left.bytes = best.bytes;
            right.bytes = 0;
            left.next = right.next;
            if (left.next != kEnd) symbol(left.next).previous = best.left;
            consider(left.previous);
            consider(best.left);
        }
    }

    Status emit(std::vector<TokenId>& out) {
        for (const Symbol& s : symbols_)
            if (s.bytes > 0) LACUNA_TRY_STATUS(emitText(text_.substr(s.begin, s.bytes), out));
        return {};
    }

  private:
    Symbol& symbol(std::int32_t i) { return symbols_[static_cast<std::size_t>(i)]; }

    void consider(std::int32_t leftIndex) {
        if (leftIndex == kEnd || symbol(leftIndex).next == kEnd) return;
        const Symbol& left = symbol(leftIndex);
        const Symbol& right = symbol(left.next);
        if (left.frozen || right.frozen) return;
        const std::size_t bytes = left.bytes + right.bytes;
        if (bytes > vocabulary_.longestText()) return;
        if (!work_.spendBytes(bytes)) return;
        const std::string_view joined = text_.substr(left.begin, bytes);
        const auto id = vocabulary_.findText(joined);
        if (!id) return;
        queue_.push({vocabulary_.score(*id), leftIndex, left.next, bytes});
        if (vocabulary_.kind(*id) == TokenKind::Unused) halves_[joined] = left.bytes;
    }

    /// Emits the ids of a symbol; an unused piece is split into the two it was merged from.
    Status emitText(std::string_view whole, std::vector<TokenId>& out) {
        std::vector<std::string_view> open = {whole};
        while (!open.empty()) {
            const std::string_view text = open.back();
            open.pop_back();
            if (!work_.spendBytes(text.size())) return work_.status();
            const auto id = vocabulary_.findText(text);
            const auto half = halves_.find(text);
            if (id && vocabulary_.kind(*id) == TokenKind::Unused && half != halves_.end()) {
                open.push_back(text.substr(half->second));
                open.push_back(text.substr(0, half->second));
            } else if (id && vocabulary_.kind(*id) != TokenKind::Unused) {
                out.push_back(*id);
                afterUnknown_ = false;
            } else {
                LACUNA_TRY_STATUS(fallBack(text, out));
            }
        }
        return {};
    }

    Status fallBack(std::string_view text, std::vector<TokenId>& out) {
        const bool afterUnknown = std::exchange(afterUnknown_, false);
        if (vocabulary_.data().byteFallback) {
            for (const char c : text)
                if (const auto id = vocabulary_.byteId(static_cast<std::uint8_t>(c)))
                    out.push_back(*id);
            return {};
        }
        if (const auto unknown = vocabulary_.unknownOfText()) {
            if (!afterUnknown) out.push_back(*unknown);
            afterUnknown_ = true;
            return {};
        }
        return fail(ErrorCode::TokVocab,
                    format("the vocabulary has neither a piece for \"{}\" nor byte pieces nor an "
                           "unknown piece",
                           text));
    }

    const Vocabulary& vocabulary_;
    std::string_view text_;
    TextWork& work_;
    std::vector<Symbol> symbols_;
    std::priority_queue<Candidate, std::vector<Candidate>, Worse> queue_;
    std::unordered_map<std::string_view, std::size_t> halves_;  // unused piece -> bytes of its left
                                                                // half
    bool afterUnknown_ = false;  // adjacent unknown characters become one piece
};

}  // namespace

SentencePieceBpe::SentencePieceBpe(const Vocabulary& vocabulary) : vocabulary_(&vocabulary) {
    const SentencePieceRules& rules = vocabulary.data().sentencePiece;
    if (!rules.used || !rules.freezeUserDefined) return;
    std::vector<std::pair<std::string_view, TokenId>> pieces;
    for (TokenId id = 0; id < vocabulary.size(); ++id)
        if (vocabulary.kind(id) == TokenKind::UserDefined && !vocabulary.piece(id).empty() &&
            vocabulary.piece(id).size() <= kMaxPieceBytes)
            pieces.emplace_back(vocabulary.piece(id), id);
    frozen_ = PieceTrie(std::move(pieces));
}

Status SentencePieceBpe::encodeInto(std::string_view piece, TextWork& work,
                                    std::vector<TokenId>& out) const {
    if (piece.empty()) return {};
    Merging merging(*vocabulary_, frozen_, piece, work);
    merging.run();
    LACUNA_TRY_STATUS(work.status());
    return merging.emit(out);
}

}  // namespace lacuna
