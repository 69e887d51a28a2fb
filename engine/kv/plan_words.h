#pragma once
/// \file
/// The plans of a list's layers in its saved state, nine words each. Private to this room. Pure
/// functions.

#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"
#include "engine/kv/cache_list.h"

namespace lacuna {

void putPlans(std::string& out, const std::vector<LayerPlan>& plans);
/// Reads as many plans and holds them against these. Errors: Corrupt, Incompatible naming the
/// layer.
[[nodiscard]] Status expectPlans(ByteReader& reader, const std::vector<LayerPlan>& plans);

}  // namespace lacuna
