// The loop: take commands at a safe point, then begin a waiting answer, or take one step of all
// that run, or wait. Everything that changes the engine happens between two steps on this thread.
//
// Safe points (event.h) are counted so that a recording can be replayed. A point belongs to what
// comes after it: commands first, one after another, then the beginning of a turn, which makes a
// new point, or a step. A step that a cancel undid does not count; the point after it is the one
// before it. When a turn ends the index moves on once more, so that no two ends share a point, and
// idle commands share none with a turn's.

#include "engine/session/engine.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <optional>
#include <random>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/generate/compactor_model.h"
#include "engine/generate/model_drafter.h"
#include "engine/generate/prompt.h"
#include "engine/kv/cache_plan.h"
#include "engine/session/background_compactions.h"
#include "engine/session/conversation_store.h"
#include "engine/session/knob_spec.h"
#include "engine/session/live_quality_monitor.h"
#include "engine/session/memory_probe.h"
#include "engine/session/prompt_cache_moves.h"
#include "engine/session/quality_jobs.h"
#include "engine/session/step_sample.h"
#include "engine/session/thread_niceness.h"
#include "engine/session/turns_in_flight.h"

namespace lacuna {
namespace {

constexpr std::chrono::milliseconds kBackgroundPoll{20};

std::uint64_t randomSeed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

}  // namespace

struct Engine::Impl {
    explicit Impl(EngineContext context)
        : context_(std::move(context)),
          config_(context_.config),
          conversations_(context_.residentConversations),
          memory_(context_.clock),
          live_(context_.clock) {}

    void run(const std::stop_token& stop) {
        stop_ = stop;
        niceThisThread(context_.workerNiceness);
        enter(EngineState::NoModel);
        while (!stop_.stop_requested()) {
            settleWhileIdle();
            takeCommands();
            if (auto question = turns_.next(config_.parallel))
                startTurn(std::move(*question));
            else if (turns_.anyRunning())
                stepTurns();
            else if (anyInBackground(conversations_))
                context_.commands.waitFor(stop_, kBackgroundPoll);
            else
                context_.commands.wait(stop_);
        }
        cancel([](ConversationId) { return true; });
    }

    // --- commands ------------------------------------------------------------------------------

    /// Until no more are due: a source may hand them out one at a time.
    void takeCommands() {
        for (auto commands = context_.commands.take(at_); !commands.empty();
             commands = context_.commands.take(at_)) {
            obey(commands);
            settleWhileIdle();  // a replay ends it here, before the question that came after it
        }
    }

    void obey(std::vector<Command>& commands) {
        const SetConfig* newest = nullptr;
        for (const Command& command : commands)
            if (const auto* change = std::get_if<SetConfig>(&command)) newest = change;
        for (Command& command : commands) {
            if (const auto* change = std::get_if<SetConfig>(&command);
                change != nullptr && change != newest)
                post(ConfigSuperseded{change->revision, newest->revision});
            else
                std::visit([this](auto& one) { on(one); }, command);
        }
    }

    void on(SetConfig& change) {
        const auto checked =
            check(change.config, model_ ? &model_->facts() : nullptr, context_.machine);
        if (!checked) {
            post(ConfigRejected{change.revision, checked.error(), context_.clock.nowNs()});
            return;
        }
        ConfigApplied applied{.revision = change.revision,
                              .config = change.config,
                              .at = at_,
                              .timeNs = context_.clock.nowNs(),
                              .live = {},
                              .deferred = {}};
        for (const KnobSpec& spec : knobSpecs()) {
            if (knobValue(config_, spec.key) == knobValue(change.config, spec.key)) continue;
            (spec.when == KnobWhen::Live ? applied.live : applied.deferred).emplace_back(spec.key);
        }
        const bool compressionChanged = config_.kv != change.config.kv;
        config_ = checked->get();
        revision_ = change.revision;
        post(std::move(applied));
        if (!compressionChanged) return;
        abortCompactions(conversations_, "the settings were changed", told());
        compactForConfig();
    }

