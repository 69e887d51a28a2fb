// Answers: how one begins, what a step of all that run does, how one ends, and what becomes of
// compactions beside them.

#include "engine/session/engine_loop.h"

#include <algorithm>
#include <new>
#include <random>

#include "engine/base/string_format.h"
#include "engine/generate/compactor_model.h"
#include "engine/generate/model_drafter.h"
#include "engine/generate/prompt.h"
#include "engine/kv/cache_plan.h"
#include "engine/session/cache_limit.h"

namespace lacuna {
namespace {

std::uint64_t randomSeed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

/// A question that cannot even begin for want of memory is no turn; its asker is told.
void Engine::Impl::startTurn(Submit question) {
    const ConversationId id = question.conversation;
    const SafePoint before = at_;
    try {
        beginAndTell(std::move(question));
    } catch (const std::bad_alloc&) {
        if (turns_.runs(id)) throw;
        at_ = before;
        conversations_.forget(id);
        giveCachesBack();
        TurnFinished failed;
        failed.conversation = id;
        failed.at = at_;
        failed.reason = FinishReason::Error;
        failed.error = shortage("there is not enough memory to begin this answer");
        post(std::move(failed));
        showActivity();
    }
}

void Engine::Impl::beginAndTell(Submit question) {
    const SafePoint before = std::exchange(at_, {.turn = at_.turn + 1, .index = 0});
    const EngineConfig& config = settings_.of(question.conversation);
    const Submit asked = question;
    const auto seed = question.seed ? question.seed : config.sampling.seed;
    TurnStart start{
        .request = std::move(question),
        .turn = at_.turn,
        .at = before,
        .seed = seed ? *seed : randomSeed(),
        .config = config,
        .context = model_ ? effectiveContext(config, model_->facts(), context_.machine) : 0};
    auto turn = std::make_unique<Turn>(std::move(start), context_.events, context_.clock);
    // A text may take long to prepare. A cancel that comes meanwhile is obeyed first, and may be of
    // this question or of another one; if of another, this one begins anew.
    const StopAsked stop = [this, before] {
        return stop_.stop_requested() || context_.commands.cancelWaiting(before);
    };
    const Status begun = beginTurn(*turn, asked.messages, stop);
    if (!begun && begun.error().code == ErrorCode::Cancelled) {
        at_ = before;
        turns_.askAgain(asked);
        return;
    }
    turn->announce(revision_);
    Turn& running = turns_.begin(std::move(turn));
    if (begun)
        showActivity();
    else
        endTurn(running, FinishReason::Error, begun.error());
}

Status Engine::Impl::beginTurn(Turn& turn, const std::vector<ChatMessage>& messages,
                               const StopAsked& stop) {
    if (!model_)
        return fail(ErrorCode::InvalidArgument,
                    "no model is loaded; load one before sending a message");
    EngineConfig room = settings_.shared();
    room.prefillChunk = std::max(room.prefillChunk, turns_.largestChunk());
    LACUNA_TRY_STATUS(model_->adapt(room, context_.machine, [this] {
        conversations_.forEach(
            [this](Sequence& sequence) { sequence.replaceCompactor(compactorMaker()); });
        tellThreads();
    }));
    LACUNA_TRY(auto prompt, promptTokens(model_->loaded(), messages, stop));
    const ConversationId id = turn.conversation();
    if (Sequence* held = conversations_.find(id);
        held && !isOfChoice(held->cache(),
                            cacheChoice(cacheModelOf(model_->facts()), settings_.of(id).kv))) {
        conversations_.forget(id);
        turn.noteReuse("the cache type or window was changed, so the prompt is read anew");
    }
    LACUNA_TRY(Sequence * sequence, conversations_.use(
                                        id, [this, id] { return makeSequence(id); },
                                        [this](ConversationId one) { return turns_.runs(one); }));
    if (conversations_.takeEvictedMark(id))
        turn.noteReuse("the cache of this conversation was given back to make room for others");
    LACUNA_TRY(auto constraint, model_->constraint(turn.rules(), stop));
    return turn.begin(model_->transformer(), *sequence, std::move(prompt), std::move(constraint));
}

Result<std::unique_ptr<Sequence>> Engine::Impl::makeSequence(ConversationId id) {
    LACUNA_TRY(auto sequence, Sequence::create(cacheMaker(id), compactorMaker()));
    if (model_->draft() == nullptr) return sequence;
    LACUNA_TRY(auto drafter, ModelDrafter::create(*model_->draft(), settings_.of(id).kv.type));
    sequence->setDrafter(std::move(drafter));
    return sequence;
}

Sequence::CacheMaker Engine::Impl::cacheMaker(ConversationId id) {
    return [this, id] { return makeCacheFor(cacheModelOf(model_->facts()), settings_.of(id).kv); };
}

Sequence::CompactorMaker Engine::Impl::compactorMaker() {
    return [this](const KvShape& shape) {
        CompactorModel model =
            compactorModel(model_->loaded().spec, settings_.shared().sampling.seed.value_or(0),
                           model_->headProfile());
        model.profileNote = model_->headProfileNote();
        model.backgroundThreads = model_->pool().threads();
        return std::make_unique<Compactor>(model, shape, model_->pool(), context_.clock);
    };
}

/// Room for the next step below the limit; answers that get none end, the youngest first.
bool Engine::Impl::keepLimit() {
    if (settings_.shared().cacheLimitMiB <= 0) return true;
    while (turns_.anyRunning()) {
        const auto running = turns_.running();
        const auto growth = growthOf(running, configOf());
        const Status kept = keepWithinLimit({.conversations = conversations_,
                                             .limitMiB = settings_.shared().cacheLimitMiB,
                                             .configOf = configOf(),
                                             .model = cacheModelOf(model_->facts()),
                                             .growth = growth,
                                             .told = told(),
                                             .notice = poster(),
                                             .pool = model_->pool()});
        if (kept) return true;
        endTurn(*running.back(), FinishReason::Error, kept.error());
    }
    return false;
}

void Engine::Impl::stepTurns() {
    if (!keepLimit()) return;
    ForwardOptions options;
    options.cancelled = [this] { return cancelAsked(); };
    Turn& eldest = *turns_.running().front();
    Transformer& watched = live_.bind(model_->transformer(), model_->pool(), model_->stepRoom());
    if (const Sequence* sequence = conversations_.find(eldest.conversation()))
        live_.before(eldest.conversation(), *sequence, settings_.of(eldest.conversation()));
    directCompactions();
    // A cancelled step left everything as it was; the command that did it is taken next.
    const auto steps = turns_.step(
        configOf(), {.model = watched,
                     .room = model_->stepRoom(),
                     .passes = settings_.shared().passes,
                     .forward = options,
                     .clock = context_.clock,
                     .passBytes = passBytes(settings_.shared().cacheLimitMiB, conversations_)});
    if (std::ranges::any_of(steps, [](const TurnStep& one) { return one.step.has_value(); }))
        ++at_.index;
    for (const TurnStep& one : steps) afterStep(one, options);
    if (!steps.empty()) showActivity();
}

void Engine::Impl::afterStep(const TurnStep& one, const ForwardOptions& options) {
    if (!one.step) return failTurn(one);
    const GenerationStep& step = *one.step;
    one.turn->took(step, one.seconds);
    const ConversationId id = one.turn->conversation();
    if (step.compaction) postCompaction(id, *step.compaction);
    Sequence* sequence = conversations_.find(id);
    if (sequence != nullptr && step.tokens > 0) {
        postSample(id, *sequence, &step);
        measure(id, *sequence, step, options);
    }
    if (sequence != nullptr && sequence->drafter() != nullptr)
        if (const std::string why = sequence->drafter()->takeNotice(); !why.empty())
            post(Notice{format("The draft model proposes nothing more: {}", why)});
    if (step.finish) endTurn(*one.turn, *step.finish);
}

void Engine::Impl::measure(ConversationId id, const Sequence& sequence, const GenerationStep& step,
                           const ForwardOptions& options) {
    const auto sample = live_.after(id, sequence, step, settings_.of(id), options);
    if (!sample && sample.error().code != ErrorCode::Cancelled)
        post(Notice{format("Quality is not measured any more: {}", describe(sample.error()))});
    if (!sample || !*sample) return;
    post(QualitySampled{.timeNs = context_.clock.nowNs(),
                        .at = at_,
                        .conversation = id,
                        .revision = revision_,
                        .sample = **sample});
}

/// A sequence that was torn is not trusted any more.
void Engine::Impl::failTurn(const TurnStep& failed) {
    const ConversationId id = failed.turn->conversation();
    context_.log.warn("session", format("turn failed turn={} error={}", failed.turn->number(),
                                        describe(failed.step.error())));
    endTurn(*failed.turn, FinishReason::Error, failed.step.error());
    if (failed.torn) conversations_.forget(id);
}

void Engine::Impl::endTurn(Turn& turn, FinishReason reason, std::optional<Error> error) {
    if (reason == FinishReason::Cancelled)
        abortCompaction(conversations_, turn.conversation(), "the answer was stopped", told());
    const std::unique_ptr<Turn> ended = turns_.remove(turn);
    tellEnd(*ended, reason, error);
    ++at_.index;
    showActivity();
}

void Engine::Impl::settleWhileIdle() {
    if (!turns_.anyRunning()) settleCompactions(conversations_, orderAt(at_), told());
}

/// What the step about to be taken does with compactions that are ready after it.
void Engine::Impl::directCompactions() {
    const SafePoint after{.turn = at_.turn, .index = at_.index + 1};
    for (const Turn* turn : turns_.running())
        if (Sequence* sequence = conversations_.find(turn->conversation()))
            sequence->compactor().direct(orderAt(after)(turn->conversation()));
}

std::function<BackgroundOrder(ConversationId)> Engine::Impl::orderAt(SafePoint at) {
    return [this, at](ConversationId id) { return context_.commands.backgroundOrder(at, id); };
}

CompactionTold Engine::Impl::told() {
    return [this](ConversationId id, CompactionReport report) {
        postCompaction(id, std::move(report));
        if (Sequence* sequence = conversations_.find(id)) postSample(id, *sequence, nullptr);
    };
}

}  // namespace lacuna
