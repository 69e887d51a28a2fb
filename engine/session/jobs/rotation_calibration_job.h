#pragma once
/// \file
/// Calibrates the rotations of rotated codes on the loaded model
/// (engine/quality/rotation_calibration.h), on request, while the engine is idle. Any command
/// interrupts the current window, which is repeated later, so that a turn waits for at most one
/// forward pass. The result is written next to the model and takes effect once the model is loaded
/// again, because existing caches refer to their rotations. Owned by the engine thread; called at
/// safe points.

#include <filesystem>
#include <memory>
#include <optional>

#include "engine/base/log.h"
#include "engine/quality/rotation_calibration.h"
#include "engine/session/command.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/own_transformer.h"

namespace lacuna {

class RotationCalibrationJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        EngineIo& io;
        Logger& log;
        std::filesystem::path folder;  ///< for models whose own folder is not writable
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit RotationCalibrationJob(Dependencies dependencies)
        : dependencies_(std::move(dependencies)) {}

    void begin(CalibrateRotations request);
    void stop();
    /// Returns true if there is a window to read.
    [[nodiscard]] bool isPending() override { return asked_.has_value(); }
    /// Reads a window and reports the end. `room` is the number of bytes that temporary caches may
    /// take.
    void advance(std::int64_t room) override;
    /// Drops all references to the model before it is unloaded.
    void reset() override;

  private:
    [[nodiscard]] Status prepare();
    [[nodiscard]] Status readNextChunk(std::int64_t room);
    [[nodiscard]] Result<RotationsCalibrated> keep();
    [[nodiscard]] RotationsCalibrated state() const;
    void end(RotationsCalibrated event);
    void fail(const Error& error);

    const Dependencies dependencies_;
    std::optional<CalibrateRotations> asked_;
    std::unique_ptr<RotationRun> run_;
    OwnTransformer transformer_;
    double seconds_ = 0;  ///< reading time
};

}  // namespace lacuna
