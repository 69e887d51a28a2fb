// The driver as a machine of five states; what a state needs is kept in it.
//
//     Tidying    holes that a compaction or a rollback left are closed in slices between tokens
//     Idle       nothing to do but to ask the trigger
//     Preparing  an eviction is in sight: a few heads are scored between each two tokens
//     Reading    a compaction waits for its text to be read again, which others do in a pause
//     Running    an attention matching goes on in the background, on a snapshot
//
//     Tidying -> Idle                no hole is left
//     Idle -> Preparing              the scores of the eviction to come can be begun
//     Idle, Preparing -> Tidying     a hole was found
//     any but Running -> Reading     a compaction in the background needs its text read again
//     Reading -> Reading             one reading is over, and another one is needed
//     Reading -> Running             all was read, and an attention matching goes on
//     Reading -> Tidying             all was read, the eviction carried out; or it was broken off
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
/// The cache stays as it is meanwhile: whoever goes on with the conversation ends it.
struct Reading {
    KvOptions settings;  ///< in force
    TriggerDecision decision;
    Position turn{};
    CompactionAccount account;
    std::vector<Result<TextReading>> done = {};           ///< or why there is none, in order
    std::shared_ptr<const QueryWish> wish = nullptr;      ///< the next one
    double share = 0;                                     ///< of it
    double ms = 0;                                        ///< that readings took
    std::optional<HeadProfiles> measured = std::nullopt;  ///< meanwhile
    /// What it is carried out with: the settings, or their like one turn late.
    [[nodiscard]] const KvOptions& options() const {
        return decision.late ? *decision.late : settings;
    }
};
struct Running {
    std::unique_ptr<CompactionJob> job;
};
using DriverState = std::variant<Tidying, Idle, Preparing, Reading, Running>;

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
    Position turn{};       ///< of one turn late: where the newest began; 0: of no such
    bool mayRead = false;  ///< as MethodWish::mayRead
    /// What it is carried out with: the settings, or their like one turn late.
    [[nodiscard]] const KvOptions& options() const {
        return decision.late ? *decision.late : settings;
    }
    [[nodiscard]] bool ofACopy() const { return mode == CompactionCall::Mode::Trial; }
};

/// Hands out in order what was read, and notes what is to be read next. A request that meets the
/// end of it is made again once that is there, and comes to the same place.
class ReadingList {
  public:
    explicit ReadingList(const std::vector<Result<TextReading>>& done) : done_(done) {}
    [[nodiscard]] Result<TextReading> operator()(const QueryWish& wish) {
        if (next_ < done_.size()) return done_[next_++];
        wanted_ = std::make_shared<const QueryWish>(wish);
        return fail(ErrorCode::Cancelled, "it is still to be read");
    }
    [[nodiscard]] std::shared_ptr<const QueryWish> wanted() const { return wanted_; }

  private:
    const std::vector<Result<TextReading>>& done_;
    std::size_t next_ = 0;
    std::shared_ptr<const QueryWish> wanted_;
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
    [[nodiscard]] std::span<const TokenId> textOf() const {
        return text == nullptr ? std::span<const TokenId>() : std::span(*text);
    }
    [[nodiscard]] Reading* reading() { return std::get_if<Reading>(&state); }
    [[nodiscard]] const Reading* reading() const { return std::get_if<Reading>(&state); }
    [[nodiscard]] bool inBackground(const KvOptions& options) const {
        return options.background && model.backgroundThreads > 0;
    }
    /// Whether a compaction that may wait first has its text read again.
    [[nodiscard]] bool readsFirst(const KvCache& cache, const KvOptions& options) const {
        return inBackground(options) && methods.readsText(cache, options, turn.over);
    }

    /// Whether Auto may have the text read again for a compaction that somebody asks for: a copy is
    /// made for somebody who waits, and memory that is short waits for nothing.
    [[nodiscard]] bool mayRead(const CompactionCall& call) const {
        if (call.mode == CompactionCall::Mode::Beside) return turn.over;
        return call.mode == CompactionCall::Mode::AtOnce &&
               call.cause != CompactionCause::MemoryLimit;
    }

