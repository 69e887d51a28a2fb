#pragma once
/// \file
/// What the snapshot of a list keeps of the layers that a compaction leaves whole: their shape and
/// how many tokens they have seen. It shows no slot and takes none. Owned as the snapshot is.

#include <memory>

#include "engine/kv/kv_cache.h"

namespace lacuna {

/// Costs nothing whatever the window holds.
[[nodiscard]] std::unique_ptr<KvCache> windowOutline(const KvCache& window);

}  // namespace lacuna
