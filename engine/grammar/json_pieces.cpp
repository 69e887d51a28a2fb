#include "engine/grammar/json_pieces.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::array<std::pair<std::uint32_t, std::string_view>, 7> kShortEscapes{{{'"', "\\\""},
                                                                                   {'\\', "\\\\"},
                                                                                   {'\b', "\\b"},
                                                                                   {'\f', "\\f"},
                                                                                   {'\n', "\\n"},
                                                                                   {'\r', "\\r"},
                                                                                   {'\t', "\\t"}}};

bool needsEscape(std::uint32_t c) {
    return c < 0x20 || c == '"' || c == '\\';
}

std::string escaped(std::uint32_t c) {
    for (const auto& [character, text] : kShortEscapes)
        if (character == c) return std::string(text);
    return format("\\u{:04x}", c);
}

bool holds(const std::vector<CharRange>& ranges, std::uint32_t c) {
    return std::ranges::any_of(ranges,
                               [c](const CharRange& r) { return c >= r.first && c <= r.last; });
}

/// Decimal digits of one number, one range for each place: numbers of equal length that differ in
/// free places only.
using Digits = std::vector<CharRange>;

Digits anyDigits(std::size_t count) {
    return Digits(count, CharRange{'0', '9'});
}

CharRange digit(char first, char last) {
    return {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)};
}

void addPrefixed(CharRange first, const std::vector<Digits>& rests, std::vector<Digits>& out) {
    for (const Digits& rest : rests) {
        Digits digits{first};
        digits.insert(digits.end(), rest.begin(), rest.end());
        out.push_back(std::move(digits));
    }
}

/// Numbers of as many digits as both bounds have, leading zeros included, from `least` to `most`.
std::vector<Digits> digitsBetween(std::string_view least, std::string_view most) {
    const bool allLow = std::ranges::all_of(least, [](char c) { return c == '0'; });
    const bool allHigh = std::ranges::all_of(most, [](char c) { return c == '9'; });
    if (allLow && allHigh) return {anyDigits(least.size())};
    std::vector<Digits> out;
    const std::string nines(least.size() - 1, '9');
    const std::string zeros(least.size() - 1, '0');
    const char low = least[0];
    const char high = most[0];
    if (low == high) {
        addPrefixed(digit(low, low), digitsBetween(least.substr(1), most.substr(1)), out);
        return out;
    }
    addPrefixed(digit(low, low), digitsBetween(least.substr(1), nines), out);
    if (high - low > 1)
        addPrefixed(digit(static_cast<char>(low + 1), static_cast<char>(high - 1)),
                    {anyDigits(least.size() - 1)}, out);
    addPrefixed(digit(high, high), digitsBetween(zeros, most.substr(1)), out);
    return out;
}

std::int64_t power(int ten) {
    std::int64_t value = 1;
    for (int i = 0; i < ten; ++i) value *= 10;
    return value;
}

/// Digits of the numbers from `least` to `most`, with at least `width` of them each.
std::vector<Digits> digitsOf(std::int64_t least, std::int64_t most, int width) {
    std::vector<Digits> out;
    for (int length = width; length <= 15; ++length) {
        const std::int64_t low = std::max(least, length == width ? 0 : power(length - 1));
        const std::int64_t high = std::min(most, power(length) - 1);
        if (low > high) continue;
        for (Digits& digits :
             digitsBetween(format("{:0{}}", low, length), format("{:0{}}", high, length)))
            out.push_back(std::move(digits));
    }
    return out;
}

GrammarNode digitsNode(const std::vector<Digits>& choices, int decimals) {
    std::vector<GrammarNode> nodes;
    for (const Digits& digits : choices) {
        std::vector<GrammarNode> parts;
        for (std::size_t i = 0; i < digits.size(); ++i) {
            if (decimals > 0 && i + static_cast<std::size_t>(decimals) == digits.size())
                parts.push_back(literalNode("."));
            parts.push_back(charsNode({digits[i]}));
        }
        nodes.push_back(sequenceNode(std::move(parts)));
    }
    return choiceNode(std::move(nodes));
}

/// Numbers from `least` to `most`, counted in units of the last of `decimals` places.
GrammarNode signedNode(std::int64_t least, std::int64_t most, int decimals) {
    std::vector<GrammarNode> choices;
    if (least < 0)
        choices.push_back(sequenceNode(
            {literalNode("-"),
             digitsNode(digitsOf(most < 0 ? -most : 1, -least, decimals + 1), decimals)}));
    if (most >= 0)
        choices.push_back(
            digitsNode(digitsOf(std::max<std::int64_t>(least, 0), most, decimals + 1), decimals));
    return choiceNode(std::move(choices));
}

