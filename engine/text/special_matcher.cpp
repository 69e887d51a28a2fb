#include "engine/text/special_matcher.h"

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxSpecialBytes = 1024;
constexpr std::size_t kMaxAllBytes = std::size_t{4} << 20;  // each byte needs about a hundred bytes
                                                            // of index

std::uint64_t edgeKey(std::uint32_t node, unsigned char byte) {
    return (std::uint64_t{node} << 8) | byte;
}

/// Returns the start of the character before `at`; an invalid byte counts as one. @pre at > 0
std::size_t characterBefore(std::string_view text, std::size_t at) {
    const std::size_t first = at < 4 ? 0 : at - 4;
    for (std::size_t begin = at - 1; begin > first; --begin) {
        const auto byte = static_cast<unsigned char>(text[begin]);
        if ((byte & 0xC0) != 0x80) {
            const Utf8Char c = utf8CharAt(text, begin);
            return c.form == Utf8Char::Form::Whole && begin + c.bytes == at ? begin : at - 1;
        }
    }
    const Utf8Char c = utf8CharAt(text, first);
    return c.form == Utf8Char::Form::Whole && first + c.bytes == at ? first : at - 1;
}

bool is(bool (*kind)(char32_t), std::string_view text, std::size_t at) {
    const Utf8Char c = utf8CharAt(text, at);
    return c.form == Utf8Char::Form::Whole && kind(c.codePoint);
}

bool standsAlone(std::string_view text, ByteRange range) {
    const bool before =
        range.begin > 0 && is(isWordCharacter, text, characterBefore(text, range.begin));
    const bool after = range.end < text.size() && is(isWordCharacter, text, range.end);
    return !before && !after;
}

/// Returns the range including the white space absorbed by the token, starting at `least` or later.
ByteRange withSpaces(std::string_view text, ByteRange range, const AddedToken& token,
                     std::size_t least) {
    while (token.takesSpaceBefore && range.begin > least) {
        const std::size_t before = characterBefore(text, range.begin);
        if (before < least || !is(isWhiteSpace, text, before)) break;
        range.begin = before;
    }
    while (token.takesSpaceAfter && range.end < text.size() && is(isWhiteSpace, text, range.end))
        range.end += utf8CharAt(text, range.end).bytes;
    return range;
}

}  // namespace

Status SpecialMatcher::add(std::string_view text, const AddedToken& token, Allowed allowed) {
    if (text.empty() || text.size() > kMaxSpecialBytes) return {};
    bytes_ += text.size();
    if (bytes_ > kMaxAllBytes)
        return fail(ErrorCode::TokVocab,
                    format("the added tokens have more than {} bytes together", kMaxAllBytes));
    starts_[static_cast<unsigned char>(text[0])] = true;
    std::uint32_t node = 0;
    for (const char c : text) {
        const auto next = static_cast<std::uint32_t>(nodes_.size());
        const auto [edge, isNew] =
            edges_.emplace(edgeKey(node, static_cast<unsigned char>(c)), next);
        if (isNew) nodes_.emplace_back();
        node = edge->second;
    }
    auto& slot = allowed == Allowed::Anywhere ? nodes_[node].anywhere : nodes_[node].markedOnly;
    if (!slot) slot = token;
    return {};
}

std::optional<std::uint32_t> SpecialMatcher::child(std::uint32_t node, unsigned char byte) const {
    const auto found = edges_.find(edgeKey(node, byte));
    if (found == edges_.end()) return std::nullopt;
    return found->second;
}

std::optional<SpecialMatcher::Found> SpecialMatcher::longestAt(std::string_view text,
                                                               std::size_t at,
                                                               std::size_t markedEnd,
                                                               TextWork& work) const {
    std::optional<Found> best;
    std::uint32_t node = 0;
    for (std::size_t end = at; end < text.size();) {
        const auto next = child(node, static_cast<unsigned char>(text[end]));
        if (!next || !work.spend()) break;
        node = *next;
        ++end;
        if (nodes_[node].markedOnly && end <= markedEnd)
            best = Found{{at, end}, *nodes_[node].markedOnly};
        else if (nodes_[node].anywhere)
            best = Found{{at, end}, *nodes_[node].anywhere};
    }
    return best;
}

std::vector<SpecialMatcher::Match> SpecialMatcher::find(std::string_view text,
                                                        std::span<const ByteRange> marked,
                                                        TextWork& work) const {
    std::vector<Match> matches;
    if (edges_.empty()) return matches;
    std::size_t range = 0;
    for (std::size_t at = 0; at < text.size() && !work.over();) {
        if (!starts_[static_cast<unsigned char>(text[at])]) {
            ++at;
            continue;
        }
        while (range < marked.size() && marked[range].end <= at) ++range;
        const bool inside = range < marked.size() && marked[range].begin <= at;
        const auto found = longestAt(text, at, inside ? marked[range].end : 0, work);
        if (!work.spend()) break;
        if (!found) {
            ++at;
            continue;
        }
        at = found->range.end;
        if (found->token.wholeWordsOnly && !standsAlone(text, found->range)) continue;
        const std::size_t least = matches.empty() ? 0 : matches.back().range.end;
        matches.push_back({withSpaces(text, found->range, found->token, least), found->token.id});
        at = matches.back().range.end;
    }
    return matches;
}

}  // namespace lacuna
