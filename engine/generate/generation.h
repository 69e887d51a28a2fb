#pragma once
/// \file
/// Generates one answer step by step: prompt chunks, then tokens, until it ends. Between two steps
/// the caller is in control and may change any setting. Owned by the engine thread.
///
/// A step has three parts, so that one forward pass can serve several answers (batch_step.h):
/// plan() selects what to feed, take() samples from the resulting rows, compact() runs the
/// compaction driver once. step() combines them for a single answer. A failed or cancelled step
/// leaves the cache as before the step; earlier steps are kept. Contract: docs/generation-loop.md,
/// "One step" and "Rules of the loop" (GL-1 to GL-11).
///
/// With draftTokens, a decode step feeds drafted tokens after the newest one and samples from each
/// row as if it were fed alone. The first draw that differs from its draft ends the step; the
/// remaining drafts are rolled back before the compaction driver runs. Draw i depends only on the
/// seed and i, so the answer is the same without drafts (SP-1 to SP-13).

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/generate/drafter.h"
#include "engine/generate/generation_options.h"
#include "engine/generate/sampler.h"
#include "engine/generate/sequence.h"
#include "engine/generate/stop_strings.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/speculation.h"
#include "engine/model/transformer.h"
#include "engine/text/tokenizer.h"
#include "engine/values/turn_values.h"

namespace lacuna {

/// Settings of a step, read at every step, so that a change takes effect with the next one.
struct GenerationSettings {
    KvOptions kv;
    SamplingOptions sampling;  ///< its seed is ignored here
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    int prefillChunk = 128;  ///< tokens, at most the transformer's limit
    int maxTokens = 512;     ///< maximum length of the answer
    int context = 0;         ///< maximum length of prompt and answer together
    /// Number of first tokens kept when a full context is shifted (GL-12); nullopt ends the answer
    /// instead.
    std::optional<int> contextShift = std::nullopt;
    int draftTokens = 0;  ///< maximum number of drafted tokens per step; 0 disables drafting
};

struct GenerationRequest {
    std::vector<TokenId> prompt;
    std::vector<std::string> stopStrings = {};
    std::uint64_t seed = 0;
    AnswerRules rules = {};
    /// Compiled from the form in the rules; null if any text is allowed.
    std::unique_ptr<TokenConstraint> constraint = nullptr;
    /// Maximum number of cached prompt tokens to reuse, whatever the cache holds.
    std::int64_t maxReused = Sequence::kAnyTokens;
    /// Number of prompt tokens before the newest user message (questionStart), which is not
    /// compacted until the answer has ended. If nullopt, the end of the reused tokens is used
    /// instead (Compactor::beginTurn).
    std::optional<std::int64_t> question = std::nullopt;
};

/// A token of the answer and the complete characters that became available with it.
struct DrawnToken {
    TokenId token = 0;
    std::string text;
    std::optional<TokenLogprobs> logprobs;  ///< if the rules request them
};

/// Result of one step.
struct GenerationStep {
    int tokens = 0;        ///< growth of the cache in tokens
    bool prefill = false;  ///< the step read a prompt chunk and sampled no token
    double stepMs = 0;     ///< wall time excluding compaction
    int drafted = 0;       ///< number of drafted tokens that were verified
    int accepted = 0;      ///< number of accepted drafted tokens
    int shifted = 0;       ///< older tokens dropped after the step because the context was full
    std::vector<DrawnToken> drawn;  ///< tokens in order; several if drafted tokens were accepted
    std::string rest;               ///< held-back text that became final without a new token
    std::optional<CompactionReport> compaction;
    std::optional<FinishReason> finish;  ///< set if the answer ended with this step
};

/// Resources of a compaction that needs a pass for its queries (text_pass.h).
struct PassContext {
    Transformer& model;
    const ForwardOptions& forward;
    /// Maximum size of the cache used by the pass.
    std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
    /// Applies to a compaction that runs in the background or needs such a pass.
    BackgroundPolicy policy = BackgroundPolicy::WhenReady;
    /// Measures the loss of a compaction immediately if the settings limit it.
    bool measuresLoss = false;
};

/// Demand of one answer for the next step; planStep() in batch_step.h divides the step.
struct StepRequest {
    bool reading = false;         ///< true for a chunk of the prompt, false for the newest token
    int tokens = 1;               ///< size of the chunk; 1 if not reading
    int proposals = 0;            ///< maximum number of drafted tokens after the newest one
    std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it was added
};

/// Share of one answer in a step.
struct StepShare {
    std::size_t member = 0;  ///< index of its request
    int tokens = 1;
    int proposals = 0;
};

/// A planned step and the guard that can roll back drafted tokens. If it is destroyed before
/// take(), the cache is unchanged.
struct PlannedStep {
    BatchRun run;
    SpeculationGuard speculation;
};

class Generation {
  public:
    /// Checks the request and truncates the cache to its common prefix with the prompt; computes
    /// nothing. Errors: InvalidArgument (empty prompt, stop strings, rules), ContextFull (with both
    /// numbers), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<Generation>> start(
        Transformer& model, Sequence& sequence, GenerationRequest request,
        const GenerationSettings& settings);

