#pragma once
/// \file
/// What a measurement that looks into the layers asks of a forward pass: to begin at a later layer
/// with rows that an earlier pass showed, and to keep one head of that layer from looking back.
/// What lies below is then computed once for any number of trials. Plain data.

#include <functional>
#include <optional>

#include "engine/base/ids.h"
#include "engine/tensor/view.h"

namespace lacuna {

/// Queries of one KV head see the first `keep` positions, everything from `own` on, and of what
/// lies between only what stands at most `near` positions before them.
struct FarCut {
    HeadIndex head{};
    int keep = 0;
    int near = 0;
    Position own{};
};

struct LayerTail {
    LayerIndex first{};                        ///< the layer to begin at
    View<const float, 2> residual;             ///< [tokens of the run, hidden] its input
    std::optional<FarCut> cut = std::nullopt;  ///< at that layer alone
};

/// Input of a layer [tokens of all runs, hidden]; after the last one [rows with logits, hidden].
using LayerInputObserver = std::function<void(LayerIndex layer, View<const float, 2> residual)>;

}  // namespace lacuna