    [[nodiscard]] CompactionReport carryOut(KvCache& cache, const Work& work);
    [[nodiscard]] CompactionReport beginReading(KvCache& cache, const Work& work,
                                                CompactionAccount account);
    [[nodiscard]] std::optional<CompactionReport> goOnReading(KvCache& cache);
    [[nodiscard]] CompactionReport brokenOffReading(std::string reason);
    void leaveReading(DriverState next);
    [[nodiscard]] CompactionEnd carryOut(KvCache& cache, MethodRequest request,
                                         const KvOptions& settings, CompactionAccount& account);
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
    void forgetFinished() {
        std::erase_if(dismissed, [](const auto& work) { return work->finished(); });
    }

    CompactorModel model;
    // constant after construction
    ThreadPool& pool;
    const Clock& clock;

    CompactionMethods methods;
    DriverState state;
    TurnPlace turn;                              ///< of the newest turn
    KeptSpans kept;                              ///< stay as they are
    std::function<void()> beforeForgetting;      ///< or empty
    const std::vector<TokenId>* text = nullptr;  ///< what the cache covers, or null
    std::optional<FailedCompaction> failed;      ///< the newest, unless another followed it
    std::deque<CompactionReport> pending;        ///< ends that were not reported yet
    std::vector<std::unique_ptr<BackgroundMatching>> dismissed;  ///< they give memory back
};

CompactionReport Compactor::Impl::carryOut(KvCache& cache, const Work& work) {
    const std::int64_t begin = clock.nowNs();
    if (!work.ofACopy())
        if (auto ended = breakOff("another compaction was asked for"))
            pending.push_back(std::move(*ended));
    if (work.decision.trigger == Trigger::Due && !work.ofACopy() && beforeForgetting &&
        work.cause != CompactionCause::MemoryLimit && cache.stats().compactions == 0)
        beforeForgetting();
    if (work.decision.trigger == Trigger::Due && work.mode == CompactionCall::Mode::Beside &&
        readsFirst(cache, work.options())) {
        CompactionAccount account(cache, work.options().method, work.cause, clock, begin);
        account.asked(work.decision.limits, cache.offset().value);
        return beginReading(cache, work, std::move(account));
    }
    // A fit reads slots in the order of time and without holes.
    while (work.options().method == CompactionMethod::AttentionMatching &&
           tidyCache(cache, kTidySliceBytes, pool, true)) {
    }
    CompactionAccount account(cache, work.options().method, work.cause, clock, begin);
    account.asked(work.decision.limits, cache.offset().value);
    CompactionEnd end = compact(cache, work, account);
    if (!work.ofACopy()) {
        failed.reset();
        if (end.result == CompactionResult::Failed)
            failed = {account.figures().tokens, work.settings};
        if (end.result != CompactionResult::Started) state = Tidying{};
    }
    account.left(cache, work.options().skipLayers);
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
    auto request = methods.request(cache,
                                   {.options = work.options(),
                                    .limits = work.decision.limits,
                                    .turn = work.turn,
                                    .reader = brokenOff ? breaksOff : work.reader,
                                    .prepared = preparing != nullptr ? &preparing->scores : nullptr,
                                    .mayRead = work.mayRead,
                                    .text = textOf(),
                                    .kept = cutTo(kept, cache.offset().value)},
                                   account);
    if (!request)
        return {CompactionResult::Aborted,
                "the pass for its queries was broken off; the cache is as it was before"};
    if (work.mode != CompactionCall::Mode::Beside || !inBackground(work.options()))
        return methods.compactAtOnce(cache, *request, account);
    return carryOut(cache, std::move(*request), work.settings, account);
}

/// In the background, where the method takes long enough for that.
CompactionEnd Compactor::Impl::carryOut(KvCache& cache, MethodRequest request,
                                        const KvOptions& settings, CompactionAccount& account) {
    auto* matching = std::get_if<MatchingWork>(&request);
    if (matching != nullptr && cache.snapshots() != nullptr)
        return start(cache, std::move(*matching), settings, account);
    if (matching != nullptr)
        account.note("this kind of cache has no snapshots, so it was compacted at once");
    return methods.compactAtOnce(cache, request, account);
}

/// What the request asks for is found by making it.
CompactionReport Compactor::Impl::beginReading(KvCache& cache, const Work& work,
                                               CompactionAccount account) {
    account.goesOnBeside(0);
    state = Reading{.settings = work.settings,
                    .decision = work.decision,
                    .turn = work.turn,
                    .account = account};
    if (auto ended = goOnReading(cache)) return *ended;
    // One turn late less may be asked for, and be known.
    if (reading() == nullptr) return account.closed({CompactionResult::Started});
    return account.closed({CompactionResult::Started, "its text is read again first"});
}

