#pragma once
/// \file
/// One compaction as it is asked for, between the driver's doors and its work. Plain data.

#include <cstdint>

#include "engine/compress/compactor.h"
#include "engine/compress/query_source.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

struct CompactionAsk {
    KvOptions settings;  ///< in force
    KvOptions options;   ///< what it goes by: those, or their like one turn late
    CompactionCause cause = CompactionCause::Budget;
    const QueryReader& reader;  ///< may be empty
    bool mayStart = false;      ///< in the background, where that is wanted
    bool trial = false;         ///< of a copy: what the compactor goes on with is left alone
    Position turn{};            ///< of one turn late: where the newest began; 0: of no such

    /// Newest tokens that may be taken back afterwards: of a turn that stays as it is.
    [[nodiscard]] std::int64_t verbatim() const { return turn.value > 0 ? options.keepRecent : 0; }
};

}  // namespace lacuna
