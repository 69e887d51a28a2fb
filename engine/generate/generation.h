#pragma once
/// \file
/// One answer, a step at a time: prompt chunks, then tokens, until a reason to end. The caller owns
/// the time between two steps and may change every setting there. Owned by the engine thread.
///
/// A step has three parts, so that one forward pass can serve several answers (batch_step.h):
/// plan() says what is fed, take() draws from the rows that came out, compact() runs the compaction
/// driver once. step() is the three for an answer alone. A failed or cancelled step leaves the
/// cache as it was before the step; what earlier steps appended stays. Contract:
/// docs/generation-loop.md, "One step" and "Rules of the loop" (GL-1 to GL-11).
///
/// With draftTokens, a decode step feeds proposed tokens after the newest one and draws from each
/// row as if it had come alone; the first draw that differs from its proposal ends the step, and
/// what the cache holds of the rest is taken back before the compaction driver runs. Draw i depends
/// on the seed and i alone, so the answer is the one without proposals (SP-1 to SP-13).

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

/// Settings of a step; read again at each one, so that a change takes effect with the next.
struct GenerationSettings {
    KvOptions kv;
    SamplingOptions sampling;  ///< its seed is not read here
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    int prefillChunk = 128;  ///< tokens, at most those the transformer was made for
    int maxTokens = 512;     ///< most tokens of the answer
    int context = 0;         ///< most tokens of prompt and answer together
    /// First tokens that stay when a full context is shifted (GL-12); off: the answer ends there.
    std::optional<int> contextShift = std::nullopt;
    int draftTokens = 0;  ///< most tokens proposed for one step; 0: one token a step
};

struct GenerationRequest {
    std::vector<TokenId> prompt;
    std::vector<std::string> stopStrings = {};
    std::uint64_t seed = 0;
    AnswerRules rules = {};
    /// Made from the form of the rules; null when every text will do.
    std::unique_ptr<TokenConstraint> constraint = nullptr;
    /// Most tokens of the prompt that are not fed again, whatever the cache holds.
    std::int64_t mostReused = Sequence::kAnyTokens;
    /// Tokens of the prompt in front of its newest user message (questionStart), which compactions
    /// leave as it is until the answer has ended; not known: the end of what the cache does not
    /// hold yet (Compactor::beginTurn).
    std::optional<std::int64_t> question = std::nullopt;
};

/// A token of the answer and the whole characters that became clear with it.
struct DrawnToken {
    TokenId token = 0;
    std::string text;
    std::optional<TokenChances> chances;  ///< when the rules ask for them
};

/// What one step did.
struct GenerationStep {
    int tokens = 0;        ///< that the cache covers more than before
    bool prefill = false;  ///< a prompt chunk, no token drawn
    double stepMs = 0;     ///< wall time without compaction
    int drafted = 0;       ///< proposed tokens that were checked
    int accepted = 0;      ///< of them, those the model drew as well
    int shifted = 0;       ///< older tokens given up afterwards, because the context was full
    std::vector<DrawnToken> drawn;  ///< in order; several when proposals were accepted
    std::string rest;               ///< held-back text that became clear without a new token
    std::optional<CompactionReport> compaction;
    std::optional<FinishReason> finish;  ///< the answer ended with this step
};

/// What a compaction may make a pass for its queries with (text_pass.h).
struct PassMeans {
    Transformer& model;
    const ForwardOptions& forward;
    /// Most bytes that the cache of the pass may take.
    std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
    /// For a compaction that is running in the background, or needs such a pass.
    BackgroundOrder order = BackgroundOrder::WhenReady;
    /// Measures at once what a compaction loses, where the settings limit that.
    bool measuresLoss = false;
};

/// What one answer would feed in the next step; who gets how much: batch_step.h.
struct StepRequest {
    bool reading = false;         ///< a chunk of its prompt; otherwise the newest token
    int tokens = 1;               ///< of the chunk; 1 when not reading
    int proposals = 0;            ///< most drafted tokens after the newest one
    std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it came
};

/// What one answer feeds.
struct StepShare {
    std::size_t member = 0;  ///< index of its wish
    int tokens = 1;
    int proposals = 0;
};

/// A planned step: what it feeds, and the cache held ready to take proposals back. The cache is as
/// it was when this goes without having been taken.
struct PlannedStep {
    BatchRun run;
    SpeculationGuard speculation;
};

class Generation {
  public:
    /// Checks the request and brings the cache to the common start of the prompt; computes nothing.
    /// Errors: InvalidArgument (empty prompt, stop strings, rules), ContextFull (with both
    /// numbers), NoMemory.
    [[nodiscard]] static Result<std::unique_ptr<Generation>> start(
        Transformer& model, Sequence& sequence, GenerationRequest request,
        const GenerationSettings& settings);

