#include "engine/model/weight_check.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/format/matrix_list.h"

namespace lacuna {
namespace {

/// Calls use(matrix) with every matrix that is multiplied.
template <class Use>
void forEachProduct(const Weights& weights, const Use& use) {
    use(weights.embedding);
    use(weights.output);
    use(weights.layerProjection);
    use(weights.joining);
    for (const LayerWeights& layer : weights.layers)
        forEachMatrix(layer, [&use](const WeightMatrix& matrix, MatrixUse) { use(matrix); });
}

}  // namespace

Status checkTypes(const Weights& weights) {
    const WeightMatrix* bad = nullptr;
    const auto check = [&bad](const WeightMatrix& matrix) {
        if (bad == nullptr && matrix.columns % info(matrix.type).blockLength != 0) bad = &matrix;
    };
    forEachProduct(weights, check);
    check(weights.layerEmbedding);  // it is only read by row, so it is not among the others
    if (bad == nullptr) return {};
    return fail(ErrorCode::ModelTypeUse,
                format("{}: type {} needs rows of a multiple of {} elements, found {}", bad->name,
                       info(bad->type).name, info(bad->type).blockLength, bad->columns));
}

std::int64_t widestMatrix(const Weights& weights) {
    std::int64_t widest = 0;
    forEachProduct(weights, [&widest](const WeightMatrix& matrix) {
        widest = std::max(widest, matrix.columns);
    });
    return widest;
}

std::int64_t widestGroups(const Weights& weights) {
    std::int64_t widest = 0;
    forEachProduct(weights, [&widest](const WeightMatrix& matrix) {
        if (matrix.order == RowLayout::Groups) widest = std::max(widest, matrix.columns);
    });
    return widest;
}

}  // namespace lacuna
