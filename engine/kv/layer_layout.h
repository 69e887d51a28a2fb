#pragma once
/// \file
/// Grouping of a hybrid model's layers into shared caches within a list, their sizes, and their
/// plans in the saved state. Internal to engine/kv. Pure functions.

#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/cache_list.h"

namespace lacuna {

struct KvChoice;  // engine/kv/kv_factory.h

/// Part and index within the part for each layer of a list. The layers of a part have one plan and
/// one extent; a layer without rows is in no part.
struct LayerLayout {
    std::vector<int> part;  ///< -1: the layer stores no rows
    std::vector<int> inner;
    std::vector<LayerPlan> distinct;       ///< by part
    std::vector<std::vector<int>> owners;  ///< by part, model layers in order
};

/// One plan for each layer of a choice, even if all are equal.
[[nodiscard]] std::vector<LayerPlan> plansOf(const KvChoice& choice);
/// Refuses calibrated rotations for layers that differ, because a calibration has one size, and for
/// values that are in the keys. Errors: Incompatible.
[[nodiscard]] Status checkOneSize(const KvShape& shape, bool calibrated);
/// Errors: InvalidArgument (counts that differ), Incompatible (checkOneSize).
[[nodiscard]] Result<LayerLayout> layoutOf(const KvShape& shape,
                                           const std::vector<LayerPlan>& plans);
/// Shape of a part with these layers, which have one extent.
[[nodiscard]] KvShape partShape(const KvShape& shape, const LayerPlan& plan,
                                const std::vector<int>& layers);
/// Splits a compaction by part. Errors: InvalidArgument, Unsupported (naming the model's layer with
/// a window).
[[nodiscard]] Result<std::vector<CompactionPlan>> splitPlan(const KvShape& shape,
                                                            const std::vector<LayerPlan>& plans,
                                                            const LayerLayout& layout,
                                                            const CompactionPlan& plan);

/// Writes the plans of a list's layers to its saved state, nine words each.
void putPlans(std::string& out, const std::vector<LayerPlan>& plans);
/// Reads as many plans and compares them with `plans`. Errors: Corrupt, Incompatible, naming the
/// layer.
[[nodiscard]] Status expectPlans(ByteReader& reader, const std::vector<LayerPlan>& plans);

}  // namespace lacuna
