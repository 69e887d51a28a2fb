#pragma once
/// \file
/// Drives the compactions of one sequence. It consults the trigger (compaction_trigger.h), lets the
/// method plan (compaction_method.h) and applies the plan, immediately or in the background. Each
/// sequence has one Compactor, owned by the engine thread. It is called after every generated
/// token, between prompt chunks if prefill_policy requires it, and again at the end of a turn. A
/// compaction that needs its text read again, or its loss measured, waits for the end of the turn
/// if it may. It then publishes the request; the owner of the model runs it in a pause and passes
/// in the result. A measurement that takes several pauses belongs to the tokens of its start
/// (pauseMeasuring). docs/eviction.md (arXiv:2406.11430 and others), "When a compaction fires";
/// docs/attention-matching.md (arXiv:2602.16284), "In the background", "One turn late".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/compaction_report.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/compress/driver/loss_gauge.h"
#include "engine/compress/driver/query_source.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/matching/matching_plan.h"
#include "engine/kv/attention_sinks.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/eviction/structural_tokens.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Properties of the model that compaction depends on.
struct CompactorModel {
    int heads = 0;      ///< query heads
    float scale = 0;    ///< attention scale, usually 1 / sqrt(headDim)
    float softCap = 0;  ///< soft cap of attention scores; 0: none
    std::shared_ptr<const AttentionSinks> sinks = {};  ///< may be null
    std::uint64_t seed = 0;        ///< for sampling reference queries and the Random policy
    HeadProfiles profiles = {};    ///< measurements of its heads
    std::string profileNote = {};  ///< reason why a profile is missing although its file exists;
                                   ///< may be empty
    /// Returns the id of a new compaction; if empty, the compactor counts its own.
    std::function<std::int64_t()> nextId = {};
    std::vector<int> slidingLayers = {};  ///< layers with a sliding window, which attention
                                          ///< matching does not compact
    EvictionPolicy familyPolicy = EvictionPolicy::KeyDiff;  ///< policy that Auto resolves to
    QueryRotation rotation = {};                            ///< rotation of full-attention layers
    std::function<TokenForm(TokenId)> form = {};  ///< form of each token's text; may be empty
    /// Threads of a background compaction, and their niceness relative to the caller. With 0
    /// threads every compaction runs synchronously, whatever the options say.
    int backgroundThreads = 0;
    int backgroundNiceness = 10;
    /// The owner measures losses in the pause after a turn (measures()). Otherwise a loss is
    /// limited only by calls that pass a gauge.
    bool lossInPauses = false;
};

/// Mode in which a compaction proceeds. Between the chunks of a prompt it must be Immediate,
/// because the cache would otherwise grow by the rest of the prompt before the compaction ends.
enum class CompactionPace { Background, Immediate };

/// A safe point at which the compactor is called.
struct CompactionPoint {
    CompactionPace pace = CompactionPace::Background;
    BackgroundPolicy policy = BackgroundPolicy::WhenReady;
    /// Makes queries by an extra forward pass, if the options need them and they cannot wait.
    QueryReader reader = {};
    /// Measures losses if the options limit them and the measurement cannot wait; or null.
    LossGauge* gauge = nullptr;
};

/// An explicitly requested compaction, independent of the trigger.
struct CompactionCall {
    /// Background: in the background if the options allow it; refused while another one is running
    /// there. Immediate: synchronously; cancels a background compaction. Trial: synchronously on a
    /// copy of the compactor's cache, as a dry run. A background compaction then continues, and the
    /// next compaction of the cache itself is unaffected.
    enum class Mode { Immediate, Background, Trial };
    CompactionCause cause = CompactionCause::Manual;
    Mode mode = Mode::Immediate;
    BackgroundPolicy policy = BackgroundPolicy::WhenReady;
    QueryReader reader = {};     ///< as CompactionPoint::reader
    LossGauge* gauge = nullptr;  ///< as CompactionPoint::gauge
    /// Protects an unanswered question; false if memory is short even so.
    bool protectsQuestion = true;
};

