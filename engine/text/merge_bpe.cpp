#include "engine/text/token_models.h"

#include <bit>
#include <queue>

#include "engine/base/string_format.h"
#include "engine/text/unicode.h"

// Symbols form a doubly linked list over the bytes; candidate pairs are in a heap ordered by rank,
// then by position. A candidate is stale if the ids of its symbols have changed. Text that cannot
// be spelled becomes the unknown piece, or no token if there is none, as in the reference.

namespace lacuna {
namespace {

constexpr std::size_t kMaxMerges = 1U << 20;
constexpr std::int32_t kEnd = -1;
constexpr TokenId kNone = -1;
constexpr char32_t kTabled = 0x400;  // characters below this have a direct look-up table

std::uint64_t pairKey(TokenId left, TokenId right) {
    return (std::uint64_t{static_cast<std::uint32_t>(left)} << 32) |
           static_cast<std::uint32_t>(right);
}

// Finaliser of splitmix64, which spreads neighbouring pairs.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
}

struct Symbol {
    TokenId id = 0;
    std::int32_t previous = kEnd;
    std::int32_t next = kEnd;
    bool alive = true;
};

struct Candidate {
    std::int32_t rank = 0;
    std::int32_t left = 0;  // index of the left symbol
    TokenId leftId = 0;
    TokenId rightId = 0;
    TokenId result = 0;
};

struct Later {
    bool operator()(const Candidate& a, const Candidate& b) const {
        return a.rank != b.rank ? a.rank > b.rank : a.left > b.left;
    }
};

std::vector<Symbol> linked(const std::vector<TokenId>& ids) {
    std::vector<Symbol> symbols(ids.size());
    const auto count = static_cast<std::int32_t>(ids.size());
    for (std::int32_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        symbols[at] = {ids[at], i - 1, i + 1 < count ? i + 1 : kEnd, true};
    }
    return symbols;
}

}  // namespace

Result<MergeBpe> MergeBpe::create(const Vocabulary& vocabulary, WorkBudget& work) {
    MergeBpe made(vocabulary);
    LACUNA_TRY_STATUS(made.readMerges(work));
    made.firstIds_.assign(kTabled, kNone);
    for (char32_t c = 0; c < kTabled; ++c)
        made.firstIds_[c] = vocabulary.findText(utf8Encode(c)).value_or(kNone);
    return made;
}

Status MergeBpe::readMerges(WorkBudget& work) {
    const std::vector<std::string>& merges = vocabulary_->data().merges;
    if (merges.size() > kMaxMerges)
        return fail(ErrorCode::TokMerges, format("the vocabulary has {} merges; at most {} are "
                                                 "allowed",
                                                 merges.size(), kMaxMerges));
    table_.assign(std::bit_ceil(merges.size() * 2 + 2), Entry{});
    for (std::size_t rank = 0; rank < merges.size(); ++rank) {
        const std::string_view text = merges[rank];
        work.spend(1 + text.size());
        LACUNA_TRY_STATUS(work.status(ErrorCode::TokMerges, "the merges take too many steps"));
        const std::size_t space = text.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == text.size())
            return fail(
                ErrorCode::TokMerges,
                format("merge {} is \"{}\"; expected two pieces with a space between", rank, text));
        const auto left = vocabulary_->findAny(text.substr(0, space));
        const auto right = vocabulary_->findAny(text.substr(space + 1));
        std::string_view tail = text.substr(space + 1);
        const std::string& prefix = vocabulary_->data().bpe.continuingPrefix;
        if (tail.starts_with(prefix)) tail.remove_prefix(prefix.size());
        const std::string joined = format("{}{}", text.substr(0, space), tail);
        const auto result = vocabulary_->findAny(joined);
        if (!left || !right || !result)
            return fail(
                ErrorCode::TokMerges,
                format("merge {} is \"{}\", but \"{}\" is not in the vocabulary", rank, text,
                       !left    ? text.substr(0, space)
                       : !right ? text.substr(space + 1)
                                : std::string_view(joined)));
        // Merges must not produce a control token, whatever the file contains.
        if (!vocabulary_->findText(joined)) continue;
        if (!insert(pairKey(*left, *right), {static_cast<std::int32_t>(rank), *result}))
            return fail(ErrorCode::TokMerges,
                        format("merge {} (\"{}\") is in the list twice", rank, text));
    }
    return {};
}

bool MergeBpe::insert(std::uint64_t pair, Merge merge) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mix(pair)) & mask;
    while (table_[at].used) {
        if (table_[at].pair == pair) return false;
        at = (at + 1) & mask;
    }
    table_[at] = {pair, merge, true};
    return true;
}

