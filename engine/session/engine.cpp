// The loop: take commands at a safe point, then one step of the running answer, or start the next
// one, or wait. Everything that changes the engine happens between two steps on this thread.
//
// Safe points are counted so that a recording can be replayed: index i of a turn lies before its
// step i. A step that was aborted by a cancel does not count; the point after it is the one before
// it. When a turn ends the index moves on once more, so that idle commands never share a point with
// a turn's.

#include "engine/session/engine.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <exception>
#include <new>
#include <optional>
#include <random>

#include "engine/base/string_format.h"
#include "engine/generate/compactor_model.h"
#include "engine/generate/prompt.h"
#include "engine/kv/cache_plan.h"
#include "engine/session/conversation_store.h"
#include "engine/session/knob_spec.h"
#include "engine/session/live_quality_monitor.h"
#include "engine/session/memory_probe.h"
#include "engine/session/quality_jobs.h"
#include "engine/session/turn.h"

namespace lacuna {
namespace {

std::uint64_t randomSeed() {
    std::random_device device;
    return (std::uint64_t{device()} << 32) | device();
}

/// Lowers the priority of the calling thread; threads made by it inherit that.
void niceThisThread(int niceness) {
    if (niceness <= 0) return;
    const auto thread = static_cast<id_t>(::syscall(SYS_gettid));
    static_cast<void>(
        ::setpriority(PRIO_PROCESS, thread, niceness));  // a wish; refusal does no harm
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
            takeCommands();
            if (turn_)
                stepTurn();
            else if (!waiting_.empty())
                startTurn();
            else
                context_.commands.wait(stop_);
        }
        if (turn_) endTurn(FinishReason::Cancelled);
    }

    // --- commands ------------------------------------------------------------------------------

    void takeCommands() {
        std::vector<Command> commands = context_.commands.take(at_);
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
        if (compressionChanged) compactForConfig();
    }