/// Makes the request with what was read. What it still misses is to be read next; else it is
/// carried out, and the report comes where that is not in the background. @pre Reading
std::optional<CompactionReport> Compactor::Impl::goOnReading(KvCache& cache) {
    const std::int64_t begin = clock.nowNs();
    Reading& one = *reading();
    // A fit reads slots in the order of time and without holes.
    while (one.options().method == CompactionMethod::AttentionMatching &&
           tidyCache(cache, kTidySliceBytes, pool, true)) {
    }
    CompactionAccount account = one.account;
    ReadingList list(one.done);
    const QueryReader reader = [&list](const QueryWish& wish) { return list(wish); };
    auto request = methods.request(cache,
                                   {.options = one.options(),
                                    .limits = one.decision.limits,
                                    .turn = one.turn,
                                    .reader = reader,
                                    .mayRead = true,
                                    .text = textOf(),
                                    .kept = cutTo(kept, cache.offset().value)},
                                   account);
    if (!request) {
        one.wish = list.wanted();
        one.share = 0;
        return std::nullopt;
    }
    account.figures().queriesMs = account.figures().backgroundMs = one.ms;
    const KvOptions settings = one.settings;
    CompactionEnd end = carryOut(cache, std::move(*request), settings, account);
    failed.reset();
    if (end.result == CompactionResult::Failed) failed = {account.figures().tokens, settings};
    if (end.result == CompactionResult::Started) return std::nullopt;
    leaveReading(Tidying{});
    account.paused(millisecondsSince(clock, begin));
    account.left(cache, settings.skipLayers);
    return account.closed(std::move(end));
}

/// @pre Reading
CompactionReport Compactor::Impl::brokenOffReading(std::string reason) {
    CompactionAccount account = reading()->account;
    account.figures().queriesMs = account.figures().backgroundMs = reading()->ms;
    leaveReading(Tidying{});
    return account.closed({CompactionResult::Aborted, std::move(reason)});
}

/// What was measured meanwhile counts from now on. @pre Reading
void Compactor::Impl::leaveReading(DriverState next) {
    std::optional<HeadProfiles> measured = std::move(reading()->measured);
    state = std::move(next);
    if (!measured) return;
    model.profiles = std::move(*measured);
    model.profileNote.clear();
}

/// All that happens here is that pointers are shared.
CompactionEnd Compactor::Impl::start(KvCache& cache, MatchingWork matching,
                                     const KvOptions& settings, CompactionAccount& account) {
    const std::int64_t begin = clock.nowNs();
    auto snapshot = cache.snapshots()->snapshot();
    if (!snapshot) return failedWith(snapshot.error());
    const double read = reading() != nullptr ? 0 : account.figures().queriesMs;
    account.goesOnBeside(read + millisecondsSince(clock, begin));
    Running running{std::make_unique<CompactionJob>(
        BackgroundWork{.snapshot = std::move(*snapshot),
                       .matching = std::move(matching),
                       .profile = model.profiles.of(settings.headBudgets),
                       .threads = model.backgroundThreads,
                       .niceness = model.backgroundNiceness},
        account, settings, clock)};
    if (reading() != nullptr)
        leaveReading(std::move(running));
    else
        state = std::move(running);
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
    if (reading() != nullptr) return brokenOffReading(reason);
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

Compactor::Compactor(CompactorModel model, const KvShape& shape, ThreadPool& pool,
                     const Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(model), shape, pool, clock)) {}

Compactor::~Compactor() = default;

void Compactor::beginTurn(Position first, Position answer, std::optional<Position> question) {
    impl_->turn = {.before = first.value,
                   .answer = answer.value,
                   .question = {question.value_or(first).value, answer.value},
                   .plainText = !question};
}

void Compactor::endTurn() {
    impl_->turn.over = true;
}

void Compactor::keep(KeptSpans spans) {
    impl_->kept = std::move(spans);
}

void Compactor::beforeForgetting(std::function<void()> call) {
    impl_->beforeForgetting = std::move(call);
}

QueryObserver* Compactor::observer(const KvCache& cache, const KvOptions& options) {
    return impl_->methods.observer(cache, options,
                                   Position(static_cast<std::int32_t>(impl_->turn.before)));
}

