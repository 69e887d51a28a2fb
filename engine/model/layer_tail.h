#pragma once
/// \file
/// Options of a forward pass for measurements inside the layers: start at a later layer with rows
/// recorded in an earlier pass, and restrict one head of that layer. The layers below are then
/// computed once for any number of trials. Plain data.

#include <functional>
#include <optional>

#include "engine/base/ids.h"
#include "engine/tensor/view.h"

namespace lacuna {

/// Queries of one KV head see the first `keep` positions, all positions from `own` on, and between
/// them only those at most `near` before the query.
struct DistanceCut {
    HeadIndex head{};
    int keep = 0;
    int near = 0;
    Position own{};
};

struct LayerTail {
    /// The layer to start at; neither it nor a later one reads the rows of a layer before it.
    LayerIndex first{};
    View<const float, 2> residual;  ///< input of that layer, [tokens of the run, hidden]
    std::optional<DistanceCut> cut = std::nullopt;  ///< applies only to that layer
};

/// Receives the input of a layer [tokens of all runs, hidden]; after the last layer [rows with
/// logits, hidden].
using LayerInputObserver = std::function<void(LayerIndex layer, View<const float, 2> residual)>;

}  // namespace lacuna
