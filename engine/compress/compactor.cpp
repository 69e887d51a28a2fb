// The driver as a machine of four states; what a state needs is kept in it.
//
//     Tidying    holes that a compaction or a rollback left are closed in slices between tokens
//     Idle       nothing to do but to ask the trigger
//     Preparing  an eviction is in sight: a few heads are scored between each two tokens
//     Running    an attention matching goes on in the background, on a snapshot
//
//     Tidying -> Idle                no hole is left
//     Idle -> Preparing              the scores of the eviction to come can be begun
//     Idle, Preparing -> Tidying     a hole was found
//     any -> Running                 a compaction was started in the background
//     Running -> Tidying             it was taken over, failed, or was broken off
//     any -> Tidying                 a compaction was carried out at once, whatever its end
//     any but Running -> Tidying     the conversation went back

#include "engine/compress/compactor.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>
#include <variant>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/compaction_job.h"
#include "engine/compress/compaction_method.h"

namespace lacuna {
namespace {

struct Tidying {};
struct Idle {};
struct Preparing {
    PreparedScores scores;
};
struct Running {
    std::unique_ptr<CompactionJob> job;
};
using DriverState = std::variant<Tidying, Idle, Preparing, Running>;

/// Small ones are left for coming tokens, unless a fit is to read the cache.
enum class Holes { Large, All };

/// A compaction that is to be carried out.
struct Work {
    const KvOptions& settings;  ///< in force
    TriggerDecision decision;
    CompactionCause cause = CompactionCause::Budget;
    CompactionCall::Mode mode = CompactionCall::Mode::Beside;
    BackgroundOrder order = BackgroundOrder::WhenReady;
    const QueryReader& reader;
    Position turn{};  ///< of one turn late: where the newest began; 0: of no such
    /// What it is carried out with: the settings, or their like one turn late.
    [[nodiscard]] const KvOptions& options() const {
        return decision.late ? *decision.late : settings;
    }
    [[nodiscard]] bool ofACopy() const { return mode == CompactionCall::Mode::Trial; }
};

/// Stands in for the pass for queries of a recording in which a cancel came.
Result<ReferenceQueries> brokenOffPass(const QueryWish& /*wish*/) {
    return fail(ErrorCode::Cancelled, "the pass was broken off");
}

}  // namespace

struct Compactor::Impl {
    Impl(CompactorModel modelFacts, const KvShape& shape, ThreadPool& computePool,
         const Clock& wallClock)
        : model(std::move(modelFacts)),
          pool(computePool),
          clock(wallClock),
          methods(model, shape, pool, clock) {}

    [[nodiscard]] CompactionJob* job() const {
        const auto* running = std::get_if<Running>(&state);
        return running != nullptr ? running->job.get() : nullptr;
    }
    [[nodiscard]] bool inBackground(const KvOptions& options) const {
        return options.background && model.backgroundThreads > 0;
    }

    [[nodiscard]] CompactionReport carryOut(KvCache& cache, const Work& work);
    [[nodiscard]] CompactionEnd compact(KvCache& cache, const Work& work,
                                        CompactionAccount& account);
    [[nodiscard]] CompactionEnd start(KvCache& cache, MatchingWork matching,
                                      const KvOptions& settings, CompactionAccount& account);
    [[nodiscard]] std::optional<CompactionReport> goOn(KvCache& cache, BackgroundOrder order);
    [[nodiscard]] std::optional<CompactionReport> breakOff(const std::string& reason);
    void leaveRunning();
    [[nodiscard]] bool closeHoles(KvCache& cache, Holes which);
    void prepare(KvCache& cache, const KvOptions& options, const CompactionLimits& limits);
    [[nodiscard]] std::optional<CompactionReport> nextPending();
    [[nodiscard]] std::optional<CompactionReport> refuseOnce(const KvCache& cache,
                                                             const KvOptions& settings,
                                                             const TriggerDecision& decision);
    void forgetFinished() {
        std::erase_if(dismissed, [](const auto& work) { return work->finished(); });
    }

