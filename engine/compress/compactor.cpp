#include "engine/compress/compactor.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/elapsed.h"
#include "engine/base/number_text.h"
#include "engine/base/string_format.h"
#include "engine/compress/compaction_ask.h"
#include "engine/compress/compaction_at_once.h"
#include "engine/compress/compaction_job.h"
#include "engine/compress/compaction_note.h"
#include "engine/compress/compaction_policy.h"
#include "engine/compress/eviction_choice.h"
#include "engine/compress/late_compaction.h"
#include "engine/compress/matching_plan.h"
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction_plan.h"
#include "engine/kv/key_diff.h"
#include "engine/kv/prepared_scores.h"

namespace lacuna {
namespace {

// A compaction that failed is not tried again with every token.
constexpr std::int64_t kRetryAfterTokens = 64;

}  // namespace

struct Compactor::Impl {
    Impl(CompactorModel modelFacts, const KvShape& cacheShape, ThreadPool& computePool,
         const Clock& wallClock)
        : model(std::move(modelFacts)),
          pool(computePool),
          clock(wallClock),
          queries({cacheShape.layers, model.heads, cacheShape.kvHeads, cacheShape.keyDim},
                  model.seed),
          choice(model, pool) {}

    [[nodiscard]] CompactionReport carryOut(KvCache& cache, const CompactionAsk& ask);
    [[nodiscard]] CompactionReport compact(KvCache& cache, const CompactionAsk& ask,
                                           CompactionReport report);
    [[nodiscard]] Result<FoundQueries> findFor(const KvCache& cache, const CompactionAsk& ask);
    [[nodiscard]] CompactionReport match(KvCache& cache, const SelectionRule& rule,
                                         const CompactionAsk& ask, FoundQueries found,
                                         CompactionReport report);
    [[nodiscard]] bool inBackground(const KvOptions& options) const {
        return options.background && model.backgroundThreads > 0;
    }
    [[nodiscard]] bool failedLately(const KvOptions& options, std::int64_t tokens) const {
        return failedAt && failedOptions == options && tokens < *failedAt + kRetryAfterTokens;
    }
    [[nodiscard]] std::optional<CompactionReport> advance(KvCache& cache);
    [[nodiscard]] std::optional<CompactionReport> abort(const std::string& reason);
    [[nodiscard]] KvOptions forModel(const KvOptions& options) const;
    [[nodiscard]] EvictionOptions evictionOptions(const KvOptions& options, int target);
    void prepare(KvCache& cache, const KvOptions& options, const CompactionLimits& limits);
    [[nodiscard]] bool tidy(KvCache& cache);

