#pragma once
/// \file
/// The thirteen tasks of RULER (Hsieh et al. 2024, arXiv:2404.06654): templates, sizes and scoring
/// as published by the authors (github.com/NVIDIA/RULER), on texts generated per question. A
/// question consists of context, question and the beginning of the answer, so that the text can be
/// compacted before the question is known. Differences: docs/quality.md, "RULER". Pure functions of
/// a seed.

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
    All,  ///< share of the answers contained in the output ("string_match_all")
    Any   ///< 1 if the output contains one of them ("string_match_part")
};

struct RulerQuestion {
    std::string task;
    std::string context;
    std::string question;
    std::string answerPrefix;
    std::vector<std::string> answers;
    RulerMetric metric = RulerMetric::All;
    int answerTokens = 0;  ///< maximum tokens of the answer
    int size = 0;  ///< size of the haystack in words, sentences, lines or documents, depending on
                   ///< the task
};

/// Returns "niah_single_1" ... "qa_2", in the order of the paper's tables.
[[nodiscard]] std::span<const std::string_view> rulerTaskNames();

/// Counts the tokens of a question as prompted, without the answer.
using RulerTokens = std::function<Result<std::int64_t>(const RulerQuestion&)>;

struct RulerRequest {
    std::string_view task;
    int length = 4096;       ///< limit of prompt and answer together
    std::uint64_t seed = 0;  ///< selects the question
};

/// Returns the question with the largest haystack that fits, after a few dozen calls of `tokens`.
/// Errors: InvalidArgument (unknown task), Range (too short for the task), those of `tokens`.
[[nodiscard]] Result<RulerQuestion> makeRulerQuestion(const RulerText& text,
                                                      const RulerRequest& request,
                                                      const RulerTokens& tokens);

/// Returns 0 to 1, case-insensitive.
[[nodiscard]] double rulerScore(std::string_view output, const RulerQuestion& question);

}  // namespace lacuna
