#include "engine/host/engine_host.h"

#include <new>
#include <utility>
#include <variant>

#include "engine/base/thread_start.h"
#include "engine/session/running_model.h"

namespace lacuna {

EngineHost::EngineHost(EngineOptions options, CommandSource* commands)
    : options_(std::move(options)),
      events_(options_.config),
      commands_(commands != nullptr ? *commands : queue_) {
    auto makers =
        options_.makers ? std::move(options_.makers) : std::make_shared<const ModelMakers>();
    auto noting = std::make_shared<ModelMakers>(*makers);
    noting->load = [this, makers = std::move(makers)](const std::filesystem::path& path,
                                                      const LoadOptions& load) {
        return this->load(*makers, path, load);
    };
    options_.makers = std::move(noting);
}

EngineHost::~EngineHost() {
    stop();
}

void EngineHost::start() {
    auto thread = startThread([this] { run(); });
    if (thread) {
        thread_ = std::move(*thread);
        return;
    }
    post(Fatal{std::move(thread).error()});
    const MutexLock lock(mutex_);
    ended_ = true;
}

void EngineHost::run() {
    try {
        Engine(options_, commands_, *this).run(stop_.get_token());
    } catch (const std::bad_alloc&) {
        post(Fatal{
            fail(ErrorCode::NoMemory, "there is not enough memory to start the engine.").value()});
    }
    {
        const MutexLock lock(mutex_);
        ended_ = true;
    }
    changed_.notifyAll();
}

void EngineHost::send(Command command) {
    if (!stop_.stop_requested()) queue_.push(std::move(command));
}

void EngineHost::stop() {
    requestStop();
    if (thread_.joinable()) thread_.join();
}

void EngineHost::wait() {
    MutexLock lock(mutex_);
    changed_.wait(lock, [this]() LACUNA_REQUIRES(mutex_) { return ended_; });
}

std::shared_ptr<const LoadedModel> EngineHost::model() const {
    const MutexLock lock(mutex_);
    return inUse_.lock();
}

Result<std::shared_ptr<const LoadedModel>> EngineHost::load(const ModelMakers& makers,
                                                            const std::filesystem::path& path,
                                                            const LoadOptions& options) {
    auto model = makers.load(path, options);
    if (!model) return model;
    const MutexLock lock(mutex_);
    if (std::exchange(reported_, false)) read_ = *model;
    return model;
}

/// Updates `inUse_` before the event is posted, so that subscribers find the model in model().
void EngineHost::post(Event event) {
    const bool loaded = std::holds_alternative<ModelLoaded>(event);
    const bool unloaded = std::holds_alternative<ModelUnloaded>(event);
    if (loaded || unloaded || std::holds_alternative<ModelFailed>(event)) {
        const MutexLock lock(mutex_);
        reported_ = true;
        if (loaded) inUse_ = read_;
        if (unloaded) inUse_.reset();
    }
    events_.post(std::move(event));
}

}  // namespace lacuna
