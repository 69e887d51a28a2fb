#pragma once
/// \file
/// Live quality inside the engine: which of the running answers is measured, and when. One at a
/// time, the one that was begun first; the others wait for it to end. With `quality_every`, samples
/// are measured beside steps; without it a few of an answer are measured in the pause after it.
/// Owned by the engine thread.

#include <optional>

#include "engine/generate/generation.h"
#include "engine/quality/quality_meter.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/idle_job.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class LiveQualityMonitor final : public IdleJob {
  public:
    struct Means {
        ConversationStore& conversations;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
        bool pauses = false;  ///< whether samples are taken in pauses where no distance is set
    };
    /// What `means` refers to must outlive it.
    explicit LiveQualityMonitor(Means means) : means_(means) {}

    /// The transformer to answer with: `model`, watched; `room` tokens are its most in one pass.
    /// Another model or pool ends what was being measured. Both must outlive the next bind or
    /// reset.
    [[nodiscard]] Transformer& bind(Transformer& model, ThreadPool& pool, int room);
    /// Before a step. `conversation` is the one begun first of those that take part, `sequence` its
    /// own. @pre bound
    void before(ConversationId conversation, const Sequence& sequence);
    /// After a step of a conversation: says a sample of the one that is measured. Where that fails,
    /// it is said once, and nothing more is measured until the setting changes.
    void after(ConversationId conversation, const Sequence& sequence, const GenerationStep& step,
               const ForwardOptions& forward);

    /// Whether samples of an answer wait.
    [[nodiscard]] bool wanted() override;
    void advance(std::int64_t room) override;
    /// Before a model or its threads go.
    void reset() override { tools_.reset(); }
    /// The shadow of a distance stays between two samples.
    void pause() override;

  private:
    struct Tools {
        Transformer& model;
        ThreadPool& pool;
        LogitsTap tap;
        QualityMeter meter;
        Tools(Transformer& transformer, ThreadPool& threads, const Clock& clock)
            : model(transformer), pool(threads), tap(transformer), meter(model, pool, clock) {}
    };
    [[nodiscard]] MeterOptions options() const;
    void say(const LiveQuality& sample) const;

    const Means means_;
    std::optional<Tools> tools_;
    ConversationId measured_;
    int room_ = 1;
    std::optional<int> refused_;  ///< the distance under which measuring failed
};

}  // namespace lacuna
