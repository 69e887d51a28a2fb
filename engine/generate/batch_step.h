#pragma once
/// \file
/// One forward pass for several answers, each with its own cache, settings and random stream. An
/// error ends only the answer it belongs to: a failed pass is repeated for one answer at a time.
/// Owned by the engine thread. docs/generation-loop.md, "Batches of answers"; SP-10.
///
/// A step is planned first. Every answer that decodes gets its one row in every step. Prompts are
/// read in the remaining room, longest waiting first and in complete chunks only, so that a prompt
/// is split into the same chunks as when it is read alone. The rest is divided evenly among drafted
/// tokens. With P prompts, each gets a chunk at least every P steps, and no step exceeds its room,
/// which bounds the latency of every answer.
///
/// The sampled tokens are the same as for an answer alone, up to the rounding of shared passes
/// (StepPasses).

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/generate/generation.h"
#include "engine/generate/generation_options.h"

namespace lacuna {

/// Divides a step of at most `room` tokens, in the order of the requests; a request without a share
/// waits. A chunk larger than the entire room is cut. Pure function. @pre room >= 1
[[nodiscard]] std::vector<StepShare> planStep(std::span<const StepRequest> requests, int room);

/// An answer that can take part in a step.
struct BatchEntry {
    Generation* generation = nullptr;  ///< not finished
    GenerationSettings settings;
    std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it was added
    BackgroundPolicy policy = BackgroundPolicy::WhenReady;  ///< same as PassContext::policy
};

/// Result of a step for one member.
struct EntryResult {
    std::size_t member = 0;  ///< index into the members
    Result<GenerationStep> step;
    bool inconsistent = false;  ///< out of memory at a point where no rollback is possible: the
                                ///< sequence is inconsistent
};

struct StepContext {
    Transformer& model;
    int room = 1;  ///< most tokens of one forward pass
    StepPasses passes = StepPasses::Shared;
    const ForwardOptions& forward;
    const Clock& clock;
    /// Same as PassContext::bytes.
    std::int64_t passBytes = std::numeric_limits<std::int64_t>::max();
};

/// Performs one step with as many members as fit. Answers without room for another token end as
/// their step. Members that wait have no result; if the step is cancelled, there are no results and
/// nothing has changed.
/// @pre at least one member
[[nodiscard]] std::vector<EntryResult> stepTogether(std::span<const BatchEntry> members,
                                                    const StepContext& dependencies);

}  // namespace lacuna
