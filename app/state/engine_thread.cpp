#include "app/state/engine_thread.h"

#include <new>
#include <utility>

#include "engine/base/thread_start.h"

namespace lacuna::app {

EngineThread::EngineThread(MachineFacts machine, EngineConfig config, int workerNiceness)
    : machine_(std::move(machine)), config_(std::move(config)), workerNiceness_(workerNiceness) {}

EngineThread::~EngineThread() {
    if (!thread_.joinable()) return;
    thread_.request_stop();
    // A step in progress sees the cancel; without it the join would wait for a whole prefill chunk.
    commands_.push(CancelTurn{});
}

void EngineThread::start(EventSink& events) {
    auto thread = startThread([this, &events](const std::stop_token& stop) { run(events, stop); });
    if (thread)
        thread_ = std::move(*thread);
    else
        events.post(Fatal{std::move(thread).error()});
}

void EngineThread::run(EventSink& events, const std::stop_token& stop) {
    try {
        Engine engine({.commands = commands_,
                       .events = events,
                       .log = log_,
                       .clock = clock_,
                       .machine = machine_,
                       .config = config_,
                       .workerNiceness = workerNiceness_});
        engine.run(stop);
    } catch (const std::bad_alloc&) {
        events.post(Fatal{fail(ErrorCode::NoMemory, "there is no memory for it.").value()});
    }
}

void EngineThread::send(Command command) {
    commands_.push(std::move(command));
}

}  // namespace lacuna::app
