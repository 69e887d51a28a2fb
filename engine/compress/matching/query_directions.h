#pragma once
/// \file
/// Directions along which the queries distinguish keys (docs/attention-matching.md, "Key
/// selection"). For keys x and y the variance of q.(x - y) over all queries is a squared length
/// under the covariance of the queries, and a few directions carry nearly all of it. Pure function
/// on one thread; the order of summation is fixed.

#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Returns rows [rank, keyDim] whose squared products with x - y sum to `rank` times that variance,
/// as far as the leading `rank` directions of the queries carry it. Rows are 0 if there are fewer
/// directions. `counts` [n] marks the queries that count. @pre finite queries [n, keyDim], rank >=
/// 1
[[nodiscard]] std::vector<float> queryDirections(View<const float, 2> queries,
                                                 const std::vector<bool>& counts, int rank);

}  // namespace lacuna
