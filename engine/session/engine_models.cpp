// A model is read beside the one in use and takes its place, or the one in use stays.

#include "engine/session/engine_loop.h"

#include "engine/base/elapsed.h"
#include "engine/base/string_format.h"
#include "engine/session/read_facts.h"

namespace lacuna {

void Engine::Impl::on(LoadModel& command) {
    const std::int64_t begin = context_.clock.nowNs();
    const EngineState before = state_;
    const std::string path = command.path.string();
    enter(EngineState::Loading);
    auto made = load(command);
    if (!made) {
        context_.log.warn(
            "session", format("model not loaded path={} error={}", path, describe(made.error())));
        post(ModelFailed{.path = path,
                         .error = std::move(made).error(),
                         .previousStillLoaded = model_ != nullptr});
        enter(before);
        return;
    }
    dropModel();
    model_ = std::move(*made);
    const double seconds = secondsSince(context_.clock, begin);
    context_.log.info("session", format("model loaded path={} seconds={:.2f}", path, seconds));
    post(ModelLoaded{.facts = model_->facts(), .seconds = seconds});
    tellThreads();
    dropUnsuitedSettings();
    noteReach("");
    const int context = effectiveContext(settings_.shared(), model_->facts(), context_.machine);
    if (settings_.shared().context == 0 && context < model_->facts().context)
        post(Notice{format(
            "The context is {} tokens instead of {}, because the cache must fit this machine's "
            "memory.",
            context, model_->facts().context)});
    enter(EngineState::Idle);
}

void Engine::Impl::on(UnloadModel&) {
    if (!model_) return;
    dropModel();
    post(ModelUnloaded{});
    enter(EngineState::NoModel);
}

void Engine::Impl::on(InspectModel& command) {
    const auto inspection = inspectModel(command.path, context_.machine, settings_.shared());
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
Result<std::unique_ptr<RunningModel>> Engine::Impl::load(const LoadModel& command) {
    std::stop_source stop;
    const std::stop_callback outer(stop_, [&stop] { stop.request_stop(); });
    if (!command.draft.empty()) LACUNA_TRY_STATUS(checkBesideDraft(settings_.shared()));
    LoadOptions options;
    options.stop = stop.get_token();
    options.progress = [&](double share) {
        post(ModelLoading{.path = command.path.string(), .share = share});
        if (cancelAsked()) stop.request_stop();
    };
    LACUNA_TRY(auto loaded, context_.makers.load(command.path, options));
    const ModelFacts facts = factsOf(*loaded);
    if (const auto checked = check(settings_.shared(), &facts, context_.machine); !checked)
        return tl::unexpected<Error>(withPrefix(violationsError(checked.error()),
                                                format("the settings do not suit {}", facts.name)));
    LACUNA_TRY(auto running, RunningModel::create(std::move(loaded), context_.makers,
                                                  {.precision = context_.precision, .niceness = 0},
                                                  settings_.shared(), context_.machine));
    if (command.draft.empty()) return running;
    LACUNA_TRY(auto draft, context_.makers.load(command.draft, options));
    LACUNA_TRY_STATUS(running->addDraft(std::move(draft)));
    return running;
}

void Engine::Impl::tellThreads() {
    const int has = model_->pool().threads();
    if (has >= model_->threadsAsked()) return;
    const std::string sentence = format("The system gave {} of {} compute threads; answers are slower.",
                                        has, model_->threadsAsked());
    post(Notice{sentence});
}

void Engine::Impl::dropModel() {
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

}  // namespace lacuna
