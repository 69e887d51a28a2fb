#pragma once
/// \file
/// How the reason of a compaction tells more than one thing. Pure function.

#include <string>
#include <string_view>

namespace lacuna {

/// Another half sentence on what happened, behind those that are there.
inline void addNote(std::string& reason, std::string_view note) {
    if (!reason.empty()) reason += "; ";
    reason += note;
}

}  // namespace lacuna
