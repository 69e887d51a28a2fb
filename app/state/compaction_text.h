#pragma once
/// \file
/// Why a compaction ended as it did, and where a cache stands towards the next one, in the language
/// of the window (engine/values/compaction_sentences.h). Any thread.

#include <QString>

#include "engine/values/compaction_reasons.h"

namespace lacuna {
struct CompactionState;
}

namespace lacuna::app {

[[nodiscard]] QString compactionText(const CompactionNotes& notes);
/// Empty while nothing is known of it.
[[nodiscard]] QString compactionText(const CompactionState& state);

}  // namespace lacuna::app