    CompactorModel model;
    ThreadPool& pool;
    const Clock& clock;
    ReferenceQueries queries;
    std::optional<std::int64_t> failedAt;  ///< tokens at the last failure
    KvOptions failedOptions;
    EvictionChoice choice;
    PreparedScores prepared;  ///< for the eviction that comes
    bool tidying = true;      ///< holes may be left to close
    BackgroundOrder order = BackgroundOrder::WhenReady;
    TurnPlace place;                         ///< of the newest turn
    std::optional<CompactionReport> untold;  ///< an end that nobody has heard of yet
    std::vector<std::unique_ptr<BackgroundMatching>> dismissed;  ///< they give memory back
    std::unique_ptr<CompactionJob> job;
};

/// The options with the layers that are left alone in this model where attention is gone by: what a
/// layer does not look at for its window says nothing.
KvOptions Compactor::Impl::forModel(const KvOptions& options) const {
    KvOptions own = options;
    const bool byAttention =
        own.method == CompactionMethod::AttentionMatching ||
        (own.method == CompactionMethod::L2 && goesByAttention(choice.wanted(options)));
    if (byAttention)
        own.skipLayers.insert(own.skipLayers.end(), model.slidingLayers.begin(),
                              model.slidingLayers.end());
    return own;
}

std::optional<CompactionReport> Compactor::Impl::advance(KvCache& cache) {
    auto report = job->advance(cache, std::exchange(order, BackgroundOrder::WhenReady));
    if (!report) return report;
    if (report->result == CompactionResult::Failed) {
        failedAt = cache.offset().value;
        failedOptions = job->options();
    }
    dismissed.push_back(job->dismiss());
    job.reset();
    return report;
}

std::optional<CompactionReport> Compactor::Impl::abort(const std::string& reason) {
    if (!job) return std::nullopt;
    CompactionReport report = job->aborted(reason);
    dismissed.push_back(job->dismiss());
    job.reset();
    return report;
}

/// In the background all that happens here is that pointers are shared.
CompactionReport Compactor::Impl::match(KvCache& cache, const SelectionRule& rule,
                                        const CompactionAsk& ask, FoundQueries found,
                                        CompactionReport report) {
    if (!model.profileNote.empty()) addNote(report.reason, model.profileNote);
    MatchingRequest request = matchingRequest(model, rule, ask.options);
    request.verbatim = ask.verbatim();
    const bool wanted = ask.mayStart && inBackground(ask.options);
    if (!wanted || !cache.capabilities().snapshots) {
        if (wanted)
            addNote(report.reason,
                    "this kind of cache has no snapshots, so it was compacted at once");
        return matchNow(cache, found.queries, request, {pool, clock}, std::move(report));
    }
    const std::int64_t begin = clock.nowNs();
    auto snapshot = cache.snapshot();
    if (!snapshot) return failed(std::move(report), snapshot.error());
    report.background = true;
    report.stallMs = report.queriesMs + millisecondsSince(clock, begin);
    job = std::make_unique<CompactionJob>(BackgroundWork{.snapshot = std::move(*snapshot),
                                                         .queries = std::move(found.queries),
                                                         .request = std::move(request),
                                                         .profile = model.profile,
                                                         .threads = model.backgroundThreads,
                                                         .niceness = model.backgroundNiceness},
                                          report, ask.settings, clock);
    report.result = CompactionResult::Started;
    return report;
}

/// Errors: Cancelled.
Result<FoundQueries> Compactor::Impl::findFor(const KvCache& cache, const CompactionAsk& ask) {
    const QueryWish wish{.source = ask.options.fitQueries,
                         .shape = queries.shape(),
                         .seed = model.seed,
                         .end = cache.offset(),
                         .turn = ask.turn};
    const bool pass = wish.source == QuerySource::Context || wish.source == QuerySource::Repeat;
    if (pass && !ask.trial && order == BackgroundOrder::BreakOff) {
        order = BackgroundOrder::WhenReady;
        return fail(ErrorCode::Cancelled, "the pass was broken off");
    }
    return findQueries(wish, queries, ask.reader, clock);
}

EvictionOptions Compactor::Impl::evictionOptions(const KvOptions& options, int target) {
    EvictionOptions eviction;
    eviction.rule = {.budget = target, .keepRecent = options.keepRecent, .nSink = options.nSink};
    eviction.coherence = options.coherence;
    eviction.skipLayers = options.skipLayers;
    eviction.seed = model.seed;
    eviction.prepared = &prepared;
    return eviction;
}

/// A slice of the scores that the next eviction will ask for, where that is in sight.
void Compactor::Impl::prepare(KvCache& cache, const KvOptions& options,
                              const CompactionLimits& limits) {
    if (options.method != CompactionMethod::L2) return;
    // Far from it even where no head has given a slot back yet: nothing is asked of the cache.
    if (keyDiffAnchorEnd(limits.trigger + 1, options.keepRecent) > cache.offset().value) return;
    EvictionOptions eviction = evictionOptions(options, limits.target);
    eviction.policy = choice.foreseen(options);
    const int steps = limits.trigger + 1 - compactableSlots(cache, options);
    prepared.advance(cache, eviction, steps, pool);
}

/// A slice of what the last compaction left open. Scores are of slots as they lie.
bool Compactor::Impl::tidy(KvCache& cache) {
    const bool more = cache.tidy(kTidySliceBytes, pool);
    if (tidying || more) prepared.clear();
    tidying = more;
    return more;
}

CompactionReport Compactor::Impl::compact(KvCache& cache, const CompactionAsk& ask,
                                          CompactionReport report) {
    const KvOptions& options = ask.options;
    const auto limits = compactionLimits(options, cache.offset().value);
    if (!limits) return skipped(std::move(report), describeState(cache, options).explanation);
    const int slots = compactableSlots(cache, options);
    if (slots <= limits->target)
        return skipped(std::move(report), format("nothing to gain: {} slots, the target is {}",
                                                 grouped(slots), grouped(limits->target)));
    EvictionOptions eviction = evictionOptions(options, limits->target);
    eviction.verbatim = ask.verbatim();
    if (ask.trial) eviction.prepared = nullptr;  // scores are of slots as they lie in the cache
    if (options.method == CompactionMethod::L2) {
        const std::int64_t start = clock.nowNs();
        choice.complete(cache, options, eviction, report.reason);
        report.scoreMs = millisecondsSince(clock, start);
        return evictNow(cache, eviction, {pool, clock}, std::move(report));
    }
    auto found = findFor(cache, ask);
    if (!found) {
        report.result = CompactionResult::Aborted;
        report.reason = "the pass for its queries was broken off; the cache is as it was before";
        return report;
    }
    report.queriesMs = found->ms;
    if (!found->note.empty()) addNote(report.reason, found->note);
    const int tokens = found->queries.tokens();
    if (tokens >= kFewestQueryTokens)
        return match(cache, eviction.rule, ask, std::move(*found), std::move(report));
    // The ratio still holds, so memory is bounded even where nothing was captured.
    eviction.coherence = LayerCoherence::PerHead;
    addNote(report.reason, format("queries of {} tokens were captured, at least {} are needed: "
                                  "KeyDiff chose the keys and values "
                                  "stay as they were",
                                  tokens, kFewestQueryTokens));
    return evictNow(cache, eviction, {pool, clock}, std::move(report));
}

CompactionReport Compactor::Impl::carryOut(KvCache& cache, const CompactionAsk& ask) {
    const std::int64_t start = clock.nowNs();
    if (!ask.trial)
        if (auto ended = abort("another compaction was asked for")) untold = std::move(ended);
    // A limit comes unforeseen, and slots may have been moved up for its sake.
    if (ask.cause == CompactionCause::MemoryLimit) prepared.clear();
    // A fit reads slots in the order of time and without holes.
    while (ask.options.method == CompactionMethod::AttentionMatching &&
           cache.tidy(kTidySliceBytes, pool, true)) {
    }
    CompactionReport report = compact(cache, ask, opened(cache, ask.options.method, ask.cause));
    if (!ask.trial) {
        prepared.clear();
        tidying = true;
        failedAt.reset();
    }
    if (!ask.trial && report.result == CompactionResult::Failed) {
        failedAt = report.tokens;
        failedOptions = ask.settings;
    }
    const KvStats after = cache.stats();
    report.slotsAfter = after.slotsTotal;
    report.liveBytesAfter = after.liveBytes;
    report.totalMs = millisecondsSince(clock, start);
    report.stallMs = report.totalMs;
    return report;
}

Compactor::Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool,
                     const Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(model), shape, pool, clock)) {}

