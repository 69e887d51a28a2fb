#pragma once
/// \file
/// The splitting rules that GGUF files know by name, and what else such a name settles there.
/// Constant data; may be used from many threads.
/// Sources: the tokenizer.json of each family; the names are those of ggml's converters.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/text_steps.h"

namespace lacuna {

struct SplittingRule {
    std::vector<std::string_view> names;     ///< the usual one first
    std::vector<std::string_view> patterns;  ///< applied in turn, matches isolated
    bool ignoreMerges = false;               ///< a whole piece of the vocabulary wins over merges
    bool addBos = false;       ///< texts begin with bos unless the file says otherwise
    bool byteAlphabet = true;  ///< pieces are spelled in the GPT-2 alphabet
};

/// GPT-2's pattern, which ByteLevel steps of tokenizer.json mean.
extern const std::string_view kGpt2Pattern;

[[nodiscard]] const SplittingRule* findSplittingRule(std::string_view name);
/// Whether a rule that is known by name uses this pattern.
[[nodiscard]] bool isSplittingPattern(std::string_view pattern);
/// All names, separated by commas.
[[nodiscard]] std::string knownSplittingRules();
/// The rule as steps of a Pretokenizer.
[[nodiscard]] std::vector<SplitStep> stepsOf(const SplittingRule& rule);
/// The name under which GGUF knows these steps.
[[nodiscard]] std::optional<std::string_view> splittingRuleName(std::span<const SplitStep> steps);

}  // namespace lacuna
