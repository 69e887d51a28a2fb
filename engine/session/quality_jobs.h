#pragma once
/// \file
/// What the engine does on request to measure settings: answer a prompt under two settings, try
/// many on a conversation; and what estimates of compactions said until these come. Runs between
/// two steps on the engine thread.

#include <functional>
#include <map>

#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/running_model.h"

namespace lacuna {

/// What a job may use.
struct QualityJobTools {
    RunningModel* model = nullptr;  ///< null: none is loaded, and the answer says so
    bool answering = false;         ///< an answer is running; jobs wait for none and refuse
    const EngineConfig& config;     ///< in force; fills what a request does not say
    const MachineFacts& machine;
    std::function<void(Event)> post;
    std::function<bool()> cancelled;
};

/// Answers with SettingsCompared, after QualityJobProgress and the text of both as it comes.
void runComparison(const CompareSettings& request, const QualityJobTools& tools);
/// Answers with SettingsSwept, after QualityJobProgress with the rows so far.
void runSweep(const SweepSettings& request, const QualityJobTools& tools);

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
