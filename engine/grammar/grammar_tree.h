#pragma once
/// \file
/// A context-free grammar over characters, the common form of grammar text and JSON schemas. Plain
/// data.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// Unicode code points from `first` to `last`, inclusive.
struct CharRange {
    std::uint32_t first = 0;
    std::uint32_t last = 0;
    friend bool operator==(const CharRange&, const CharRange&) = default;
};

inline constexpr std::uint32_t kLastChar = 0x10FFFF;

struct GrammarNode {
    enum class Kind {
        Literal,   ///< `text`, bytes
        Chars,     ///< one character of `ranges`; matches nothing if empty
        Rule,      ///< `rule`
        Sequence,  ///< concatenation of `parts`; the empty text if there are none
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

/// Total step limit for parsing a form and compiling it: at most a few seconds, and a thousand
/// times what schemas in use need.
inline constexpr std::uint64_t kFormSteps = 100'000'000;

/// `rules[root]` is the start rule.
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
/// Parses the repetition count at `at` and advances `at` past it; nullopt if there is no count up
/// to `most`.
[[nodiscard]] std::optional<int> parseCount(std::string_view text, std::size_t& at, int most);
/// Returns all characters outside of `ranges`.
[[nodiscard]] std::vector<CharRange> otherChars(std::vector<CharRange> ranges);

}  // namespace lacuna
