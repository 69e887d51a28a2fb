#pragma once
/// \file
/// Measures which arithmetic the model in use needs (engine/quality/precision_measurement.h) while
/// the engine is idle. Until then precision=auto stands for kSafePrecision. Any command interrupts
/// the slice at work, which is repeated later. The result is kept by fingerprint and counts from
/// the next answer on. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/log.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class PrecisionJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
        Logger& log;
        std::filesystem::path folder = {};  ///< of kept measurements; empty: none is kept
        bool unasked = false;               ///< measures without MeasurePrecision, too
    };
    /// What `dependencies` refers to must outlive it.
    explicit PrecisionJob(Dependencies dependencies);
    ~PrecisionJob() override;

    /// Whether there is something to measure now.
    [[nodiscard]] bool wanted() override;
    /// Begins, or reads the next block. `room` is what caches made for it may take, bytes.
    void advance(std::int64_t room) override;
    /// MeasurePrecision.
    void request();
    /// SkipPrecision.
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