const std::vector<CharRange> kNameChars{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}, {'-', '-'}};
constexpr int kMaxNameLength = 32;

/// Names that go on from a place where all of `left` (what is left of the taken names) are still
/// possible.
GrammarNode otherFrom(std::vector<std::string_view> left, int depth) {
    std::map<char, std::vector<std::string_view>> byFirst;
    bool taken = false;
    for (const std::string_view name : left) {
        if (name.empty())
            taken = true;
        else
            byFirst[name.front()].push_back(name.substr(1));
    }
    std::vector<CharRange> free;
    for (const CharRange& range : kNameChars)
        for (std::uint32_t c = range.first; c <= range.last; ++c)
            if (!byFirst.contains(static_cast<char>(c))) free.push_back({c, c});
    std::vector<GrammarNode> choices;
    if (!taken && depth > 0) choices.push_back(sequenceNode({}));
    if (depth < kMaxNameLength) {
        choices.push_back(
            sequenceNode({charsNode(std::move(free)),
                          repeatNode(charsNode(kNameChars), 0, kMaxNameLength - depth - 1)}));
        for (auto& [first, rests] : byFirst)
            if (holds(kNameChars, static_cast<std::uint8_t>(first)))
                choices.push_back(sequenceNode({literalNode(std::string_view(&first, 1)),
                                                otherFrom(std::move(rests), depth + 1)}));
    }
    return choiceNode(std::move(choices));
}

}  // namespace

GrammarNode jsonChars(std::vector<CharRange> ranges) {
    std::vector<CharRange> hidden = otherChars(ranges);
    hidden.insert(hidden.end(), {{0, 0x1F}, {'"', '"'}, {'\\', '\\'}});
    std::vector<GrammarNode> choices{charsNode(otherChars(std::move(hidden)))};
    for (std::uint32_t c = 0; c <= '\\'; ++c)
        if (needsEscape(c) && holds(ranges, c)) choices.push_back(literalNode(escaped(c)));
    return choiceNode(std::move(choices));
}

GrammarNode quotedNode(GrammarNode content) {
    return sequenceNode({literalNode("\""), std::move(content), literalNode("\"")});
}

GrammarNode spaceNode() {
    constexpr int kDeepest = 16;
    return choiceNode(
        {sequenceNode({}), literalNode(" "),
         sequenceNode(
             {literalNode("\n"), repeatNode(charsNode({{' ', ' '}, {'\t', '\t'}}), 0, kDeepest)})});
}

GrammarNode valueNode(const OrderedJson& value) {
    return literalNode(dumpJson(value));
}

Result<GrammarNode> otherNames(std::span<const std::string> taken) {
    // Each place where names part becomes some forty states.
    constexpr std::size_t kMaxSeparatedItems = 8'192;
    std::vector<std::string_view> names(taken.begin(), taken.end());
    std::ranges::sort(names);
    std::string_view before;
    std::size_t parting = 0;
    for (const std::string_view name : names) {
        const auto shared = std::ranges::mismatch(before, name).in1 - before.begin();
        parting += std::min<std::size_t>(name.size(), kMaxNameLength) -
                   std::min<std::size_t>(static_cast<std::size_t>(shared), kMaxNameLength);
        before = name;
    }
    if (parting > kMaxSeparatedItems)
        return fail(ErrorCode::Unsupported,
                    format("additionalProperties beside {} names that are taken", taken.size()));
    return otherFrom(std::move(names), 0);
}

GrammarNode wholeNode(std::int64_t least, std::int64_t most) {
    return signedNode(least, most, 0);
}

GrammarNode fixedPointNode(std::int64_t least, std::int64_t most, int decimals) {
    return signedNode(least, most, decimals);
}

GrammarNode anyNumberNode() {
    constexpr int kDigits = 15;
    const GrammarNode any = charsNode({{'0', '9'}});
    const GrammarNode whole =
        choiceNode({literalNode("0"),
                    sequenceNode({charsNode({{'1', '9'}}), repeatNode(any, 0, kDigits - 1)})});
    const GrammarNode fraction = sequenceNode({literalNode("."), repeatNode(any, 1, kDigits)});
    const GrammarNode exponent = sequenceNode(
        {charsNode({{'e', 'e'}, {'E', 'E'}}), repeatNode(charsNode({{'+', '+'}, {'-', '-'}}), 0, 1),
         repeatNode(any, 1, 2)});
    return sequenceNode({repeatNode(literalNode("-"), 0, 1), whole, repeatNode(fraction, 0, 1),
                         repeatNode(exponent, 0, 1)});
}

}  // namespace lacuna