    CompactorModel model;
    // constant after construction
    ThreadPool& pool;
    const Clock& clock;

    CompactionMethods methods;
    DriverState state;
    TurnPlace turn;                          ///< of the newest turn
    std::optional<FailedCompaction> failed;  ///< the newest, unless another followed it
    std::optional<KvOptions> refusedUnder;   ///< settings whose refusal was reported last
    std::deque<CompactionReport> pending;    ///< ends that were not reported yet
    std::vector<std::unique_ptr<BackgroundMatching>> dismissed;  ///< they give memory back
};

CompactionReport Compactor::Impl::carryOut(KvCache& cache, const Work& work) {
    const std::int64_t begin = clock.nowNs();
    if (!work.ofACopy())
        if (auto ended = breakOff("another compaction was asked for"))
            pending.push_back(std::move(*ended));
    // A fit reads slots in the order of time and without holes.
    while (work.options().method == CompactionMethod::AttentionMatching &&
           tidyCache(cache, kTidySliceBytes, pool, true)) {
    }
    CompactionAccount account(cache, work.options().method, work.cause, clock, begin);
    CompactionEnd end = compact(cache, work, account);
    if (!work.ofACopy()) {
        failed.reset();
        if (end.result == CompactionResult::Failed)
            failed = {account.figures().tokens, work.settings};
        if (end.result != CompactionResult::Started) state = Tidying{};
    }
    account.left(cache.stats());
    return account.closed(std::move(end));
}

CompactionEnd Compactor::Impl::compact(KvCache& cache, const Work& work,
                                       CompactionAccount& account) {
    if (work.decision.trigger != Trigger::Due)
        return {CompactionResult::Skipped, work.decision.why};
    // Scores are of slots as they lie in this cache, not in a copy; and where a limit comes
    // unforeseen, slots may have been moved up for its sake.
    const bool prepares = !work.ofACopy() && work.cause != CompactionCause::MemoryLimit;
    auto* preparing = prepares ? std::get_if<Preparing>(&state) : nullptr;
    const QueryReader breaksOff = brokenOffPass;
    const bool brokenOff = work.order == BackgroundOrder::BreakOff && !work.ofACopy();
    auto request =
        methods.request(cache,
                        {.options = work.options(),
                         .limits = work.decision.limits,
                         .turn = work.turn,
                         .reader = brokenOff ? breaksOff : work.reader,
                         .prepared = preparing != nullptr ? &preparing->scores : nullptr},
                        account);
    if (!request)
        return {CompactionResult::Aborted,
                "the pass for its queries was broken off; the cache is as it was before"};
    auto* matching = std::get_if<MatchingWork>(&*request);
    if (matching == nullptr || work.mode != CompactionCall::Mode::Beside ||
        !inBackground(work.options()))
        return methods.compactAtOnce(cache, *request, account);
    if (cache.snapshots() != nullptr)
        return start(cache, std::move(*matching), work.settings, account);
    account.note("this kind of cache has no snapshots, so it was compacted at once");
    return methods.compactAtOnce(cache, *request, account);
}

/// All that happens here is that pointers are shared.
CompactionEnd Compactor::Impl::start(KvCache& cache, MatchingWork matching,
                                     const KvOptions& settings, CompactionAccount& account) {
    const std::int64_t begin = clock.nowNs();
    auto snapshot = cache.snapshots()->snapshot();
    if (!snapshot) return failedWith(snapshot.error());
    account.goesOnBeside(account.figures().queriesMs + millisecondsSince(clock, begin));
    state = Running{std::make_unique<CompactionJob>(
        BackgroundWork{.snapshot = std::move(*snapshot),
                       .matching = std::move(matching),
                       .profile = model.profiles.of(settings.headBudgets),
                       .threads = model.backgroundThreads,
                       .niceness = model.backgroundNiceness},
        account, settings, clock)};
    return {CompactionResult::Started};
}

/// @pre Running
std::optional<CompactionReport> Compactor::Impl::goOn(KvCache& cache, BackgroundOrder order) {
    auto report = job()->advance(cache, order);
    if (!report) return report;
    if (report->result == CompactionResult::Failed)
        failed = {cache.offset().value, job()->settings()};
    leaveRunning();
    return report;
}

std::optional<CompactionReport> Compactor::Impl::breakOff(const std::string& reason) {
    if (job() == nullptr) return std::nullopt;
    CompactionReport report = job()->aborted(reason);
    leaveRunning();
    return report;
}

void Compactor::Impl::leaveRunning() {
    dismissed.push_back(job()->dismiss());
    state = Tidying{};
}

/// A slice of what the last compaction left open; whether there is more. Prepared scores are of
/// slots as they lie, so they are dropped when rows move.
bool Compactor::Impl::closeHoles(KvCache& cache, Holes which) {
    const bool more = tidyCache(cache, kTidySliceBytes, pool, which == Holes::All);
    if (more)
        state = Tidying{};
    else if (std::holds_alternative<Tidying>(state))
        state = Idle{};
    return more;
}

void Compactor::Impl::prepare(KvCache& cache, const KvOptions& options,
                              const CompactionLimits& limits) {
    // Rows are still to be moved.
    if (std::holds_alternative<Tidying>(state)) return;
    if (!methods.inSight(cache, options, limits)) return;
    if (!std::holds_alternative<Preparing>(state)) state = Preparing{};
    methods.prepare(std::get<Preparing>(state).scores, cache, options, limits);
}

std::optional<CompactionReport> Compactor::Impl::nextPending() {
    if (pending.empty()) return std::nullopt;
    CompactionReport report = std::move(pending.front());
    pending.pop_front();
    return report;
}

/// The first time under these settings; the state of the cache says it all the while.
std::optional<CompactionReport> Compactor::Impl::refuseOnce(const KvCache& cache,
                                                            const KvOptions& settings,
                                                            const TriggerDecision& decision) {
    if (refusedUnder == settings) return std::nullopt;
    refusedUnder = settings;
    return refusal(cache, settings.method, CompactionCause::Budget, decision.why);
}

Compactor::Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool,
                     const Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(model), shape, pool, clock)) {}

