#pragma once
/// \file
/// RULER with the question withheld (docs/quality.md, "RULER"): thirteen tasks. Each text is read,
/// compacted under the given settings and only then asked about; the same questions on the full
/// cache show the model's own ability. Deterministic for a seed. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/case_runner.h"
#include "app/bench/ruler_tasks.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/model/transformer.h"
#include "engine/quality/loss_figures.h"

namespace lacuna {

/// `maxTokens` is ignored: each task has its own limit for answers.
struct RulerOptions : CaseOptions {
    int length = 4096;               ///< tokens of prompt and answer together, at most the context
    int rows = 5;                    ///< questions per task, at least 1
    std::uint64_t seed = 0;          ///< seed of the questions
    std::vector<std::string> tasks;  ///< task names in any order; empty: all thirteen
    std::string text;                ///< prose for haystacks, paragraphs, words
    /// Called before each question with its task, and once after the last one.
    std::function<void(std::int64_t done, std::int64_t total, std::string_view task)> progress;
};

struct RulerRow {
    RulerQuestion question;
    std::int64_t textTokens = 0;  ///< tokens read before the compaction
    std::int64_t tokens = 0;      ///< tokens of the prompt and the room for the answer
    std::string whole;            ///< answer with the full cache
    std::string answer;           ///< answer with the compacted cache
    double full = 0, score = 0;   ///< scores of both answers, 0 to 1
    double liveOfLogical = 1;     ///< ratio of bytes, right after the compaction
    double bitsPerNumber = 0;     ///< at the same moment
    std::int64_t compactions = 0;
    std::string fullReason;  ///< why nothing was compacted; empty if it was, or if compaction is
                             ///< off
    std::optional<CompactionReport> compaction = std::nullopt;
};

/// Scores of a task in percent, as published: means over its questions.
struct RulerTaskScore {
    std::string task;
    double full = 0, score = 0;
};

struct RulerOutcome {
    int length = 0;
    int rows = 0;
    std::vector<RulerTaskScore> tasks;
    double scoreFull = 0, score = 0;  ///< percent, means over the tasks
    double liveOfLogical = 1;         ///< mean over all questions
    double bitsPerNumber = 0;         ///< mean over all questions (case_runner.h)
    std::int64_t compactions = 0;
    LossFigures loss;  ///< over all questions
    std::string note;  ///< why the score does not, or not fully, measure compaction; may be empty
    std::vector<RulerRow> questions;
    /// Returns the score relative to the full cache; nullopt if the full cache scores 0.
    [[nodiscard]] std::optional<double> share() const {
        if (scoreFull == 0) return std::nullopt;
        return score / scoreFull;
    }
};

/// Errors: Range (length, rows, budget share; a length too short for a task), InvalidArgument
/// (tasks; a text without words), Unsupported (a compaction failed), Cancelled, as promptTokens and
/// Transformer::forward.
[[nodiscard]] Result<RulerOutcome> runRuler(Transformer& model, ThreadPool& pool,
                                            const RulerOptions& options);

/// Aggregates the answered questions; `rows` are grouped by task, in the order of the tasks.
[[nodiscard]] RulerOutcome rulerOutcome(const RulerOptions& options, std::vector<RulerRow> rows);

/// A question as a prompt: in the model's chat template if it has one, with the beginning of the
/// answer appended; otherwise as plain text.
struct RulerPrompt {
    std::vector<TokenId> tokens;
    std::size_t textTokens = 0;  ///< number of tokens before the question
};
/// Errors: as promptTokens.
[[nodiscard]] Result<RulerPrompt> rulerPrompt(const LoadedModel& model,
                                              const RulerQuestion& question,
                                              StopRequested stop = {});

/// Identifies a question of a task.
struct RulerCase {
    std::string_view task;
    int row = 0;
    int length = 4096;       ///< tokens of prompt and answer together
    std::uint64_t seed = 0;  ///< seed of the run
};
/// Returns the question that runRuler asks for this case. Errors: as makeRulerQuestion,
/// promptTokens.
[[nodiscard]] Result<RulerQuestion> rulerQuestion(const LoadedModel& model, const RulerText& text,
                                                  const RulerCase& request,
                                                  const StopRequested& stop = {});

/// Returns {length, rows, score_full, score, share, by_task, live_of_logical, bits_per_number,
/// compactions}, and `note` unless it is empty.
[[nodiscard]] OrderedJson rulerJson(const RulerOutcome& outcome);
/// Returns a list with one object per question: question, expected answers and answer.
[[nodiscard]] OrderedJson rulerRowsJson(const RulerOutcome& outcome);

}  // namespace lacuna
