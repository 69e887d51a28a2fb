#pragma once
/// \file
/// The engine's only interface: run() on a dedicated thread (engine/host), commands in, events out.
/// Every event is posted on that thread. Between two steps the engine takes commands, applies
/// configuration, cancels turns and compacts caches. The dispatch of commands to the owners is
/// shown in engine.cpp.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/generate/look_back_limits.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/precision_source.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

struct ModelMakers;  // running_model.h

struct EngineOptions {
    MachineFacts machine = {};
    EngineConfig config = {};        ///< generation 0
    PrecisionSource precision = {};  ///< source for precision=auto
    int workerNiceness = 0;          ///< 10 is added while a window is shown
    /// Folder for head profiles that are not stored next to their models.
    std::filesystem::path profileFolder = {};
    bool measuresHeads = false;  ///< measures heads while idle; needs `profileFolder`
    /// Measure the precision for precision=auto while idle, if it is unknown.
    bool measuresPrecision = false;
    /// Samples the quality of answers from compressed caches in the pause after them.
    bool samplesQuality = false;
    /// Returns running text for fitting a surrogate while idle, if the model has none; called once
    /// per fit. If this or `profileFolder` is empty, none is fitted.
    std::function<Result<std::string>()> calibrationText = {};
    /// Profiles come only from commands, as in a replay.
    bool profilesGiven = false;
    /// Replay only: the prefix cache keeps everything that is inserted.
    bool keepsPrefixes = false;
    /// Replay only: tokens are restored for turns only if the recording contains it.
    bool restoresAreRecorded = false;
    /// Cost limits for a turn that looks for evicted tokens.
    LookBackBounds lookBack = {};
    /// Folder of the prefix cache's disk tier (prefixFolderIn); empty disables it.
    std::filesystem::path prefixFolder = {};
    int residentConversations = 4;  ///< caches kept; the least recently used is released first
    /// Keys and values recoded between two steps after a change of the number format. They delay a
    /// step about as long as one slice of the moves that close the holes of a compaction.
    std::int64_t recodedAtOnce = std::int64_t{1} << 20;
    /// Load and run functions for models; null loads from files. Tests substitute their own.
    std::shared_ptr<const ModelMakers> makers = nullptr;
};

class Engine {
  public:
    /// `commands` and `events` must outlive the engine.
    Engine(EngineOptions options, CommandSource& commands, EventSink& events);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    /// Runs until `stop` is requested. Never throws: an escaping exception becomes a Fatal event.
    void run(std::stop_token stop);

  private:
    void endWith(ErrorCode code, const char* sentence) noexcept;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