Compactor::~Compactor() = default;

void Compactor::beginTurn(Position first) {
    impl_->place = {.before = first.value};
}

QueryObserver* Compactor::observer(const KvCache& cache, const KvOptions& options) {
    QueryObserver* policy = impl_->choice.observer(cache, options);
    if (options.method != CompactionMethod::AttentionMatching) return policy;
    if (options.fitQueries != QuerySource::Captured) return nullptr;
    const bool late = options.compactWhen == CompactWhen::TurnLate;
    impl_->queries.prefer(Position(late ? static_cast<std::int32_t>(impl_->place.before) : 0));
    return &impl_->queries;
}

QueryObserver* Compactor::observeAll(const KvCache& cache) {
    return impl_->choice.observeAll(cache, impl_->queries);
}

void Compactor::beforeStep(KvCache& cache, const KvOptions& options) {
    const bool evicts = options.method == CompactionMethod::L2 && options.budget.has_value();
    if (evicts) cache.keepNorms();
}

CompactionState Compactor::state(const KvCache& cache, const KvOptions& options) const {
    const KvOptions own = impl_->forModel(options);
    CompactionState state = own.compactWhen == CompactWhen::TurnLate
                                ? describeLate(cache, own, impl_->place)
                                : describeState(cache, own);
    if (!impl_->job) return state;
    state.background = true;
    state.progress = impl_->job->share();
    state.explanation =
        format("compacting in the background, {:.0f} %", std::floor(state.progress * 100));
    return state;
}