/// Options of a dry run.
struct CompactionTrialOptions {
    FitSample sample = {};    ///< heads to fit, for an attention matching
    QueryReader reader = {};  ///< as CompactionPoint::reader
    /// Polled on the caller's thread between groups of heads; true cancels. May be empty.
    std::function<bool()> cancelled = {};
};

/// Result of a dry run on a copy.
struct CompactionTrial {
    CompactionReport report;  ///< bytes and slots refer to the copy
    MatchedHeads heads;       ///< set by an attention matching
};

class Compactor {
  public:
    Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool, const Clock& clock);
    ~Compactor();

    /// Sets the tokens that the cache covers, one per position. They must be current at every call
    /// and outlive this object. Without them no choice depends on the text of a token.
    void reads(const std::vector<TokenId>& text);
    /// Starts a turn whose tokens come after `first`, and those of its answer after `answer` (0 if
    /// unknown). A compaction one turn late is evaluated on the turn, and other compactions keep it
    /// open. Tokens from `question` to `answer` are not compacted before the turn ends; if
    /// `question` is unknown, as many tokens before `answer` as the limits allow for plain text.
    void beginTurn(Position first, Position answer = Position(0),
                   std::optional<Position> question = std::nullopt);
    /// Ends the newest turn, whether it is complete or not.
    void endTurn();
    /// Sets tokens that every later compaction leaves unchanged, as far as they fit (roomForSpans).
    /// Tokens that are not in the cache yet are ignored. A background compaction continues with the
    /// spans it started with.
    void keep(KeptSpans spans);
    /// Sets a hook that is called before the first compaction of a cache, unless the cause is a
    /// lack of memory.
    void beforeEviction(std::function<void()> call);
    /// Observer to hand to the forward pass over `cache`, or null when `options` need no queries.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options);
    /// Returns an observer that collects data for every method and policy, for runs that try
    /// several on one text.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache);
    /// Must be called before a forward pass. From then on it keeps what a compaction will need as
    /// tokens arrive, so that it need not be gathered between two tokens. Does nothing while
    /// compaction is off.
    void beforeStep(KvCache& cache, const KvOptions& options);
    /// State relative to the current cache. Costs O(layers x heads); no key is read.
    [[nodiscard]] CompactionState state(const KvCache& cache, const KvOptions& options) const;
    /// Compacts if the cache is over the trigger, in the background if that is enabled. Advances a
    /// background compaction, or waits for it if Immediate. Otherwise returns nullopt without any
    /// work.
    [[nodiscard]] std::optional<CompactionReport> afterStep(KvCache& cache,
                                                            const KvOptions& options,
                                                            const CompactionPoint& point = {});
    /// Must be called again after the last step of a turn, after endTurn. With TurnLate it compacts
    /// the text before the turn, unless an earlier compaction is still running. A compaction that
    /// is due and waits for a pause starts here.
    [[nodiscard]] std::optional<CompactionReport> afterTurn(KvCache& cache,
                                                            const KvOptions& options,
                                                            const CompactionPoint& point = {});
    /// Returns true if a due compaction is postponed to the pause after the turn, because its text
    /// must be reread or its loss measured and both may happen in the background.
    [[nodiscard]] bool waitsForPause(const KvCache& cache, const KvOptions& options) const;
    /// Returns true if a compaction of `cache` first rereads its text even while an answer is
    /// pending.
    [[nodiscard]] bool readsText(const KvCache& cache, const KvOptions& options) const;
    /// Returns the text to be read before a compaction can continue, the same object for the same
    /// reading; null if there is none.
    [[nodiscard]] std::shared_ptr<const QueryRequest> request() const;
    /// Reports the progress of that reading, which took `ms` more.
    void reportReading(double share, double ms);
    /// Passes in the result of the reading, or the error. An error is replaced by the next best
    /// queries, except that Cancelled cancels the compaction. Returns the report if the compaction
    /// has ended; a fit continues in the background, and more text may have to be read.
    [[nodiscard]] std::optional<CompactionReport> read(KvCache& cache, Result<TextReading> result);
    /// Id of the compaction that waits for a measurement; 0 if there is none. If no reading is
    /// pending, the caller must try the next candidate on a copy of measuredCache() and pass in
    /// what that copy keeps.
    [[nodiscard]] std::int64_t measures() const;
    /// Must be called before the conversation continues, so that the measurement resumes in a later
    /// pause; otherwise the next step cancels it. Keeps the tokens that are measured as they are
    /// now. The compaction then changes only these tokens, by a plan that depends on nothing later.
    /// It is cancelled when the conversation is rolled back into them, except into those that it
    /// leaves open (openTokens). Does nothing if they are kept already. Errors: Incompatible (the
    /// conversation has continued), those of KvCache::share and Snapshots::snapshot. @pre measures
    [[nodiscard]] Status pauseMeasuring(KvCache& cache);
    /// Returns true while a measurement waits for the end of an answer.
    [[nodiscard]] bool measuresLater() const;
    /// Cache that is measured and copied for candidates: `cache`, which is that of the sequence, or
    /// the tokens that pauseMeasuring() kept.
    [[nodiscard]] KvCache& measuredCache(KvCache& cache) const;
    /// Tokens of that cache.
    [[nodiscard]] std::span<const TokenId> measuredTokens() const;
    /// Bytes of the tokens that pauseMeasuring() kept, without those shared with `cache`.
    [[nodiscard]] std::int64_t pausedBytes(const KvCache& cache) const;
    /// Returns true if the copy must be measured as it is, because it is already compacted.
    [[nodiscard]] bool measuresAfterwards() const;
    /// As RatioSearch::endsMeasuring of the next candidate. @pre measures
    [[nodiscard]] std::optional<LossThresholds> endsMeasuring() const;
    /// First token that is kept in any case, as are all later ones. @pre measures
    [[nodiscard]] std::int64_t keptFrom() const;
    /// Compacts `copy` of measuredCache() as the next candidate. Returns Aborted if it was
    /// cancelled, or if text must be read first. @pre measures, not measuresAfterwards
    [[nodiscard]] CompactionReport tryCandidate(KvCache& copy,
                                                const std::function<bool()>& cancelled);
    /// Reports the progress of the measurement, which took `ms` more.
    void measuredSoFar(double share, double ms);
    /// Passes in what the candidate keeps, or the error, which skips the compaction. Returns the
    /// report if the compaction has ended; otherwise another candidate follows, or the compaction
    /// continues elsewhere.
    [[nodiscard]] std::optional<CompactionReport> measured(KvCache& cache,
                                                           Result<KeptInformation> kept);
    /// Advances a background compaction while no step is taken.
    [[nodiscard]] std::optional<CompactionReport> settle(
        KvCache& cache, BackgroundPolicy policy = BackgroundPolicy::WhenReady);
    /// Compacts down to the target; returns Skipped with the reason if there is nothing to gain.
    [[nodiscard]] CompactionReport compact(KvCache& cache, const KvOptions& options,
                                           const CompactionCall& call = {});
    /// Compacts `copy` of the compactor's cache exactly as a requested compaction would compact the
    /// cache now: the same slots for every head and the same queries. With a sample of heads the
    /// others stay unchanged. Leaves no state behind, so the next compaction is unaffected. Returns
    /// Aborted if it was cancelled.
    [[nodiscard]] CompactionTrial simulate(KvCache& copy, const KvOptions& options,
                                           const CompactionTrialOptions& call = {});
    [[nodiscard]] ThreadPool& pool() const;
    [[nodiscard]] bool busy() const;  ///< true while a compaction runs in the background or waits
                                      ///< for a reading
    /// Cancels a background compaction without blocking; the cache stays unchanged.
    [[nodiscard]] std::optional<CompactionReport> abort(CompactionReason reason);
    /// Cancels the compaction of the previous compactor of the same sequence. The next afterStep
    /// returns its report, together with any other pending report.
    void takeOver(Compactor& before, CompactionReason reason);
    /// Replaces the measurements of the model's heads. A background compaction continues with those
    /// it started with.
    void use(HeadProfiles profiles);
    /// Drops reference queries at and after the given position (rollback) or all (new sequence).
    /// Cancels a background compaction that covers the position.
    void dropFrom(Position position);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
