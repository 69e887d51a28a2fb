#pragma once
/// \file
/// A context-free grammar over characters, as both sources write it: grammar text and JSON schema.
/// Plain data.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Unicode code points from `first` to `last`, both included.
struct CharRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    friend bool operator==(const CharRange&, const CharRange&) = default;
};

inline constexpr std::uint32_t kLastChar = 0x10FFFF;

struct GrammarNode {
    enum class Kind {
        Literal,   ///< `text`, bytes
        Chars,     ///< one character of `ranges`; none: nothing fits
        Rule,      ///< `rule`
        Sequence,  ///< `parts` one after the other; none: the empty text
        Choice,    ///< one of `parts`
        Repeat,    ///< `parts[0]`, `least` to `most` times
    };
    static constexpr int kUnbounded = -1;

    Kind kind = Kind::Sequence;
    std::string text = {};
    std::vector<CharRange> ranges = {};
    std::size_t rule = 0;
    std::vector<GrammarNode> parts = {};
    int least = 0;
    int most = kUnbounded;
};

struct GrammarRule {
    std::string name;
    GrammarNode body;
};

/// Steps that reading a form and making states of it may take together: some seconds at most, and
/// a thousand times what schemas in use need.
inline constexpr std::uint64_t kFormSteps = 100'000'000;

/// `rules[root]` spells whole texts.
struct GrammarTree {
    std::vector<GrammarRule> rules;
    std::size_t root = 0;
};

[[nodiscard]] GrammarNode literalNode(std::string_view text);
[[nodiscard]] GrammarNode charsNode(std::vector<CharRange> ranges);
[[nodiscard]] GrammarNode ruleNode(std::size_t rule);
[[nodiscard]] GrammarNode sequenceNode(std::vector<GrammarNode> parts);
[[nodiscard]] GrammarNode choiceNode(std::vector<GrammarNode> parts);
[[nodiscard]] GrammarNode repeatNode(GrammarNode part, int least, int most);
/// The count of a repetition that stands at `at`, which then moves past it; nothing where there is
/// none up to `most`.
[[nodiscard]] std::optional<int> takeCount(std::string_view text, std::size_t& at, int most);
/// Every character that is in none of `ranges`.
[[nodiscard]] std::vector<CharRange> otherChars(std::vector<CharRange> ranges);

}  // namespace lacuna
