#include "engine/model/feed_forward.h"

namespace lacuna {

Status feedForward(const StepTools& tools, const LayerWeights& layer, Activations& activations,
                   std::int64_t tokens) {
    const MatmulProduct inner[] = {{matrixOf(layer.gate), activations.gate()},
                                   {matrixOf(layer.up), activations.up()}};
    tools.matmul.multiply({activations.normed(), {tokens, layer.gate.columns}}, inner,
                          tools.precision);
    LACUNA_TRY_STATUS(tools.checkCancelled());

    const std::int64_t width = layer.gate.rows;
    forEachRow(tools.pool, tokens, [&](std::int64_t row) {
        tools.kernels.siluMultiply(activations.gate() + row * width, activations.up() + row * width,
                                   width);
    });
    const MatmulProduct outer[] = {{matrixOf(layer.down), activations.projected()}};
    tools.matmul.multiply({activations.gate(), {tokens, width}}, outer, tools.precision);
    return tools.checkCancelled();
}

}  // namespace lacuna
