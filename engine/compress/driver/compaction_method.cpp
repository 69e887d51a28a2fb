#include "engine/compress/driver/compaction_method.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/compress/driver/compactor.h"
#include "engine/kv/eviction/eviction_scores.h"

namespace lacuna {

Result<MethodPlan> evict(KvCache& cache, const EvictionOptions& request, ThreadPool& pool) {
    LACUNA_TRY(EvictionPlan chosen, planEviction(cache, request, pool));
    MethodPlan plan;
    if (chosen.badSlots > 0)
        plan.notes.push_back(noteOf(CompactionReason::BadKeys, chosen.badSlots));
    if (chosen.ownChoice > 0)
        plan.notes.push_back(noteOf(CompactionReason::HeadsChoseAlone, chosen.ownChoice));
    plan.touched = chosen.plan.touched();
    plan.change = std::move(chosen.plan);
    return plan;
}

Result<MethodPlan> match(const KvCache& cache, const MatchingWork& request, ThreadPool& pool) {
    LACUNA_TRY(MatchingPlan matched, planMatching(cache, request.queries, request.request, pool));
    const double measured = matched.selectMs + matched.fitMs;
    const bool touched = matched.plan.touched();
    return MethodPlan{.change = std::move(matched.plan),
                      .touched = touched,
                      .selectShare = measured > 0 ? matched.selectMs / measured : 0.0,
                      .referenceQueries = matched.queriesPerHead,
                      .heldOutError = matched.heldOutError,
                      .heads = matched.heads};
}

CompactionMethods::CompactionMethods(const CompactorModel& model, const KvShape& shape,
                                     ThreadPool& pool, const Clock& clock)
    : model_(model),
      pool_(pool),
      clock_(clock),
      queries_({shape.layers, model.heads, shape.kvHeads, shape.keyDim, shape.extents}, model.seed),
      choice_(model, pool) {}

CompactionMethods::CompactionMethods(const CompactionMethods& other, const KvCache& cache)
    : model_(other.model_),
      pool_(other.pool_),
      clock_(other.clock_),
      queries_(other.queries_.snapshot()),
      choice_(other.choice_, cache),
      predicted_(other.predicted_) {}

namespace {

/// Forwards everything to two observers.
class BothObservers final : public QueryObserver {
  public:
    BothObservers(QueryObserver& first, QueryObserver& second) : first_(first), second_(second) {}
    [[nodiscard]] bool observesInputs() const override {
        return first_.observesInputs() || second_.observesInputs();
    }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override {
        first_.observeInputs(layer, inputs, first);
        second_.observeInputs(layer, inputs, first);
    }
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        first_.observeQueries(layer, queries, first);
        second_.observeQueries(layer, queries, first);
    }

  private:
    QueryObserver& first_;
    QueryObserver& second_;
};

}  // namespace

bool CompactionMethods::predictsScores(const KvOptions& options) const {
    const bool scored = options.method == CompactionMethod::Eviction
                            ? choice_.requestedPolicy(options) == EvictionPolicy::Reconstruct
                            : usesReconstruction(options);
    return scored && model_.profiles.surrogate != nullptr &&
           options.scoreSource != ScoreSource::Repetition;
}

bool CompactionMethods::autoPredicts(const KvOptions& options) const {
    return options.method == CompactionMethod::AttentionMatching &&
           options.headBudgets == HeadBudgets::Auto && model_.profiles.predictsScores() &&
           options.scoreSource != ScoreSource::Repetition;
}

bool CompactionMethods::automatic(const KvOptions& options) {
    return (options.method == CompactionMethod::Eviction &&
            options.evictionPolicy == EvictionPolicy::Auto) ||
           (options.method == CompactionMethod::AttentionMatching &&
            options.headBudgets == HeadBudgets::Auto);
}

bool CompactionMethods::readsText(const KvCache& cache, const KvOptions& options,
                                  bool mayRead) const {
    const bool scored = usesReconstruction(options) || (mayRead && automatic(options));
    if (scored && (predictsScores(options) || autoPredicts(options))) {
        if (!predicted_ || predicted_->tokens() < cache.offset().value) return true;
    } else if (scored) {
        return true;
    }
    return options.method == CompactionMethod::AttentionMatching &&
           (options.querySource == QuerySource::Context ||
            options.querySource == QuerySource::Repeat ||
            (options.querySource == QuerySource::Captured && !queries_.enoughFor(cache.offset())));
}

PredictedScores& CompactionMethods::predicting() {
    if (!predicted_ || !predicted_->uses(model_.profiles.surrogate))
        predicted_.emplace(model_.profiles.surrogate);
    return *predicted_;
}

