#pragma once
/// \file
/// Splitting rules known by name in GGUF files, with the other settings implied by such a name.
/// Constant data; may be used from many threads. Sources: the tokenizer.json of each family; the
/// names are those of ggml's converters.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_steps.h"

namespace lacuna {

struct SplittingRule {
    std::vector<std::string_view> names;     ///< the preferred name first
    std::vector<std::string_view> patterns;  ///< applied in order, matches isolated or dropped
    bool ignoreMerges = false;  ///< a piece of the vocabulary takes precedence over merges
    bool addBos = false;        ///< texts begin with bos unless the file specifies otherwise
    bool byteAlphabet = true;   ///< pieces are encoded in the GPT-2 alphabet
    bool marksSpaces = false;   ///< spaces become U+2581 before the split
    bool dropsMatches = false;  ///< matches are removed from the text
};

/// GPT-2's pattern, used by ByteLevel steps of tokenizer.json.
extern const std::string_view kGpt2Pattern;

[[nodiscard]] const SplittingRule* findSplittingRule(std::string_view name);
/// Returns whether a named rule uses this pattern.
[[nodiscard]] bool isSplittingPattern(std::string_view pattern);
/// Returns all names, separated by commas.
[[nodiscard]] std::string knownSplittingRules();
/// Converts the rule to steps of a Pretokenizer.
[[nodiscard]] std::vector<SplitStep> stepsOf(const SplittingRule& rule);
/// Returns the GGUF name of these steps; nullopt if there is none.
[[nodiscard]] std::optional<std::string_view> splittingRuleName(std::span<const SplitStep> steps);

}  // namespace lacuna
