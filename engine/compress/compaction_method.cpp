#include "engine/compress/compaction_method.h"

#include <algorithm>
#include <utility>

#include "engine/base/clock.h"
#include "engine/compress/compactor.h"
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
      queries_({shape.layers, model.heads, shape.kvHeads, shape.keyDim}, model.seed),
      choice_(model, pool) {}

namespace {

/// Forwards everything to two observers.
class BothObservers final : public QueryObserver {
  public:
    BothObservers(QueryObserver& first, QueryObserver& second) : first_(first), second_(second) {}
    [[nodiscard]] bool wantsInputs() const override {
        return first_.wantsInputs() || second_.wantsInputs();
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

bool CompactionMethods::foretells(const KvOptions& options) const {
    const bool scored = options.method == CompactionMethod::Eviction
                            ? choice_.wanted(options) == EvictionPolicy::Reconstruct
                            : usesReconstruction(options);
    return scored && model_.profiles.surrogate != nullptr &&
           options.scoreSource != ScoreSource::Repetition;
}

bool CompactionMethods::autoForetells(const KvOptions& options) const {
    return options.method == CompactionMethod::AttentionMatching &&
           options.headBudgets == HeadBudgets::Auto && model_.profiles.foretells() &&
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
    if (scored && (foretells(options) || autoForetells(options))) {
        if (!foretold_ || foretold_->tokens() < cache.offset().value) return true;
    } else if (scored) {
        return true;
    }
    return options.method == CompactionMethod::AttentionMatching &&
           (options.fitQueries == QuerySource::Context ||
            options.fitQueries == QuerySource::Repeat ||
            (options.fitQueries == QuerySource::Captured && !queries_.enoughFor(cache.offset())));
}

ForetoldScores& CompactionMethods::foretelling() {
    if (!foretold_ || !foretold_->uses(model_.profiles.surrogate))
        foretold_.emplace(model_.profiles.surrogate);
    return *foretold_;
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
    QueryObserver* foretold = nullptr;
    if (foretells(options) || autoForetells(options))
        foretold = &foretelling();
    else
        foretold_.reset();
    if (options.method != CompactionMethod::AttentionMatching) return together(foretold, policy);
    if (options.fitQueries != QuerySource::Captured) return foretold;
    queries_.prefer(options.compactWhen == CompactWhen::TurnLate ? turn : Position(0));
    return together(foretold, &queries_);
}

QueryObserver* CompactionMethods::observeAll(const KvCache& cache) {
    QueryObserver* const everything = choice_.observeAll(cache, queries_);
    return model_.profiles.surrogate == nullptr ? everything : together(&foretelling(), everything);
}

void CompactionMethods::forgetFrom(Position position) {
    queries_.forgetFrom(position);
    choice_.forgetFrom(position);
    if (foretold_) foretold_->forgetFrom(position);
}

Result<FoundScores> CompactionMethods::scoresFor(const QueryWish& asked, const MethodWish& wish) {
    if (foretells(wish.options) || autoForetells(wish.options))
        return foretellScores(asked, foretelling(), wish.reader, clock_);
    QueryWish repeated = asked;
    repeated.source = QuerySource::Repeat;
    repeated.scoredOn = &pool_;
    return findScores(repeated, wish.reader, clock_);
}

KvOptions CompactionMethods::forModel(const KvOptions& options) const {
    KvOptions own = options;
    // The policy implies that slots are shared over the whole model.
    if (choice_.wanted(options) == EvictionPolicy::Reconstruct)
        own.evictionPolicy = EvictionPolicy::Reconstruct;
    // Without a surrogate a repetition may have divided the slots, so heads are counted together
    // from then on.
    const bool mayShare = automatic(own) && own.method == CompactionMethod::Eviction;
    if (mayShare && own.evictionBudgets == EvictionBudgets::Auto &&
        own.coherence == LayerCoherence::PerHead)
        own.evictionBudgets = EvictionBudgets::WholeModel;
    const bool byAttention =
        own.method == CompactionMethod::AttentionMatching || mayShare ||
        (own.method == CompactionMethod::Eviction && judgesByQueries(choice_.wanted(options)));
    if (byAttention)
        own.skipLayers.insert(own.skipLayers.end(), model_.slidingLayers.begin(),
                              model_.slidingLayers.end());
    return own;
}

Result<MethodRequest> CompactionMethods::request(KvCache& cache, const MethodWish& wish,
                                                 CompactionAccount& account) {
    EvictionOptions evicting = eviction(wish);
    QueryWish asked{.source = wish.options.fitQueries,
                    .shape = queries_.shape(),
                    .seed = model_.seed,
                    .end = cache.offset(),
                    .turn = wish.turn};
    FoundScores repeated;
    if (usesReconstruction(wish.options) ||
        (wish.mayRead && wish.reader && automatic(wish.options))) {
        LACUNA_TRY(repeated, scoresFor(asked, wish));
        account.note(repeated.notes);
        account.figures().queriesMs = repeated.ms;
    } else if (autoForetells(wish.options)) {
        repeated = foretoldSoFar(asked, foretold_ ? &*foretold_ : nullptr);
        // Scores are predicted during a reading that happens anyway; none is made for them.
        if (repeated.scores == nullptr) asked.foretoldBy = model_.profiles.surrogate;
        if (repeated.scores != nullptr) account.note(repeated.notes);
    }
    evicting.reconstruction = repeated.scores;
    if (wish.options.method == CompactionMethod::Eviction) {
        const std::int64_t start = clock_.nowNs();
        KvOptions options = wish.options;
        if (automatic(options)) {
            // Only the scores of a repetition can compare the heads of all layers.
            if (repeated.scores != nullptr)
                options.evictionPolicy = EvictionPolicy::Reconstruct;
            else if (evicting.budgets == EvictionBudgets::WholeModel)
                evicting.budgets = EvictionBudgets::Equal;
        }
        choice_.complete(cache, options, evicting, account.figures().notes);
        if (wish.options.demoteStructure && usesAttention(evicting.policy)) {
            if (!model_.form || wish.text.empty())
                account.note({CompactionReason::TextUnknown});
            else
                evicting.structural =
                    std::make_shared<const std::vector<bool>>(structureOf(wish.text));
        }
        account.figures().scoreMs = millisecondsSince(clock_, start);
        keepSpans(wish, evicting.rule, account);
        return evicting;
    }
    keepSpans(wish, evicting.rule, account);
    FoundQueries found{.queries = std::move(repeated.queries),
                       .notes = {{CompactionReason::JudgedByItsQueries}},
                       .ms = 0};
    if (!repeated.repeated || wish.options.fitQueries != QuerySource::Repeat) {
        LACUNA_TRY(found, findQueries(asked, queries_, wish.reader, clock_));
        // Keeps the queries, so that the next compaction need not read the text again.
        if (found.read && wish.options.fitQueries == QuerySource::Captured && !wish.trial)
            queries_.add(found.queries);
    }
    account.figures().queriesMs += found.ms;
    account.note(found.notes);
    if (asked.foretoldBy != nullptr) {
        const std::optional<ForetoldScores>& seen = found.foretold ? found.foretold : foretold_;
        repeated = foretoldSoFar(asked, seen ? &*seen : nullptr, found.foretold.has_value());
        account.note(repeated.notes);
        if (found.read && found.foretold && !wish.trial) foretold_ = std::move(found.foretold);
    }
    const int tokens = found.queries.tokens();
    if (tokens >= kMinQueryTokens) {
        if (!model_.profileNote.empty())
            account.note(noteOf(CompactionReason::ProfileMissing, model_.profileNote));
        if (const auto reason = budgetsNote(wish.options.headBudgets)) account.note({*reason});
        MatchingRequest request = matching(wish, evicting.rule);
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
                                           CompactionAccount& account) const {
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
                                       CompactionAccount& account) const {
    if (!plan.touched) return {CompactionResult::Skipped, {{CompactionReason::NothingOverTarget}}};
    const std::int64_t applying = clock_.nowNs();
    const Status status = compactInPlace(cache, plan.change, pool_);
    if (!status) return failedWith(status.error());
    account.figures().applyMs = millisecondsSince(clock_, applying);
    return {CompactionResult::Done};
}

CompactionEnd CompactionMethods::compactAtOnce(KvCache& cache, const MethodRequest& request,
                                               CompactionAccount& account) const {
    const auto made = plan(cache, request, account);
    return made ? apply(cache, *made, account) : failedWith(made.error());
}

bool CompactionMethods::inSight(const KvCache& cache, const KvOptions& options,
                                const CompactionLimits& limits) {
    // Otherwise the eviction is far off even if no head has released a slot yet, so the cache need
    // not be examined.
    return options.method == CompactionMethod::Eviction &&
           keyDiffAnchorEnd(limits.trigger + 1, options.keepRecent) <= cache.offset().value;
}

void CompactionMethods::prepare(PreparedScores& scores, KvCache& cache, const KvOptions& options,
                                const CompactionLimits& limits) {
    EvictionOptions coming = eviction({.options = options, .limits = limits, .reader = {}});
    coming.policy = choice_.foreseen(options);
    coming.attention = choice_.foreseenScores(coming.policy, cache);
    scores.advance(cache, coming, limits.trigger + 1 - compactableSlots(cache, options), pool_);
}

std::vector<bool> CompactionMethods::structureOf(std::span<const TokenId> text) const {
    std::vector<TokenForm> forms;
    forms.reserve(text.size());
    for (const TokenId token : text) forms.push_back(model_.form(token));
    return structuralPositions(forms);
}

EvictionOptions CompactionMethods::eviction(const MethodWish& wish) const {
    const KvOptions& options = wish.options;
    EvictionOptions eviction;
    eviction.rule = {.budget = wish.limits.target,
                     .keepRecent = wish.limits.keepRecent,
                     .nSink = wish.limits.nSink,
                     .open = wish.limits.open};
    eviction.coherence = options.coherence;
    eviction.budgets = sharedOut(options);
    eviction.skipLayers = options.skipLayers;
    eviction.seed = model_.seed;
    eviction.prepared = wish.prepared;
    eviction.verbatim = wish.limits.open;
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

void CompactionMethods::keepSpans(const MethodWish& wish, SelectionRule& rule,
                                  CompactionAccount& account) const {
    constexpr std::int64_t kMarksShare = 8;  // markers take at most one slot in this many
    const TokenSpan& question = wish.limits.question;
    std::int64_t room = roomForSpans(rule.budget, rule.nSink + rule.newest());
    const std::int64_t tokens = account.figures().tokens;
    const auto without = compactionLimits(wish.options, tokens);
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
    KeptSpans kept = newestWithin(wish.kept, room);
    if (kept.size() < wish.kept.size())
        account.note(
            noteOf(CompactionReason::SpansForgotten, tokensOf(wish.kept) - tokensOf(kept)));
    const std::int64_t left = std::min(room - tokensOf(kept), rule.budget / kMarksShare);
    for (const TokenSpan& mark : newestWithin(marksOf(wish.text), left))
        kept = withSpan(kept, mark);
    if (question.tokens() > 0) kept = withSpan(kept, question);
    if (!kept.empty()) rule.kept = std::make_shared<const KeptSpans>(std::move(kept));
}

MatchingRequest CompactionMethods::matching(const MethodWish& wish,
                                            const SelectionRule& rule) const {
    const KvOptions& options = wish.options;
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
    request.verbatim = wish.limits.open;
    // Random queries need no additional random probes.
    if (options.fitQueries == QuerySource::Random) request.needy.queries = FitQueries::Captured;
    return request;
}

}  // namespace lacuna