QueryObserver* Compactor::observeAll(const KvCache& cache) {
    return impl_->methods.observeAll(cache);
}

void Compactor::beforeStep(KvCache& cache, const KvOptions& options) {
    const bool evicts = options.method == CompactionMethod::Eviction && options.budget.has_value();
    if (evicts && cache.compactable() != nullptr) cache.compactable()->keepNorms();
}

CompactionState Compactor::state(const KvCache& cache, const KvOptions& options) const {
    CompactionState state = describeState(cache, impl_->methods.forModel(options), impl_->turn);
    const CompactionJob* job = impl_->job();
    const Reading* reading = impl_->reading();
    if (job == nullptr && reading == nullptr) {
        if (state.due && waitsForPause(cache, options))
            state.explanation = format(
                "due: {} slots per head, its text is read again first, when {} answer has ended",
                grouped(state.slots), impl_->turn.over ? "the next" : "this");
        return state;
    }
    state.background = true;
    state.progress = job != nullptr ? job->share() : reading->share;
    state.explanation = format(
        "{}, {:.0f} %", job != nullptr ? "compacting in the background" : "reading the text again",
        std::floor(state.progress * 100));
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
    if (impl_->reading() != nullptr) return impl_->breakOff("the conversation went on");
    if (auto report = impl_->nextPending()) return report;
    const TriggerDecision decision = decideAfterStep(cache, options, impl_->turn, impl_->failed);
    if (decision.trigger == Trigger::Off) return std::nullopt;
    if (impl_->closeHoles(cache, Holes::Large) && !atOnce) return std::nullopt;
    if (decision.trigger == Trigger::Below) impl_->prepare(cache, options, decision.limits);
    if (decision.trigger != Trigger::Due) return std::nullopt;
    if (!atOnce && impl_->readsFirst(cache, options)) return std::nullopt;  // afterTurn
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
    endTurn();
    if (impl_->job() != nullptr || impl_->reading() != nullptr) return std::nullopt;
    const KvOptions settings = impl_->methods.forModel(asked);
    const bool late = settings.compactWhen == CompactWhen::TurnLate;
    // What else is due by its budget was carried out after the step.
    if (!late && !impl_->readsFirst(cache, settings)) return std::nullopt;
    const TriggerDecision decision =
        late ? decideAfterTurn(cache, settings, impl_->turn, impl_->failed)
             : decideAfterStep(cache, settings, impl_->turn, impl_->failed);
    if (decision.trigger != Trigger::Due) return std::nullopt;
    return impl_->carryOut(
        cache, {.settings = settings,
                .decision = decision,
                .order = point.order,
                .reader = point.reader,
                .turn = Position(static_cast<std::int32_t>(late ? impl_->turn.before : 0)),
                .mayRead = impl_->inBackground(settings)});
}

bool Compactor::waitsForPause(const KvCache& cache, const KvOptions& asked) const {
    const KvOptions options = impl_->methods.forModel(asked);
    return options.compactWhen == CompactWhen::AtBudget && impl_->readsFirst(cache, options);
}

bool Compactor::readsText(const KvCache& cache, const KvOptions& asked) const {
    return impl_->methods.readsText(cache, impl_->methods.forModel(asked), false);
}

std::shared_ptr<const QueryWish> Compactor::wish() const {
    const Reading* reading = impl_->reading();
    return reading != nullptr ? reading->wish : nullptr;
}

void Compactor::readSoFar(double share, double ms) {
    Reading* reading = impl_->reading();
    if (reading == nullptr) return;
    reading->share = share;
    reading->ms += ms;
}

std::optional<CompactionReport> Compactor::read(KvCache& cache, Result<TextReading> result) {
    Reading* reading = impl_->reading();
    if (reading == nullptr) return std::nullopt;
    if (!result && result.error().code == ErrorCode::Cancelled)
        return impl_->breakOff("the reading of its text was broken off");
    reading->done.push_back(std::move(result));
    return impl_->goOnReading(cache);
}

std::optional<CompactionReport> Compactor::settle(KvCache& cache, BackgroundOrder order) {
    impl_->forgetFinished();
    if (impl_->job() != nullptr) return impl_->goOn(cache, order);
    return impl_->nextPending();
}