QueryObserver* CompactionMethods::together(QueryObserver* first, QueryObserver* second) {
    if (first == nullptr || second == nullptr) return first == nullptr ? second : first;
    if (!together_ || togetherFirst_ != first || togetherSecond_ != second)
        together_ = std::make_unique<BothObservers>(*first, *second);
    togetherFirst_ = first;
    togetherSecond_ = second;
    return together_.get();
}

QueryObserver* CompactionMethods::observer(const KvCache& cache, const KvOptions& options,
                                           Position turn) {
    QueryObserver* const policy = choice_.observer(cache, options);
    QueryObserver* predicted = nullptr;
    if (predictsScores(options) || autoPredicts(options))
        predicted = &predicting();
    else
        predicted_.reset();
    if (options.method != CompactionMethod::AttentionMatching) return together(predicted, policy);
    if (options.querySource != QuerySource::Captured) return predicted;
    queries_.prefer(options.compactWhen == CompactWhen::TurnLate ? turn : Position(0));
    return together(predicted, &queries_);
}

QueryObserver* CompactionMethods::observeAll(const KvCache& cache) {
    QueryObserver* const everything = choice_.observeAll(cache, queries_);
    return model_.profiles.surrogate == nullptr ? everything : together(&predicting(), everything);
}

void CompactionMethods::dropFrom(Position position) {
    queries_.dropFrom(position);
    choice_.dropFrom(position);
    if (predicted_) predicted_->dropFrom(position);
}

Result<FoundScores> CompactionMethods::scoresFor(const QueryRequest& asked,
                                                 const RequestedMethod& input) {
    if (predictsScores(input.options) || autoPredicts(input.options))
        return predictScores(asked, predicting(), input.reader, clock_);
    QueryRequest repeated = asked;
    repeated.source = QuerySource::Repeat;
    repeated.scoredOn = &pool_;
    return findScores(repeated, input.reader, clock_);
}

KvOptions CompactionMethods::forModel(const KvOptions& options) const {
    KvOptions own = options;
    // The policy implies that slots are shared over the whole model.
    if (choice_.requestedPolicy(options) == EvictionPolicy::Reconstruct)
        own.evictionPolicy = EvictionPolicy::Reconstruct;
    // Without a surrogate a repetition may have divided the slots, so heads are counted together
    // from then on.
    const bool mayShare = automatic(own) && own.method == CompactionMethod::Eviction;
    if (mayShare && own.evictionBudgets == EvictionBudgets::Auto &&
        own.coherence == LayerCoherence::PerHead)
        own.evictionBudgets = EvictionBudgets::WholeModel;
    const bool byAttention = own.method == CompactionMethod::AttentionMatching || mayShare ||
                             (own.method == CompactionMethod::Eviction &&
                              scoresByQueries(choice_.requestedPolicy(options)));
    if (byAttention)
        own.skipLayers.insert(own.skipLayers.end(), model_.slidingLayers.begin(),
                              model_.slidingLayers.end());
    return own;
}

