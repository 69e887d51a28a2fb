#pragma once
/// \file
/// RULER with the question withheld (docs/quality.md, "RULER"): thirteen tasks, each text read,
/// compacted under the settings given, and only then asked about; the same questions with the whole
/// cache say what the model itself can do. Deterministic by seed. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/bench/ruler_tasks.h"
#include "app/bench/text_asker.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/model/transformer.h"
#include "engine/quality/loss_figures.h"

namespace lacuna {

/// `maxTokens` is not read here: each task says how long its answers may be.
struct RulerOptions : AskingOptions {
    int length = 4096;               ///< tokens of prompt and answer together, at most the context
    int rows = 5;                    ///< questions of each task, at least 1
    std::uint64_t seed = 0;          ///< of the questions
    std::vector<std::string> tasks;  ///< names, in any order; empty: all thirteen
    std::string text;                ///< running text: haystacks, paragraphs, words
    /// Called before each question with its task, and once at the end.
    std::function<void(std::int64_t done, std::int64_t total, std::string_view task)> progress;
};

struct RulerRow {
    RulerQuestion question;
    std::int64_t textTokens = 0;  ///< read before the compaction
    std::int64_t tokens = 0;      ///< of the prompt and the room of the answer
    std::string whole;            ///< answer with the whole cache
    std::string answer;           ///< with the compacted one
    double full = 0, score = 0;   ///< 0 to 1
    double liveOfLogical = 1;     ///< bytes, right after the compaction
    double bitsPerNumber = 0;     ///< at the same moment
    std::int64_t compactions = 0;
    std::string whyWhole;  ///< why nothing was compacted; empty: it was, or nobody asked for it
    std::optional<CompactionReport> compaction = std::nullopt;
};

/// Scores of a task in percent, as they are published: means over its questions.
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
    double bitsPerNumber = 0;         ///< mean over all questions (text_asker.h)
    std::int64_t compactions = 0;
    LossFigures loss;  ///< of all questions
    std::string note;  ///< why the score says nothing, or less, about compaction; or empty
    std::vector<RulerRow> questions;
    /// Score over the whole cache's; none where the whole cache scores 0.
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

/// What the answered questions say together; `rows` of each task, in the order of the tasks.
[[nodiscard]] RulerOutcome rulerOutcome(const RulerOptions& options, std::vector<RulerRow> rows);

/// A question as the model is asked it: in its own chat template where its file has one, the
/// answer's first words after the template's last; as plain text where it has none.
struct RulerPrompt {
    std::vector<TokenId> tokens;
    std::size_t textTokens = 0;  ///< of them, those before the question
};
/// Errors: as promptTokens.
[[nodiscard]] Result<RulerPrompt> rulerPrompt(const LoadedModel& model,
                                              const RulerQuestion& question, StopAsked stop = {});

/// Which question of a task.
struct RulerCase {
    std::string_view task;
    int row = 0;
    int length = 4096;       ///< tokens of prompt and answer together
    std::uint64_t seed = 0;  ///< of the run
};
/// The question that runRuler asks then. Errors: as makeRulerQuestion, promptTokens.
[[nodiscard]] Result<RulerQuestion> rulerQuestion(const LoadedModel& model, const RulerText& text,
                                                  const RulerCase& wish,
                                                  const StopAsked& stop = {});

/// {length, rows, score_full, score, share, by_task, live_of_logical, bits_per_number,
/// compactions}; `note` where there is one.
[[nodiscard]] OrderedJson rulerJson(const RulerOutcome& outcome);
/// A list with an object for each question: what was asked, expected and said.
[[nodiscard]] OrderedJson rulerRowsJson(const RulerOutcome& outcome);

}  // namespace lacuna
