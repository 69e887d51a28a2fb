// The compactor is a state machine with six states; each state owns the data it needs.
//
//     Defragmenting  closes holes left by a compaction or a rollback, in slices between tokens
//     Idle           only checks the trigger
//     Preparing      an eviction is in sight: scores a few heads between every two tokens
//     Measuring      a compaction waits until the owner of the model has measured its loss. If the
//                    conversation continues meanwhile, it keeps the tokens of its start, resumes in
//                    the next pause, and compacts only these tokens
//     Reading        a compaction waits until the owner of the model has read its text again
//     Running        an attention matching runs in the background on a snapshot
//
//     Defragmenting -> Idle             no hole is left
//     Idle -> Preparing                 the scores of the next eviction can be prepared
//     Idle, Preparing -> Defragmenting  a hole was found
//     any but Running -> Measuring      the loss of a compaction is limited
//     Measuring -> Reading, Running     a ratio was found; the compaction continues in background
//     Measuring -> Defragmenting        it was carried out at once, or no ratio is within the limit
//     any but Running -> Reading        a background compaction needs its text read again
//     Reading -> Reading                one reading is complete, and another one is needed
//     Reading -> Running                all readings are complete; an attention matching runs
//     Reading -> Defragmenting          all are complete and the eviction is applied, or cancelled
//     any -> Running                    a background compaction was started
//     Running -> Defragmenting          it was applied, failed or was cancelled
//     any -> Defragmenting              a compaction was carried out at once, with any result
//     any but Running -> Defragmenting  the conversation was rolled back

#include "engine/compress/driver/compactor.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <unordered_set>
#include <utility>
#include <variant>

#include "engine/base/clock.h"
#include "engine/compress/driver/compaction_job.h"
#include "engine/compress/driver/compaction_method.h"
#include "engine/compress/driver/ratio_search.h"

namespace lacuna {
namespace {

struct Defragmenting {};
struct Idle {};
struct Preparing {
    PreparedScores scores;
};
/// The cache does not change in this state: continuing the conversation ends it.
struct Reading {
    KvOptions settings;  ///< settings at the start
    TriggerDecision decision;
    Position turn{};
    CompactionReportBuilder account;
    std::vector<Result<TextReading>> done = {};  ///< readings so far in order, or their errors
    std::shared_ptr<const QueryRequest> request = nullptr;  ///< next reading
    double share = 0;                                       ///< progress of the next reading
    double ms = 0;                                          ///< total time of the readings
    double measureMs = 0;                                   ///< time of the preceding measurement
    std::optional<HeadProfiles> measured = std::nullopt;  ///< profiles that arrived in the meantime
    /// Options of the compaction: the settings or their one-turn-late version.
    [[nodiscard]] const KvOptions& options() const {
        return decision.late ? *decision.late : settings;
    }
};
/// The tokens that are measured, as they were when the conversation continued.
struct MeasuredPrefix {
    std::unique_ptr<KvCache> cache;     ///< shares rows with the sequence's cache
    std::unique_ptr<KvCache> snapshot;  ///< the same tokens, to be compacted and adopted by the
                                        ///< sequence's cache; null if nothing will be compacted
    std::unique_ptr<CompactionMethods> methods;  ///< observations of these tokens only
    std::vector<TokenId> text;
    KeptSpans kept;
};
/// The cache does not change in this state, as with Reading, unless the prefix was kept before.
struct Measuring {
    std::int64_t number = 0;  ///< id of the compaction
    KvOptions settings;       ///< settings at the start
    TriggerDecision decision;
    Position turn{};
    TurnPosition position;  ///< position of the newest turn at the start
    CompactionReportBuilder account;
    bool mayRead = false;  ///< as RequestedMethod::mayRead
    /// Nullopt: measures a compaction that was carried out without a measurement.
    std::optional<RatioSearch> search = std::nullopt;
    std::vector<Result<TextReading>> done = {};  ///< readings for the candidates, in order
    std::shared_ptr<const QueryRequest> request = nullptr;  ///< next reading
    double share = 0;                                       ///< progress of the measurement
    double ms = 0, readMs = 0;  ///< time of the measurement and of the readings
    std::optional<HeadProfiles> measured = std::nullopt;
    std::optional<MeasuredPrefix> prefix = std::nullopt;  ///< set once the conversation continued
    /// Number of tokens that must stay for the measurement to continue. Tokens that the compaction
    /// leaves open may be replaced.
    [[nodiscard]] std::int64_t tokens() const {
        return account.figures().tokens - (prefix ? decision.limits.open : 0);
    }
    /// Cache with the tokens that are measured; `cache` is that of the sequence.
    [[nodiscard]] KvCache& measuredCache(KvCache& cache) const {
        return prefix ? *prefix->cache : cache;
    }
};
struct Running {
    std::unique_ptr<CompactionJob> job;
};
using DriverState = std::variant<Defragmenting, Idle, Preparing, Measuring, Reading, Running>;

/// Small holes are left for new tokens, unless a fit will read the cache.
enum class Holes { Large, All };

/// A compaction to be carried out.
struct Work {
    const KvOptions& settings;  ///< settings that apply
    TriggerDecision decision;
    CompactionCause cause = CompactionCause::Budget;
    CompactionCall::Mode mode = CompactionCall::Mode::Background;
    BackgroundPolicy policy = BackgroundPolicy::WhenReady;
    const QueryReader& reader;
    Position turn{};       ///< one turn late: start of the newest turn; otherwise 0
    bool mayRead = false;  ///< as RequestedMethod::mayRead
    LossGauge* gauge = nullptr;
    const RatioSearch* search = nullptr;  ///< search that chose the ratio; null if nothing was
                                          ///< measured
    Measuring* pause = nullptr;           ///< state that measured it, or null
    double measureMs = 0;
    MeasuredPrefix* prefix = nullptr;  ///< tokens to compact instead of the whole cache, or null
    /// Options of the compaction: the settings or their version for one turn late or another ratio.
    [[nodiscard]] const KvOptions& options() const {
        return decision.late ? *decision.late : settings;
    }
    [[nodiscard]] bool ofACopy() const { return mode == CompactionCall::Mode::Trial; }
};

/// Replays the readings in order and records the next one that is needed. A request that runs out
/// of readings fails and is rebuilt when the next one is available; it then requests
/// the same readings.
class ReadingList {
  public:
    explicit ReadingList(const std::vector<Result<TextReading>>& done) : done_(done) {}
    [[nodiscard]] Result<TextReading> operator()(const QueryRequest& request) {
        if (next_ < done_.size()) return done_[next_++];
        wanted_ = std::make_shared<const QueryRequest>(request);
        return fail(ErrorCode::Cancelled, "the text must be read first");
    }
    [[nodiscard]] std::shared_ptr<const QueryRequest> wanted() const { return wanted_; }

