#pragma once
/// \file
/// What a cache held of each token at one time of a session, as a recording keeps it: short, since
/// one comes after every compaction. Neighbouring tokens mostly share their fate, so figures are
/// runs; a text that an earlier one has already is not repeated. Pure data and pure functions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/session/event.h"

namespace lacuna {

struct RecordedRetention {
    std::int64_t timeNs = 0;  ///< of the newest step or compaction before it was looked at
    ConversationId conversation;
    int layers = 0, kvHeads = 0;
    int sinks = 0, recent = 0;         ///< tokens the settings protected at either end
    std::int64_t tokens = 0;           ///< the cache covers
    std::int64_t liveBytes = 0;        ///< of all slots
    std::vector<int> slots = {};       ///< [layers, kvHeads] that hold a token
    std::vector<int> holderRuns = {};  ///< [layers, tokens] heads that hold it: count, value,
                                       ///< count, ...
    /// [tokens] hundredths of the tokens that its slots answer for, as runs; empty: one each.
    std::vector<int> weightRuns = {};
    std::size_t continues = 0;  ///< place in the list of the earlier one whose text it begins with
    std::int64_t kept = 0;      ///< tokens of that text; 0: it continues none
    std::string text = {};      ///< of the tokens after those; whole characters
    std::vector<int> lengths = {};  ///< [tokens - kept] bytes of each token in `text`
};

/// Adds `snapshot` to `list`. What it says of lengths of keys is left out.
void addRetention(std::vector<RecordedRetention>& list, const RetentionSnapshot& snapshot,
                  std::int64_t timeNs);

/// The snapshot again. @pre `place` is one of `list`, which is wellFormed
[[nodiscard]] RetentionSnapshot snapshotOf(const std::vector<RecordedRetention>& list,
                                           std::size_t place);

/// Leaves every second one out; the newest stays.
void thinRetention(std::vector<RecordedRetention>& list);

/// Whether `list[place]` says as much as its counts ask for and continues an earlier one.
[[nodiscard]] bool wellFormed(const std::vector<RecordedRetention>& list, std::size_t place);

}  // namespace lacuna