    /// A tighter setting takes effect on the answer in progress now, not only when the cache grows.
    void compactForConfig() {
        if (!turn_) return;
        if (turn_->inPrefill() && config_.prefillPolicy == PrefillPolicy::AfterPrefill) return;
        Sequence* sequence = conversations_.find(turn_->conversation());
        if (sequence == nullptr || !sequence->compactor().state(sequence->cache(), config_.kv).due)
            return;
        compact(turn_->conversation(), *sequence, CompactionCause::ConfigChange);
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
                       sequence.compactor().compactNow(sequence.cache(), config_.kv, cause));
        postSample(conversation, sequence, nullptr);
    }

    void on(ForgetConversation& command) {
        if (turn_ && turn_->conversation() == command.conversation)
            endTurn(FinishReason::Cancelled);
        conversations_.forget(command.conversation);
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
                .answering = turn_.has_value(),
                .config = config_,
                .machine = context_.machine,
                .post = poster(),
                .cancelled = [this] {
                    return stop_.stop_requested() || context_.commands.cancelWaiting(at_);
                }};
    }

    /// Stops the running answer, or the one about to start.
    void on(CancelTurn&) {
        if (turn_)
            endTurn(FinishReason::Cancelled);
        else if (!waiting_.empty())
            waiting_.front().cancelled = true;
    }

    void on(Submit& request) { waiting_.push_back({std::move(request), false}); }

    void on(LoadModel& command) {
        const std::int64_t begin = context_.clock.nowNs();
        const EngineState before = state_;
        const std::string path = command.path.string();
        enter(EngineState::Loading);
        auto made = load(command.path);
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
    Result<std::unique_ptr<RunningModel>> load(const std::filesystem::path& path) {
        std::stop_source stop;
        const std::stop_callback outer(stop_, [&stop] { stop.request_stop(); });
        LoadOptions options;
        options.stop = stop.get_token();
        options.progress = [&](double share) {
            post(ModelLoading{.path = path.string(), .share = share});
            if (context_.commands.cancelWaiting(at_)) stop.request_stop();
        };
        LACUNA_TRY(auto loaded, context_.makers.load(path, options));
        const ModelFacts facts = factsOf(*loaded);
        if (const auto checked = check(config_, &facts, context_.machine); !checked)
            return tl::unexpected<Error>(
                withPrefix(violationsError(checked.error()),
                           format("the settings do not suit {}", facts.name)));
        return RunningModel::create(std::move(loaded), context_.makers,
                                    {.precision = context_.precision, .niceness = 0}, config_,
                                    context_.machine);
    }

    void dropModel() {
        if (turn_) {
            endTurn(FinishReason::Cancelled);
            post(Notice{"The answer was stopped, because the model was replaced."});
        }
        conversations_.clear();
        previews_.clear();
        live_.release();
        model_.reset();
    }

    // --- turns ---------------------------------------------------------------------------------

    void startTurn() {
        Waiting next = std::move(waiting_.front());
        waiting_.pop_front();
        at_ = {.turn = at_.turn + 1, .index = 0};
        const auto seed = next.request.seed ? next.request.seed : config_.sampling.seed;
        TurnStart start{
            .request = std::move(next.request),
            .turn = at_.turn,
            .seed = seed ? *seed : randomSeed(),
            .config = config_,
            .context = model_ ? effectiveContext(config_, model_->facts(), context_.machine) : 0};
        const std::vector<ChatMessage> messages = start.request.messages;
        turn_.emplace(std::move(start), context_.events, context_.clock);
        const Status begun = beginTurn(messages);
        turn_->announce(revision_);
        if (!begun)
            endTurn(FinishReason::Error, begun.error());
        else if (next.cancelled)
            endTurn(FinishReason::Cancelled);
        else
            enter(turn_->inPrefill() ? EngineState::Prefill : EngineState::Decode);
    }

    Status beginTurn(const std::vector<ChatMessage>& messages) {
        if (!model_)
            return fail(ErrorCode::InvalidArgument,
                        "no model is loaded; load one before sending a message");
        LACUNA_TRY_STATUS(model_->adapt(config_, context_.machine, [this] {
            conversations_.forEach(
                [this](Sequence& sequence) { sequence.replaceCompactor(compactorMaker()); });
        }));
        LACUNA_TRY(auto prompt, promptTokens(model_->loaded(), messages));
        const ConversationId id = turn_->conversation();
        if (Sequence* held = conversations_.find(id);
            held && !isOfChoice(held->cache(), cacheChoice(cacheModelOf(model_->facts()), config_.kv))) {
            conversations_.forget(id);
            turn_->noteReuse(
                "the cache type or window was changed, so the prompt is read anew");
        }
        LACUNA_TRY(Sequence * sequence, conversations_.use(id, [this] {
            return Sequence::create(cacheMaker(), compactorMaker());
        }));
        if (conversations_.takeEvictedMark(id))
            turn_->noteReuse(
                "the cache of this conversation was given back to make room for others");
        Transformer& watched =
            live_.bind(model_->transformer(), model_->pool(), config_.prefillChunk);
        return turn_->begin(watched, *sequence, std::move(prompt));
    }

    [[nodiscard]] Sequence::CacheMaker cacheMaker() {
        return [this] { return makeCacheFor(cacheModelOf(model_->facts()), config_.kv); };
    }
    [[nodiscard]] Sequence::CompactorMaker compactorMaker() {
        return [this](const KvShape& shape) {
            CompactorModel model =
                compactorModel(model_->loaded().spec, config_.sampling.seed.value_or(0),
                               model_->headProfile());
            model.profileNote = model_->headProfileNote();
            return std::make_unique<Compactor>(model, shape, model_->pool(), context_.clock);
        };
    }

    void stepTurn() {
        ForwardOptions options;
        options.cancelled = [this] {
            return stop_.stop_requested() || context_.commands.cancelWaiting(at_);
        };
        const bool reading = turn_->inPrefill();
        if (const Sequence* sequence = conversations_.find(turn_->conversation()))
            live_.before(turn_->conversation(), *sequence, config_);
        try {
            const auto step = turn_->step(model_->transformer(), config_, options);
            if (step)
                afterStep(*step, reading, options);
            else if (step.error().code != ErrorCode::Cancelled)
                failTurn(step.error());
            // A cancelled step left everything as it was; the command that did it is taken next.
        } catch (const std::bad_alloc&) {
            // Something beside the caches found no memory; what the step left behind is not
            // trusted.
            const ConversationId id = turn_->conversation();
            failTurn(fail(ErrorCode::NoMemory,
                          "there is not enough memory for the next step of this answer")
                         .value());
            conversations_.forget(id);
        }
    }

    void afterStep(const GenerationStep& step, bool reading, const ForwardOptions& options) {
        ++at_.index;
        const ConversationId id = turn_->conversation();
        Sequence* sequence = conversations_.find(id);
        if (step.compaction) {
            if (step.compaction->result == CompactionResult::Done) turn_->countCompaction();
            postCompaction(id, *step.compaction);
        }
        if (sequence != nullptr && step.tokens > 0) {
            postSample(id, *sequence, &step);
            measure(id, *sequence, step, options);
        }
        if (step.finish)
            endTurn(*step.finish);
        else if (reading && !turn_->inPrefill())
            enter(EngineState::Decode);
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

    void failTurn(Error error) {
        context_.log.warn("session",
                          format("turn failed turn={} error={}", at_.turn, describe(error)));
        endTurn(FinishReason::Error, std::move(error));
    }

    void endTurn(FinishReason reason, std::optional<Error> error = std::nullopt) {
        turn_->finish(reason, at_, std::move(error));
        turn_.reset();
        ++at_.index;
        enter(model_ ? EngineState::Idle : EngineState::NoModel);
    }

    // --- events --------------------------------------------------------------------------------

    void post(Event event) { context_.events.post(std::move(event)); }
    [[nodiscard]] std::function<void(Event)> poster() {
        return [this](Event event) { post(std::move(event)); };
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

    /// `step` is null for a sample outside of steps, after a compaction by hand.
    void postSample(ConversationId conversation, Sequence& sequence, const GenerationStep* step) {
        StepSample sample;
        sample.timeNs = context_.clock.nowNs();
        sample.at = at_;
        sample.conversation = conversation;
        sample.revision = revision_;
        sample.phase = EngineState::Idle;
        if (step != nullptr) {
            sample.phase = step->prefill ? EngineState::Prefill : EngineState::Decode;
            sample.tokens = step->tokens;
            sample.stepMs = step->stepMs;
        }
        sample.kv = sequence.cache().stats();
        sample.compaction = sequence.compactor().state(sequence.cache(), config_.kv);
        sample.rssBytes = memory_.residentBytes();
        post(std::move(sample));
    }

    struct Waiting {
        Submit request;
        bool cancelled = false;
    };

    EngineContext context_;
    EngineConfig config_;
    Revision revision_;
    SafePoint at_;
    EngineState state_ = EngineState::NoModel;
    bool announced_ = false;
    std::stop_token stop_;
    std::unique_ptr<RunningModel> model_;
    ConversationStore conversations_;  ///< goes before the model, whose threads its compactors use
    std::deque<Waiting> waiting_;
    std::optional<Turn> turn_;
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
