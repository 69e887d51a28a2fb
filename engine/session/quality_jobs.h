#pragma once
/// \file
/// What the engine does on request to measure settings: estimate a compaction, answer a prompt
/// under two settings, try many on a conversation. Runs between two steps on the engine thread.

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
    std::int64_t passBytes = 0;  ///< most that the cache of a pass for queries may take
};

/// Answers with SettingsCompared, after QualityJobProgress and the text of both as it comes.
void runComparison(const CompareSettings& request, const QualityJobTools& tools);
/// Answers with SettingsSwept, after QualityJobProgress with the rows so far.
void runSweep(const SweepSettings& request, const QualityJobTools& tools);

/// The newest estimate of each conversation, until the compaction it was made for.
class PreviewBook {
  public:
    /// Estimates and answers with CompactionPreviewed. `sequence` null: the conversation has no
    /// cache. For an attention matching that has no queries to be judged by yet, those of the
    /// newest tokens are captured; while an answer is running its error is not estimated then, and
    /// no pass is made for queries nobody asked.
    void preview(const RequestPreview& request, Sequence* sequence, const QualityJobTools& tools);
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
