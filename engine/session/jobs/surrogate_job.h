#pragma once
/// \file
/// Fits a surrogate of reconstruction scores (engine/quality/surrogate_fit.h) to the loaded model
/// automatically if it has none, while the engine is idle. Any command interrupts the current
/// slice, which is repeated later. Partial sums are saved from time to time under the model's
/// fingerprint, so that a fit resumes after a restart; the result is saved likewise. It takes
/// effect between two steps and is published, so that a replay adopts it at the same point. Owned
/// by the engine thread; called at safe points.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/log.h"
#include "engine/base/result.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"

namespace lacuna {

class SurrogateJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        SequencePool& conversations;
        EngineIo& io;
        Logger& log;
        std::filesystem::path folder = {};  ///< parent of stored surrogates; empty disables fitting
        std::function<Result<std::string>()> text = {};  ///< text to fit to; empty disables fitting
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit SurrogateJob(Dependencies dependencies);
    ~SurrogateJob() override;

    /// Returns true if there is something to fit at this point.
    [[nodiscard]] bool isPending() override;
    /// Begins, or runs the next slice. `room` is the number of bytes that it may take.
    void advance(std::int64_t room) override;
    /// Handles FitSurrogate.
    void request();
    /// Handles SkipSurrogate.
    void skip();
    /// Drops all references to the model before it is unloaded.
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status begin(std::int64_t room);
    [[nodiscard]] Status runSlice();
    void resumeFromStored();
    void storeSums();
    [[nodiscard]] std::filesystem::path sumsPath() const;
    void finish();
    void end(const Error& error);

    const Dependencies dependencies_;
    std::unique_ptr<Work> work_;
    bool requested_ = false;
    std::string endedFor_;  ///< fingerprint of the model that is not fitted again unless requested
};

}  // namespace lacuna
