#pragma once
/// \file
/// Recall: does the answer to a question about a long text contain what the text says? The measure
/// of what a compacted cache has forgotten. A rate under compaction counts only where slots really
/// went; the outcome says so when none did. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/text_asker.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/generate/look_back_limits.h"
#include "engine/model/transformer.h"
#include "engine/prefix/page_codec.h"
#include "engine/quality/loss_figures.h"
#include "engine/quality/recall_cases.h"
#include "engine/template/chat_template.h"

namespace lacuna {

/// A list of {kind, approx_tokens, messages, answer, key}. Errors: Config, naming the field.
[[nodiscard]] Result<std::vector<RecallCase>> recallCasesFromJson(const Json& list);

/// When the cache is compacted.
enum class RecallProtocol {
    BeforeQuestion,  ///< once, when the text is read and nothing has been asked of it
    AfterPrompt,     ///< by its own rules, with the question already read
    /// By its own rules, the person's messages asked one after another in one conversation; what
    /// the model said stands between them, and its last answer counts.
    TurnByTurn
};

/// What is brought back before a case is asked once more. @pre BeforeQuestion
enum class RecallRestore {
    Nothing,
    Answer,  ///< the line of the text that has the answer
    Sought   ///< what the question looks for among the forgotten tokens (look_back.h)
};

struct RecallOptions : AskingOptions {
    RecallProtocol protocol = RecallProtocol::BeforeQuestion;
    RecallRestore restore = RecallRestore::Nothing;
    LookBackLimits sought = {};  ///< of Sought; its room is what compactions can keep
    /// The cache of each text is coded and decoded again before its question, and no row is
    /// compacted; null: it is not. @pre BeforeQuestion
    const PageCodec* stored = nullptr;
    int limit = 0;  ///< only the first cases; 0 = all
    std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct RecallCount {
    std::int64_t cases = 0;
    std::int64_t hits = 0;
    [[nodiscard]] double rate() const {
        return cases == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(cases);
    }
};

struct RecallRow {
    std::string kind;  ///< "facts1@500"
    std::int64_t promptTokens = 0;
    std::vector<TokenId> tokens;  ///< of the answer, the end token included
    std::string text;
    std::string key;
    bool hit = false;
    /// Whether the answer after something was brought back has the key; none: that was refused.
    std::optional<bool> hitRestored = std::nullopt;
    std::int64_t restoredTokens = 0;  ///< that were to be brought back
    std::string restoreNote = {};     ///< why it was refused, or empty
    std::int64_t evictions = 0;
    double liveOfLogical = 1;  ///< bytes, after the compaction or at the end
    double bitsPerNumber = 0;  ///< at the same moment
    /// The newest compaction, or why there was none; nothing where none was to be.
    std::optional<CompactionReport> compaction = std::nullopt;
};

struct RecallOutcome {
    RecallCount total;
    std::vector<std::pair<std::string, RecallCount>> byKind;  ///< "facts1@500", in order of
                                                              ///< appearance
    std::int64_t promptTokens = 0;
    std::int64_t evictions = 0;  ///< slots evicted or merged, over layers and heads
    std::int64_t compactions = 0;
    std::int64_t liveBytes = 0;     ///< summed over cases: after the compaction, or at the end
    std::int64_t logicalBytes = 0;  ///< what an uncompressed cache held at that moment
    double liveOfLogical = 1;       ///< mean over cases of live bytes over logical ones
    double bitsPerNumber = 0;       ///< mean over cases (text_asker.h)
    /// With `restore`: of the cases that were missed before, those that could be brought back, and
    /// their hits.
    RecallCount missedRestored;
    RecallCount allRestored;           ///< of all that could be brought back, likewise
    std::int64_t restoresRefused = 0;  ///< more tokens than compactions could keep
    double restoreMs = 0;              ///< wall time of finding them and bringing them back
    std::int64_t restoredTokens = 0;   ///< brought back, over all cases
    double seconds = 0;
    double compactionMs = 0;  ///< wall time of all compactions
    double queriesMs = 0;     ///< of it, passes for their queries
    double measureMs = 0;     ///< of it, measuring what they lose
    LossFigures loss;         ///< of all cases
    std::string whyWhole;     ///< why the newest of the texts that stayed whole did, or empty
    std::string note;         ///< why the rate says nothing about compaction, or not all; or empty
    std::vector<RecallRow> rows;
};

/// Asks every case with a cache of its own; a hit is an answer that contains the key.
/// Errors: Range (budget share), ContextFull, Cancelled, as promptTokens and Transformer::forward.
[[nodiscard]] Result<RecallOutcome> runRecall(Transformer& model, ThreadPool& pool,
                                              std::span<const RecallCase> cases,
                                              const RecallOptions& options);

enum class RecallDetail { Summary, WithRows };
[[nodiscard]] OrderedJson recallJson(const RecallOutcome& outcome,
                                     RecallDetail detail = RecallDetail::Summary);

}  // namespace lacuna
