#include "app/main/engine_session.h"

#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"
#include "engine/session/automatic_precision.h"
#include "engine/session/prefix_folder.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {

EngineSession::EngineSession(EngineConfig config, std::optional<std::filesystem::path> prefixFolder)
    : engine_(
          EngineContext{.commands = commands_,
                        .events = *this,
                        .log = log_,
                        .clock = clock_,
                        .machine = machineFacts(),
                        .config = std::move(config),
                        .precision = {.folder = measurementsFolder()},
                        .profileFolder = personalFolder(),
                        .prefixFolder = prefixFolder.value_or(prefixFolderIn(personalFolder()))}) {
    auto thread = startThread([this](std::stop_token stop) { engine_.run(stop); });
    if (thread)
        thread_ = std::move(*thread);
    else
        post(Fatal{std::move(thread).error()});
}

EngineSession::~EngineSession() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    thread_.join();
}

void EngineSession::post(Event event) {
    {
        const MutexLock lock(mutex_);
        events_.push_back(std::move(event));
    }
    arrived_.notifyOne();
}

std::optional<Event> EngineSession::next(std::stop_token stop) {
    MutexLock lock(mutex_);
    if (!arrived_.wait(lock, std::move(stop),
                       [this]() LACUNA_REQUIRES(mutex_) { return !events_.empty(); }))
        return std::nullopt;
    return takeFirst();
}

std::optional<Event> EngineSession::nextUntil(std::chrono::steady_clock::time_point until,
                                              std::stop_token stop) {
    MutexLock lock(mutex_);
    if (!arrived_.waitUntil(lock, std::move(stop), until,
                            [this]() LACUNA_REQUIRES(mutex_) { return !events_.empty(); }))
        return std::nullopt;
    return takeFirst();
}

/// @pre there is one
Event EngineSession::takeFirst() {
    Event event = std::move(events_.front());
    events_.pop_front();
    return event;
}

Result<ModelFacts> EngineSession::load(const std::filesystem::path& path, std::stop_token stop,
                                       const std::filesystem::path& draft) {
    ProgressLine line;
    push(LoadModel{path, draft});
    while (const auto event = next(stop)) {
        if (const auto* loading = std::get_if<ModelLoading>(&*event))
            line.show(format("loading {}: {:.0f} %", loading->path, 100 * loading->share));
        if (const auto* notice = std::get_if<Notice>(&*event)) note(notice->sentence);
        if (const auto* loaded = std::get_if<ModelLoaded>(&*event)) return loaded->facts;
        if (const auto* failed = std::get_if<ModelFailed>(&*event))
            return tl::unexpected<Error>(failed->error);
        if (const auto* fatal = std::get_if<Fatal>(&*event))
            return tl::unexpected<Error>(fatal->error);
        if (const auto* refused = std::get_if<ConfigRejected>(&*event))
            return tl::unexpected<Error>(violationsError(refused->violations));
    }
    return fail(ErrorCode::Cancelled, "stopped while the model was loading");
}

}  // namespace lacuna::cli
