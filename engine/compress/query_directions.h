#pragma once
/// \file
/// What the scores of two keys differ by, over all queries (docs/attention-matching.md, "Keys that
/// stay"): for keys x and y the variance of q.(x - y), which is a squared length under the
/// covariance of the queries. A few directions carry nearly all of it. Pure function on one thread
/// with one fixed order of sums.

#include <vector>

#include "engine/tensor/view.h"

namespace lacuna {

/// Rows [rank, keyDim], of which the squared products with x - y sum up to `rank` times that
/// variance, as far as the leading `rank` directions of the queries carry it. Rows of 0 where there
/// are fewer. `counts` [n] says which queries do. @pre finite queries [n, keyDim], rank >= 1
[[nodiscard]] std::vector<float> queryDirections(View<const float, 2> queries,
                                                 const std::vector<bool>& counts, int rank);

}  // namespace lacuna