CompactionReport Compactor::compact(KvCache& cache, const KvOptions& asked,
                                    const CompactionCall& call) {
    if (call.mode == CompactionCall::Mode::Beside &&
        (impl_->job() != nullptr || impl_->reading() != nullptr))
        return refusal(cache, asked.method, call.cause,
                       "a compaction is running in the background already");
    KvOptions options = impl_->methods.forModel(asked);
    if (call.cause == CompactionCause::MemoryLimit) options.compactionFloor = 0;
    TurnPlace turn = impl_->turn;
    turn.over = turn.over || !call.sparesQuestion;
    return impl_->carryOut(cache, {.settings = options,
                                   .decision = decideAsked(cache, options, turn),
                                   .cause = call.cause,
                                   .mode = call.mode,
                                   .order = call.order,
                                   .reader = call.reader,
                                   .mayRead = impl_->mayRead(call)});
}

CompactionForesight Compactor::foresee(KvCache& copy, const KvOptions& asked,
                                       const ForesightCall& call) {
    const KvOptions options = impl_->methods.forModel(asked);
    const TriggerDecision decision = decideAsked(copy, options, impl_->turn);
    CompactionAccount account(copy, options.method, CompactionCause::Manual, impl_->clock,
                              impl_->clock.nowNs());
    account.asked(decision.limits, copy.offset().value);
    if (decision.trigger != Trigger::Due)
        return {account.closed({CompactionResult::Skipped, decision.why}), {}};
    // A fit reads slots in the order of time and without holes.
    while (options.method == CompactionMethod::AttentionMatching &&
           tidyCache(copy, kTidySliceBytes, impl_->pool, true)) {
    }
    auto request = impl_->methods.request(copy,
                                          {.options = options,
                                           .limits = decision.limits,
                                           .reader = call.reader,
                                           .trial = true,
                                           .mayRead = impl_->turn.over,
                                           .text = impl_->textOf(),
                                           .kept = cutTo(impl_->kept, copy.offset().value)},
                                          account);
    if (!request) return {account.closed({CompactionResult::Aborted, request.error().what}), {}};
    if (auto* matching = std::get_if<MatchingWork>(&*request)) {
        matching->request.sample = call.sample;
        matching->request.watch.brokenOff = call.brokenOff;
    }
    const auto plan = impl_->methods.plan(copy, *request, account);
    CompactionEnd end =
        plan ? impl_->methods.apply(copy, *plan, account) : failedWith(plan.error());
    if (!plan && plan.error().code == ErrorCode::Cancelled) end.result = CompactionResult::Aborted;
    account.left(copy, options.skipLayers);
    return {account.closed(std::move(end)), plan ? plan->heads : MatchedHeads{}};
}

bool Compactor::busy() const {
    return impl_->job() != nullptr || impl_->reading() != nullptr || !impl_->dismissed.empty();
}

std::optional<CompactionReport> Compactor::abort(const std::string& reason) {
    return impl_->breakOff(reason);
}

void Compactor::takeOver(Compactor& before, const std::string& reason) {
    if (before.impl_->turn.question == impl_->turn.question)
        impl_->turn.over = before.impl_->turn.over;
    if (auto ended = before.abort(reason)) before.impl_->pending.push_back(std::move(*ended));
    while (auto report = before.impl_->nextPending()) impl_->pending.push_back(std::move(*report));
}

void Compactor::reads(const std::vector<TokenId>& text) {
    impl_->text = &text;
}

void Compactor::use(HeadProfiles profiles) {
    if (Reading* reading = impl_->reading()) {
        reading->measured = std::move(profiles);
        return;
    }
    impl_->model.profiles = std::move(profiles);
    impl_->model.profileNote.clear();
}

void Compactor::forgetFrom(Position position) {
    impl_->methods.forgetFrom(position);
    impl_->turn.before = std::min<std::int64_t>(impl_->turn.before, position.value);
    if (position.value < impl_->turn.answer) impl_->turn.answer = 0;
    if (position.value <= impl_->turn.question.first) impl_->turn.question = {};
    impl_->failed.reset();
    const CompactionJob* job = impl_->job();
    if (job != nullptr && position.value >= job->tokens()) return;
    const Reading* reading = impl_->reading();
    if (reading != nullptr && position.value >= reading->account.figures().tokens) return;
    if (auto ended = impl_->breakOff("the conversation went back into the tokens being compacted"))
        impl_->pending.push_back(std::move(*ended));
    impl_->state = Tidying{};
}

}  // namespace lacuna
