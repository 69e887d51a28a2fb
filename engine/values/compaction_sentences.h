#pragma once
/// \file
/// Sentences for reasons and phases (compaction_reasons.h, compaction_values.h), shared by the
/// command line, reports and the window. The window translates Phrase::text in the context "Engine"
/// of its catalogues. Pure functions.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/values/compaction_reasons.h"
#include "engine/values/compaction_values.h"

namespace lacuna {

/// Returns the key in reports.
template <>
[[nodiscard]] std::string_view keyOf(CompactionReason reason);
template <>
[[nodiscard]] std::optional<CompactionReason> valueOfKey(std::string_view key);

struct Phrase {
    const char* text = "";  ///< with placeholders %1, %2
    std::vector<NoteValue> values = {};
};
[[nodiscard]] std::vector<Phrase> phrasesOf(const CompactionNotes& notes);
[[nodiscard]] std::vector<Phrase> phrasesOf(const CompactionState& state);

/// Returns the English sentences joined by "; ".
[[nodiscard]] std::string exclusionText(const CompactionNotes& notes);
/// Returns "idle: 1,912 of 2,113 slots per head; compaction starts after 201 more tokens".
[[nodiscard]] std::string exclusionText(const CompactionState& state);

}  // namespace lacuna