    /// A tighter setting takes effect on the answers in progress now, not only when a cache grows.
    void compactForConfig() {
        for (const Turn* turn : turns_.running()) {
            if (turn->inPrefill() && config_.prefillPolicy == PrefillPolicy::AfterPrefill) continue;
            Sequence* sequence = conversations_.find(turn->conversation());
            if (sequence != nullptr &&
                sequence->compactor().state(sequence->cache(), config_.kv).due)
                compact(turn->conversation(), *sequence, CompactionCause::ConfigChange);
        }
    }

    void on(CompactNow& command) {
        Sequence* sequence = conversations_.find(command.conversation);
        if (sequence != nullptr) {
            compact(command.conversation, *sequence, CompactionCause::Manual);
            return;
        }
        CompactionReport report;
        report.cause = CompactionCause::Manual;
        report.method = config_.kv.method;
        report.reason = model_ ? "this conversation has no cache yet" : "no model is loaded";
        postCompaction(command.conversation, std::move(report));
    }

    void compact(ConversationId conversation, Sequence& sequence, CompactionCause cause) {
        postCompaction(conversation,
                       sequence.compactor().compactSoon(sequence.cache(), config_.kv, cause));
        postSample(conversation, sequence, nullptr);
    }

    void on(ForgetConversation& command) {
        const ConversationId id = command.conversation;
        endTurns([id](ConversationId one) { return one == id; });
        abortCompaction(conversations_, id, "the conversation was given up", told());
        conversations_.forget(id);
    }

    void on(SavePromptCache& command) {
        post(savePrompt(command, conversations_.find(command.conversation), model_.get()));
    }

    void on(LoadPromptCache& command) {
        post(loadPrompt(
            command, {.conversations = conversations_,
                      .model = model_.get(),
                      .make = [this] { return makeSequence(); },
                      .busy = [this](ConversationId one) { return turns_.runs(one); }}));
    }

    void on(RequestRetention& command) {
        RetentionSnapshot snapshot;
        snapshot.conversation = command.conversation;
        snapshot.sinks = config_.kv.nSink;
        snapshot.recent = config_.kv.keepRecent;
        if (Sequence* sequence = conversations_.find(command.conversation);
            sequence != nullptr && model_) {
            snapshot.row = retention(sequence->cache());
            for (const TokenId token : sequence->tokens())
                snapshot.pieces.push_back(model_->loaded()
                                              .tokenizer.pieceBytes(token, SpecialOutput::Show)
                                              .value_or(std::string()));
        }
        post(std::move(snapshot));
    }

    void on(RequestPreview& request) {
        previews_.preview(request, conversations_.find(request.conversation),
                          model_ ? &model_->loaded().spec : nullptr, poster());
    }
    void on(CompareSettings& request) { runComparison(request, jobTools()); }
    void on(SweepSettings& request) { runSweep(request, jobTools()); }

    [[nodiscard]] QualityJobTools jobTools() {
        return {.model = model_.get(),
                .answering = turns_.anyRunning(),
                .config = config_,
                .machine = context_.machine,
                .post = poster(),
                .cancelled = [this] {
                    return stop_.stop_requested() || context_.commands.cancelWaiting(at_);
                }};
    }

    void on(CancelTurn& command) {
        cancel([only = command.conversation](ConversationId one) { return !only || *only == one; });
    }

    /// A question taken back before its answer began is no turn: nothing but its end is told.
    void cancel(const TurnsInFlight::Which& which) {
        endTurns(which);
        for (const ConversationId conversation : turns_.withdraw(which)) {
            TurnFinished withdrawn;
            withdrawn.conversation = conversation;
            withdrawn.at = at_;
            withdrawn.reason = FinishReason::Cancelled;
            post(std::move(withdrawn));
        }
    }

    void endTurns(const TurnsInFlight::Which& which) {
        for (Turn* turn : turns_.running())
            if (which(turn->conversation())) endTurn(*turn, FinishReason::Cancelled);
    }

    void on(Submit& question) { turns_.ask(std::move(question)); }

