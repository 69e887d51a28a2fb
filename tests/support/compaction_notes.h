#pragma once
/// \file
/// Formats notes of compactions in messages of failing tests.

#include <ostream>
#include <string>
#include <string_view>

#include "engine/values/compaction_sentences.h"

namespace lacuna {

inline std::ostream& operator<<(std::ostream& out, const CompactionNotes& notes) {
    return out << exclusionText(notes);
}

/// Returns whether the sentence of an error in the notes contains these words.
[[nodiscard]] inline bool tellsError(const CompactionNotes& notes, std::string_view words) {
    for (const CompactionNote& note : notes)
        if (note.error &&
            std::get<std::string>(note.values.back()).find(words) != std::string::npos)
            return true;
    return false;
}

}  // namespace lacuna
