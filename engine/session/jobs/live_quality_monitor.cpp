#include "engine/session/jobs/live_quality_monitor.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {

MeterOptions LiveQualityMonitor::options() const {
    const EngineConfig& config = dependencies_.settings.of(measured_);
    return {.every = refused_ ? 0 : config.qualityEvery,
            .pauses = dependencies_.pauses && !refused_,
            .chunk = std::min(config.prefillChunk, room_)};
}

Transformer& LiveQualityMonitor::bind(Transformer& model, ThreadPool& pool, int room) {
    room_ = room;
    if (!tools_ || &tools_->model != &model || &tools_->pool != &pool)
        tools_.emplace(model, pool, dependencies_.io.clock());
    return tools_->tap;
}

void LiveQualityMonitor::before(ConversationId conversation, const Sequence& sequence) {
    if (conversation != measured_) tools_->meter.release();
    measured_ = conversation;
    if (refused_ && dependencies_.settings.of(measured_).qualityEvery != *refused_)
        refused_.reset();
    tools_->meter.beforeStep(sequence, options(), tools_->tap);
}

void LiveQualityMonitor::after(ConversationId conversation, const Sequence& sequence,
                               const GenerationStep& step, const ForwardOptions& forward) {
    if (!tools_ || conversation != measured_) return;
    const auto sample = tools_->meter.afterStep(sequence, options(), tools_->tap, step.tokens,
                                                step.stepMs, forward);
    if (sample && *sample) publish(**sample);
    if (sample || sample.error().code == ErrorCode::Cancelled) return;
    refused_ = dependencies_.settings.of(measured_).qualityEvery;
    dependencies_.io.post(
        Notice{format("Quality is no longer measured: {}", describe(sample.error()))});
}

void LiveQualityMonitor::publish(const LiveQuality& sample) const {
    dependencies_.io.post(QualitySampled{.timeNs = dependencies_.io.clock().nowNs(),
                                         .at = dependencies_.io.at(),
                                         .conversation = measured_,
                                         .revision = dependencies_.io.revision(),
                                         .sample = sample});
}

bool LiveQualityMonitor::isPending() {
    return tools_ && tools_->meter.waiting() && options().every == 0 && options().pauses;
}

void LiveQualityMonitor::advance(std::int64_t room) {
    QualityMeter& meter = tools_->meter;
    KvOptions whole;
    whole.layerCaches = LayerCaches::Uniform;
    const ModelSpec& spec = tools_->model.model().spec;
    if (cacheBytes(cacheModelOf(spec), whole, meter.requestedTokens()) > room)
        return meter.release();
    ForwardOptions forward;
    forward.cancelled = [this] { return dependencies_.io.commandWaits(); };
    const auto sample =
        meter.inPause(dependencies_.conversations.find(measured_), options(), forward);
    if (sample && *sample) publish(**sample);
}

void LiveQualityMonitor::pause() {
    if (tools_ && options().every == 0) tools_->meter.releaseShadow();
}

}  // namespace lacuna
