#pragma once
/// \file
/// Measures which arithmetic the loaded model needs (engine/quality/precision_measurement.h) while
/// the engine is idle. Until then precision=auto resolves to kSafePrecision. Any command interrupts
/// the current slice, which is repeated later. The result is stored by fingerprint and takes effect
/// with the next turn. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/log.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class PrecisionJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
        Logger& log;
        std::filesystem::path folder = {};  ///< folder of stored measurements; may be empty
        bool automatic = false;             ///< measures without MeasurePrecision, too
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit PrecisionJob(Dependencies dependencies);
    ~PrecisionJob() override;

    /// Returns true if there is something to measure at this point.
    [[nodiscard]] bool isPending() override;
    /// Begins, or reads the next block. `room` is the number of bytes that temporary caches may
    /// take.
    void advance(std::int64_t room) override;
    /// Handles MeasurePrecision.
    void request();
    /// Handles SkipPrecision.
    void skip();
    /// Drops all references to the model before it is unloaded.
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status begin(std::int64_t room);
    void finish();
    void end(const Error& error);

    const Dependencies dependencies_;
    std::unique_ptr<Work> work_;
    bool requested_ = false;
    std::string endedFor_;  ///< fingerprint of the model that is not measured unless requested
};

}  // namespace lacuna
