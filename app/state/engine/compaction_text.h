#pragma once
/// \file
/// Texts in the language of the window: the outcome of a compaction, and the distance of a cache to
/// the next one (engine/values/compaction_sentences.h). Any thread.

#include <QString>

#include "engine/values/compaction_reasons.h"

namespace lacuna {
struct CompactionState;
}

namespace lacuna::app {

[[nodiscard]] QString compactionText(const CompactionNotes& notes);
/// Returns an empty text while the state is unknown.
[[nodiscard]] QString compactionText(const CompactionState& state);

}  // namespace lacuna::app
