#pragma once
/// \file
/// Recall: the share of questions about a long text whose answer contains the fact stated in the
/// text. Measures the loss caused by compaction; a rate is meaningful only if slots were evicted,
/// and the outcome notes when none were. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/case_runner.h"
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

/// Parses a list of {kind, approx_tokens, messages, answer, key}. Errors: Config, naming the field.
[[nodiscard]] Result<std::vector<RecallCase>> recallCasesFromJson(const Json& list);

/// Time of the compaction.
enum class RecallProtocol {
    BeforeQuestion,  ///< once, after the text is read and before any question
    AfterPrompt,     ///< by the configured trigger, after the question is read
    /// By the configured trigger; the user messages are asked one after another in one conversation
    /// that includes the model's answers, and the last answer counts.
    TurnByTurn
};

/// Tokens restored before a case is asked a second time. @pre BeforeQuestion
enum class RecallRestore {
    Nothing,
    Answer,  ///< the line of the text that contains the answer
    Needed   ///< the evicted tokens that the question looks for (look_back.h)
};

struct RecallOptions : CaseOptions {
    RecallProtocol protocol = RecallProtocol::BeforeQuestion;
    RecallRestore restore = RecallRestore::Nothing;
    LookBackLimits needed = {};  ///< limits for Sought; the room is what compaction can keep
    /// If set, each text's cache is encoded and decoded before the question, and no rows are
    /// compacted. @pre BeforeQuestion
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
    std::vector<TokenId> tokens;  ///< answer including the end token
    std::string text;
    std::string key;
    bool hit = false;
    /// True if the answer after restoring contains the key; nullopt if restoring was refused.
    std::optional<bool> hitRestored = std::nullopt;
    std::int64_t restoredTokens = 0;  ///< tokens that were to be restored
    std::string restoreNote = {};     ///< reason for refusing; empty if there was none
    std::int64_t evictions = 0;
    double liveOfLogical = 1;  ///< ratio of bytes, after the compaction or at the end
    double bitsPerNumber = 0;  ///< at the same moment
    /// The newest compaction, or why there was none; nullopt if none was requested.
    std::optional<CompactionReport> compaction = std::nullopt;
};

struct RecallOutcome {
    RecallCount total;
    std::vector<std::pair<std::string, RecallCount>> byKind;  ///< "facts1@500", in order of
                                                              ///< appearance
    std::int64_t promptTokens = 0;
    std::int64_t evictions = 0;  ///< slots evicted or merged, over layers and heads
    std::int64_t compactions = 0;
    std::int64_t liveBytes = 0;     ///< sum over cases, after the compaction or at the end
    std::int64_t logicalBytes = 0;  ///< size of an uncompressed cache at the same moment
    double liveOfLogical = 1;       ///< mean over cases of live bytes over logical bytes
    double bitsPerNumber = 0;       ///< mean over cases (case_runner.h)
    /// With `restore`: cases missed at first whose tokens could be restored, and their hits after
    /// restoring.
    RecallCount missedRestored;
    RecallCount allRestored;           ///< the same over all cases whose tokens could be restored
    std::int64_t restoresRefused = 0;  ///< cases with more tokens than compactions could keep
    double restoreMs = 0;              ///< wall time of finding and restoring tokens
    std::int64_t restoredTokens = 0;   ///< sum over all cases
    double seconds = 0;
    double compactionMs = 0;  ///< wall time of all compactions
    double queriesMs = 0;     ///< part of it spent on passes for queries
    double measureMs = 0;     ///< part of it spent on measuring the loss
    LossFigures loss;         ///< over all cases
    std::string fullReason;   ///< why the newest uncompacted text was not compacted; empty if all
                              ///< were
    std::string note;  ///< why the rate does not, or not fully, measure compaction; may be empty
    std::vector<RecallRow> rows;
};

/// Asks every case with its own cache; an answer that contains the key is a hit. Errors: Range
/// (budget share), ContextFull, Cancelled, as promptTokens and Transformer::forward.
[[nodiscard]] Result<RecallOutcome> runRecall(Transformer& model, ThreadPool& pool,
                                              std::span<const RecallCase> cases,
                                              const RecallOptions& options);

enum class RecallDetail { Summary, WithRows };
[[nodiscard]] OrderedJson recallJson(const RecallOutcome& outcome,
                                     RecallDetail detail = RecallDetail::Summary);

}  // namespace lacuna
