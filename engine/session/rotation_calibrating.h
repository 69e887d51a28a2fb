#pragma once
/// \file
/// Calibrates the rotations of rotated codes on the model in use (engine/quality/
/// rotation_calibration.h), on request, while nothing is answered. Any command breaks the window
/// that is being read off; it is read again afterwards, the others stay, so that a question waits
/// for no more than a forward pass. What was found is written next to the model and counts once the
/// model is loaded again: caches that are in use name their rotations. Owned by the engine thread;
/// called at safe points.

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/base/log.h"
#include "engine/quality/rotation_calibration.h"
#include "engine/session/command.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/own_transformer.h"

namespace lacuna {

class RotationCalibrating final : public IdleJob {
  public:
    struct Means {
        ModelHolder& models;
        EngineDoors& doors;
        Logger& log;
        std::filesystem::path folder;  ///< for models whose own folder cannot be written
    };
    /// What `means` refers to must outlive it.
    explicit RotationCalibrating(Means means) : means_(std::move(means)) {}

    void begin(CalibrateRotations request);
    void stop();
    /// Whether there is something to read now.
    [[nodiscard]] bool wanted() override { return asked_.has_value(); }
    /// Reads a window; what ends it is said. `room` is what caches made for a measurement may take,
    /// bytes.
    void advance(std::int64_t room) override;
    /// The model goes, and what refers to it.
    void reset() override;

  private:
    [[nodiscard]] Status prepare();
    [[nodiscard]] Status readOn(std::int64_t room);
    [[nodiscard]] Result<RotationsCalibrated> keep();
    [[nodiscard]] RotationsCalibrated state() const;
    void end(RotationsCalibrated event);
    void fail(const Error& error);

    const Means means_;
    std::optional<CalibrateRotations> asked_;
    std::unique_ptr<RotationRun> run_;
    OwnTransformer transformer_;
    double seconds_ = 0;  ///< of reading
};

}  // namespace lacuna