    void on(LoadModel& command) {
        const std::int64_t begin = context_.clock.nowNs();
        const EngineState before = state_;
        const std::string path = command.path.string();
        enter(EngineState::Loading);
        auto made = load(command);
        if (!made) {
            context_.log.warn("session", format("model not loaded path={} error={}", path,
                                                describe(made.error())));
            post(ModelFailed{.path = path,
                             .error = std::move(made).error(),
                             .previousStillLoaded = model_ != nullptr});
            enter(before);
            return;
        }
        dropModel();
        model_ = std::move(*made);
        const double seconds = static_cast<double>(context_.clock.nowNs() - begin) * 1e-9;
        context_.log.info("session", format("model loaded path={} seconds={:.2f}", path, seconds));
        post(ModelLoaded{.facts = model_->facts(), .seconds = seconds});
        const int context = effectiveContext(config_, model_->facts(), context_.machine);
        if (config_.context == 0 && context < model_->facts().context)
            post(Notice{format(
                "The context is {} tokens instead of {}, because the cache must fit this machine's "
                "memory.",
                context, model_->facts().context)});
        enter(EngineState::Idle);
    }

    void on(UnloadModel&) {
        if (!model_) return;
        dropModel();
        post(ModelUnloaded{});
        enter(EngineState::NoModel);
    }

    void on(InspectModel& command) {
        const auto inspection = inspectModel(command.path, context_.machine, config_.prefillChunk);
        ModelInspected answer;
        if (inspection) {
            answer.page = modelPage(command.path, *inspection);
        } else {
            answer.page.path = command.path.string();
            answer.error = inspection.error();
        }
        post(std::move(answer));
    }

    /// Reads a model beside the one in use; a waiting cancel ends the reading.
    Result<std::unique_ptr<RunningModel>> load(const LoadModel& command) {
        std::stop_source stop;
        const std::stop_callback outer(stop_, [&stop] { stop.request_stop(); });
        LoadOptions options;
        options.stop = stop.get_token();
        options.progress = [&](double share) {
            post(ModelLoading{.path = command.path.string(), .share = share});
            if (context_.commands.cancelWaiting(at_)) stop.request_stop();
        };
        LACUNA_TRY(auto loaded, context_.makers.load(command.path, options));
        const ModelFacts facts = factsOf(*loaded);
        if (const auto checked = check(config_, &facts, context_.machine); !checked)
            return tl::unexpected<Error>(
                withPrefix(violationsError(checked.error()),
                           format("the settings do not suit {}", facts.name)));
        LACUNA_TRY(auto running,
                   RunningModel::create(std::move(loaded), context_.makers,
                                        {.precision = context_.precision, .niceness = 0}, config_,
                                        context_.machine));
        if (command.draft.empty()) return running;
        LACUNA_TRY(auto draft, context_.makers.load(command.draft, options));
        LACUNA_TRY_STATUS(running->addDraft(std::move(draft)));
        return running;
    }

    void dropModel() {
        if (turns_.anyRunning()) {
            endTurns([](ConversationId) { return true; });
            post(Notice{"The answer was stopped, because the model was replaced."});
        }
        abortCompactions(conversations_, "the model was given back", told());
        conversations_.clear();
        previews_.clear();
        live_.release();
        model_.reset();
    }

    // --- turns ---------------------------------------------------------------------------------

    void startTurn(Submit question) {
        const SafePoint before = std::exchange(at_, {.turn = at_.turn + 1, .index = 0});
        const auto seed = question.seed ? question.seed : config_.sampling.seed;
        TurnStart start{
            .request = std::move(question),
            .turn = at_.turn,
            .at = before,
            .seed = seed ? *seed : randomSeed(),
            .config = config_,
            .context = model_ ? effectiveContext(config_, model_->facts(), context_.machine) : 0};
        const std::vector<ChatMessage> messages = start.request.messages;
        auto turn = std::make_unique<Turn>(std::move(start), context_.events, context_.clock);
        const Status begun = beginTurn(*turn, messages);
        turn->announce(revision_);
        Turn& running = turns_.begin(std::move(turn));
        if (begun)
            showActivity();
        else
            endTurn(running, FinishReason::Error, begun.error());
    }

