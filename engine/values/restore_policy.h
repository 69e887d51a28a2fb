#pragma once
/// \file
/// When rows that a compaction forgot come back into the cache.

namespace lacuna {

enum class RestorePolicy {
    Manual,     ///< when a person asks for it
    Automatic,  ///< also when queries look where the rows were
};

}  // namespace lacuna
