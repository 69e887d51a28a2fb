#include "engine/session/turn_runner.h"

#include <algorithm>
#include <new>
#include <random>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"
#include "engine/kv/kv_factory.h"
#include "engine/session/shortage.h"

namespace lacuna {
namespace {

std::uint64_t randomSeed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

Result<std::vector<TokenId>> promptOf(const Submit& asked, const RunningModel& model,
                                      const EngineConfig& config, int context,
                                      const StopAsked& stop) {
    if (asked.prompt.empty())
        return config.contextShift  // older tokens are dropped then
                   ? promptTokens(model.loaded(), asked.messages, stop)
                   : promptTokensWithin(model.loaded(), asked.messages, context, stop);
    const int vocabulary = model.loaded().spec.vocabulary;
    for (const TokenId id : asked.prompt)
        if (id < 0 || id >= vocabulary)
            return fail(
                ErrorCode::TokTokenId,
                format("the prompt contains token {}, but the vocabulary has tokens 0 to {}", id,
                       vocabulary - 1));
    return asked.prompt;
}

/// Returns where the newest user message begins, if compactions need it.
std::optional<std::int64_t> questionOf(const Submit& asked, const RunningModel& model,
                                       const EngineConfig& config, std::size_t tokens,
                                       const StopAsked& stop) {
    if (!asked.prompt.empty()) return asked.question;
    if (config.kv.method == CompactionMethod::None) return std::nullopt;
    return questionStart(model.loaded(), asked.messages, static_cast<std::int64_t>(tokens), stop);
}

/// Builds the end of a turn that never began, or that lacks the memory for a full report.
TurnFinished unfinished(ConversationId id, SafePoint at, FinishReason reason) {
    TurnFinished event;
    event.conversation = id;
    event.at = at;
    event.reason = reason;
    return event;
}

}  // namespace

/// A queued turn that is cancelled never began, so only its end is posted.
void TurnRunner::cancel(const WhichConversations& which) {
    end(which);
    const auto withdrawn = turns_.withdraw(which);
    if (!withdrawn.empty()) means_.prefixes.forgetLoading();
    for (const ConversationId id : withdrawn)
        means_.doors.post(unfinished(id, means_.doors.at(), FinishReason::Cancelled));
}

void TurnRunner::end(const WhichConversations& which) {
    for (Turn* turn : turns_.running())
        if (which(turn->conversation())) end(*turn, FinishReason::Cancelled);
}

void TurnRunner::estimate(const EstimateReading& asked) {
    ReadingEstimated said{.conversation = asked.conversation, .request = asked.request};
    if (Status estimated = estimate(asked, said); !estimated)
        said.error = std::move(estimated).error();
    means_.doors.post(std::move(said));
}

Status TurnRunner::estimate(const EstimateReading& asked, ReadingEstimated& said) {
    const RunningModel* const model = means_.models.model();
    if (model == nullptr) return fail(ErrorCode::InvalidArgument, "no model is loaded");
    LACUNA_TRY(const auto prompt, promptTokens(model->loaded(), asked.messages));
    std::unique_ptr<Sequence> none;
    const Sequence* sequence = means_.conversations.find(asked.conversation);
    if (sequence == nullptr) {
        LACUNA_TRY(none, means_.models.makeSequence(asked.conversation));
        sequence = none.get();
    }
    const PrefixSharing::Wish wish{.conversation = asked.conversation,
                                   .prompt = prompt,
                                   .use = asked.prefix,
                                   .most = std::nullopt,
                                   .exchanges = {},
                                   .stop = {}};
    said.promptTokens = static_cast<std::int64_t>(prompt.size());
    said.readTokens = said.promptTokens - means_.prefixes.reusable(wish, *sequence);
    return {};
}

bool TurnRunner::advance() {
    // A turn that waits for pages on disk begins once they are read, one page after each step.
    if (means_.prefixes.loading()) {
        if (turns_.anyRunning()) step();
        if (means_.prefixes.loading()) means_.prefixes.loadOn();
        return true;
    }
    if (auto question = turns_.next(means_.settings.shared().parallel))
        start(std::move(*question));
    else if (turns_.anyRunning())
        step();
    else
        return false;
    return true;
}

void TurnRunner::sayActivity() {
    if (turns_.anyRunning())
        means_.doors.enter(turns_.anyReading() ? EngineState::Prefill : EngineState::Decode);
    else
        means_.doors.enter(means_.models.model() != nullptr ? EngineState::Idle
                                                            : EngineState::NoModel);
}

void TurnRunner::letGo() {
    if (turns_.anyRunning()) {
        end([](ConversationId) { return true; });
        means_.doors.post(Notice{"The answer was stopped because the model was replaced."});
    }
    means_.quality.reset();
    means_.prefixes.forgetLoading();
}

/// If memory runs out before the turn begins, it does not count as a turn, but its client still
/// gets an answer.
void TurnRunner::start(Submit question) {
    const ConversationId id = question.conversation;
    const SafePoint before = means_.doors.at();
    try {
        beginAndSay(std::move(question));
    } catch (const std::bad_alloc&) {
        if (turns_.runs(id)) throw;
        means_.doors.moveTo(before);
        means_.conversations.forget(id);
        giveCachesBack();
        TurnFinished failed = unfinished(id, before, FinishReason::Error);
        failed.error = shortage("there is not enough memory to start this answer");
        means_.doors.post(std::move(failed));
        sayActivity();
    }
}

void TurnRunner::beginAndSay(Submit question) {
    EngineDoors& doors = means_.doors;
    const SafePoint before = doors.at();
    doors.moveTo({.turn = before.turn + 1, .index = 0});
    const EngineConfig& config = means_.settings.of(question.conversation);
    const Submit asked = question;
    const auto seed = question.seed ? question.seed : config.sampling.seed;
    const ModelFacts* facts = means_.models.facts();
    TurnStart start{
        .request = std::move(question),
        .turn = doors.at().turn,
        .at = before,
        .seed = seed ? *seed : randomSeed(),
        .config = config,
        .context = facts != nullptr ? effectiveContext(config, *facts, means_.machine) : 0};
    auto turn = std::make_unique<Turn>(std::move(start), doors.events(), doors.clock());
    // Preparing a text may take long. A cancel that arrives meanwhile is executed first. If it is
    // for another turn, this one begins again.
    const StopAsked stop = [&doors, before] { return doors.cancelWaits(before); };
    const Status begun = begin(*turn, asked, stop);
    if (!begun && begun.error().code == ErrorCode::Cancelled) {
        doors.moveTo(before);
        turns_.askAgain(asked);
        return;
    }
    const RunningModel* const model = means_.models.model();
    turn->announce(doors.revision(),
                   model != nullptr ? std::optional(model->precision()) : std::nullopt);
    Turn& running = turns_.begin(std::move(turn));
    if (begun)
        sayActivity();
    else
        end(running, FinishReason::Error, begun.error());
}

Status TurnRunner::begin(Turn& turn, const Submit& asked, const StopAsked& stop) {
    RunningModel* model = means_.models.model();
    if (model == nullptr)
        return fail(ErrorCode::InvalidArgument,
                    "no model is loaded; load one before sending a message");
    means_.compactions.answerBegins(turn.conversation(), *model);
    LACUNA_TRY_STATUS(means_.models.adapt(turns_.largestChunk(), means_.conversations));
    const EngineConfig& config = means_.settings.of(turn.conversation());
    const int context = effectiveContext(config, model->facts(), means_.machine);
    LACUNA_TRY(auto prompt, promptOf(asked, *model, config, context, stop));
    means_.recodings.turnBegins(!turns_.anyRunning());
    LACUNA_TRY(Sequence * sequence, cacheFor(turn));
    if (!takeStored(turn, *sequence, prompt, asked, stop))
        return fail(ErrorCode::Cancelled, "its prefix entry is being loaded");
    LACUNA_TRY(auto constraint, model->constraint(turn.rules(), stop));
    const auto question = questionOf(asked, *model, config, prompt.size(), stop);
    LACUNA_TRY_STATUS(turn.begin(model->transformer(), *sequence, std::move(prompt), question,
                                 std::move(constraint)));
    means_.pinning.turnBegins(asked, turn.prompt(), *sequence);
    if (!turn.inPrefill())
        means_.prefixes.keepForGroup(turn.promptGroup(), turn.conversation(), *sequence);
    return {};
}

Result<Sequence*> TurnRunner::cacheFor(Turn& turn) {
    const ConversationId id = turn.conversation();
    ConversationStore& conversations = means_.conversations;
    const KvChoice choice =
        cacheChoice(cacheModelOf(*means_.models.facts()), means_.settings.of(id).kv);
    const Sequence* held = conversations.find(id);
    if (held != nullptr && !isOfChoice(held->cache(), choice) &&
        !means_.recodings.leadsTo(id, choice)) {
        conversations.forget(id);
        turn.noteReuse("the cache type or window was changed, so the prompt is read again");
    }
    LACUNA_TRY(Sequence * sequence, conversations.use(
                                        id, [this, id] { return means_.models.makeSequence(id); },
                                        [this](ConversationId one) { return turns_.runs(one); }));
    if (conversations.takeEvictedMark(id))
        turn.noteReuse("the cache of this conversation was released to make room for others");
    return sequence;
}

/// Returns false while stored pages are being read; the turn then begins again later.
bool TurnRunner::takeStored(Turn& turn, Sequence& sequence, std::span<const TokenId> prompt,
                            const Submit& asked, const StopAsked& stop) {
    const ConversationId id = turn.conversation();
    PrefixSharing::Origin origin = means_.prefixes.begin(
        {.conversation = id,
         .prompt = prompt,
         .use = turn.prefix(),
         .most = asked.mostReused,
         .ownCache = asked.ownCache,
         .exchanges =
             [this, id] {
                 means_.compactions.abort(id, CompactionReason::AnswerFromStorage);
                 means_.recodings.giveUp([id](ConversationId one) { return one == id; });
             },
         .stop = stop,
         .inPieces = turns_.anyRunning(),
         .group = turn.promptGroup()},
        sequence);
    if (origin.pending) return false;
    if (origin.match != PrefixMatch::None || !origin.note.empty())
        turn.noteReuse(std::move(origin.note));
    turn.tookStored(origin.match);
    return true;
}

void TurnRunner::storePrompt(const Turn& turn, Sequence& sequence, const TurnStep& one) {
    if (!one.step->prefill) return;
    means_.prefixes.noteReading(one.step->tokens, one.seconds);
    if (turn.inPrefill()) return;
    means_.prefixes.keep(turn.conversation(), sequence, PrefixRole::User);
    means_.prefixes.keepForGroup(turn.promptGroup(), turn.conversation(), sequence);
}

/// Stores the current cache and computes the cost of regenerating or editing.
void TurnRunner::leaveForLater(Turn& turn, FinishReason reason) {
    const ConversationId id = turn.conversation();
    Sequence* const sequence = means_.conversations.find(id);
    if (sequence == nullptr || turn.prompt().empty()) return;
    if (reason != FinishReason::Error) means_.prefixes.keep(id, *sequence, PrefixRole::Assistant);
    // Returns how many of the first tokens of the prompt would be reread.
    const auto missing = [&](std::int64_t tokens) {
        const PrefixSharing::Wish wish{.conversation = id,
                                       .prompt = turn.prompt(),
                                       .use = turn.prefix(),
                                       .most = tokens,
                                       .exchanges = {},
                                       .stop = {}};
        return tokens - means_.prefixes.reusable(wish, *sequence);
    };
    turn.noteAskingAgain(missing(static_cast<std::int64_t>(turn.prompt().size())),
                         missing(sequence->beforeTurn()));
}

/// Looks back for turns whose prompt is read and whose answer has hardly begun.
void TurnRunner::lookBack() {
    for (Turn* turn : turns_.running()) {
        Sequence* const sequence = means_.conversations.find(turn->conversation());
        if (sequence == nullptr || !turn->looksBack()) continue;
        const ConversationId id = turn->conversation();
        if (const auto came = means_.lookBack.promptRead(
                id, turn->bringBack(means_.settings.of(id)), turn->prompt(), *sequence))
            turn->lookedBack(*came);
    }
}

void TurnRunner::step() {
    lookBack();
    if (!makeRoom()) return;
    RunningModel& model = *means_.models.model();
    const ConversationSettings& settings = means_.settings;
    ForwardOptions options;
    options.cancelled = [this] { return means_.doors.cancelAsked(); };
    const ConversationId eldest = turns_.running().front()->conversation();
    Transformer& watched = means_.quality.bind(model.transformer(), model.pool(), model.stepRoom());
    if (const Sequence* sequence = means_.conversations.find(eldest))
        means_.quality.before(eldest, *sequence);
    const SafePoint after{.turn = means_.doors.at().turn, .index = means_.doors.at().index + 1};
    // A cancelled step changes nothing; the cancel itself is taken next.
    const auto steps = turns_.step(
        [&settings](ConversationId id) -> const EngineConfig& { return settings.of(id); },
        [this, after](ConversationId id) { return means_.doors.backgroundOrder(after, id); },
        {.model = watched,
         .room = model.stepRoom(),
         .passes = settings.shared().passes,
         .forward = options,
         .clock = means_.doors.clock(),
         .passBytes = means_.compactions.passBytes()});
    const bool counts =
        std::ranges::any_of(steps, [](const TurnStep& one) { return one.step.has_value(); });
    if (counts) countStep();
    for (const TurnStep& one : steps) afterStep(one, options);
    if (counts) means_.recodings.afterStep([this](ConversationId id) { return turns_.runs(id); });
    if (!steps.empty()) sayActivity();
}

/// Makes room for the next step below the limit; if that fails, ends turns, the youngest first.
bool TurnRunner::makeRoom() {
    if (means_.settings.shared().cacheLimitMiB <= 0) return true;
    while (turns_.anyRunning()) {
        const auto running = turns_.running();
        const Status kept = means_.compactions.makeRoom(running, *means_.models.model());
        if (kept) return true;
        end(*running.back(), FinishReason::Error, kept.error());
    }
    return false;
}

void TurnRunner::afterStep(const TurnStep& one, const ForwardOptions& options) {
    if (!one.step) return endFailed(one);
    const GenerationStep& step = *one.step;
    one.turn->took(step, one.seconds);
    const ConversationId id = one.turn->conversation();
    if (step.compaction) means_.compactions.happened(id, *step.compaction);
    Sequence* sequence = means_.conversations.find(id);
    if (sequence != nullptr) storePrompt(*one.turn, *sequence, one);
    if (sequence != nullptr && step.tokens > 0) {
        means_.telemetry.publish(id, *sequence, &step);
        means_.quality.after(id, *sequence, step, options);
    }
    if (sequence != nullptr && sequence->drafter() != nullptr)
        if (const std::string why = sequence->drafter()->takeNotice(); !why.empty())
            means_.doors.post(Notice{format("The draft model is no longer used: {}", why)});
    if (step.finish) end(*one.turn, *step.finish);
}

/// Drops the cache as well if the failed step left it inconsistent.
void TurnRunner::endFailed(const TurnStep& failed) {
    const ConversationId id = failed.turn->conversation();
    means_.log.warn("session", format("turn failed turn={} error={}", failed.turn->number(),
                                      describe(failed.step.error())));
    end(*failed.turn, FinishReason::Error, failed.step.error());
    if (failed.torn) means_.conversations.forget(id);
}

void TurnRunner::end(Turn& turn, FinishReason reason, std::optional<Error> error) {
    if (reason == FinishReason::Cancelled)
        means_.compactions.abort(turn.conversation(), CompactionReason::AnswerStopped);
    if (Sequence* sequence = means_.conversations.find(turn.conversation()))
        sequence->compactor().endTurn();
    leaveForLater(turn, reason);
    const std::unique_ptr<Turn> ended = turns_.remove(turn);
    sayEnd(*ended, reason, error);
    countStep();
    sayActivity();
}

/// The end of a turn is always posted: after releasing caches if memory is short, and finally in
/// brief.
void TurnRunner::sayEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            ended.finish(reason, means_.doors.at(), error);
            return;
        } catch (const std::bad_alloc&) {
            giveCachesBack();
        }
    }
    TurnFinished brief = unfinished(ended.conversation(), means_.doors.at(), FinishReason::Error);
    brief.turn = ended.number();
    brief.error = shortage();
    means_.doors.post(std::move(brief));
}

void TurnRunner::countStep() {
    const SafePoint at = means_.doors.at();
    means_.doors.moveTo({.turn = at.turn, .index = at.index + 1});
}

void TurnRunner::giveCachesBack() noexcept {
    means_.prefixes.giveAllBack();
    try {
        means_.recodings.giveUp([this](ConversationId id) { return !turns_.runs(id); });
        std::vector<ConversationId> idle;
        means_.conversations.forEachNamed([&](ConversationId id, Sequence&) {
            if (!turns_.runs(id)) idle.push_back(id);
        });
        for (const ConversationId id : idle) {
            means_.compactions.abort(id, CompactionReason::MemoryRanOut);
            means_.conversations.giveBack(id);
        }
    } catch (const std::bad_alloc&) {  // memory released so far stays released
    }
}

void TurnRunner::endForShortage() {
    means_.recodings.giveUp([](ConversationId) { return true; });
    giveCachesBack();
    for (Turn* turn : turns_.running()) {
        const ConversationId id = turn->conversation();
        means_.compactions.abort(id, CompactionReason::MemoryRanOut);
        end(*turn, FinishReason::Error, shortage());
        means_.conversations.forget(id);
    }
}

}  // namespace lacuna
