#pragma once
/// \file
/// How exactly products with quantised weights are computed. Plain data, apart from the forward
/// pass so that what only names it (settings, reports) knows no weights.

namespace lacuna {

enum class Precision {
    Exact,  ///< activations stay float32
    Fast,   ///< activations are rounded to the block format of the weights
};

}  // namespace lacuna
