#pragma once
/// \file
/// The engine's only interface: run() on a thread of its own (engine/host), commands in, events
/// out. Every event is posted on that thread. Between two steps the engine takes commands, applies
/// configuration, cancels, compacts.
/// How commands reach the owners inside is drawn in engine.cpp.

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
    PrecisionSource precision = {};  ///< of what precision=auto stands for
    int workerNiceness = 0;          ///< +10 while a window is shown
    /// What was measured of models' heads is kept below, where it does not lie next to them.
    std::filesystem::path profileFolder = {};
    bool measuresHeads = false;  ///< by itself, while nothing is asked; needs the folder
    /// Measures while idle what precision=auto stands for, where that is not known.
    bool measuresPrecision = false;
    /// Measures samples of answers from compressed caches in the pause after them.
    bool samplesQuality = false;
    /// Running text that a surrogate is fitted to while idle, where a model has none; called once a
    /// fit. Empty, or without `profileFolder`: none is fitted.
    std::function<Result<std::string>()> calibrationText = {};
    /// Profiles come from commands alone, as a recording has them.
    bool profilesGiven = false;
    /// A replay: the prefix cache keeps all that it is given.
    bool keepsPrefixes = false;
    /// A replay: tokens come back for questions where the recording says so, and nowhere else.
    bool toldWhatComesBack = false;
    /// What a question may cost that looks for forgotten tokens.
    LookBackBounds lookBack = {};
    /// Of the disk tier of the prefix cache (prefixFolderIn); empty: nothing is kept on disk.
    std::filesystem::path prefixFolder = {};
    int residentConversations = 4;  ///< caches kept; the least recently used goes first
    /// Numbers of keys and values that are coded again between two steps, of a cache whose number
    /// format was changed: a step waits for them about as long as for a slice of the moves that
    /// close the holes of a compaction.
    std::int64_t recodedAtOnce = std::int64_t{1} << 20;
    /// How models are loaded and run; null: from files. Tests put in their own.
    std::shared_ptr<const ModelMakers> makers = nullptr;
};

class Engine {
  public:
    /// `commands` and `events` outlive it.
    Engine(EngineOptions options, CommandSource& commands, EventSink& events);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;
    /// Runs until `stop` is requested. Never throws: what escapes becomes a Fatal event.
    void run(std::stop_token stop);

  private:
    void endWith(ErrorCode code, const char* sentence) noexcept;

    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace lacuna
