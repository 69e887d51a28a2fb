#pragma once
/// \file
/// Which layers of a hybrid model share a cache inside a list, what they take, and their plans in
/// its saved state. Private to this room. Pure functions.

#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/cache_list.h"

namespace lacuna {

struct KvChoice;  // engine/kv/kv_factory.h

/// Where the layers of a list are: part and layer within it.
struct LayerLayout {
    std::vector<int> part;
    std::vector<int> inner;
    std::vector<LayerPlan> distinct;       ///< by part
    std::vector<std::vector<int>> owners;  ///< by part, model layers in order
};

/// One plan for each layer of a choice, whether they differ or not.
[[nodiscard]] std::vector<LayerPlan> plansOf(const KvChoice& choice);
/// Errors: InvalidArgument, naming the layer.
[[nodiscard]] Result<LayerLayout> layoutOf(const KvShape& shape,
                                           const std::vector<LayerPlan>& plans);
/// The shape of a part with these layers.
[[nodiscard]] KvShape partShape(const KvShape& shape, const LayerPlan& plan,
                                const std::vector<int>& layers);
/// A compaction by part. Errors: InvalidArgument, Unsupported (naming the model's layer that keeps
/// a window).
[[nodiscard]] Result<std::vector<CompactionPlan>> splitPlan(const KvShape& shape,
                                                            const std::vector<LayerPlan>& plans,
                                                            const LayerLayout& layout,
                                                            const CompactionPlan& plan);

/// The plans of a list's layers in its saved state, nine words each.
void putPlans(std::string& out, const std::vector<LayerPlan>& plans);
/// Reads as many plans and holds them against these. Errors: Corrupt, Incompatible naming the
/// layer.
[[nodiscard]] Status expectPlans(ByteReader& reader, const std::vector<LayerPlan>& plans);

}  // namespace lacuna
