#include "engine/session/jobs/pending_previews.h"

#include <utility>

namespace lacuna {

void PendingPreviews::compacted(const CompactionHappened& happened, const KvOptions& kv,
                                const std::function<void(Event)>& post) {
    const auto at = made_.find(happened.conversation);
    if (at == made_.end() || happened.report.result != CompactionResult::Done) return;
    const Made made = std::move(at->second);
    made_.erase(at);
    if (made.kv != kv || !made.preview.compacts) return;
    post(PreviewOutcome{
        .conversation = happened.conversation, .preview = made.preview, .report = happened.report});
}

}  // namespace lacuna
