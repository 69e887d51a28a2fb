#pragma once
/// \file
/// Fits a surrogate of reconstruction scores (engine/quality/surrogate_fit.h) to the model in use
/// by itself, where it has none, while the engine is idle. Any command interrupts the slice at
/// work, which is made again later. The sums so far are kept under the model's fingerprint from
/// time to time, so that a fit goes on where the program ended; so is what was fitted. It comes
/// into force between two steps, and it is said what is in force, so that a replay takes it over at
/// the same point. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "engine/base/log.h"
#include "engine/base/result.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class SurrogateJob final : public IdleJob {
  public:
    struct Dependencies {
        ModelHolder& models;
        ConversationStore& conversations;
        EngineDoors& doors;
        Logger& log;
        std::filesystem::path folder = {};  ///< surrogates are kept below; empty: none is fitted
        std::function<Result<std::string>()> text = {};  ///< to fit to; empty: none is fitted
    };
    /// What `dependencies` refers to must outlive it.
    explicit SurrogateJob(Dependencies dependencies);
    ~SurrogateJob() override;

    /// Whether there is something to fit now.
    [[nodiscard]] bool wanted() override;
    /// Begins, or makes the next slice. `room` is what it may take, bytes.
    void advance(std::int64_t room) override;
    /// FitSurrogate.
    void request();
    /// SkipSurrogate.
    void skip();
    /// Drops all references to the model before it is unloaded.
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status begin(std::int64_t room);
    [[nodiscard]] Status goOn();
    void goOnWithKept();
    void keepSums();
    [[nodiscard]] std::filesystem::path sumsPath() const;
    void finish();
    void end(const Error& error);

    const Dependencies dependencies_;
    std::unique_ptr<Work> work_;
    bool requested_ = false;
    std::string endedFor_;  ///< fingerprint of the model that none is fitted to unless requested
};

}  // namespace lacuna