    Status beginTurn(Turn& turn, const std::vector<ChatMessage>& messages) {
        if (!model_)
            return fail(ErrorCode::InvalidArgument,
                        "no model is loaded; load one before sending a message");
        EngineConfig room = config_;
        room.prefillChunk = std::max(room.prefillChunk, turns_.largestChunk());
        LACUNA_TRY_STATUS(model_->adapt(room, context_.machine, [this] {
            conversations_.forEach(
                [this](Sequence& sequence) { sequence.replaceCompactor(compactorMaker()); });
        }));
        LACUNA_TRY(auto prompt, promptTokens(model_->loaded(), messages));
        const ConversationId id = turn.conversation();
        if (Sequence* held = conversations_.find(id);
            held && !isOfChoice(held->cache(), cacheChoice(cacheModelOf(model_->facts()), config_.kv))) {
            conversations_.forget(id);
            turn.noteReuse("the cache type or window was changed, so the prompt is read anew");
        }
        LACUNA_TRY(Sequence * sequence,
                   conversations_.use(
                       id, [this] { return makeSequence(); },
                       [this](ConversationId one) { return turns_.runs(one); }));
        if (conversations_.takeEvictedMark(id))
            turn.noteReuse("the cache of this conversation was given back to make room for others");
        LACUNA_TRY(auto constraint, model_->constraint(turn.rules()));
        return turn.begin(model_->transformer(), *sequence, std::move(prompt),
                          std::move(constraint));
    }

    Result<std::unique_ptr<Sequence>> makeSequence() {
        LACUNA_TRY(auto sequence, Sequence::create(cacheMaker(), compactorMaker()));
        if (model_->draft() == nullptr) return sequence;
        LACUNA_TRY(auto drafter, ModelDrafter::create(*model_->draft(), config_.kv.type));
        sequence->setDrafter(std::move(drafter));
        return sequence;
    }

    [[nodiscard]] Sequence::CacheMaker cacheMaker() {
        return [this] { return makeCacheFor(cacheModelOf(model_->facts()), config_.kv); };
    }
    [[nodiscard]] Sequence::CompactorMaker compactorMaker() {
        return [this](const KvShape& shape) {
            CompactorModel model = compactorModel(
                model_->loaded().spec, config_.sampling.seed.value_or(0), model_->headProfile());
            model.profileNote = model_->headProfileNote();
            model.backgroundThreads = model_->pool().threads();
            return std::make_unique<Compactor>(model, shape, model_->pool(), context_.clock);
        };
    }

    void stepTurns() {
        ForwardOptions options;
        options.cancelled = [this] {
            return stop_.stop_requested() || context_.commands.cancelWaiting(at_);
        };
        Turn& eldest = *turns_.running().front();
        Transformer& watched =
            live_.bind(model_->transformer(), model_->pool(), model_->stepRoom());
        if (const Sequence* sequence = conversations_.find(eldest.conversation()))
            live_.before(eldest.conversation(), *sequence, config_);
        directCompactions();
        // A cancelled step left everything as it was; the command that did it is taken next.
        const auto steps = turns_.step(config_, {.model = watched,
                                                 .room = model_->stepRoom(),
                                                 .passes = config_.passes,
                                                 .forward = options,
                                                 .clock = context_.clock});
        if (std::ranges::any_of(steps, [](const TurnStep& one) { return one.step.has_value(); }))
            ++at_.index;
        for (const TurnStep& one : steps) afterStep(one, options);
        if (!steps.empty()) showActivity();
    }

