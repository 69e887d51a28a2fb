#pragma once
/// \file
/// The driver of one sequence's compactions: asks the trigger when (compaction_trigger.h), has the
/// method plan what (compaction_method.h), and carries it out, at once or in the background. One
/// Compactor per sequence, owned by the engine thread; called after every step that drew a token,
/// between chunks of a prompt where prefill_policy says so, and once more at the end of a turn.
/// One that needs its text read again, or its loss measured, waits for the end of the turn where it
/// may: it then says what is to be read or measured, whoever runs the model does so in a pause and
/// hands in what came of it.
/// docs/eviction.md (arXiv 2406.11430 and others), "When a compaction fires";
/// docs/attention-matching.md (arXiv 2602.16284), "In the background", "One turn late".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/compaction_report.h"
#include "engine/compress/compaction_trigger.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/loss_gauge.h"
#include "engine/compress/matching_plan.h"
#include "engine/compress/query_source.h"
#include "engine/kv/attention_sinks.h"
#include "engine/kv/eviction/expected_attention.h"
#include "engine/kv/eviction/kept_spans.h"
#include "engine/kv/eviction/structural_tokens.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// What compaction needs to know of the model.
struct CompactorModel {
    int heads = 0;      ///< query heads
    float scale = 0;    ///< attention scale, usually 1 / sqrt(headDim)
    float softCap = 0;  ///< of attention scores, 0: none
    std::shared_ptr<const AttentionSinks> sinks = {};  ///< or null
    std::uint64_t seed = 0;        ///< for sampling reference queries and the Random policy
    HeadProfiles profiles = {};    ///< what was measured of its heads
    std::string profileNote = {};  ///< why one is missing although a file lies there, or empty
    /// The id of a compaction that begins; empty: the compactor counts its own.
    std::function<std::int64_t()> nextId = {};
    std::vector<int> slidingLayers = {};  ///< see a window only; attention matching leaves them
                                          ///< whole
    EvictionPolicy familyPolicy = EvictionPolicy::KeyDiff;  ///< what Auto stands for
    QueryRotation rotation = {};                            ///< of layers that see everything
    std::function<TokenForm(TokenId)> form = {};            ///< of each token's text; or empty
    /// Threads of a compaction in the background, and their priority below the caller's. Without
    /// any, every compaction is done at once, whatever the options say.
    int backgroundThreads = 0;
    int backgroundNiceness = 10;
    /// Whether the owner measures losses in the pause after a turn (measures()). Where it does not,
    /// a loss is limited only by calls that bring a gauge.
    bool lossInPauses = false;
};

/// Whether a step may end while a compaction goes on. Between the chunks of a prompt it may not:
/// the cache would grow by the rest of the prompt meanwhile.
enum class CompactionPace { Beside, AtOnce };

/// A safe point at which the driver is called.
struct CompactionPoint {
    CompactionPace pace = CompactionPace::Beside;
    BackgroundOrder order = BackgroundOrder::WhenReady;
    /// Makes queries that nobody asked, where the options want such and nothing can wait for them.
    QueryReader reader = {};
    /// Measures losses where the options limit them and nothing can wait for that; or null.
    LossGauge* gauge = nullptr;
};

/// A compaction that somebody asks for, whatever the trigger says.
struct CompactionCall {
    /// Alongside: in the background, where the options want that; refused while one is running
    /// there. AtOnce: now; what runs in the background is broken off. Trial: at once on a copy of
    /// the cache that the compactor watches over, to see what would come of it. What runs in the
    /// background then goes on, and the next compaction of the cache itself is the one it would
    /// have been.
    enum class Mode { AtOnce, Beside, Trial };
    CompactionCause cause = CompactionCause::Manual;
    Mode mode = Mode::AtOnce;
    BackgroundOrder order = BackgroundOrder::WhenReady;
    QueryReader reader = {};     ///< as CompactionPoint::reader
    LossGauge* gauge = nullptr;  ///< as CompactionPoint::gauge
    /// Keeps an unanswered question as it is; false: where memory is short in spite of that.
    bool sparesQuestion = true;
};

/// How a compaction is tried, to see what would come of it.
struct ForesightCall {
    FitSample sample = {};    ///< of an attention matching
    QueryReader reader = {};  ///< as CompactionPoint::reader
    /// Asked on the caller's thread between groups of heads; true breaks off. Empty: never asked.
    std::function<bool()> brokenOff = {};
};

/// What came of it on a copy.
struct CompactionForesight {
    CompactionReport report;  ///< bytes and slots are those of the copy, as far as it was compacted
    MatchedHeads heads;       ///< of an attention matching
};

