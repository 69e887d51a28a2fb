#pragma once
/// \file
/// Keeps the newest estimate of a compaction for each conversation until that compaction happens.

#include <functional>
#include <map>

#include "engine/session/event.h"

namespace lacuna {

/// Newest estimate of each conversation, until the compaction it was made for.
class PendingPreviews {
  public:
    void estimated(ConversationId id, const KvOptions& kv, const CompactionPreview& preview) {
        made_[id] = {kv, preview};
    }
    /// Adds the measured loss to an estimate; does nothing if the compaction has already happened.
    void measured(ConversationId id, const KvOptions& kv, const KeptInformation& kept) {
        const auto at = made_.find(id);
        if (at != made_.end() && at->second.kv == kv) at->second.preview.kept = kept;
    }
    /// Publishes PreviewOutcome if `happened` is the estimated compaction, and drops the estimate.
    void compacted(const CompactionHappened& happened, const KvOptions& kv,
                   const std::function<void(Event)>& post);
    void clear() { made_.clear(); }

  private:
    struct Made {
        KvOptions kv;
        CompactionPreview preview;
    };
    std::map<ConversationId, Made> made_;
};

}  // namespace lacuna