std::optional<CompactionReport> Compactor::afterStep(KvCache& cache, const KvOptions& asked,
                                                     CompactionPace pace,
                                                     const QueryReader& reader) {
    const bool atOnce = pace == CompactionPace::AtOnce;
    const KvOptions options = impl_->forModel(asked);
    std::erase_if(impl_->dismissed, [](const auto& work) { return work->finished(); });
    if (impl_->job && !(impl_->job->options() == options))
        return impl_->abort("the settings were changed");
    if (impl_->job && atOnce) impl_->order = BackgroundOrder::Wait;
    if (impl_->job) return impl_->advance(cache);
    if (impl_->untold) return std::exchange(impl_->untold, std::nullopt);
    const auto limits = compactionLimits(options, cache.offset().value);
    if (!limits) return std::nullopt;
    // What the last compaction left open is closed in slices, between tokens.
    if (impl_->tidy(cache) && !atOnce) return std::nullopt;
    if (options.compactWhen == CompactWhen::TurnLate) return std::nullopt;
    // No head holds more slots than tokens were seen: a short text need not be counted by head.
    if (cache.offset().value <= limits->trigger ||
        compactableSlots(cache, options) <= limits->trigger) {
        impl_->prepare(cache, options, *limits);
        return std::nullopt;
    }
    if (impl_->failedLately(options, cache.offset().value)) return std::nullopt;
    if (atOnce) return compactNow(cache, asked, CompactionCause::Budget, reader);
    // A fit reads slots in the order of time and without holes.
    if (impl_->inBackground(options) && options.method == CompactionMethod::AttentionMatching &&
        cache.tidy(kTidySliceBytes, impl_->pool, true))
        return std::nullopt;
    return compactSoon(cache, asked, CompactionCause::Budget, reader);
}

std::optional<CompactionReport> Compactor::afterTurn(KvCache& cache, const KvOptions& asked,
                                                     const QueryReader& reader) {
    const std::int64_t before = impl_->place.before;
    impl_->place.over = true;
    if (asked.compactWhen != CompactWhen::TurnLate || impl_->job || before == 0)
        return std::nullopt;
    const std::int64_t tokens = cache.offset().value;
    const KvOptions settings = impl_->forModel(asked);
    const KvOptions late = lateOptions(settings, tokens, before);
    const auto limits = compactionLimits(late, tokens);
    if (!limits || compactableSlots(cache, late) <= limits->trigger) return std::nullopt;
    if (impl_->failedLately(settings, tokens)) return std::nullopt;
    return impl_->carryOut(cache, {.settings = settings,
                                   .options = late,
                                   .cause = CompactionCause::Budget,
                                   .reader = reader,
                                   .mayStart = true,
                                   .turn = Position(static_cast<std::int32_t>(before))});
}

CompactionReport Compactor::compactSoon(KvCache& cache, const KvOptions& asked,
                                        CompactionCause cause, const QueryReader& reader) {
    if (impl_->job)
        return skipped(opened(cache, asked.method, cause),
                       "a compaction is running in the background already");
    const KvOptions options = impl_->forModel(asked);
    return impl_->carryOut(cache, {.settings = options,
                                   .options = options,
                                   .cause = cause,
                                   .reader = reader,
                                   .mayStart = true});
}

std::optional<CompactionReport> Compactor::settle(KvCache& cache) {
    std::erase_if(impl_->dismissed, [](const auto& work) { return work->finished(); });
    if (impl_->job) return impl_->advance(cache);
    return std::exchange(impl_->untold, std::nullopt);
}

void Compactor::direct(BackgroundOrder order) {
    impl_->order = order;
}

bool Compactor::busy() const {
    return impl_->job != nullptr || !impl_->dismissed.empty();
}

std::optional<CompactionReport> Compactor::abort(const std::string& reason) {
    return impl_->abort(reason);
}

void Compactor::announce(std::optional<CompactionReport> report) {
    if (report) impl_->untold = std::move(report);
}

CompactionReport Compactor::compactNow(KvCache& cache, const KvOptions& asked,
                                       CompactionCause cause, const QueryReader& reader) {
    const KvOptions options = impl_->forModel(asked);
    return impl_->carryOut(
        cache, {.settings = options, .options = options, .cause = cause, .reader = reader});
}

CompactionReport Compactor::tryOn(KvCache& copy, const KvOptions& asked,
                                  const QueryReader& reader) {
    const KvOptions options = impl_->forModel(asked);
    return impl_->carryOut(copy, {.settings = options,
                                  .options = options,
                                  .cause = CompactionCause::Manual,
                                  .reader = reader,
                                  .trial = true});
}

QueryObserver* Compactor::matchingObserver() {
    return &impl_->queries;
}

void Compactor::forgetFrom(Position position) {
    impl_->queries.forgetFrom(position);
    impl_->place.before = std::min<std::int64_t>(impl_->place.before, position.value);
    impl_->choice.forgetFrom(position);
    impl_->prepared.forgetFrom(position.value);
    impl_->tidying = true;
    impl_->failedAt.reset();
    if (impl_->job && position.value < impl_->job->tokens())
        announce(impl_->abort("the conversation went back into the tokens being compacted"));
}

}  // namespace lacuna
