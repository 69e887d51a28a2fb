#pragma once
/// \file
/// Measures the heads of the loaded model automatically and without a task
/// (engine/quality/head_ablation.h) while the engine is idle, if they are not measured yet. Any
/// command interrupts the trial of one head, which is repeated later. Copy scores are known after
/// the first reading and take effect until all heads have been tried; the result is then stored
/// under the model's fingerprint. Both take effect between two steps and are published, so that a
/// replay adopts them at the same point. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/log.h"
#include "engine/quality/head_ablation.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

class HeadProfileJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        SequencePool& conversations;
        EngineIo& io;
        Logger& log;
        std::filesystem::path folder;  ///< profiles are stored below it; empty disables measuring
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit HeadProfileJob(Dependencies dependencies);
    ~HeadProfileJob() override;

    /// Returns true if there is something to measure at this point.
    [[nodiscard]] bool isPending() override;
    /// Returns true if the provisional copy scores are already in use.
    [[nodiscard]] bool begun() const { return work_ != nullptr; }
    /// Begins, or tries the next head; a permanent failure is reported once. `room` is the number
    /// of bytes that a temporary cache may take.
    void advance(std::int64_t room) override;
    /// Applies the profiles of a recording to a model from this point on.
    void use(UseHeadProfiles command);
    /// Drops all references to the model before it is unloaded.
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status begin(std::int64_t room);
    [[nodiscard]] Status runSlice();
    void finish();
    void abandon(const Error& error);
    void inEffect(const HeadProfiles& profiles, double seconds);

    const Dependencies dependencies_;
    std::unique_ptr<Work> work_;
    std::string failedFor_;  ///< fingerprint of the model that could not be measured
};

}  // namespace lacuna
