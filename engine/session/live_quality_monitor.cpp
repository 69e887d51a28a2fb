#include "engine/session/live_quality_monitor.h"

#include <algorithm>

namespace lacuna {

MeterOptions LiveQualityMonitor::optionsOf(const EngineConfig& config) const {
    return {.every = refused_ == 0 ? config.qualityEvery : 0,
            .chunk = std::min(config.prefillChunk, room_)};
}

Transformer& LiveQualityMonitor::bind(Transformer& model, ThreadPool& pool, int room) {
    room_ = room;
    if (!tools_ || &tools_->model != &model || &tools_->pool != &pool)
        tools_.emplace(model, pool, clock_);
    return tools_->tap;
}

void LiveQualityMonitor::before(ConversationId conversation, const Sequence& sequence,
                                const EngineConfig& config) {
    if (config.qualityEvery != refused_) refused_ = 0;
    measured_ = conversation;
    tools_->meter.beforeStep(sequence, optionsOf(config), tools_->tap);
}

Result<std::optional<LiveQuality>> LiveQualityMonitor::after(ConversationId conversation,
                                                             const Sequence& sequence,
                                                             const GenerationStep& step,
                                                             const EngineConfig& config,
                                                             const ForwardOptions& forward) {
    if (!tools_ || conversation != measured_) return std::nullopt;
    auto sample = tools_->meter.afterStep(sequence, optionsOf(config), tools_->tap, step.tokens,
                                          step.stepMs, forward);
    if (!sample && sample.error().code != ErrorCode::Cancelled) refused_ = config.qualityEvery;
    return sample;
}

void LiveQualityMonitor::release() {
    tools_.reset();
}

}  // namespace lacuna
