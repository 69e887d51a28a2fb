#pragma once
/// \file
/// What a cache needs to know of a model. Plain data.

#include <vector>

namespace lacuna {

struct CacheModel {
    int layers = 0;
    int kvHeads = 0;
    int headDim = 0;
    std::vector<int> windows = {};  ///< [layers] tokens a layer sees, 0: all; empty: all layers all
    friend bool operator==(const CacheModel&, const CacheModel&) = default;
};

}  // namespace lacuna