class Compactor {
  public:
    Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool, const Clock& clock);
    ~Compactor();

    /// The tokens that the cache covers, one a position, as they are whenever something is called
    /// here; they must outlive it. Without them no choice depends on what a token says.
    void reads(const std::vector<TokenId>& text);
    /// A turn begins whose tokens come after `first`, those of its answer after `answer` (0: not
    /// known): what a compaction one turn late is judged by, and what stays open after others.
    /// Tokens from `question` to `answer` are not compacted before the turn ends; where `question`
    /// is not known, as many before `answer` as the limits allow of a plain text.
    void beginTurn(Position first, Position answer = Position(0),
                   std::optional<Position> question = std::nullopt);
    /// The newest turn has ended, completely or not.
    void endTurn();
    /// Tokens that every compaction from now on leaves as they are, as far as they fit
    /// (roomForSpans); those that the cache has not yet count for nothing. What runs in the
    /// background goes on with those it began with.
    void keep(KeptSpans spans);
    /// Called before a compaction takes rows of a cache that none was taken from before, unless
    /// memory is what it is for.
    void beforeForgetting(std::function<void()> call);
    /// Observer to hand to the forward pass over `cache`, or null when `options` need no queries.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options);
    /// Collects what every method and policy needs: for runs that try several on one text.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache);
    /// To be called before a forward pass: what a compaction will need is kept from then on as
    /// tokens come, so that it is not gathered between two of them. Nothing is kept while nothing
    /// compacts.
    void beforeStep(KvCache& cache, const KvOptions& options);
    /// State against the cache as it is now. Costs O(layers x heads), no key is read.
    [[nodiscard]] CompactionState state(const KvCache& cache, const KvOptions& options) const;
    /// Compacts when over the trigger, in the background where that is wanted; goes on with what
    /// runs there, or waits for it at once. Nothing (and no work) otherwise.
    [[nodiscard]] std::optional<CompactionReport> afterStep(KvCache& cache,
                                                            const KvOptions& options,
                                                            const CompactionPoint& point = {});
    /// To be called once more after the last step of a turn, after endTurn: with TurnLate it
    /// compacts what stood before the turn, unless an earlier compaction is not over yet. What is
    /// due and waits for a pause begins with it.
    [[nodiscard]] std::optional<CompactionReport> afterTurn(KvCache& cache,
                                                            const KvOptions& options,
                                                            const CompactionPoint& point = {});
    /// Whether a compaction that is due is left for the pause after the turn, because the text is
    /// read again for it, or its loss measured, and may be so in the background.
    [[nodiscard]] bool waitsForPause(const KvCache& cache, const KvOptions& options) const;
    /// Whether a compaction of `cache` has its text read again first even where somebody waits.
    [[nodiscard]] bool readsText(const KvCache& cache, const KvOptions& options) const;
    /// What is to be read before a compaction goes on, the same object as long as it is the same
    /// reading; null where nothing is.
    [[nodiscard]] std::shared_ptr<const QueryWish> wish() const;
    /// How much of that was read, and that it took `ms` more.
    void readSoFar(double share, double ms);
    /// What came of it, or why nothing did, which the next best stands in for; Cancelled breaks the
    /// compaction off. The report when it came to an end: a fit goes on in the background, and it
    /// may be that more is to be read.
    [[nodiscard]] std::optional<CompactionReport> read(KvCache& cache, Result<TextReading> result);
    /// The number of the measurement that a compaction waits for; 0: none does. While wish() is
    /// null, the next candidate is to be tried on a copy of the cache, and what that copy keeps
    /// handed in.
    [[nodiscard]] int measures() const;
    /// Whether the copy is to be measured as it is: what was compacted already.
    [[nodiscard]] bool measuresAfterwards() const;
    /// As RatioSearch::endsMeasuring of the next candidate. @pre measures
    [[nodiscard]] std::optional<LossThresholds> endsMeasuring() const;
    /// Tokens from here on stay in any case. @pre measures
    [[nodiscard]] std::int64_t staysFrom() const;
    /// Compacts `copy` of the cache as the next candidate. Aborted where it was broken off, or
    /// where text is to be read first, which wish() then names. @pre measures, not
    /// measuresAfterwards
    [[nodiscard]] CompactionReport tryCandidate(KvCache& copy,
                                                const std::function<bool()>& brokenOff);
    /// How much of the measuring is done, and that it took `ms` more.
    void measuredSoFar(double share, double ms);
    /// What the candidate keeps, or why that is not known: the compaction is then skipped. The
    /// report when it came to an end; else another candidate is next, or it goes on elsewhere.
    [[nodiscard]] std::optional<CompactionReport> measured(KvCache& cache,
                                                           Result<KeptInformation> kept);
    /// Goes on with what runs in the background while no step is taken.
    [[nodiscard]] std::optional<CompactionReport> settle(
        KvCache& cache, BackgroundOrder order = BackgroundOrder::WhenReady);
    /// Compacts down to the target; Skipped with the reason when there is nothing to gain.
    [[nodiscard]] CompactionReport compact(KvCache& cache, const KvOptions& options,
                                           const CompactionCall& call = {});
    /// Does to `copy`, of the cache that this watches over, what a compaction that somebody asks
    /// for would do to the cache now: the same slots for every head, judged by the same queries.
    /// With a sample of heads the others stay as they are. Nothing is remembered of it: the next
    /// compaction is the one it would have been. Aborted where it was broken off.
    [[nodiscard]] CompactionForesight foresee(KvCache& copy, const KvOptions& options,
                                              const ForesightCall& call = {});
    [[nodiscard]] ThreadPool& pool() const;
    [[nodiscard]] bool busy() const;  ///< something runs in the background, or waits to be read
    /// Breaks what runs in the background off, in no time; the cache stays as it is.
    [[nodiscard]] std::optional<CompactionReport> abort(CompactionReason reason);
    /// Breaks off what ran under the compactor before this one, over the same sequence; its end is
    /// reported by the next afterStep, with what else was not reported yet.
    void takeOver(Compactor& before, CompactionReason reason);
    /// What was measured of the model's heads since. What runs in the background goes on with what
    /// it began with.
    void use(HeadProfiles profiles);
    /// Forgets reference queries at and after the given position (rollback) or all (new sequence).
    /// A compaction in the background that covers the position is broken off.
    void forgetFrom(Position position);

  private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