Compactor::~Compactor() = default;

void Compactor::beginTurn(Position first) {
    impl_->turn = {.before = first.value};
}

QueryObserver* Compactor::observer(const KvCache& cache, const KvOptions& options) {
    return impl_->methods.observer(cache, options,
                                   Position(static_cast<std::int32_t>(impl_->turn.before)));
}

QueryObserver* Compactor::observeAll(const KvCache& cache) {
    return impl_->methods.observeAll(cache);
}

QueryObserver* Compactor::matchingObserver() {
    return impl_->methods.matchingObserver();
}

void Compactor::beforeStep(KvCache& cache, const KvOptions& options) {
    const bool evicts = options.method == CompactionMethod::Eviction && options.budget.has_value();
    if (evicts && cache.compactable() != nullptr) cache.compactable()->keepNorms();
}

CompactionState Compactor::state(const KvCache& cache, const KvOptions& options) const {
    CompactionState state = describeState(cache, impl_->methods.forModel(options), impl_->turn);
    const CompactionJob* job = impl_->job();
    if (job == nullptr) return state;
    state.background = true;
    state.progress = job->share();
    state.explanation =
        format("compacting in the background, {:.0f} %", std::floor(state.progress * 100));
    return state;
}

std::optional<CompactionReport> Compactor::afterStep(KvCache& cache, const KvOptions& asked,
                                                     const CompactionPoint& point) {
    const bool atOnce = point.pace == CompactionPace::AtOnce;
    const KvOptions options = impl_->methods.forModel(asked);
    impl_->forgetFinished();
    if (const CompactionJob* job = impl_->job()) {
        if (!(job->settings() == options)) return impl_->breakOff("the settings were changed");
        return impl_->goOn(cache, atOnce ? BackgroundOrder::Wait : point.order);
    }
    if (auto report = impl_->nextPending()) return report;
    const TriggerDecision decision = decideAfterStep(cache, options, impl_->failed);
    if (decision.trigger == Trigger::Off) return std::nullopt;
    // Between two chunks the text is still growing.
    if (decision.trigger == Trigger::Refused && !atOnce)
        return impl_->refuseOnce(cache, options, decision);
    if (impl_->closeHoles(cache, Holes::Large) && !atOnce) return std::nullopt;
    if (decision.trigger == Trigger::Below) impl_->prepare(cache, options, decision.limits);
    if (decision.trigger != Trigger::Due) return std::nullopt;
    // A fit reads slots in the order of time and without holes.
    if (!atOnce && impl_->inBackground(options) &&
        options.method == CompactionMethod::AttentionMatching &&
        impl_->closeHoles(cache, Holes::All))
        return std::nullopt;
    return impl_->carryOut(
        cache, {.settings = options,
                .decision = decision,
                .mode = atOnce ? CompactionCall::Mode::AtOnce : CompactionCall::Mode::Beside,
                .order = point.order,
                .reader = point.reader});
}

