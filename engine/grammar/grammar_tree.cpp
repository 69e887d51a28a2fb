#include "engine/grammar/grammar_tree.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lacuna {

GrammarNode literalNode(std::string_view text) {
    return {.kind = GrammarNode::Kind::Literal, .text = std::string(text)};
}

GrammarNode charsNode(std::vector<CharRange> ranges) {
    return {.kind = GrammarNode::Kind::Chars, .ranges = std::move(ranges)};
}

GrammarNode ruleNode(std::size_t rule) {
    return {.kind = GrammarNode::Kind::Rule, .rule = rule};
}

GrammarNode sequenceNode(std::vector<GrammarNode> parts) {
    return {.kind = GrammarNode::Kind::Sequence, .parts = std::move(parts)};
}

GrammarNode choiceNode(std::vector<GrammarNode> parts) {
    return {.kind = GrammarNode::Kind::Choice, .parts = std::move(parts)};
}

GrammarNode repeatNode(GrammarNode part, int least, int most) {
    GrammarNode node{.kind = GrammarNode::Kind::Repeat, .least = least, .most = most};
    node.parts.push_back(std::move(part));
    return node;
}

std::optional<int> parseCount(std::string_view text, std::size_t& at, int most) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), value);
    if (error != std::errc() || value < 0 || value > most) return std::nullopt;
    at = static_cast<std::size_t>(end - text.data());
    return value;
}

std::vector<CharRange> otherChars(std::vector<CharRange> ranges) {
    std::ranges::sort(ranges, {}, &CharRange::first);
    std::vector<CharRange> others;
    std::uint32_t next = 0;
    for (const CharRange& range : ranges) {
        if (range.first > next) others.push_back({next, range.first - 1});
        next = std::max(next, range.last + 1);
    }
    if (next <= kLastChar) others.push_back({next, kLastChar});
    return others;
}

}  // namespace lacuna
