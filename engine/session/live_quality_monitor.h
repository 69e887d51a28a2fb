#pragma once
/// \file
/// Live quality inside the engine: which of the running answers is measured, and when. One at a
/// time, the one that was begun first; the others wait for it to end. Owned by the engine thread.

#include <optional>

#include "engine/generate/generation.h"
#include "engine/quality/quality_meter.h"
#include "engine/session/event.h"
#include "engine/settings/engine_config.h"

namespace lacuna {

class LiveQualityMonitor {
  public:
    explicit LiveQualityMonitor(const Clock& clock) : clock_(clock) {}

    /// The transformer to answer with: `model`, watched; `room` tokens are its most in one pass.
    /// Another model or pool ends what was being measured. Both must outlive the next bind or
    /// release.
    [[nodiscard]] Transformer& bind(Transformer& model, ThreadPool& pool, int room);
    /// Before a step. `conversation` is the one begun first of those that take part, `sequence` its
    /// own. @pre bound
    void before(ConversationId conversation, const Sequence& sequence, const EngineConfig& config);
    /// After a step of a conversation; a sample of the one that is measured. Errors: as
    /// QualityMeter::afterStep; nothing more is measured until the setting changes.
    [[nodiscard]] Result<std::optional<LiveQuality>> after(ConversationId conversation,
                                                           const Sequence& sequence,
                                                           const GenerationStep& step,
                                                           const EngineConfig& config,
                                                           const ForwardOptions& forward);
    /// Before a model or its threads go.
    void release();

  private:
    struct Tools {
        Transformer& model;
        ThreadPool& pool;
        LogitsTap tap;
        QualityMeter meter;
        Tools(Transformer& transformer, ThreadPool& threads, const Clock& clock)
            : model(transformer), pool(threads), tap(transformer), meter(model, pool, clock) {}
    };
    [[nodiscard]] MeterOptions optionsOf(const EngineConfig& config) const;

    const Clock& clock_;
    std::optional<Tools> tools_;
    ConversationId measured_;
    int room_ = 1;
    int refused_ = 0;  ///< the setting under which measuring failed
};

}  // namespace lacuna
