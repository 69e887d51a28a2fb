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
                                      const StopRequested& stop) {
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
                                       const StopRequested& stop) {
    if (!asked.prompt.empty()) return asked.question;
    if (config.kv.method == CompactionMethod::None) return std::nullopt;
    return questionStart(model.loaded(), asked.messages, static_cast<std::int64_t>(tokens), stop);
}

/// Returns where messages of a prompt end whose text is unknown: before control tokens that follow
/// other tokens.
std::vector<std::int64_t> messageEnds(const Tokenizer& tokenizer, std::span<const TokenId> prompt) {
    constexpr std::int64_t kShortest = 8;
    std::vector<std::int64_t> ends;
    std::int64_t before = -1;  // the last control token
    for (std::int64_t i = 0; i < std::ssize(prompt); ++i) {
        if (!tokenizer.isControl(prompt[static_cast<std::size_t>(i)])) continue;
        if (i - before > kShortest) ends.push_back(i);
        before = i;
    }
    return ends;
}

/// Returns where the messages of the prompt begin, if the model has states that can be kept there.
std::vector<std::int64_t> checkpointsOf(const Submit& asked, const RunningModel& model,
                                        std::span<const TokenId> prompt, const Sequence& sequence,
                                        const StopRequested& stop) {
    if (sequence.cache().states() == nullptr) return {};
    if (!asked.prompt.empty()) return messageEnds(model.loaded().tokenizer, prompt);
    return messageStarts(model.loaded(), asked.messages, prompt, stop)
        .value_or(std::vector<std::int64_t>());
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
void TurnRunner::cancel(const ConversationFilter& which) {
    end(which);
    const auto withdrawn = turns_.withdraw(which);
    if (!withdrawn.empty()) dependencies_.prefixes.cancelLoading();
    for (const ConversationId id : withdrawn)
        dependencies_.io.post(unfinished(id, dependencies_.io.at(), FinishReason::Cancelled));
}

void TurnRunner::end(const ConversationFilter& which) {
    for (Turn* turn : turns_.running())
        if (which(turn->conversation())) end(*turn, FinishReason::Cancelled);
}

void TurnRunner::estimate(const EstimateReading& asked) {
    ReadingEstimated estimateEvent{.conversation = asked.conversation, .request = asked.request};
    if (Status estimated = estimate(asked, estimateEvent); !estimated)
        estimateEvent.error = std::move(estimated).error();
    dependencies_.io.post(std::move(estimateEvent));
}

Status TurnRunner::estimate(const EstimateReading& asked, ReadingEstimated& estimateEvent) {
    const RunningModel* const model = dependencies_.models.model();
    if (model == nullptr) return fail(ErrorCode::InvalidArgument, "no model is loaded");
    LACUNA_TRY(const auto prompt, promptTokens(model->loaded(), asked.messages));
    std::unique_ptr<Sequence> none;
    const Sequence* sequence = dependencies_.conversations.find(asked.conversation);
    if (sequence == nullptr) {
        LACUNA_TRY(none, dependencies_.models.makeSequence(asked.conversation));
        sequence = none.get();
    }
    const PrefixSharing::Request request{.conversation = asked.conversation,
                                         .prompt = prompt,
                                         .use = asked.prefix,
                                         .most = std::nullopt,
                                         .exchanges = {},
                                         .stop = {}};
    estimateEvent.promptTokens = static_cast<std::int64_t>(prompt.size());
    estimateEvent.readTokens =
        estimateEvent.promptTokens - dependencies_.prefixes.reusable(request, *sequence);
    return {};
}

bool TurnRunner::advance() {
    // A turn that waits for pages on disk begins once they are read, one page after each step.
    if (dependencies_.prefixes.loading()) {
        if (turns_.anyRunning()) step();
        if (dependencies_.prefixes.loading()) dependencies_.prefixes.loadNextPage();
        return true;
    }
    if (auto question = turns_.next(dependencies_.settings.shared().parallel))
        start(std::move(*question));
    else if (turns_.anyRunning())
        step();
    else
        return false;
    return true;
}

void TurnRunner::updateActivity() {
    if (turns_.anyRunning())
        dependencies_.io.enter(turns_.anyReading() ? EngineState::Prefill : EngineState::Decode);
    else
        dependencies_.io.enter(dependencies_.models.model() != nullptr ? EngineState::Idle
                                                                       : EngineState::NoModel);
}

void TurnRunner::release() {
    if (turns_.anyRunning()) {
        end([](ConversationId) { return true; });
        dependencies_.io.post(Notice{"The answer was stopped because the model was replaced."});
    }
    dependencies_.quality.reset();
    dependencies_.prefixes.cancelLoading();
}

/// If memory runs out before the turn begins, it does not count as a turn, but its client still
/// gets an answer.
void TurnRunner::start(Submit question) {
    const ConversationId id = question.conversation;
    const SafePoint before = dependencies_.io.at();
    try {
        beginOrFail(std::move(question));
    } catch (const std::bad_alloc&) {
        if (turns_.runs(id)) throw;
        dependencies_.io.moveTo(before);
        dependencies_.conversations.remove(id);
        releaseCaches();
        TurnFinished failed = unfinished(id, before, FinishReason::Error);
        failed.error = shortage("there is not enough memory to start this answer");
        dependencies_.io.post(std::move(failed));
        updateActivity();
    }
}

void TurnRunner::beginOrFail(Submit question) {
    EngineIo& io = dependencies_.io;
    const SafePoint before = io.at();
    io.moveTo({.turn = before.turn + 1, .index = 0});
    const EngineConfig& config = dependencies_.settings.of(question.conversation);
    const Submit asked = question;
    const auto seed = question.seed ? question.seed : config.sampling.seed;
    const ModelFacts* facts = dependencies_.models.facts();
    TurnStart start{
        .request = std::move(question),
        .turn = io.at().turn,
        .at = before,
        .seed = seed ? *seed : randomSeed(),
        .config = config,
        .context = facts != nullptr ? effectiveContext(config, *facts, dependencies_.machine) : 0};
    auto turn = std::make_unique<Turn>(std::move(start), io.events(), io.clock());
    // Preparing a text may take long. A cancel that arrives meanwhile is executed first. If it is
    // for another turn, this one begins again.
    const StopRequested stop = [&io, before] { return io.cancelWaits(before); };
    const Status begun = begin(*turn, asked, stop);
    if (!begun && begun.error().code == ErrorCode::Cancelled) {
        io.moveTo(before);
        turns_.requeue(asked);
        return;
    }
    const RunningModel* const model = dependencies_.models.model();
    turn->announce(io.revision(),
                   model != nullptr ? std::optional(model->precision()) : std::nullopt);
    Turn& running = turns_.begin(std::move(turn));
    if (begun)
        updateActivity();
    else
        end(running, FinishReason::Error, begun.error());
}

Status TurnRunner::begin(Turn& turn, const Submit& asked, const StopRequested& stop) {
    RunningModel* model = dependencies_.models.model();
    if (model == nullptr)
        return fail(ErrorCode::InvalidArgument,
                    "no model is loaded; load one before sending a message");
    dependencies_.compactions.answerBegins(turn.conversation(), *model);
    LACUNA_TRY_STATUS(
        dependencies_.models.adapt(turns_.largestChunk(), dependencies_.conversations));
    const EngineConfig& config = dependencies_.settings.of(turn.conversation());
    const int context = effectiveContext(config, model->facts(), dependencies_.machine);
    LACUNA_TRY(auto prompt, promptOf(asked, *model, config, context, stop));
    dependencies_.recodings.turnBegins(!turns_.anyRunning());
    LACUNA_TRY(Sequence * sequence, cacheFor(turn));
    LACUNA_TRY_STATUS(dependencies_.models.chooseDrafter(*sequence, turn.conversation()));
    if (!startFromStored(turn, *sequence, prompt, asked, stop))
        return fail(ErrorCode::Cancelled, "its prefix entry is being loaded");
    LACUNA_TRY(auto constraint, model->constraint(turn.rules(), stop));
    const auto question = questionOf(asked, *model, config, prompt.size(), stop);
    sequence->limitCheckpointsTo(stateCheckpointsOf(config),
                                 checkpointsOf(asked, *model, prompt, *sequence, stop));
    LACUNA_TRY_STATUS(turn.begin(model->transformer(), *sequence, std::move(prompt), question,
                                 std::move(constraint)));
    dependencies_.pinning.turnBegins(asked, turn.prompt(), *sequence);
    if (!turn.inPrefill())
        dependencies_.prefixes.keepForGroup(turn.promptGroup(), turn.conversation(), *sequence);
    return {};
}

Result<Sequence*> TurnRunner::cacheFor(Turn& turn) {
    const ConversationId id = turn.conversation();
    SequencePool& conversations = dependencies_.conversations;
    const KvChoice choice =
        cacheChoice(cacheModelOf(*dependencies_.models.facts()), dependencies_.settings.of(id).kv);
    const Sequence* held = conversations.find(id);
    if (held != nullptr && !matchesChoice(held->cache(), choice) &&
        !dependencies_.recodings.leadsTo(id, choice)) {
        conversations.remove(id);
        turn.noteReuse("the cache type or window was changed, so the prompt is read again");
    }
    LACUNA_TRY(Sequence * sequence,
               conversations.use(
                   id, [this, id] { return dependencies_.models.makeSequence(id); },
                   [this](ConversationId one) { return turns_.runs(one); }));
    if (conversations.consumeEvictedMark(id))
        turn.noteReuse("the cache of this conversation was released to make room for others");
    return sequence;
}

/// Returns false while stored pages are being read; the turn then begins again later.
bool TurnRunner::startFromStored(Turn& turn, Sequence& sequence, std::span<const TokenId> prompt,
                                 const Submit& asked, const StopRequested& stop) {
    const ConversationId id = turn.conversation();
    PrefixSharing::Origin origin = dependencies_.prefixes.begin(
        {.conversation = id,
         .prompt = prompt,
         .use = turn.prefix(),
         .most = asked.maxReused,
         .ownCache = asked.ownCache,
         .exchanges =
             [this, id] {
                 dependencies_.compactions.abort(id, CompactionReason::AnswerFromStorage);
                 dependencies_.recodings.abandon([id](ConversationId one) { return one == id; });
             },
         .stop = stop,
         .inPieces = turns_.anyRunning(),
         .group = turn.promptGroup()},
        sequence);
    if (origin.pending) return false;
    if (origin.match != PrefixMatch::None || !origin.note.empty())
        turn.noteReuse(std::move(origin.note));
    turn.setPrefixMatch(origin.match);
    return true;
}

void TurnRunner::storePrompt(const Turn& turn, Sequence& sequence, const TurnStep& one) {
    if (!one.step->prefill) return;
    dependencies_.prefixes.noteReading(one.step->tokens, one.seconds);
    if (turn.inPrefill()) return;
    dependencies_.prefixes.keep(turn.conversation(), sequence, PrefixRole::User);
    dependencies_.prefixes.keepForGroup(turn.promptGroup(), turn.conversation(), sequence);
}

/// Stores the current cache and computes the cost of regenerating or editing.
void TurnRunner::defer(Turn& turn, FinishReason reason) {
    const ConversationId id = turn.conversation();
    Sequence* const sequence = dependencies_.conversations.find(id);
    if (sequence == nullptr || turn.prompt().empty()) return;
    if (reason != FinishReason::Error)
        dependencies_.prefixes.keep(id, *sequence, PrefixRole::Assistant);
    // Returns how many of the first tokens of the prompt would be reread.
    const auto missing = [&](std::int64_t tokens) {
        const PrefixSharing::Request request{.conversation = id,
                                             .prompt = turn.prompt(),
                                             .use = turn.prefix(),
                                             .most = tokens,
                                             .exchanges = {},
                                             .stop = {}};
        return tokens - dependencies_.prefixes.reusable(request, *sequence);
    };
    turn.noteAskingAgain(missing(static_cast<std::int64_t>(turn.prompt().size())),
                         missing(sequence->beforeTurn()));
}

/// Looks back for turns whose prompt is read and whose answer has hardly begun.
void TurnRunner::lookBack() {
    for (Turn* turn : turns_.running()) {
        Sequence* const sequence = dependencies_.conversations.find(turn->conversation());
        if (sequence == nullptr || !turn->looksBack()) continue;
        const ConversationId id = turn->conversation();
        if (const auto came = dependencies_.lookBack.promptRead(
                id, turn->bringBack(dependencies_.settings.of(id)), turn->prompt(), *sequence))
            turn->lookedBack(*came);
    }
}

void TurnRunner::step() {
    lookBack();
    if (!makeRoom()) return;
    RunningModel& model = *dependencies_.models.model();
    const ConversationSettings& settings = dependencies_.settings;
    ForwardOptions options;
    options.cancelled = [this] { return dependencies_.io.cancelRequested(); };
    const ConversationId eldest = turns_.running().front()->conversation();
    Transformer& watched =
        dependencies_.quality.bind(model.transformer(), model.pool(), model.stepRoom());
    if (const Sequence* sequence = dependencies_.conversations.find(eldest))
        dependencies_.quality.before(eldest, *sequence);
    const SafePoint after{.turn = dependencies_.io.at().turn,
                          .index = dependencies_.io.at().index + 1};
    for (const Turn* turn : turns_.running())
        dependencies_.compactions.stepBegins(turn->conversation(), after, model);
    // A cancelled step changes nothing; the cancel itself is taken next.
    const auto steps = turns_.step(
        [&settings](ConversationId id) -> const EngineConfig& { return settings.of(id); },
        [this, after](ConversationId id) { return dependencies_.io.backgroundPolicy(after, id); },
        {.model = watched,
         .room = model.stepRoom(),
         .passes = settings.shared().passes,
         .forward = options,
         .clock = dependencies_.io.clock(),
         .passBytes = dependencies_.compactions.passBytes()});
    const bool counts =
        std::ranges::any_of(steps, [](const TurnStep& one) { return one.step.has_value(); });
    if (counts) countStep();
    for (const TurnStep& one : steps) afterStep(one, options);
    if (counts)
        dependencies_.recodings.afterStep([this](ConversationId id) { return turns_.runs(id); });
    if (!steps.empty()) updateActivity();
}

/// Makes room for the next step below the limit; if that fails, ends turns, the youngest first.
bool TurnRunner::makeRoom() {
    if (dependencies_.settings.shared().cacheLimitMiB <= 0) return true;
    while (turns_.anyRunning()) {
        const auto running = turns_.running();
        const Status kept =
            dependencies_.compactions.makeRoom(running, *dependencies_.models.model());
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
    if (step.compaction) dependencies_.compactions.happened(id, *step.compaction);
    Sequence* sequence = dependencies_.conversations.find(id);
    if (sequence != nullptr) storePrompt(*one.turn, *sequence, one);
    if (sequence != nullptr && step.tokens > 0) {
        dependencies_.telemetry.publish(id, *sequence, &step);
        dependencies_.quality.after(id, *sequence, step, options);
    }
    if (sequence != nullptr && sequence->drafter() != nullptr)
        if (const std::string why = sequence->drafter()->consumeNotice(); !why.empty())
            dependencies_.io.post(Notice{format("Drafting ended: {}", why)});
    if (step.finish) end(*one.turn, *step.finish);
}

/// Drops the cache as well if the failed step left it inconsistent.
void TurnRunner::endFailed(const TurnStep& failed) {
    const ConversationId id = failed.turn->conversation();
    dependencies_.log.warn("session", format("turn failed turn={} error={}", failed.turn->number(),
                                             describe(failed.step.error())));
    end(*failed.turn, FinishReason::Error, failed.step.error());
    if (failed.inconsistent) dependencies_.conversations.remove(id);
}

void TurnRunner::end(Turn& turn, FinishReason reason, std::optional<Error> error) {
    if (reason == FinishReason::Cancelled)
        dependencies_.compactions.abort(turn.conversation(), CompactionReason::AnswerStopped);
    if (Sequence* sequence = dependencies_.conversations.find(turn.conversation()))
        sequence->compactor().endTurn();
    defer(turn, reason);
    const std::unique_ptr<Turn> ended = turns_.remove(turn);
    publishEnd(*ended, reason, error);
    countStep();
    updateActivity();
}

/// The end of a turn is always posted: after releasing caches if memory is short, and finally in
/// brief.
void TurnRunner::publishEnd(Turn& ended, FinishReason reason, const std::optional<Error>& error) {
    for (int attempt = 0; attempt < 2; ++attempt) {
        try {
            ended.finish(reason, dependencies_.io.at(), error);
            return;
        } catch (const std::bad_alloc&) {
            releaseCaches();
        }
    }
    TurnFinished brief =
        unfinished(ended.conversation(), dependencies_.io.at(), FinishReason::Error);
    brief.turn = ended.number();
    brief.error = shortage();
    dependencies_.io.post(std::move(brief));
}

void TurnRunner::countStep() {
    const SafePoint at = dependencies_.io.at();
    dependencies_.io.moveTo({.turn = at.turn, .index = at.index + 1});
}

void TurnRunner::releaseCaches() noexcept {
    dependencies_.prefixes.releaseAll();
    try {
        dependencies_.recodings.abandon([this](ConversationId id) { return !turns_.runs(id); });
        std::vector<ConversationId> idle;
        dependencies_.conversations.forEachNamed([&](ConversationId id, Sequence&) {
            if (!turns_.runs(id)) idle.push_back(id);
        });
        for (const ConversationId id : idle) {
            dependencies_.compactions.abort(id, CompactionReason::MemoryRanOut);
            dependencies_.conversations.release(id);
        }
    } catch (const std::bad_alloc&) {  // memory released so far stays released
    }
}

void TurnRunner::endAllTurns() {
    dependencies_.recodings.abandon([](ConversationId) { return true; });
    releaseCaches();
    for (Turn* turn : turns_.running()) {
        const ConversationId id = turn->conversation();
        dependencies_.compactions.abort(id, CompactionReason::MemoryRanOut);
        end(*turn, FinishReason::Error, shortage());
        dependencies_.conversations.remove(id);
    }
}

}  // namespace lacuna