Result<MethodRequest> CompactionMethods::request(KvCache& cache, const RequestedMethod& input,
                                                 CompactionReportBuilder& account) {
    EvictionOptions evicting = eviction(input);
    QueryRequest asked{.source = input.options.querySource,
                       .shape = queries_.shape(),
                       .seed = model_.seed,
                       .end = cache.offset(),
                       .turn = input.turn};
    FoundScores repeated;
    if (usesReconstruction(input.options) ||
        (input.mayRead && input.reader && automatic(input.options))) {
        LACUNA_TRY(repeated, scoresFor(asked, input));
        account.note(repeated.notes);
        account.figures().queriesMs = repeated.ms;
    } else if (autoPredicts(input.options)) {
        repeated = predictedSoFar(asked, predicted_ ? &*predicted_ : nullptr);
        // Scores are predicted during a reading that happens anyway; none is made for them.
        if (repeated.scores == nullptr) asked.predictedBy = model_.profiles.surrogate;
        if (repeated.scores != nullptr) account.note(repeated.notes);
    }
    evicting.reconstruction = repeated.scores;
    if (input.options.method == CompactionMethod::Eviction) {
        const std::int64_t start = clock_.nowNs();
        KvOptions options = input.options;
        if (automatic(options)) {
            // Only the scores of a repetition can compare the heads of all layers.
            if (repeated.scores != nullptr)
                options.evictionPolicy = EvictionPolicy::Reconstruct;
            else if (evicting.budgets == EvictionBudgets::WholeModel)
                evicting.budgets = EvictionBudgets::Equal;
        }
        choice_.complete(cache, options, evicting, account.figures().notes);
        if (input.options.demoteStructure && usesAttention(evicting.policy)) {
            if (!model_.form || input.text.empty())
                account.note({CompactionReason::TextUnknown});
            else
                evicting.structural =
                    std::make_shared<const std::vector<bool>>(structureOf(input.text));
        }
        account.figures().scoreMs = millisecondsSince(clock_, start);
        keepSpans(input, evicting.rule, account);
        return evicting;
    }
    keepSpans(input, evicting.rule, account);
    FoundQueries found{.queries = std::move(repeated.queries),
                       .notes = {{CompactionReason::QueriesFromCapture}},
                       .ms = 0};
    if (!repeated.repeated || input.options.querySource != QuerySource::Repeat) {
        LACUNA_TRY(found, findQueries(asked, queries_, input.reader, clock_));
        // Keeps the queries, so that the next compaction need not read the text again.
        if (found.read && input.options.querySource == QuerySource::Captured && !input.trial)
            queries_.add(found.queries);
    }
    account.figures().queriesMs += found.ms;
    account.note(found.notes);
    if (asked.predictedBy != nullptr) {
        const std::optional<PredictedScores>& seen = found.predicted ? found.predicted : predicted_;
        repeated = predictedSoFar(asked, seen ? &*seen : nullptr, found.predicted.has_value());
        account.note(repeated.notes);
        if (found.read && found.predicted && !input.trial) predicted_ = std::move(found.predicted);
    }
    const int tokens = found.queries.tokens();
    if (tokens >= kMinQueryTokens) {
        if (!model_.profileNote.empty())
            account.note(noteOf(CompactionReason::ProfileMissing, model_.profileNote));
        if (const auto reason = budgetsNote(input.options.headBudgets)) account.note({*reason});
        MatchingRequest request = matching(input, evicting.rule);
        request.targets.reconstruction = repeated.scores;
        if (repeated.scores != nullptr) {
            request.targets.budgets = HeadBudgets::Reconstruction;
        } else if (!repeated.notes.empty()) {
            request.targets.budgets = HeadBudgets::Auto;
            account.note({model_.profiles.of(HeadBudgets::Auto) == nullptr
                              ? CompactionReason::DividedByCoverage
                          : model_.profiles.taskFree != nullptr
                              ? CompactionReason::DividedByTaskFree
                              : CompactionReason::DividedByCopyScores});
        }
        return MatchingWork{std::move(found.queries), std::move(request)};
    }
    // Evicts to the same ratio, so that memory stays bounded even if no queries were captured.
    evicting.coherence = LayerCoherence::PerHead;
    evicting.budgets = EvictionBudgets::Equal;
    account.note(noteOf(CompactionReason::TooFewQueriesToMatch, tokens, kMinQueryTokens));
    return evicting;
}

/// Returns the substitute used for the measurement that the division of slots requires, if any.
std::optional<CompactionReason> CompactionMethods::budgetsNote(HeadBudgets budgets) const {
    const bool measured = budgets == HeadBudgets::TaskFree || budgets == HeadBudgets::Auto;
    if (!measured || model_.profiles.taskFree != nullptr) return std::nullopt;
    if (model_.profiles.copyScores != nullptr) return CompactionReason::UnmeasuredByCopyScores;
    if (budgets == HeadBudgets::Auto) return std::nullopt;
    return CompactionReason::UnmeasuredByCoverage;
}

Result<MethodPlan> CompactionMethods::plan(KvCache& cache, const MethodRequest& request,
                                           CompactionReportBuilder& account) const {
    const std::int64_t planning = clock_.nowNs();
    const auto* eviction = std::get_if<EvictionOptions>(&request);
    auto made = eviction != nullptr ? evict(cache, *eviction, pool_)
                                    : match(cache, std::get<MatchingWork>(request), pool_);
    account.planned(millisecondsSince(clock_, planning), made ? made->selectShare : 1);
    if (!made) return made;
    account.note(made->notes);
    account.figures().referenceQueries = made->referenceQueries;
    account.figures().heldOutError = made->heldOutError;
    return made;
}

CompactionEnd CompactionMethods::apply(KvCache& cache, const MethodPlan& plan,
                                       CompactionReportBuilder& account) const {
    if (!plan.touched) return {CompactionResult::Skipped, {{CompactionReason::NothingOverTarget}}};
    const std::int64_t applying = clock_.nowNs();
    const Status status = compactInPlace(cache, plan.change, pool_);
    if (!status) return failedWith(status.error());
    account.figures().applyMs = millisecondsSince(clock_, applying);
    return {CompactionResult::Done};
}

CompactionEnd CompactionMethods::compactAtOnce(KvCache& cache, const MethodRequest& request,
                                               CompactionReportBuilder& account) const {
    const auto made = plan(cache, request, account);
    return made ? apply(cache, *made, account) : failedWith(made.error());
}

