#pragma once
/// \file
/// The thirteen tasks of RULER (Hsieh and others 2024, arXiv 2404.06654): templates, numbers and
/// scoring as its authors publish them (github.com/NVIDIA/RULER), on texts of our own, made
/// for every question. docs/quality.md, "RULER", says what differs. Pure functions of a seed.
///
/// A question is in three parts, so that the text can be compacted before anything is asked of it:
/// context, question, and the words that the answer begins with.

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/ruler_words.h"
#include "engine/base/result.h"

namespace lacuna {

enum class RulerMetric {
    All,  ///< the share of the answers that the output contains ("string_match_all")
    Any   ///< 1 when it contains one of them ("string_match_part")
};

struct RulerQuestion {
    std::string task;
    std::string context;
    std::string question;
    std::string answerPrefix;
    std::vector<std::string> answers;
    RulerMetric metric = RulerMetric::All;
    int answerTokens = 0;  ///< room of the answer
    int size = 0;          ///< of the haystack: words, sentences, lines or documents, by the task
};

/// "niah_single_1" ... "qa_2", in the order of the paper's tables.
[[nodiscard]] std::span<const std::string_view> rulerTaskNames();

/// Tokens of a question as it will be asked, room of the answer not counted.
using RulerTokens = std::function<Result<std::int64_t>(const RulerQuestion&)>;

struct RulerWish {
    std::string_view task;
    int length = 4096;       ///< most tokens of prompt and answer together
    std::uint64_t seed = 0;  ///< another seed, another question
};

/// The question with the largest haystack that fits. A few dozen calls of `tokens`. Errors:
/// InvalidArgument (no such task), Range (too short for the task), those of `tokens`.
[[nodiscard]] Result<RulerQuestion> makeRulerQuestion(const RulerText& text, const RulerWish& wish,
                                                      const RulerTokens& tokens);

/// 0 to 1, letters of either case alike.
[[nodiscard]] double rulerScore(std::string_view output, const RulerQuestion& question);

}  // namespace lacuna
