#pragma once
/// \file
/// The newest estimate of a compaction in each conversation, kept until that compaction comes.

#include <functional>
#include <map>

#include "engine/session/event.h"

namespace lacuna {

/// The newest estimate of each conversation, until the compaction it was made for.
class PreviewBook {
  public:
    void estimated(ConversationId id, const KvOptions& kv, const CompactionPreview& preview) {
        made_[id] = {kv, preview};
    }
    /// What that compaction would keep was measured afterwards; nothing happens where it has come.
    void measured(ConversationId id, const KvOptions& kv, const KeptInformation& kept) {
        const auto at = made_.find(id);
        if (at != made_.end() && at->second.kv == kv) at->second.preview.kept = kept;
    }
    /// Says PreviewOutcome where `happened` is what was estimated, and forgets the estimate.
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
