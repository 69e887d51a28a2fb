#pragma once
/// \file
/// When, what and how to compact one sequence's cache, and why nothing happens when nothing does.
/// One Compactor per sequence, owned by the engine thread; called once after every forward pass.
/// docs/eviction.md (arXiv 2406.11430 and others), "When a compaction fires";
/// docs/attention-matching.md (arXiv 2602.16284), "In the background", "One turn late".

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/compress/query_source.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// What compaction needs to know of the model.
struct CompactorModel {
    int heads = 0;           ///< query heads
    float scale = 0;         ///< attention scale, usually 1 / sqrt(headDim)
    float softCap = 0;       ///< of attention scores, 0: none
    std::uint64_t seed = 0;  ///< for sampling reference queries and the Random policy
    std::shared_ptr<const HeadProfile> profile = nullptr;  ///< measured of its heads, or null
    std::string profileNote = {};  ///< why there is none although a file lies there, or empty
    std::vector<int> slidingLayers = {};  ///< see a window only; attention matching leaves them whole
    NormPolicy familyPolicy = NormPolicy::KeyDiff;  ///< what Auto stands for
    /// Threads of a compaction in the background, and their priority below the caller's. Without
    /// any, every compaction is done at once, whatever the options say.
    int backgroundThreads = 0;
    int backgroundNiceness = 10;
};

enum class CompactionCause { Budget, Manual, ConfigChange, MemoryLimit };

/// The line "compression active / idle, because ..." in numbers.
struct CompactionState {
    bool enabled = false;      ///< a method is chosen
    bool due = false;          ///< over the trigger now
    int slots = 0;             ///< now: of the largest head, or the mean where heads differ by plan
    int target = 0;            ///< slots per head after a compaction now
    int trigger = 0;           ///< fires when slots > trigger
    bool background = false;   ///< one is being worked on in the background
    double progress = 0;       ///< 0..1 of that
    std::string explanation;   ///< "idle: 1,912 of 2,112 slots before the next compaction"
};

/// Started is of compactions in the background only; Aborted also of those whose pass for queries
/// was broken off.
enum class CompactionResult { Done, Skipped, Failed, Started, Aborted };

/// What to do with a compaction that may be ready in the background. A recording says where it was
/// taken over; a replay holds it back before and waits for it there. BreakOff: a compaction that
/// needs a pass for its queries is given up, as it was when a cancel came.
enum class BackgroundOrder { WhenReady, Hold, Wait, BreakOff };

/// Whether a step may end while a compaction goes on. Between the chunks of a prompt it may not:
/// the cache would grow by the rest of the prompt meanwhile.
enum class CompactionPace { Beside, AtOnce };

struct CompactionReport {
    CompactionResult result = CompactionResult::Skipped;
    CompactionCause cause = CompactionCause::Budget;
    CompactionMethod method = CompactionMethod::None;
    std::string reason;  ///< why skipped or failed, as a sentence; notes on a success (policy replaced, ...)
    std::int64_t tokens = 0;  ///< logical length
    std::int64_t slotsBefore = 0, slotsAfter = 0;  ///< summed over layers and heads
    std::int64_t liveBytesBefore = 0, liveBytesAfter = 0;
    std::int64_t referenceQueries = 0;  ///< per KV head, AM only
    /// Mean over heads of the relative output error on queries held out of the fit; AM only.
    std::optional<double> heldOutError;
    double queriesMs = 0;  ///< wall time of the pass for queries; 0 where none was made
    double scoreMs = 0, selectMs = 0, fitMs = 0, applyMs = 0, totalMs = 0;  ///< wall time by stage
    bool background = false;
    double stallMs = 0;       ///< longest time that the conversation waited between two steps
    double backgroundMs = 0;  ///< wall time of the work beside the conversation, within totalMs
};

class Compactor {
 public:
    Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool, const Clock& clock);
    ~Compactor();

    /// A turn begins whose tokens come behind `first`: what a compaction one turn late goes by.
    void beginTurn(Position first);
    /// Observer to hand to the forward pass over `cache`, or null when `options` need no queries.
    [[nodiscard]] QueryObserver* observer(const KvCache& cache, const KvOptions& options);
    /// Collects what every method and policy needs: for runs that try several on one text.
    [[nodiscard]] QueryObserver* observeAll(const KvCache& cache);
    /// To be called before a forward pass: what a compaction will need is kept from then on as tokens
    /// come, so that it is not gathered between two of them. Nothing is kept while nothing compacts.
    void beforeStep(KvCache& cache, const KvOptions& options);
    /// State against the cache as it is now. Costs O(layers x heads), no key is read.
    [[nodiscard]] CompactionState state(const KvCache& cache, const KvOptions& options) const;
    /// Compacts when over the trigger, in the background where that is wanted; goes on with what
    /// runs there, or waits for it at once. Nothing (and no work) otherwise. `reader`, here and
    /// below, makes queries that nobody asked, where the options want such.
    [[nodiscard]] std::optional<CompactionReport> afterStep(
        KvCache& cache, const KvOptions& options, CompactionPace pace = CompactionPace::Beside,
        const QueryReader& reader = {});
    /// To be called once more after the last step of a turn: with CompactWhen::TurnLate it compacts
    /// what stood before the turn, unless an earlier compaction is not over yet.
    [[nodiscard]] std::optional<CompactionReport> afterTurn(KvCache& cache,
                                                            const KvOptions& options,
                                                            const QueryReader& reader = {});
    /// Starts a compaction in the background where that is wanted, else as compactNow.
    [[nodiscard]] CompactionReport compactSoon(KvCache& cache, const KvOptions& options,
                                               CompactionCause cause,
                                               const QueryReader& reader = {});
    /// Goes on with what runs in the background while no step is taken.
    [[nodiscard]] std::optional<CompactionReport> settle(KvCache& cache);
    /// How the next afterStep or settle treats it; then WhenReady again.
    void direct(BackgroundOrder order);
    [[nodiscard]] bool busy() const;  ///< something runs in the background
    /// Breaks it off, in no time; the cache stays as it is.
    [[nodiscard]] std::optional<CompactionReport> abort(const std::string& reason);
    /// Hands on what a compactor before this one had to say; the next afterStep returns it.
    void announce(std::optional<CompactionReport> report);
    /// Compacts now down to the target; Skipped with the reason when there is nothing to gain.
    [[nodiscard]] CompactionReport compactNow(KvCache& cache, const KvOptions& options,
                                              CompactionCause cause,
                                              const QueryReader& reader = {});
    /// The same on a copy of the cache that this compactor watches over, to see what would come of
    /// it: what runs in the background goes on, and the next compaction of the cache itself is the
    /// one it would have been.
    [[nodiscard]] CompactionReport tryOn(KvCache& copy, const KvOptions& options,
                                         const QueryReader& reader = {});
    /// Observer that collects queries for attention matching, whatever the options in force.
    [[nodiscard]] QueryObserver* matchingObserver();
    /// Forgets reference queries at and after the given position (rollback) or all (new sequence).
    /// A compaction in the background that covers the position is broken off.
    void forgetFrom(Position position);

 private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