  private:
    const std::vector<Result<TextReading>>& done_;
    std::size_t next_ = 0;
    std::shared_ptr<const QueryRequest> wanted_;
};

/// Reads on the first request and replays the readings to the following ones.
class ReadOnce {
  public:
    explicit ReadOnce(const QueryReader& reader) : reader_(reader) {}
    void again() { next_ = 0; }
    [[nodiscard]] QueryReader reader() {
        if (!reader_) return {};
        return [this](const QueryRequest& request) -> Result<TextReading> {
            if (next_ == done_.size()) done_.push_back(reader_(request));
            return done_[next_++];
        };
    }

  private:
    const QueryReader& reader_;
    std::vector<Result<TextReading>> done_;
    std::size_t next_ = 0;
};

/// Replaces the pass for queries when a replayed recording contains a cancellation.
Result<ReferenceQueries> cancelledPass(const QueryRequest& /*request*/) {
    return fail(ErrorCode::Cancelled, "the pass was cancelled");
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
    /// Returns true if a compaction that may wait first has its text reread.
    [[nodiscard]] bool readsFirst(const KvCache& cache, const KvOptions& options) const {
        return inBackground(options) && methods.readsText(cache, options, turn.over);
    }

    /// Returns true if Auto may have the text reread for a requested compaction. A trial has a
    /// waiting caller, and a lack of memory cannot wait.
    [[nodiscard]] bool mayRead(const CompactionCall& call) const {
        if (call.mode == CompactionCall::Mode::Background) return turn.over;
        return call.mode == CompactionCall::Mode::Immediate &&
               call.cause != CompactionCause::MemoryLimit;
    }
    /// Returns true if its loss is measured in a pause.
    [[nodiscard]] bool measuresFirst(const KvOptions& options) const {
        return model.lossInPauses && options.lossLimit.on();
    }
    /// Returns true if it is carried out only after its loss was measured. TriAttention compacts in
    /// the middle of an answer, so its loss is measured when the answer has ended.
    [[nodiscard]] bool measuresNow(const KvOptions& options) const {
        const bool inAnswers = options.method == CompactionMethod::Eviction &&
                               options.evictionPolicy == EvictionPolicy::TriAttention;
        return measuresFirst(options) && (turn.over || !inAnswers);
    }
    [[nodiscard]] bool waitsFirst(const KvCache& cache, const KvOptions& options) const {
        return measuresNow(options) || readsFirst(cache, options);
    }
    [[nodiscard]] Measuring* measuring() { return std::get_if<Measuring>(&state); }
    [[nodiscard]] const Measuring* measuring() const { return std::get_if<Measuring>(&state); }

    /// Marks the compaction as running concurrently and assigns its id.
    void continuesInBackground(CompactionReportBuilder& account, double ms) {
        std::int64_t& id = account.figures().id;
        if (id == 0) id = model.nextId ? model.nextId() : ++ids;
        account.continuesInBackground(ms);
    }
    [[nodiscard]] CompactionReport execute(KvCache& cache, const Work& work);
    [[nodiscard]] CompactionReportBuilder accountOf(const KvCache& cache, const Work& work,
                                                    std::int64_t startNs) const;
    [[nodiscard]] RatioSearch searchFor(const KvCache& cache, const KvOptions& options,
                                        const CompactionLimits& limits) const;
    [[nodiscard]] CompactionReport carryOutMeasured(KvCache& cache, Work work);
    [[nodiscard]] CompactionReport beginMeasuring(KvCache& cache, const Work& work);
    void measureAfterwards(const KvCache& cache, const KvOptions& settings);
    void measureWhatIs(const KvCache& cache, const KvOptions& settings);
    [[nodiscard]] std::optional<CompactionReport> leaveMeasuring(CompactionEnd end);
    [[nodiscard]] std::optional<CompactionReport> found(KvCache& cache);
    [[nodiscard]] CompactionReport compactPrefix(KvCache& cache, const Work& work);
    [[nodiscard]] CompactionEnd adopt(KvCache& cache, MeasuredPrefix& prefix,
                                      const MethodRequest& request,
                                      CompactionReportBuilder& account);
    [[nodiscard]] Result<MethodRequest> requestFor(KvCache& cache, const Work& work,
                                                   const QueryReader& reader,
                                                   PreparedScores* prepared, bool trial,
                                                   CompactionReportBuilder& account);
    [[nodiscard]] CompactionTrial startTrial(KvCache& copy, const Work& work,
                                             const CompactionTrialOptions& call);
    void note(const CompactionReport& report, const KvOptions& settings);
    [[nodiscard]] CompactionReport beginReading(KvCache& cache, const Work& work,
                                                CompactionReportBuilder account);
    [[nodiscard]] std::optional<CompactionReport> resumeReading(KvCache& cache);
    [[nodiscard]] CompactionReport cancelledReading(CompactionReason reason);
    void leaveReading(DriverState next);
    [[nodiscard]] CompactionEnd execute(KvCache& cache, MethodRequest request,
                                        const KvOptions& settings,
                                        CompactionReportBuilder& account);
    [[nodiscard]] CompactionEnd compact(KvCache& cache, const Work& work,
                                        CompactionReportBuilder& account);
    [[nodiscard]] CompactionEnd start(KvCache& cache, MatchingWork matching,
                                      const KvOptions& settings, CompactionReportBuilder& account);
    [[nodiscard]] CompactionEnd run(std::unique_ptr<KvCache> snapshot, MatchingWork matching,
                                    const KvOptions& settings, double stallMs,
                                    CompactionReportBuilder& account);
    [[nodiscard]] std::optional<CompactionReport> runSlice(KvCache& cache, BackgroundPolicy policy);
    [[nodiscard]] std::optional<CompactionReport> cancelJob(CompactionReason reason);
    void leaveRunning();
    [[nodiscard]] bool closeHoles(KvCache& cache, Holes which);
    void prepare(KvCache& cache, const KvOptions& options, const CompactionLimits& limits);
    [[nodiscard]] std::optional<CompactionReport> nextPending();
    void eraseFinished() {
        std::erase_if(dismissed, [](const auto& work) { return work->finished(); });
    }

    CompactorModel model;
    // constant after construction
    ThreadPool& pool;
    const Clock& clock;

    CompactionMethods methods;
    DriverState state;
    TurnPosition turn;                           ///< position of the newest turn
    KeptSpans kept;                              ///< tokens that stay unchanged
    std::function<void()> beforeEviction;        ///< may be empty
    const std::vector<TokenId>* text = nullptr;  ///< tokens that the cache covers, or null
    std::optional<FailedCompaction> failed;  ///< newest failure, unless another compaction followed
    std::int64_t failedStands = 0;           ///< a rollback before this token clears `failed`
    bool unmeasured = false;  ///< the newest compaction was not measured, although its loss is
                              ///< limited
    std::int64_t codesMeasured = 0;  ///< length of the text in tokens when its codes were measured
    bool askedMeanwhile = false;     ///< a compaction was requested for the end of the answer
    std::int64_t ids = 0;            ///< last id assigned, if the model assigns none
    std::deque<CompactionReport> pending;                        ///< reports not returned yet
    std::vector<std::unique_ptr<BackgroundMatching>> dismissed;  ///< cancelled work that is still
                                                                 ///< releasing memory
};

CompactionReport Compactor::Impl::execute(KvCache& cache, const Work& work) {
    const std::int64_t begin = clock.nowNs();
    if (!work.ofACopy() && work.pause == nullptr)
        if (auto ended = cancelJob(CompactionReason::OtherCompaction))
            pending.push_back(std::move(*ended));
    const bool due = work.decision.trigger == Trigger::Due && !work.ofACopy();
    if (due && work.search == nullptr && work.cause != CompactionCause::MemoryLimit) {
        if (work.mode == CompactionCall::Mode::Background && measuresNow(work.options()))
            return beginMeasuring(cache, work);
        if (work.gauge != nullptr && work.options().lossLimit.on())
            return carryOutMeasured(cache, work);
    }
    if (due && beforeEviction && work.cause != CompactionCause::MemoryLimit &&
        cache.stats().compactions == 0)
        beforeEviction();
    if (due && work.mode == CompactionCall::Mode::Background && readsFirst(cache, work.options()))
        return beginReading(cache, work, accountOf(cache, work, begin));
    // A fit reads slots in position order and without holes.
    while (work.options().method == CompactionMethod::AttentionMatching &&
           defragmentCache(cache, kDefragmentSliceBytes, pool, true)) {
    }
    CompactionReportBuilder account = accountOf(cache, work, begin);
    CompactionEnd end = compact(cache, work, account);
    if (!work.ofACopy()) {
        note(account.closed(end), work.settings);
        if (end.result != CompactionResult::Started) state = Defragmenting{};
    }
    account.left(cache, work.options().skipLayers);
    return account.closed(std::move(end));
}

/// A compaction that began in a pause is reported as background work.
CompactionReportBuilder Compactor::Impl::accountOf(const KvCache& cache, const Work& work,
                                                   std::int64_t startNs) const {
    CompactionReportBuilder account(cache, work.options().method, work.cause, clock, startNs);
    if (work.search == nullptr) {
        account.asked(work.decision.limits, cache.offset().value);
    } else {
        CompactionReport& figures = account.figures();
        figures.requestedRatio = work.decision.limits.requestedRatio;
        figures.limited = work.search->limited();
        figures.kept = work.search->best()->kept;
        figures.measureMs = work.measureMs;
        account.note(
            limitNotes(*work.search, work.settings.lossLimit, work.decision.limits.requestedRatio));
    }
    if (work.cause == CompactionCause::MemoryLimit && work.settings.lossLimit.on())
        account.note({CompactionReason::CacheLimitIgnoresLoss});
    if (work.pause != nullptr) {
        account.figures().id = work.pause->account.figures().id;
        account.continuesInBackground(0);
        account.figures().backgroundMs = work.measureMs;
    }
    return account;
}

/// Records the result of a compaction, so that a failed one is not retried with every token.
void Compactor::Impl::note(const CompactionReport& report, const KvOptions& settings) {
    if (report.result == CompactionResult::Started) return;
    failed.reset();
    if (report.result == CompactionResult::Failed)
        failed = failedAt(report.tokens, settings);
    else if (report.limited)
        failed = limitedAt(report.tokens, settings);
    // A measurement of a text also holds without the end of the text.
    failedStands = report.limited ? report.tokens / 2 : report.tokens;
    if (report.result == CompactionResult::Done)
        unmeasured = measuresFirst(settings) && !report.kept;
}

/// The target must be smaller than a cache that is already compacted.
RatioSearch Compactor::Impl::searchFor(const KvCache& cache, const KvOptions& options,
                                       const CompactionLimits& limits) const {
    constexpr double kWorthwhile = 1.1;
    const auto tokens = static_cast<double>(cache.offset().value);
    const double now = tokens / std::max(meanSlots(cache, options.skipLayers), 1.0);
    return {options.lossLimit, tokens / std::max(limits.target, 1),
            std::max(kMinRatio, now * kWorthwhile)};
}

/// Measures the candidates one after the other and applies the best one.
CompactionReport Compactor::Impl::carryOutMeasured(KvCache& cache, Work work) {
    const std::int64_t begin = clock.nowNs();
    RatioSearch search = searchFor(cache, work.options(), work.decision.limits);
    const TriggerDecision asked = work.decision;
    ReadOnce once(work.reader);
    const QueryReader reader = once.reader();
    const auto ended = [&](CompactionResult result, CompactionNotes why) {
        CompactionReportBuilder account(cache, work.options().method, work.cause, clock, begin);
        account.figures().requestedRatio = asked.limits.requestedRatio;
        account.figures().limited = search.limited() && !search.best();
        account.figures().measureMs = millisecondsSince(clock, begin);
        account.left(cache, work.options().skipLayers);
        CompactionReport report = account.closed({result, std::move(why)});
        note(report, work.settings);
        return report;
    };
    while (const auto ratio = search.next()) {
        if (search.trials() > 0)
            work.decision = withRatio(asked, cache, work.settings, turn, *ratio);
        auto copy = cache.clone();
        if (!copy)
            return ended(CompactionResult::Failed,
                         {noteOf(CompactionReason::Failed, copy.error())});
        once.again();
        const CompactionTrial tried = startTrial(**copy, work, {.sample = {}, .reader = reader});
        if (tried.report.result != CompactionResult::Done)
            return ended(tried.report.result, tried.report.notes);
        // Holes would cost time with every repeated token.
        while (defragmentCache(**copy, kDefragmentSliceBytes, pool, true)) {
        }
        const auto measured = work.gauge->keptBy(**copy, search.endsMeasuring());
        if (!measured && measured.error().code == ErrorCode::Cancelled)
            return ended(CompactionResult::Aborted, {{CompactionReason::MeasuringCancelled}});
        if (!measured)
            return ended(CompactionResult::Skipped,
                         {noteOf(CompactionReason::LossNotMeasured, measured.error())});
        search.found(*measured);
    }
    if (!search.best())
        return ended(CompactionResult::Skipped,
                     limitNotes(search, work.settings.lossLimit, asked.limits.requestedRatio));
    work.decision = search.limited()
                        ? withRatio(asked, cache, work.settings, turn, search.best()->ratio)
                        : asked;
    once.again();
    return execute(cache, {.settings = work.settings,
                           .decision = work.decision,
                           .cause = work.cause,
                           .mode = work.mode,
                           .policy = work.policy,
                           .reader = reader,
                           .turn = work.turn,
                           .mayRead = work.mayRead,
                           .search = &search,
                           .measureMs = millisecondsSince(clock, begin)});
}

/// Closes all holes first, because every candidate must choose from the same order of slots,
/// whether the conversation continues meanwhile or not.
CompactionReport Compactor::Impl::beginMeasuring(KvCache& cache, const Work& work) {
    while (defragmentCache(cache, kDefragmentSliceBytes, pool, true)) {
    }
    CompactionReportBuilder account(cache, work.options().method, work.cause, clock, clock.nowNs());
    account.figures().requestedRatio = work.decision.limits.requestedRatio;
    continuesInBackground(account, 0);
    state = Measuring{.number = account.figures().id,
                      .settings = work.settings,
                      .decision = work.decision,
                      .turn = work.turn,
                      .position = turn,
                      .account = account,
                      .mayRead = work.mayRead,
                      .search = searchFor(cache, work.options(), work.decision.limits)};
    return account.closed({CompactionResult::Started, {{CompactionReason::MeasuredFirst}}});
}

/// Schedules the measurement of a compaction that was not measured. Its loss is only reported,
/// since it cannot be undone.
void Compactor::Impl::measureAfterwards(const KvCache& cache, const KvOptions& settings) {
    CompactionReportBuilder account(cache, settings.method, CompactionCause::Budget, clock,
                                    clock.nowNs());
    continuesInBackground(account, 0);
    const auto limits = compactionLimits(settings, cache.offset().value, turn);
    state = Measuring{.number = account.figures().id,
                      .settings = settings,
                      .decision = {.limits = limits.value_or(CompactionLimits{})},
                      .position = turn,
                      .account = account};
}

/// Measures the cache as it is if it was compacted without a measurement. If its rows are codes,
/// measures it again whenever the text has grown by a quarter.
void Compactor::Impl::measureWhatIs(const KvCache& cache, const KvOptions& settings) {
    if (!measuresFirst(settings)) return;
    const std::int64_t tokens = cache.offset().value;
    if (tokens < codesMeasured) codesMeasured = 0;
    const bool grown = tokens >= settings.compactionFloor && 4 * tokens >= 5 * codesMeasured;
    if (!unmeasured && !(cache.shape().coded() && grown)) return;
    codesMeasured = tokens;
    measureAfterwards(cache, settings);
}

/// Applies profiles that arrived in the meantime. A later measurement that failed is not reported.
/// @pre Measuring
std::optional<CompactionReport> Compactor::Impl::leaveMeasuring(CompactionEnd end) {
    Measuring one = std::move(*measuring());
    state = Defragmenting{};
    if (one.measured) {
        model.profiles = std::move(*one.measured);
        model.profileNote.clear();
    }
    if (!one.search && !one.account.figures().kept) return std::nullopt;
    one.account.figures().measureMs = one.ms;
    one.account.figures().queriesMs = one.readMs;
    one.account.figures().backgroundMs = one.ms + one.readMs;
    CompactionReport report = one.account.closed(std::move(end));
    if (one.search && report.result != CompactionResult::Aborted) note(report, one.settings);
    return report;
}

/// Ends the search and carries out the best ratio. @pre Measuring with a search
std::optional<CompactionReport> Compactor::Impl::found(KvCache& cache) {
    Measuring& pause = *measuring();
    const double asked = pause.decision.limits.requestedRatio;
    if (!pause.search->best()) {
        pause.account.figures().limited = true;
        pause.account.left(pause.measuredCache(cache), pause.settings.skipLayers);
        return leaveMeasuring({CompactionResult::Skipped,
                               limitNotes(*pause.search, pause.settings.lossLimit, asked)});
    }
    Measuring one = std::move(pause);
    state = Defragmenting{};
    ReadingList list(one.done);
    const QueryReader reader = [&list](const QueryRequest& request) { return list(request); };
    const Work work{
        .settings = one.settings,
        .decision = one.search->limited()
                        ? withRatio(one.decision, one.measuredCache(cache), one.settings,
                                    one.position, one.search->best()->ratio)
                        : one.decision,
        .cause = one.account.figures().cause,
        .mode = CompactionCall::Mode::Background,
        .reader = reader,
        .turn = one.turn,
        .mayRead = one.mayRead,
        .search = &*one.search,
        .pause = &one,
        .measureMs = one.ms + one.readMs,
        .prefix = one.prefix ? &*one.prefix : nullptr};
    CompactionReport report =
        work.prefix != nullptr ? compactPrefix(cache, work) : execute(cache, work);
    if (one.measured && reading() == nullptr) {
        model.profiles = std::move(*one.measured);
        model.profileNote.clear();
    }
    if (report.result == CompactionResult::Started) return std::nullopt;
    return report;
}

/// Compacts the measured tokens of a conversation that has continued. The cache adopts the result
/// together with the later tokens, as after a background matching.
CompactionReport Compactor::Impl::compactPrefix(KvCache& cache, const Work& work) {
    const std::int64_t begin = clock.nowNs();
    MeasuredPrefix& prefix = *work.prefix;
    const KvStats before = cache.stats();
    if (beforeEviction && before.compactions == 0) beforeEviction();
    CompactionReportBuilder account = accountOf(*prefix.cache, work, begin);
    account.figures().slotsBefore = before.slotsTotal;
    account.figures().liveBytesBefore = before.liveBytes;
    auto request = requestFor(*prefix.cache, work, work.reader, nullptr, false, account);
    CompactionEnd end{CompactionResult::Aborted, {{CompactionReason::QueriesCancelled}}};
    if (request) {
        methods.keepDecisions(*prefix.methods);
        auto* matching = std::get_if<MatchingWork>(&*request);
        end = matching != nullptr && inBackground(work.options())
                  ? run(std::move(prefix.snapshot), std::move(*matching), work.settings,
                        millisecondsSince(clock, begin), account)
                  : adopt(cache, prefix, *request, account);
    }
    note(account.closed(end), work.settings);
    if (end.result == CompactionResult::Started) return account.closed(std::move(end));
    account.paused(millisecondsSince(clock, begin));
    account.left(cache, work.options().skipLayers);
    return account.closed(std::move(end));
}

CompactionEnd Compactor::Impl::adopt(KvCache& cache, MeasuredPrefix& prefix,
                                     const MethodRequest& request,
                                     CompactionReportBuilder& account) {
    const auto plan = prefix.methods->plan(*prefix.cache, request, account);
    if (!plan) return failedWith(plan.error());
    if (!plan->touched) return {CompactionResult::Skipped, {{CompactionReason::NothingOverTarget}}};
    const std::int64_t applying = clock.nowNs();
    Status status = prefix.snapshot->compactable()->apply(plan->change);
    if (status) status = prefix.snapshot->snapshots()->follow(cache);
    if (status) status = cache.snapshots()->adopt(*prefix.snapshot);
    if (!status) {
        CompactionEnd end = failedWith(status.error());
        if (status.error().code == ErrorCode::Incompatible) end.result = CompactionResult::Aborted;
        return end;
    }
    account.figures().applyMs = millisecondsSince(clock, applying);
    return {CompactionResult::Done};
}

/// Builds the request of `work` for `cache`, which is that of the sequence, a copy or the measured
/// prefix.
Result<MethodRequest> Compactor::Impl::requestFor(KvCache& cache, const Work& work,
                                                  const QueryReader& reader,
                                                  PreparedScores* prepared, bool trial,
                                                  CompactionReportBuilder& account) {
    const MeasuredPrefix* const prefix = work.prefix;
    CompactionMethods& own = prefix != nullptr ? *prefix->methods : methods;
    return own.request(
        cache,
        {.options = work.options(),
         .limits = work.decision.limits,
         .turn = work.turn,
         .reader = reader,
         .prepared = prepared,
         .trial = trial,
         .mayRead = work.mayRead,
         .text = prefix != nullptr ? std::span<const TokenId>(prefix->text) : textOf(),
         .kept = cutTo(prefix != nullptr ? prefix->kept : kept, cache.offset().value)},
        account);
}

/// Applies `work` to a copy as it would be applied to the cache.
CompactionTrial Compactor::Impl::startTrial(KvCache& copy, const Work& work,
                                            const CompactionTrialOptions& call) {
    const KvOptions& options = work.options();
    CompactionReportBuilder account(copy, options.method, CompactionCause::Manual, clock,
                                    clock.nowNs());
    account.asked(work.decision.limits, copy.offset().value);
    if (work.decision.trigger != Trigger::Due)
        return {account.closed({CompactionResult::Skipped, {work.decision.reason}}), {}};
    // A fit reads slots in position order and without holes.
    while (options.method == CompactionMethod::AttentionMatching &&
           defragmentCache(copy, kDefragmentSliceBytes, pool, true)) {
    }
    auto request = requestFor(copy, work, call.reader, nullptr, true, account);
    if (!request)
        return {account.closed({CompactionResult::Aborted,
                                {noteOf(CompactionReason::Failed, request.error())}}),
                {}};
    if (auto* matching = std::get_if<MatchingWork>(&*request)) {
        matching->request.sample = call.sample;
        matching->request.watch.cancelled = call.cancelled;
    }
    const auto plan = methods.plan(copy, *request, account);
    CompactionEnd end = plan ? methods.apply(copy, *plan, account) : failedWith(plan.error());
    if (!plan && plan.error().code == ErrorCode::Cancelled) end.result = CompactionResult::Aborted;
    account.left(copy, options.skipLayers);
    return {account.closed(std::move(end)), plan ? plan->heads : MatchedHeads{}};
}

CompactionEnd Compactor::Impl::compact(KvCache& cache, const Work& work,
                                       CompactionReportBuilder& account) {
    if (work.decision.trigger != Trigger::Due)
        return {CompactionResult::Skipped, {work.decision.reason}};
    // Scores refer to the slots of this cache, not of a copy. When a memory limit is hit
    // unexpectedly, slots may have been moved because of it.
    const bool prepares = !work.ofACopy() && work.cause != CompactionCause::MemoryLimit;
    auto* preparing = prepares ? std::get_if<Preparing>(&state) : nullptr;
    const QueryReader cancels = cancelledPass;
    const bool cancelled = work.policy == BackgroundPolicy::Cancel && !work.ofACopy();
    auto request = requestFor(cache, work, cancelled ? cancels : work.reader,
                              preparing != nullptr ? &preparing->scores : nullptr, false, account);
    if (!request) return {CompactionResult::Aborted, {{CompactionReason::QueriesCancelled}}};
    if (work.mode != CompactionCall::Mode::Background || !inBackground(work.options()))
        return methods.compactAtOnce(cache, *request, account);
    return execute(cache, std::move(*request), work.settings, account);
}

/// Runs in the background if the method takes long enough for that.
CompactionEnd Compactor::Impl::execute(KvCache& cache, MethodRequest request,
                                       const KvOptions& settings,
                                       CompactionReportBuilder& account) {
    auto* matching = std::get_if<MatchingWork>(&request);
    if (matching != nullptr && cache.snapshots() != nullptr)
        return start(cache, std::move(*matching), settings, account);
    if (matching != nullptr) account.note({CompactionReason::NoSnapshots});
    return methods.compactAtOnce(cache, request, account);
}

/// Determines the required readings by building the request.
CompactionReport Compactor::Impl::beginReading(KvCache& cache, const Work& work,
                                               CompactionReportBuilder account) {
    continuesInBackground(account, 0);
    Reading begun{.settings = work.settings,
                  .decision = work.decision,
                  .turn = work.turn,
                  .account = account,
                  .measureMs = work.measureMs};
    if (work.pause != nullptr) {
        begun.done = std::move(work.pause->done);
        begun.measured = std::move(work.pause->measured);
    }
    state = std::move(begun);
    if (auto ended = resumeReading(cache)) return *ended;
    // One turn late the request may need less, and the data may already be present.
    if (reading() == nullptr) return account.closed({CompactionResult::Started});
    return account.closed({CompactionResult::Started, {{CompactionReason::ReadFirst}}});
}

/// Rebuilds the request with the readings so far. If it needs another one, that is read next;
/// otherwise the compaction is carried out, and the report is returned unless it continues in the
/// background. @pre Reading
std::optional<CompactionReport> Compactor::Impl::resumeReading(KvCache& cache) {
    const std::int64_t begin = clock.nowNs();
    Reading& one = *reading();
    // A fit reads slots in position order and without holes.
    while (one.options().method == CompactionMethod::AttentionMatching &&
           defragmentCache(cache, kDefragmentSliceBytes, pool, true)) {
    }
    CompactionReportBuilder account = one.account;
    ReadingList list(one.done);
    const QueryReader reader = [&list](const QueryRequest& request) { return list(request); };
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
        one.request = list.wanted();
        one.share = 0;
        return std::nullopt;
    }
    account.figures().queriesMs = one.ms;
    account.figures().backgroundMs = one.ms + one.measureMs;
    const KvOptions settings = one.settings;
    CompactionEnd end = execute(cache, std::move(*request), settings, account);
    note(account.closed(end), settings);
    if (end.result == CompactionResult::Started) return std::nullopt;
    leaveReading(Defragmenting{});
    account.paused(millisecondsSince(clock, begin));
    account.left(cache, settings.skipLayers);
    return account.closed(std::move(end));
}

/// @pre Reading
CompactionReport Compactor::Impl::cancelledReading(CompactionReason reason) {
    CompactionReportBuilder account = reading()->account;
    account.figures().queriesMs = reading()->ms;
    account.figures().backgroundMs = reading()->ms + reading()->measureMs;
    leaveReading(Defragmenting{});
    return account.closed({CompactionResult::Aborted, {{reason}}});
}

/// Applies profiles that arrived in the meantime. @pre Reading
void Compactor::Impl::leaveReading(DriverState next) {
    std::optional<HeadProfiles> measured = std::move(reading()->measured);
    state = std::move(next);
    if (!measured) return;
    model.profiles = std::move(*measured);
    model.profileNote.clear();
}

/// Only shares pointers.
CompactionEnd Compactor::Impl::start(KvCache& cache, MatchingWork matching,
                                     const KvOptions& settings, CompactionReportBuilder& account) {
    const std::int64_t begin = clock.nowNs();
    auto snapshot = cache.snapshots()->snapshot();
    if (!snapshot) return failedWith(snapshot.error());
    const double read = reading() != nullptr ? 0 : account.figures().queriesMs;
    return run(std::move(*snapshot), std::move(matching), settings,
               read + millisecondsSince(clock, begin), account);
}

CompactionEnd Compactor::Impl::run(std::unique_ptr<KvCache> snapshot, MatchingWork matching,
                                   const KvOptions& settings, double stallMs,
                                   CompactionReportBuilder& account) {
    continuesInBackground(account, stallMs);
    Running running{std::make_unique<CompactionJob>(
        BackgroundWork{.snapshot = std::move(snapshot),
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
std::optional<CompactionReport> Compactor::Impl::runSlice(KvCache& cache, BackgroundPolicy policy) {
    auto report = job()->advance(cache, policy);
    if (!report) return report;
    if (report->result == CompactionResult::Failed || report->limited ||
        report->result == CompactionResult::Done)
        note(*report, job()->settings());
    leaveRunning();
    return report;
}

std::optional<CompactionReport> Compactor::Impl::cancelJob(CompactionReason reason) {
    if (reading() != nullptr) return cancelledReading(reason);
    if (measuring() != nullptr) return leaveMeasuring({CompactionResult::Aborted, {{reason}}});
    if (job() == nullptr) return std::nullopt;
    CompactionReport report = job()->aborted(reason);
    leaveRunning();
    return report;
}

void Compactor::Impl::leaveRunning() {
    dismissed.push_back(job()->dismiss());
    state = Defragmenting{};
}

/// Closes some of the holes left by the last compaction; returns whether more are left. Prepared
/// scores refer to slots, so they are dropped when rows move.
bool Compactor::Impl::closeHoles(KvCache& cache, Holes which) {
    const bool more = defragmentCache(cache, kDefragmentSliceBytes, pool, which == Holes::All);
    if (more)
        state = Defragmenting{};
    else if (std::holds_alternative<Defragmenting>(state))
        state = Idle{};
    return more;
}

void Compactor::Impl::prepare(KvCache& cache, const KvOptions& options,
                              const CompactionLimits& limits) {
    // Rows are still to be moved.
    if (std::holds_alternative<Defragmenting>(state)) return;
    if (!methods.isNear(cache, options, limits)) return;
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

void Compactor::beforeEviction(std::function<void()> call) {
    impl_->beforeEviction = std::move(call);
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
    const Measuring* measuring = impl_->measuring();
    if (job == nullptr && reading == nullptr && measuring == nullptr) {
        if (state.due && waitsForPause(cache, options)) {
            const bool next = impl_->turn.over;
            state.limit.reset();
            if (impl_->measuresFirst(options))
                state.phase = next ? CompactionPhase::MeasuredAfterNextAnswer
                                   : CompactionPhase::MeasuredAfterThisAnswer;
            else
                state.phase = next ? CompactionPhase::ReadAfterNextAnswer
                                   : CompactionPhase::ReadAfterThisAnswer;
        }
        return state;
    }
    state.background = true;
    if (job != nullptr) {
        state.phase = CompactionPhase::Compacting;
        state.progress = job->share();
    } else if (reading != nullptr) {
        state.phase = CompactionPhase::Reading;
        state.progress = reading->share;
    } else {
        state.phase =
            measuresLater() ? CompactionPhase::MeasuredAfterThisAnswer : CompactionPhase::Measuring;
        state.progress = measuring->share;
    }
    return state;
}

std::optional<CompactionReport> Compactor::afterStep(KvCache& cache, const KvOptions& asked,
                                                     const CompactionPoint& point) {
    const bool atOnce = point.pace == CompactionPace::Immediate;
    const KvOptions options = impl_->methods.forModel(asked);
    impl_->eraseFinished();
    if (const CompactionJob* job = impl_->job()) {
        if (!(job->settings() == options))
            return impl_->cancelJob(CompactionReason::SettingsChanged);
        return impl_->runSlice(cache, atOnce ? BackgroundPolicy::Wait : point.policy);
    }
    const Measuring* const measuring = impl_->measuring();
    const bool paused = measuring != nullptr && measuring->prefix;
    if (paused && !(measuring->settings == options)) {
        if (auto report = impl_->cancelJob(CompactionReason::SettingsChanged)) return report;
    } else if (!paused && (impl_->reading() != nullptr || measuring != nullptr)) {
        if (auto report = impl_->cancelJob(CompactionReason::ConversationContinued)) return report;
    }
    if (auto report = impl_->nextPending()) return report;
    const TriggerDecision decision = decideAfterStep(cache, options, impl_->turn, impl_->failed);
    const bool waits = !atOnce && impl_->waitsFirst(cache, options);  // until afterTurn
    // A compaction that cannot wait replaces the one that is measured.
    if (impl_->measuring() != nullptr && (waits || decision.trigger != Trigger::Due))
        return std::nullopt;
    if (decision.trigger == Trigger::Off) return std::nullopt;
    if (impl_->closeHoles(cache, Holes::Large) && !atOnce) return std::nullopt;
    if (decision.trigger == Trigger::Below && !waits)
        impl_->prepare(cache, options, decision.limits);
    if (decision.trigger != Trigger::Due || waits) return std::nullopt;
    // A fit reads slots in position order and without holes.
    if (!atOnce && impl_->inBackground(options) &&
        options.method == CompactionMethod::AttentionMatching &&
        impl_->closeHoles(cache, Holes::All))
        return std::nullopt;
    return impl_->execute(
        cache, {.settings = options,
                .decision = decision,
                .mode = atOnce ? CompactionCall::Mode::Immediate : CompactionCall::Mode::Background,
                .policy = point.policy,
                .reader = point.reader,
                .gauge = point.gauge});
}

std::optional<CompactionReport> Compactor::afterTurn(KvCache& cache, const KvOptions& asked,
                                                     const CompactionPoint& point) {
    endTurn();
    const Measuring* const measuring = impl_->measuring();
    const bool reported = measuring != nullptr && !measuring->search;  // nothing depends on it
    if (impl_->job() != nullptr || impl_->reading() != nullptr ||
        (measuring != nullptr && !reported))
        return std::nullopt;
    const KvOptions settings = impl_->methods.forModel(asked);
    const bool late = settings.compactWhen == CompactWhen::TurnLate;
    if (std::exchange(impl_->askedMeanwhile, false) && impl_->measuresFirst(settings))
        return impl_->execute(cache, {.settings = settings,
                                      .decision = decideRequested(cache, settings, impl_->turn),
                                      .cause = CompactionCause::Manual,
                                      .policy = point.policy,
                                      .reader = point.reader,
                                      .mayRead = impl_->inBackground(settings)});
    // Other compactions due by their budget were carried out after the step.
    if (!late && !impl_->waitsFirst(cache, settings)) return std::nullopt;
    const TriggerDecision decision =
        late ? decideAfterTurn(cache, settings, impl_->turn, impl_->failed)
             : decideAfterStep(cache, settings, impl_->turn, impl_->failed);
    if (decision.trigger == Trigger::Due)
        return impl_->execute(
            cache, {.settings = settings,
                    .decision = decision,
                    .policy = point.policy,
                    .reader = point.reader,
                    .turn = Position(static_cast<std::int32_t>(late ? impl_->turn.before : 0)),
                    .mayRead = impl_->inBackground(settings),
                    .gauge = point.gauge});
    if (!reported) impl_->measureWhatIs(cache, settings);
    return std::nullopt;
}

bool Compactor::waitsForPause(const KvCache& cache, const KvOptions& asked) const {
    const KvOptions options = impl_->methods.forModel(asked);
    return options.compactWhen == CompactWhen::AtBudget && impl_->waitsFirst(cache, options);
}

bool Compactor::readsText(const KvCache& cache, const KvOptions& asked) const {
    return impl_->methods.readsText(cache, impl_->methods.forModel(asked), false);
}

std::shared_ptr<const QueryRequest> Compactor::request() const {
    if (const Measuring* measuring = impl_->measuring()) return measuring->request;
    const Reading* reading = impl_->reading();
    return reading != nullptr ? reading->request : nullptr;
}

void Compactor::reportReading(double share, double ms) {
    if (Measuring* measuring = impl_->measuring()) measuring->readMs += ms;
    Reading* reading = impl_->reading();
    if (reading == nullptr) return;
    reading->share = share;
    reading->ms += ms;
}

std::optional<CompactionReport> Compactor::read(KvCache& cache, Result<TextReading> result) {
    Measuring* measuring = impl_->measuring();
    Reading* reading = impl_->reading();
    if (reading == nullptr && measuring == nullptr) return std::nullopt;
    if (!result && result.error().code == ErrorCode::Cancelled)
        return impl_->cancelJob(CompactionReason::ReadingCancelled);
    if (measuring != nullptr) {
        measuring->request.reset();
        measuring->done.push_back(std::move(result));
        return std::nullopt;
    }
    reading->done.push_back(std::move(result));
    return impl_->resumeReading(cache);
}

std::int64_t Compactor::measures() const {
    const Measuring* measuring = impl_->measuring();
    return measuring != nullptr ? measuring->number : 0;
}

bool Compactor::measuresAfterwards() const {
    return measures() != 0 && !impl_->measuring()->search;
}

Status Compactor::pauseMeasuring(KvCache& cache) {
    Measuring& one = *impl_->measuring();
    if (one.prefix) return {};
    if (cache.offset().value != one.account.figures().tokens)
        return fail(ErrorCode::Incompatible, "the conversation has continued");
    MeasuredPrefix prefix;
    if (one.search) {
        if (cache.snapshots() == nullptr)
            return fail(ErrorCode::Unsupported, "the cache has no snapshots");
        LACUNA_TRY(prefix.snapshot, cache.snapshots()->snapshot());
    }
    LACUNA_TRY(prefix.cache, cache.share());
    prefix.methods = std::make_unique<CompactionMethods>(impl_->methods, *prefix.cache);
    prefix.text.assign(impl_->textOf().begin(), impl_->textOf().end());
    prefix.kept = impl_->kept;
    one.prefix = std::move(prefix);
    return {};
}

bool Compactor::measuresLater() const {
    const Measuring* measuring = impl_->measuring();
    return measuring != nullptr && measuring->prefix && !impl_->turn.over;
}

KvCache& Compactor::measuredCache(KvCache& cache) const {
    const Measuring* measuring = impl_->measuring();
    return measuring != nullptr ? measuring->measuredCache(cache) : cache;
}

std::span<const TokenId> Compactor::measuredTokens() const {
    const Measuring* measuring = impl_->measuring();
    return measuring != nullptr && measuring->prefix ? std::span(measuring->prefix->text)
                                                     : impl_->textOf();
}

std::int64_t Compactor::pausedBytes(const KvCache& cache) const {
    const Measuring* measuring = impl_->measuring();
    if (measuring == nullptr || !measuring->prefix) return 0;
    std::unordered_set<const void*> seen;
    cache.visitBlocks([&seen](const void* block, std::int64_t) { seen.insert(block); });
    std::int64_t bytes = 0;
    measuring->prefix->cache->visitBlocks([&](const void* block, std::int64_t size) {
        if (seen.insert(block).second) bytes += size;
    });
    return bytes;
}

std::optional<LossThresholds> Compactor::endsMeasuring() const {
    const std::optional<RatioSearch>& search = impl_->measuring()->search;
    return search ? search->endsMeasuring() : std::nullopt;
}

std::int64_t Compactor::keptFrom() const {
    const Measuring& one = *impl_->measuring();
    const std::int64_t tokens = one.account.figures().tokens;
    return std::max<std::int64_t>(tokens - one.decision.limits.keepRecent, 0);
}

CompactionReport Compactor::tryCandidate(KvCache& copy, const std::function<bool()>& cancelled) {
    Measuring& one = *impl_->measuring();
    ReadingList list(one.done);
    const QueryReader reader = [&list](const QueryRequest& request) { return list(request); };
    const TriggerDecision decision =
        one.search->trials() == 0
            ? one.decision
            : withRatio(one.decision, copy, one.settings, one.position, *one.search->next());
    CompactionTrial tried =
        impl_->startTrial(copy,
                          {.settings = one.settings,
                           .decision = decision,
                           .mode = CompactionCall::Mode::Trial,
                           .reader = reader,
                           .turn = one.turn,
                           .mayRead = one.mayRead,
                           .prefix = one.prefix ? &*one.prefix : nullptr},
                          {.sample = {}, .reader = reader, .cancelled = cancelled});
    one.request = list.wanted();
    return std::move(tried.report);
}

void Compactor::measuredSoFar(double share, double ms) {
    Measuring* measuring = impl_->measuring();
    if (measuring == nullptr) return;
    measuring->share = share;
    measuring->ms += ms;
}

std::optional<CompactionReport> Compactor::measured(KvCache& cache, Result<KeptInformation> kept) {
    Measuring* one = impl_->measuring();
    if (one == nullptr) return std::nullopt;
    if (!kept && kept.error().code == ErrorCode::Cancelled)
        return impl_->cancelJob(CompactionReason::MeasuringCancelled);
    // A failed measurement is not repeated in every pause, unless memory was short.
    if (!one->search && (kept || kept.error().code != ErrorCode::NoMemory))
        impl_->unmeasured = false;
    if (!kept) {
        if (one->search) one->account.figures().limited = true;
        return impl_->leaveMeasuring(
            {CompactionResult::Skipped, {noteOf(CompactionReason::LossNotMeasured, kept.error())}});
    }
    if (!one->search) {
        one->account.figures().kept = *kept;
        KvCache& measuredCache = one->measuredCache(cache);
        one->account.left(measuredCache, one->settings.skipLayers);
        const bool exceeded = lossShare(thresholdsOf(one->settings.lossLimit), *kept) > 1;
        CompactionNotes notes = {{CompactionReason::MeasuredAfterwards}};
        if (exceeded && measuredCache.stats().compactions == 0)
            notes.push_back(
                noteOf(CompactionReason::CodesExceedLimit, lossLimitText(one->settings.lossLimit)));
        return impl_->leaveMeasuring({CompactionResult::Skipped, std::move(notes)});
    }
    one->search->found(*kept);
    if (one->search->next()) return std::nullopt;
    return impl_->found(cache);
}

std::optional<CompactionReport> Compactor::settle(KvCache& cache, BackgroundPolicy policy) {
    impl_->eraseFinished();
    if (impl_->job() != nullptr) return impl_->runSlice(cache, policy);
    return impl_->nextPending();
}

CompactionReport Compactor::compact(KvCache& cache, const KvOptions& asked,
                                    const CompactionCall& call) {
    if (measuresAfterwards()) impl_->state = Defragmenting{};
    if (call.mode == CompactionCall::Mode::Background &&
        (impl_->job() != nullptr || impl_->reading() != nullptr || measures() != 0))
        return refusal(cache, asked.method, call.cause, CompactionReason::AlreadyRunning);
    KvOptions options = impl_->methods.forModel(asked);
    const bool answering = impl_->turn.answer > 0 && !impl_->turn.over;
    if (call.mode == CompactionCall::Mode::Background && answering &&
        impl_->measuresFirst(options)) {
        impl_->askedMeanwhile = true;
        return refusal(cache, asked.method, call.cause, CompactionReason::FollowsAnswer);
    }
    if (call.cause == CompactionCause::MemoryLimit) options.compactionFloor = 0;
    TurnPosition turn = impl_->turn;
    turn.over = turn.over || !call.protectsQuestion;
    return impl_->execute(cache, {.settings = options,
                                  .decision = decideRequested(cache, options, turn),
                                  .cause = call.cause,
                                  .mode = call.mode,
                                  .policy = call.policy,
                                  .reader = call.reader,
                                  .mayRead = impl_->mayRead(call),
                                  .gauge = call.gauge});
}

CompactionTrial Compactor::simulate(KvCache& copy, const KvOptions& asked,
                                    const CompactionTrialOptions& call) {
    const KvOptions options = impl_->methods.forModel(asked);
    return impl_->startTrial(copy,
                             {.settings = options,
                              .decision = decideRequested(copy, options, impl_->turn),
                              .mode = CompactionCall::Mode::Trial,
                              .reader = call.reader,
                              .mayRead = impl_->turn.over},
                             call);
}

ThreadPool& Compactor::pool() const {
    return impl_->pool;
}

bool Compactor::busy() const {
    return impl_->job() != nullptr || impl_->reading() != nullptr || measures() != 0 ||
           !impl_->dismissed.empty();
}

std::optional<CompactionReport> Compactor::abort(CompactionReason reason) {
    return impl_->cancelJob(reason);
}

void Compactor::takeOver(Compactor& before, CompactionReason reason) {
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
    if (Measuring* measuring = impl_->measuring()) {
        measuring->measured = std::move(profiles);
        return;
    }
    impl_->model.profiles = std::move(profiles);
    impl_->model.profileNote.clear();
}

void Compactor::dropFrom(Position position) {
    impl_->methods.dropFrom(position);
    impl_->turn.before = std::min<std::int64_t>(impl_->turn.before, position.value);
    if (position.value < impl_->turn.answer) impl_->turn.answer = 0;
    if (position.value <= impl_->turn.question.first) impl_->turn.question = {};
    if (position.value < impl_->failedStands) impl_->failed.reset();
    const CompactionJob* job = impl_->job();
    if (job != nullptr && position.value >= job->tokens()) return;
    const Reading* reading = impl_->reading();
    if (reading != nullptr && position.value >= reading->account.figures().tokens) return;
    const Measuring* measuring = impl_->measuring();
    if (measuring != nullptr && position.value >= measuring->tokens()) return;
    if (auto ended = impl_->cancelJob(CompactionReason::ConversationRolledBack))
        impl_->pending.push_back(std::move(*ended));
    impl_->state = Defragmenting{};
}

}  // namespace lacuna
