#pragma once
/// \file
/// Measurements of settings that the engine makes on request while nothing is answered: one prompt
/// answered under two settings, and many settings tried on a conversation. Commands are taken
/// between two slices. Owned by the engine thread; called at safe points.

#include <memory>

#include "engine/session/command.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// A measurement is made with these, which must outlive it.
struct MeasuringTools {
    ModelHolder& models;
    const ConversationSettings& settings;  ///< in force; they fill what a request leaves open
    const MachineFacts& machine;
    EngineDoors& doors;
};

/// Says SettingsCompared, after QualityJobProgress and the text of both as it comes. A slice is a
/// step of generation.
class ComparisonJob final : public IdleJob {
  public:
    explicit ComparisonJob(MeasuringTools tools);
    ~ComparisonJob() override;

    /// CompareSettings. One that is being made ends with Cancelled.
    void begin(CompareSettings request);
    /// Ends it with Cancelled, if one is being made.
    void stop();
    [[nodiscard]] bool wanted() override { return work_ != nullptr; }
    void advance(std::int64_t room) override;
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status prepare();
    void end(const Error& error);

    const MeasuringTools tools_;
    std::unique_ptr<Work> work_;
};

/// Says SettingsSwept, after QualityJobProgress with the rows so far. A slice is a setting on an
/// answer; a command breaks it off, and it is made again.
class SweepJob final : public IdleJob {
  public:
    explicit SweepJob(MeasuringTools tools);
    ~SweepJob() override;

    /// SweepSettings. One that is being made ends with Cancelled.
    void begin(SweepSettings request);
    /// Ends it with Cancelled, if one is being made.
    void stop();
    [[nodiscard]] bool wanted() override { return work_ != nullptr; }
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
