#pragma once
/// \file
/// Selects which running answer is measured for live quality, and when. One answer is measured at a
/// time, the one that began first; the others wait for it to end. With `quality_every`, samples are
/// measured between steps; without it, a few samples are measured in the pause after an answer.
/// Owned by the engine thread.

#include <optional>

#include "engine/generate/generation.h"
#include "engine/quality/quality_meter.h"
#include "engine/session/engine_io.h"
#include "engine/session/jobs/idle_job.h"
#include "engine/session/sequence_pool.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class LiveQualityMonitor final : public IdleJob {
  public:
    struct Dependencies {
        SequencePool& conversations;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
        bool pauses = false;  ///< take samples in pauses if no interval is set
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit LiveQualityMonitor(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Returns the transformer to generate with: `model`, wrapped for observation; `room` is its
    /// maximum number of tokens per pass. A different model or pool ends the current measurement.
    /// Both must outlive the next bind or reset.
    [[nodiscard]] Transformer& bind(Transformer& model, ThreadPool& pool, int room);
    /// Called before a step. `conversation` is the earliest begun of those that take part,
    /// `sequence` its sequence. @pre bound
    void before(ConversationId conversation, const Sequence& sequence);
    /// Called after a step of a conversation: publishes a sample if it is the one measured. A
    /// failure is reported once, and nothing more is measured until the setting changes.
    void after(ConversationId conversation, const Sequence& sequence, const GenerationStep& step,
               const ForwardOptions& forward);

    /// Returns true if samples of an answer are pending.
    [[nodiscard]] bool isPending() override;
    void advance(std::int64_t room) override;
    /// Called before a model or its threads are destroyed.
    void reset() override { tools_.reset(); }
    /// Releases the shadow cache unless an interval is set, which needs it between two samples.
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
    void publish(const LiveQuality& sample) const;

    const Dependencies dependencies_;
    std::optional<Tools> tools_;
    ConversationId measured_;
    int room_ = 1;
    std::optional<int> refused_;  ///< interval for which measuring failed
};

}  // namespace lacuna
