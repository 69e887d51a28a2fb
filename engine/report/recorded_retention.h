#pragma once
/// \file
/// Compact form of a RetentionSnapshot, for recording the tokens that a cache holds after each
/// compaction. Figures are run-length encoded, since neighbouring tokens mostly have equal values,
/// and a text prefix shared with an earlier record is not repeated. Pure data and pure functions.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/session/event.h"

namespace lacuna {

struct RecordedRetention {
    std::int64_t timeNs = 0;  ///< time of the latest step or compaction before the snapshot
    ConversationId conversation;
    int layers = 0;
    int kvHeads = 0;                   ///< 0 if `layerHeads` is set
    std::vector<int> layerHeads = {};  ///< [layers] KV heads if the layers differ, otherwise empty
    int sinks = 0, recent = 0;         ///< tokens protected by the settings at either end
    std::int64_t tokens = 0;           ///< tokens covered by the cache
    std::int64_t liveBytes = 0;        ///< total size of all slots
    std::vector<int> slots = {};       ///< [heads of all layers] number of slots that hold a
                                       ///< token
    std::vector<int> holderRuns = {};  ///< [layers, tokens] number of heads that hold the token, as
                                       ///< count, value, count, ...
    /// [tokens] number of tokens each slot represents, in hundredths, as runs; empty if all are 1.
    std::vector<int> weightRuns = {};
    std::size_t continues = 0;  ///< index in the list of the earlier record whose text is a prefix
    std::int64_t kept = 0;      ///< length in tokens of that prefix; 0 if there is none
    std::string text = {};      ///< text of the following tokens, in complete characters
    std::vector<int> lengths = {};  ///< [tokens - kept] bytes of each token in `text`
};

/// Adds `snapshot` to `list`. Key norms are not recorded.
void addRetention(std::vector<RecordedRetention>& list, const RetentionSnapshot& snapshot,
                  std::int64_t timeNs);

/// Restores a snapshot. @pre `place` is an index of `list`, and wellFormed
[[nodiscard]] RetentionSnapshot snapshotOf(const std::vector<RecordedRetention>& list,
                                           std::size_t place);

/// Removes every second record and keeps the newest.
void thinRetention(std::vector<RecordedRetention>& list);

/// Returns true if the sizes in `list[place]` match its counts and it continues an earlier record.
[[nodiscard]] bool wellFormed(const std::vector<RecordedRetention>& list, std::size_t place);

}  // namespace lacuna
