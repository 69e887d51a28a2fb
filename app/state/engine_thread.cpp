#include "app/state/engine_thread.h"

#include <utility>

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
    thread_ = std::jthread([this, &events](const std::stop_token& stop) {
        Engine engine({.commands = commands_,
                       .events = events,
                       .log = log_,
                       .clock = clock_,
                       .machine = machine_,
                       .config = config_,
                       .workerNiceness = workerNiceness_});
        engine.run(stop);
    });
}

void EngineThread::send(Command command) {
    commands_.push(std::move(command));
}

}  // namespace lacuna::app
