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
