#pragma once
/// \file
/// Measures the heads of the model in use without a task (engine/quality/head_ablation.h) by
/// itself, where they are not measured, while nothing is answered. Any command breaks the trial of
/// one head off; it is made again afterwards, the others stay. Copy scores, which are known after
/// the first reading, come into force at once and stand in until all heads were tried. What was
/// found then is kept under the model's fingerprint. Both come into force between two steps, and it
/// is said what is in force, so that a replay takes it over at the same point. Owned by the engine
/// thread; called at safe points.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/log.h"
#include "engine/quality/head_ablation.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class HeadMeasuring final : public IdleJob {
  public:
    struct Means {
        ModelHolder& models;
        ConversationStore& conversations;
        EngineDoors& doors;
        Logger& log;
        std::filesystem::path folder;  ///< profiles are kept below; empty: nothing is measured
    };
    /// What `means` refers to must outlive it.
    explicit HeadMeasuring(Means means);
    ~HeadMeasuring() override;

    /// Whether there is something to measure now.
    [[nodiscard]] bool wanted() override;
    /// Whether copy scores stand in already.
    [[nodiscard]] bool begun() const { return work_ != nullptr; }
    /// Begins, or tries the next head; what ends it for good is said once. `room` is what a cache
    /// made for a measurement may take, bytes.
    void advance(std::int64_t room) override;
    /// Profiles of a recording are in force for a model from now on.
    void use(UseHeadProfiles command);
    /// The model goes, and what refers to it.
    void reset() override;

  private:
    struct Work;
    [[nodiscard]] Status begin(std::int64_t room);
    [[nodiscard]] Status goOn();
    void finish();
    void giveUp(const Error& error);
    void inForce(const HeadProfiles& profiles, double seconds);

    const Means means_;
    std::unique_ptr<Work> work_;
    std::string failedFor_;  ///< fingerprint of the model that could not be measured
};

}  // namespace lacuna