    void afterStep(const TurnStep& one, const ForwardOptions& options) {
        if (!one.step) return failTurn(one);
        const GenerationStep& step = *one.step;
        one.turn->took(step, one.seconds);
        const ConversationId id = one.turn->conversation();
        if (step.compaction) {
            if (step.compaction->result == CompactionResult::Done) one.turn->countCompaction();
            postCompaction(id, *step.compaction);
        }
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

    void measure(ConversationId id, const Sequence& sequence, const GenerationStep& step,
                 const ForwardOptions& options) {
        const auto sample = live_.after(id, sequence, step, config_, options);
        if (!sample && sample.error().code != ErrorCode::Cancelled)
            post(Notice{
                format("Quality is not measured any more: {}", describe(sample.error()))});
        if (!sample || !*sample) return;
        post(QualitySampled{.timeNs = context_.clock.nowNs(),
                            .at = at_,
                            .conversation = id,
                            .revision = revision_,
                            .sample = **sample});
    }

    /// A sequence that was torn is not trusted any more.
    void failTurn(const TurnStep& failed) {
        const ConversationId id = failed.turn->conversation();
        context_.log.warn("session", format("turn failed turn={} error={}", failed.turn->number(),
                                            describe(failed.step.error())));
        endTurn(*failed.turn, FinishReason::Error, failed.step.error());
        if (failed.torn) conversations_.forget(id);
    }

    void endTurn(Turn& turn, FinishReason reason, std::optional<Error> error = std::nullopt) {
        if (reason == FinishReason::Cancelled)
            abortCompaction(conversations_, turn.conversation(), "the answer was stopped", told());
        const std::unique_ptr<Turn> ended = turns_.remove(turn);
        ended->finish(reason, at_, std::move(error));
        ++at_.index;
        showActivity();
    }

    // --- compactions in the background ---------------------------------------------------------

    void settleWhileIdle() {
        if (!turns_.anyRunning()) settleCompactions(conversations_, orderAt(at_), told());
    }
    /// What the step about to be taken does with compactions that are ready after it.
    void directCompactions() {
        const SafePoint after{.turn = at_.turn, .index = at_.index + 1};
        for (const Turn* turn : turns_.running())
            if (Sequence* sequence = conversations_.find(turn->conversation()))
                sequence->compactor().direct(orderAt(after)(turn->conversation()));
    }
    [[nodiscard]] std::function<BackgroundOrder(ConversationId)> orderAt(SafePoint at) {
        return [this, at](ConversationId id) { return context_.commands.backgroundOrder(at, id); };
    }
    [[nodiscard]] CompactionTold told() {
        return [this](ConversationId id, CompactionReport report) {
            postCompaction(id, std::move(report));
            if (Sequence* sequence = conversations_.find(id)) postSample(id, *sequence, nullptr);
        };
    }

    // --- events --------------------------------------------------------------------------------

    void post(Event event) { context_.events.post(std::move(event)); }
    [[nodiscard]] std::function<void(Event)> poster() {
        return [this](Event event) { post(std::move(event)); };
    }

    /// What the engine does, all answers taken together.
    void showActivity() {
        if (turns_.anyRunning())
            enter(turns_.anyReading() ? EngineState::Prefill : EngineState::Decode);
        else
            enter(model_ ? EngineState::Idle : EngineState::NoModel);
    }

    void enter(EngineState state) {
        if (state_ == state && announced_) return;
        state_ = state;
        announced_ = true;
        post(StateChanged{state});
    }

    void postCompaction(ConversationId conversation, CompactionReport report) {
        const CompactionHappened happened{.timeNs = context_.clock.nowNs(),
                                          .at = at_,
                                          .conversation = conversation,
                                          .revision = revision_,
                                          .report = std::move(report)};
        post(happened);
        previews_.compacted(happened, config_.kv, poster());
    }

    /// `step` is null after a compaction by hand.
    void postSample(ConversationId conversation, Sequence& sequence, const GenerationStep* step) {
        StepSample sample = stepSample(sequence, config_.kv, step);
        sample.timeNs = context_.clock.nowNs();
        sample.at = at_;
        sample.conversation = conversation;
        sample.revision = revision_;
        sample.rssBytes = memory_.residentBytes();
        post(std::move(sample));
    }

    EngineContext context_;
    EngineConfig config_;
    Revision revision_;
    SafePoint at_;
    EngineState state_ = EngineState::NoModel;
    bool announced_ = false;
    std::stop_token stop_;
    std::unique_ptr<RunningModel> model_;
    ConversationStore conversations_;  ///< goes before the model, whose threads its compactors use
    TurnsInFlight turns_;
    MemoryProbe memory_;
    PreviewBook previews_;
    LiveQualityMonitor live_;
};

Engine::Engine(EngineContext context) : impl_(std::make_unique<Impl>(std::move(context))) {}
Engine::~Engine() = default;

void Engine::run(std::stop_token stop) {
    try {
        impl_->run(stop);
    } catch (const std::bad_alloc&) {
        impl_->post(Fatal{
            fail(ErrorCode::NoMemory, "the engine ran out of memory and has stopped").value()});
    } catch (const std::exception& problem) {
        impl_->post(
            Fatal{fail(ErrorCode::Internal, format("the engine has stopped: {}", problem.what()))
                      .value()});
    }
}

}  // namespace lacuna