std::optional<CompactionReport> Compactor::afterTurn(KvCache& cache, const KvOptions& asked,
                                                     const CompactionPoint& point) {
    impl_->turn.over = true;
    if (impl_->job() != nullptr) return std::nullopt;
    const KvOptions settings = impl_->methods.forModel(asked);
    const TriggerDecision decision = decideAfterTurn(cache, settings, impl_->turn, impl_->failed);
    if (decision.trigger == Trigger::Refused) return impl_->refuseOnce(cache, settings, decision);
    if (decision.trigger != Trigger::Due) return std::nullopt;
    return impl_->carryOut(cache,
                           {.settings = settings,
                            .decision = decision,
                            .order = point.order,
                            .reader = point.reader,
                            .turn = Position(static_cast<std::int32_t>(impl_->turn.before))});
}

std::optional<CompactionReport> Compactor::settle(KvCache& cache, BackgroundOrder order) {
    impl_->forgetFinished();
    if (impl_->job() != nullptr) return impl_->goOn(cache, order);
    return impl_->nextPending();
}

CompactionReport Compactor::compact(KvCache& cache, const KvOptions& asked,
                                    const CompactionCall& call) {
    if (call.mode == CompactionCall::Mode::Beside && impl_->job() != nullptr)
        return refusal(cache, asked.method, call.cause,
                       "a compaction is running in the background already");
    const KvOptions options = impl_->methods.forModel(asked);
    return impl_->carryOut(cache, {.settings = options,
                                   .decision = decideAsked(cache, options),
                                   .cause = call.cause,
                                   .mode = call.mode,
                                   .order = call.order,
                                   .reader = call.reader});
}

bool Compactor::busy() const {
    return impl_->job() != nullptr || !impl_->dismissed.empty();
}

std::optional<CompactionReport> Compactor::abort(const std::string& reason) {
    return impl_->breakOff(reason);
}

void Compactor::takeOver(Compactor& before, const std::string& reason) {
    if (auto ended = before.abort(reason)) before.impl_->pending.push_back(std::move(*ended));
    while (auto report = before.impl_->nextPending()) impl_->pending.push_back(std::move(*report));
}

void Compactor::use(HeadProfiles profiles) {
    impl_->model.profiles = std::move(profiles);
    impl_->model.profileNote.clear();
}

void Compactor::forgetFrom(Position position) {
    impl_->methods.forgetFrom(position);
    impl_->turn.before = std::min<std::int64_t>(impl_->turn.before, position.value);
    impl_->failed.reset();
    if (position.value <= 0) impl_->refusedUnder.reset();
    const CompactionJob* job = impl_->job();
    if (job != nullptr && position.value >= job->tokens()) return;
    if (auto ended = impl_->breakOff("the conversation went back into the tokens being compacted"))
        impl_->pending.push_back(std::move(*ended));
    impl_->state = Tidying{};
}

}  // namespace lacuna
