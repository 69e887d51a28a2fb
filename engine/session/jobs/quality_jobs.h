#pragma once
/// \file
/// Quality measurements on request while no turn is running: one prompt answered under two
/// settings, and many settings tried on a conversation. Commands are taken between two slices.
/// Owned by the engine thread; called at safe points.

#include <memory>

#include "engine/session/command.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// Dependencies of a measurement; they must outlive it.
struct MeasuringTools {
    ModelHolder& models;
    const ConversationSettings& settings;  ///< current settings; defaults for requests
    const MachineFacts& machine;
    EngineIo& io;
};

/// Publishes SettingsCompared, preceded by QualityJobProgress and the text of both answers as it is
/// generated. One slice is one step of generation.
class ComparisonJob final : public IdleJob {
  public:
    explicit ComparisonJob(MeasuringTools tools);
    ~ComparisonJob() override;

    /// Starts CompareSettings. A running comparison ends with Cancelled.
    void begin(CompareSettings request);
    /// Ends a running comparison with Cancelled.
    void stop();
    [[nodiscard]] bool isPending() override { return work_ != nullptr; }
    void advance(std::int64_t room) override;
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status prepare();
    void end(const Error& error);

    const MeasuringTools tools_;
    std::unique_ptr<Work> work_;
};

/// Publishes SettingsSwept, preceded by QualityJobProgress with the rows so far. One slice is one
/// setting on one answer; a command interrupts it, and it is repeated.
class SweepJob final : public IdleJob {
  public:
    explicit SweepJob(MeasuringTools tools);
    ~SweepJob() override;

    /// Starts SweepSettings. A running sweep ends with Cancelled.
    void begin(SweepSettings request);
    /// Ends a running sweep with Cancelled.
    void stop();
    [[nodiscard]] bool isPending() override { return work_ != nullptr; }
    void advance(std::int64_t room) override;
    void reset() override;
    void pause() override;

  private:
    struct Work;
    [[nodiscard]] Status prepare();
    void end(const Error& error);

    const MeasuringTools tools_;
    std::unique_ptr<Work> work_;
};

}  // namespace lacuna