    /// What the next step would feed. @pre not finished
    [[nodiscard]] StepRequest wish(const GenerationSettings& settings) const;
    /// Ends an answer that may have no further token, without a step; nothing when it goes on.
    [[nodiscard]] std::optional<GenerationStep> endIfFull(const GenerationSettings& settings);
    /// The run of the next step, of the size given; nothing has changed until take(). Valid until
    /// the next call. @pre not finished. Errors: Unsupported (the cache cannot take proposed tokens
    /// back), NoMemory.
    /// A cancel is heard while a draft model guesses; what it would have guessed is then left out.
    [[nodiscard]] Result<PlannedStep> plan(const StepShare& share,
                                           const GenerationSettings& settings,
                                           const ForwardOptions& options = {});
    /// Notes that the planned run was computed and draws from its rows [rows asked for,
    /// vocabulary]. Errors: Unsupported (the rules leave no token to draw), as the tokenizer's, and
    /// as Speculation::commit.
    [[nodiscard]] Result<GenerationStep> take(PlannedStep& planned, View<const float, 2> rows,
                                              const GenerationSettings& settings,
                                              const ForwardOptions& options = {});
    /// Runs the compaction driver and makes room in a full context, last in a step or after the end
    /// that endIfFull found. A cancel breaks a pass for queries off.
    void compact(const PassMeans& means, const GenerationSettings& settings, GenerationStep& step);

    /// Next chunk or token of an answer alone. @pre not finished
    /// Errors: as Transformer::forward and take(); Cancelled leaves everything as before the step.
    [[nodiscard]] Result<GenerationStep> step(Transformer& model,
                                              const GenerationSettings& settings,
                                              const ForwardOptions& options, const Clock& clock);
    /// Ends the answer from outside and returns the text that was still held back.
    [[nodiscard]] std::string finish();

    [[nodiscard]] bool finished() const { return finished_; }
    [[nodiscard]] bool inPrefill() const { return fedTokens() < promptTokens() - 1; }
    [[nodiscard]] std::int64_t promptTokens() const {
        return static_cast<std::int64_t>(request_.prompt.size());
    }
    [[nodiscard]] std::span<const TokenId> prompt() const { return request_.prompt; }
    [[nodiscard]] const PromptReuse& reuse() const { return reuse_; }
    [[nodiscard]] std::int64_t promptDone() const;  ///< prompt tokens that are or were in the cache
    /// Older tokens given up so far, because the context was full.
    [[nodiscard]] std::int64_t shifted() const { return shifted_; }
    [[nodiscard]] std::span<const TokenId> answer() const { return answer_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// The stop string that ended the answer, or empty.
    [[nodiscard]] const std::string& stopString() const { return stopString_; }

  private:
    Generation(const LoadedModel& model, Sequence& sequence, GenerationRequest request,
               StopStrings stops);
    [[nodiscard]] std::int64_t sequenceTokens() const { return sequence_.cache().offset().value; }
    /// Tokens of prompt and answer that the cache has seen.
    [[nodiscard]] std::int64_t fedTokens() const { return sequenceTokens() + shifted_; }
    [[nodiscard]] int shiftIfFull(const GenerationSettings& settings);
    [[nodiscard]] int proposalRoom(const GenerationSettings& settings) const;
    void chooseFed(const StepShare& share, const GenerationSettings& settings,
                   const ForwardOptions& options);
    [[nodiscard]] std::vector<TokenId> proposal(int most, const GenerationSettings& settings,
                                                const ForwardOptions& options);
    [[nodiscard]] Drafter& drafter() {
        return sequence_.drafter() != nullptr ? *sequence_.drafter() : ngrams_;
    }
    [[nodiscard]] Status drawTokens(View<const float, 2> rows, const GenerationSettings& settings,
                                    GenerationStep& step);
    [[nodiscard]] Result<TokenId> drawToken(std::span<const float> logits,
                                            const GenerationSettings& settings,
                                            GenerationStep& step);
    [[nodiscard]] Status takeToken(TokenId token, const GenerationSettings& settings,
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
    std::vector<TokenId> fed_;      ///< what the planned step feeds: a chunk, or the newest token
                                    ///< and proposals
    bool feedsPrompt_ = false;      ///< fed_ is a chunk
    std::int64_t shifted_ = 0;
    std::string text_;
    std::string stopString_;
    bool finished_ = false;
};

}  // namespace lacuna