    /// Returns what the next step would feed. @pre !finished()
    [[nodiscard]] StepRequest request(const GenerationSettings& settings) const;
    /// Ends an answer that may not have another token; returns nullopt if it continues.
    [[nodiscard]] std::optional<GenerationStep> endIfFull(const GenerationSettings& settings);
    /// Plans the next step with the given size; nothing changes until take(). Valid until the next
    /// call. Cancelling while a draft model runs only omits its drafts. Errors: Unsupported (the
    /// cache cannot roll back drafted tokens), NoMemory. @pre !finished()
    [[nodiscard]] Result<PlannedStep> plan(const StepShare& share,
                                           const GenerationSettings& settings,
                                           const ForwardOptions& options = {});
    /// Records that the planned run was computed and samples from its rows [requested rows,
    /// vocabulary]. Errors: Unsupported (the rules allow no token), as the tokenizer's, and as
    /// Speculation::commit.
    [[nodiscard]] Result<GenerationStep> take(PlannedStep& planned, View<const float, 2> rows,
                                              const GenerationSettings& settings,
                                              const ForwardOptions& options = {});
    /// Runs the compaction driver and makes room in a full context. Called at the end of a step, or
    /// after endIfFull() has ended the answer. Cancelling aborts a pass for queries.
    void compact(const PassContext& dependencies, const GenerationSettings& settings,
                 GenerationStep& step);

    /// Performs the next step of a single answer. Errors: as Transformer::forward and take();
    /// Cancelled leaves everything as before the step. @pre !finished()
    [[nodiscard]] Result<GenerationStep> step(Transformer& model,
                                              const GenerationSettings& settings,
                                              const ForwardOptions& options, const Clock& clock);
    /// Ends the answer and returns the text that was still held back.
    [[nodiscard]] std::string finish();

    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] bool inPrefill() const { return fedTokens() < promptTokens() - 1; }
    [[nodiscard]] std::int64_t promptTokens() const {
        return static_cast<std::int64_t>(request_.prompt.size());
    }
    [[nodiscard]] std::span<const TokenId> prompt() const { return request_.prompt; }
    [[nodiscard]] const PromptReuse& reuse() const { return reuse_; }
    [[nodiscard]] std::int64_t promptDone() const;  ///< prompt tokens that are or were in the cache
    /// Total number of tokens dropped because the context was full.
    [[nodiscard]] std::int64_t shifted() const { return shifted_; }
    [[nodiscard]] std::span<const TokenId> answer() const { return answer_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// The stop string that ended the answer; empty if none did.
    [[nodiscard]] const std::string& stopString() const { return stopString_; }

  private:
    Generation(const LoadedModel& model, Sequence& sequence, GenerationRequest request,
               StopStrings stops);
    [[nodiscard]] std::int64_t sequenceTokens() const { return sequence_.cache().offset().value; }
    /// Number of tokens of prompt and answer that were fed.
    [[nodiscard]] std::int64_t fedTokens() const { return sequenceTokens() + shifted_; }
    [[nodiscard]] int shiftIfFull(const GenerationSettings& settings);
    [[nodiscard]] int proposalRoom(const GenerationSettings& settings) const;
    void chooseInputs(const StepShare& share, const GenerationSettings& settings,
                      const ForwardOptions& options);
    [[nodiscard]] std::vector<TokenId> proposal(int most, const GenerationSettings& settings,
                                                const ForwardOptions& options);
    [[nodiscard]] std::vector<float>* hiddenForDrafter(const GenerationSettings& settings);
    [[nodiscard]] Drafter& drafter() {
        return sequence_.drafter() != nullptr ? *sequence_.drafter() : ngrams_;
    }
    [[nodiscard]] Status drawTokens(View<const float, 2> rows, const GenerationSettings& settings,
                                    GenerationStep& step);
    [[nodiscard]] Result<TokenId> drawToken(std::span<const float> logits,
                                            const GenerationSettings& settings,
                                            GenerationStep& step);
    [[nodiscard]] Status acceptToken(TokenId token, const GenerationSettings& settings,
                                     GenerationStep& step);

    const LoadedModel& model_;
    Sequence& sequence_;
    const GenerationRequest request_;
    PromptReuse reuse_;
    Sampler sampler_;
    StreamDecoder decoder_;
    StopStrings stops_;
    NgramDrafter ngrams_;
    std::vector<TokenId> answer_;
    std::vector<TokenId> history_;  ///< prompt and answer, for the repetition penalty
    std::vector<TokenId> fed_;  ///< tokens of the planned step: a chunk, or the newest token and
                                ///< drafted ones
    bool feedsPrompt_ = false;  ///< fed_ is a chunk
    std::int64_t shifted_ = 0;
    std::string text_;
    std::string stopString_;
    bool finished_ = false;
};

}  // namespace lacuna
