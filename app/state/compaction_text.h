#pragma once
/// \file
/// A compaction in words, for the timeline. Pure functions.

#include <QString>

#include "app/state/view_types.h"

namespace lacuna::app {

/// "Compaction 3 done in 2.1 ms: 4,096 to 1,024 slots".
[[nodiscard]] QString compactionTitle(const CompactionRow& row);
/// Cause, bytes, time by stage and what else there is to say, a line each; of one that has only
/// started, that it is not finished.
[[nodiscard]] QString compactionDetail(const CompactionRow& row);

}  // namespace lacuna::app
