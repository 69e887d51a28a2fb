#pragma once
/// \file
/// Keeps what happened in a session: turns, configuration generations, samples, compactions, notices.
/// Owned by one thread (the one that receives events). Bounded: step samples beyond `maxSamples` are
/// thinned pairwise and the report says so.

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "engine/session/command.h"
#include "engine/session/event.h"

namespace lacuna {

struct RecordedTurn {
    TurnStarted started;
    std::optional<TurnFinished> finished;
};
/// A command as it took effect, for the replay: after config changes, manual compactions, forgets.
struct RecordedCommand {
    SafePoint at;
    Command command;
};

struct Recording {
    std::optional<ModelFacts> model;
    MachineFacts machine;
    EngineConfig initialConfig;
    std::vector<RecordedTurn> turns;
    std::vector<RecordedCommand> commands;
    std::vector<ConfigApplied> generations;
    std::vector<ConfigRejected> rejections;
    std::vector<StepSample> samples;
    std::int64_t samplesSeen = 0;
    std::vector<CompactionHappened> compactions;
    std::vector<std::string> notices;
    std::int64_t startedUnixMs = 0;
};

class Recorder {
 public:
    Recorder(MachineFacts machine, EngineConfig initialConfig, std::int64_t startedUnixMs,
             std::size_t maxSamples = 200'000);
    void add(const Event& event);
    [[nodiscard]] const Recording& recording() const { return recording_; }

 private:
    Recording recording_;
    std::size_t maxSamples_;
};

}  // namespace lacuna
