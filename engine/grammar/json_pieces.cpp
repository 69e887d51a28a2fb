#include "engine/grammar/json_pieces.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/grammar/number_ranges.h"

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

constexpr int kUnlimited = GrammarNode::kUnbounded;

/// A positive integer of at most `digits` digits.
GrammarNode wholeNode(int digits) {
    const int more = digits == kUnlimited ? kUnlimited : digits - 1;
    return sequenceNode({charsNode({{'1', '9'}}), repeatNode(charsNode({{'0', '9'}}), 0, more)});
}

const std::vector<CharRange> kNameChars{{'a', 'z'}, {'A', 'Z'}, {'0', '9'}, {'_', '_'}, {'-', '-'}};
constexpr int kMaxNameLength = 32;

/// Names that continue at a position where all of `left` (the remaining parts of taken names) are
/// still possible.
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
    // Each position where names diverge needs about forty states.
    constexpr std::size_t kMaxSeparatedItems = 8'192;
    std::vector<std::string_view> names(taken.begin(), taken.end());
    std::ranges::sort(names);
    std::string_view before;
    std::size_t splitClasses = 0;
    for (const std::string_view name : names) {
        const auto shared = std::ranges::mismatch(before, name).in1 - before.begin();
        splitClasses += std::min<std::size_t>(name.size(), kMaxNameLength) -
                        std::min<std::size_t>(static_cast<std::size_t>(shared), kMaxNameLength);
        before = name;
    }
    if (splitClasses > kMaxSeparatedItems)
        return fail(ErrorCode::Unsupported,
                    format("additionalProperties together with {} declared names", taken.size()));
    return otherFrom(std::move(names), 0);
}

GrammarNode anyWholeNumberNode() {
    return choiceNode({literalNode("0"),
                       sequenceNode({repeatNode(literalNode("-"), 0, 1), wholeNode(kUnlimited)})});
}

GrammarNode anyNumberNode() {
    // Together they keep a number below 10^308, which readers would parse as infinity.
    constexpr int kDigitsBeforeExponent = 20;
    const GrammarNode any = charsNode({{'0', '9'}});
    const GrammarNode fraction =
        repeatNode(sequenceNode({literalNode("."), repeatNode(any, 1, kMaxFractionDigits)}), 0, 1);
    const GrammarNode e = charsNode({{'e', 'e'}, {'E', 'E'}});
    const GrammarNode large = sequenceNode(
        {repeatNode(literalNode("+"), 0, 1),
         choiceNode({repeatNode(any, 1, 2), sequenceNode({charsNode({{'0', '1'}}), any, any}),
                     sequenceNode({literalNode("2"), charsNode({{'0', '7'}}), any})})});
    const GrammarNode small = sequenceNode({literalNode("-"), repeatNode(any, 1, 3)});
    // With one digit before the point, any finite exponent is possible.
    const GrammarNode largest =
        sequenceNode({repeatNode(literalNode("+"), 0, 1),
                      choiceNode({sequenceNode({literalNode("2"), charsNode({{'8', '9'}}), any}),
                                  sequenceNode({literalNode("30"), charsNode({{'0', '7'}})})})});
    return sequenceNode(
        {repeatNode(literalNode("-"), 0, 1),
         choiceNode(
             {sequenceNode({choiceNode({literalNode("0"), wholeNode(kUnlimited)}), fraction}),
              sequenceNode({choiceNode({literalNode("0"), wholeNode(kDigitsBeforeExponent)}),
                            fraction, e, choiceNode({large, small})}),
              sequenceNode({charsNode({{'1', '9'}}), fraction, e, largest})})});
}

}  // namespace lacuna
