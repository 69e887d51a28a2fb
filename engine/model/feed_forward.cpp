#include "engine/model/feed_forward.h"

#include "engine/model/plain_activation.h"

namespace lacuna {
namespace {

void addBias(const StepTools& tools, const std::vector<float>* bias, float* row) {
    if (bias == nullptr || bias->empty()) return;
    tools.kernels.addTo(row, bias->data(), static_cast<std::int64_t>(bias->size()));
}

}  // namespace

Status runFeedForward(const StepTools& tools, const FeedForwardJob& job) {
    const bool gated = !job.gate.empty();
    const View<const float, 2> input{job.input, {job.tokens, job.up.columns}};
    if (gated) {
        const MatmulProduct inner[] = {{matrixOf(job.gate), job.gated},
                                       {matrixOf(job.up), job.upped}};
        tools.matmul.multiply(input, inner, tools.precision);
    } else {
        const MatmulProduct inner[] = {{matrixOf(job.up), job.gated}};
        tools.matmul.multiply(input, inner, tools.precision);
    }
    LACUNA_TRY_STATUS(tools.checkCancelled());

    const std::int64_t width = job.up.rows;
    forEachRow(tools.pool, job.tokens, [&](std::int64_t row) {
        float* const inner = job.gated + row * width;
        float* const upped = job.upped + row * width;
        addBias(tools, gated ? job.gateBias : job.upBias, inner);
        if (gated) {
            addBias(tools, job.upBias, upped);
            activateGated(tools, inner, upped, width);
        } else {
            activatePlain(tools, job.xielu, inner, upped, width);
        }
    });
    const MatmulProduct outer[] = {{matrixOf(job.down), job.out}};
    tools.matmul.multiply({job.gated, {job.tokens, width}}, outer, tools.precision);
    for (std::int64_t row = 0; row < job.tokens; ++row)
        addBias(tools, job.downBias, job.out + row * job.down.rows);
    return tools.checkCancelled();
}

}  // namespace lacuna