const MergeBpe::Merge* MergeBpe::find(TokenId left, TokenId right) const {
    const std::uint64_t pair = pairKey(left, right);
    const std::size_t mask = table_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mix(pair)) & mask;
    while (table_[at].used) {
        if (table_[at].pair == pair) return &table_[at].merge;
        at = (at + 1) & mask;
    }
    return nullptr;
}

std::optional<TokenId> MergeBpe::firstId(std::string_view character, Place place) const {
    const BpeOptions& options = vocabulary_->data().bpe;
    const bool prefixed = !place.first && !options.continuingPrefix.empty();
    const bool suffixed = place.last && !options.wordSuffix.empty();
    if (prefixed || suffixed)
        return vocabulary_->findText(format("{}{}{}", prefixed ? options.continuingPrefix : "",
                                            character, suffixed ? options.wordSuffix : ""));
    const Utf8Char c = utf8CharAt(character, 0);
    if (c.form == Utf8Char::Form::Whole && c.codePoint < firstIds_.size()) {
        const TokenId id = firstIds_[c.codePoint];
        return id == kNone ? std::nullopt : std::optional<TokenId>(id);
    }
    return vocabulary_->findText(character);
}

std::vector<TokenId> MergeBpe::firstIds(std::string_view piece, TextWork& work) const {
    const std::optional<TokenId> unknown = vocabulary_->unknownOfText();
    const bool fuse = vocabulary_->data().bpe.fuseUnknown;
    std::vector<TokenId> ids;
    ids.reserve(piece.size());
    bool afterUnknown = false;
    for (std::size_t at = 0; at < piece.size() && work.spend();) {
        const Utf8Char c = utf8CharAt(piece, at);
        const std::size_t bytes = c.form == Utf8Char::Form::Whole ? c.bytes : 1;
        const std::string_view character = piece.substr(at, bytes);
        const Place place{at == 0, at + bytes == piece.size()};
        at += bytes;
        const bool spelled = spell(character, place, ids);
        if (!spelled && unknown && !(afterUnknown && fuse)) ids.push_back(*unknown);
        afterUnknown = !spelled;
    }
    return ids;
}

bool MergeBpe::spell(std::string_view character, Place place, std::vector<TokenId>& ids) const {
    if (const auto id = firstId(character, place)) {
        ids.push_back(*id);
        return true;
    }
    const TokenizerData& data = vocabulary_->data();
    if (data.kind != TokenizerKind::CharacterBpe || !data.byteFallback) return false;
    const std::size_t before = ids.size();
    for (const char c : character) {
        const auto id = vocabulary_->byteId(static_cast<std::uint8_t>(c));
        if (!id) {
            ids.resize(before);
            return false;
        }
        ids.push_back(*id);
    }
    return true;
}

Status MergeBpe::encodeInto(std::string_view piece, TextWork& work,
                            std::vector<TokenId>& out) const {
    if (vocabulary_->data().ignoreMerges && piece.size() <= vocabulary_->longestText())
        if (const auto whole = vocabulary_->findText(piece)) {
            out.push_back(*whole);
            return {};
        }
    mergeInto(firstIds(piece, work), work, out);
    return work.status();
}

void MergeBpe::mergeInto(const std::vector<TokenId>& bytes, TextWork& work,
                         std::vector<TokenId>& out) const {
    std::vector<Symbol> symbols = linked(bytes);
    const auto symbol = [&](std::int32_t i) -> Symbol& {
        return symbols[static_cast<std::size_t>(i)];
    };
    std::priority_queue<Candidate, std::vector<Candidate>, Later> queue;
    const auto consider = [&](std::int32_t left) {
        const std::int32_t right = left == kEnd ? kEnd : symbol(left).next;
        if (right == kEnd) return;
        const TokenId a = symbol(left).id;
        const TokenId b = symbol(right).id;
        if (const Merge* merge = find(a, b)) queue.push({merge->rank, left, a, b, merge->result});
    };
    for (std::int32_t i = 0; i + 1 < static_cast<std::int32_t>(symbols.size()) && work.spend(); ++i)
        consider(i);
    while (!queue.empty() && work.spend()) {
        const Candidate best = queue.top();
        queue.pop();
        Symbol& left = symbol(best.left);
        if (!left.alive || left.id != best.leftId || left.next == kEnd) continue;
        Symbol& right = symbol(left.next);
        if (right.id != best.rightId) continue;
        left.id = best.result;
        right.alive = false;
        left.next = right.next;
        if (left.next != kEnd) symbol(left.next).previous = best.left;
        consider(left.previous);
        consider(best.left);
    }
    for (const Symbol& s : symbols)
        if (s.alive) out.push_back(s.id);
}

}  // namespace lacuna