bool CompactionMethods::isNear(const KvCache& cache, const KvOptions& options,
                               const CompactionLimits& limits) {
    // Otherwise the eviction is far off even if no head has released a slot yet, so the cache need
    // not be examined.
    return options.method == CompactionMethod::Eviction &&
           keyDiffAnchorEnd(limits.trigger + 1, options.keepRecent) <= cache.offset().value;
}

void CompactionMethods::prepare(PreparedScores& scores, KvCache& cache, const KvOptions& options,
                                const CompactionLimits& limits) {
    EvictionOptions coming = eviction({.options = options, .limits = limits, .reader = {}});
    coming.policy = choice_.predictedPolicy(options);
    coming.attention = choice_.predictedScores(coming.policy, cache);
    scores.advance(cache, coming, limits.trigger + 1 - compactableSlots(cache, options), pool_);
}

std::vector<bool> CompactionMethods::structureOf(std::span<const TokenId> text) const {
    std::vector<TokenForm> forms;
    forms.reserve(text.size());
    for (const TokenId token : text) forms.push_back(model_.form(token));
    return structuralPositions(forms);
}

EvictionOptions CompactionMethods::eviction(const RequestedMethod& input) const {
    const KvOptions& options = input.options;
    EvictionOptions eviction;
    eviction.rule = {.budget = input.limits.target,
                     .keepRecent = input.limits.keepRecent,
                     .nSink = input.limits.nSink,
                     .open = input.limits.open};
    eviction.coherence = options.coherence;
    eviction.budgets = sharedOut(options);
    eviction.skipLayers = options.skipLayers;
    eviction.seed = model_.seed;
    eviction.prepared = input.prepared;
    eviction.verbatim = input.limits.open;
    return eviction;
}

/// Positions of the chat template's markers.
KeptSpans CompactionMethods::marksOf(std::span<const TokenId> text) const {
    KeptSpans marks;
    if (!model_.form) return marks;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto at = static_cast<std::int64_t>(i);
        if (!model_.form(text[i]).control) continue;
        if (!marks.empty() && marks.back().last == at)
            ++marks.back().last;
        else
            marks.push_back({at, at + 1});
    }
    return marks;
}

void CompactionMethods::keepSpans(const RequestedMethod& input, SelectionRule& rule,
                                  CompactionReportBuilder& account) const {
    constexpr std::int64_t kMarksShare = 8;  // markers take at most one slot in this many
    const TokenSpan& question = input.limits.question;
    std::int64_t room = roomForSpans(rule.budget, rule.nSink + rule.newest());
    const std::int64_t tokens = account.figures().tokens;
    const auto without = compactionLimits(input.options, tokens);
    // A question is protected only temporarily and must not reduce the room of kept spans.
    if (question.tokens() > 0 && without) {
        const std::int64_t asked =
            std::max<std::int64_t>(std::min(question.last, tokens - rule.newest()),
                                   question.first) -
            question.first;
        const std::int64_t guarded = rule.nSink + rule.newest() + asked;
        room =
            std::clamp<std::int64_t>(rule.budget - guarded - 1, 0,
                                     roomForSpans(without->target, rule.nSink + rule.keepRecent));
    }
    KeptSpans kept = newestWithin(input.kept, room);
    if (kept.size() < input.kept.size())
        account.note(noteOf(CompactionReason::SpansEvicted, tokensOf(input.kept) - tokensOf(kept)));
    const std::int64_t left = std::min(room - tokensOf(kept), rule.budget / kMarksShare);
    for (const TokenSpan& mark : newestWithin(marksOf(input.text), left))
        kept = withSpan(kept, mark);
    if (question.tokens() > 0) kept = withSpan(kept, question);
    if (!kept.empty()) rule.kept = std::make_shared<const KeptSpans>(std::move(kept));
}

MatchingRequest CompactionMethods::matching(const RequestedMethod& input,
                                            const SelectionRule& rule) const {
    const KvOptions& options = input.options;
    MatchingRequest request;
    request.targets = {.rule = rule,
                       .budgets = options.headBudgets,
                       .profile = model_.profiles.of(options.headBudgets).get(),
                       .skipLayers = options.skipLayers,
                       .scale = model_.scale,
                       .softCap = model_.softCap,
                       .sinks = model_.sinks};
    request.seed = model_.seed;
    request.pinPercent = options.pinPercent;
    request.verbatim = input.limits.open;
    // Random queries need no additional random probes.
    if (options.querySource == QuerySource::Random) request.distant.queries = FitQueries::Captured;
    return request;
}

}  // namespace lacuna
