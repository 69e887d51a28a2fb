#pragma once
/// \file
/// One forward pass for several answers, each with a cache, settings and draws of its own. An error
/// ends only the answer it belongs to: a pass that fails is computed again one answer at a time.
/// Owned by the engine thread. docs/generation-loop.md, "Several answers"; SP-10.
///
/// An answer draws the tokens it would draw alone up to the rounding of shared passes
/// (step_passes.h).

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/generate/generation.h"
#include "engine/generate/step_passes.h"

namespace lacuna {

/// An answer that may take part in a step.
struct BatchEntry {
    Generation* generation = nullptr;  ///< not finished
    GenerationSettings settings;
    std::int64_t lastServed = 0;  ///< number of the step that last fed it, or in which it came
    BackgroundOrder order = BackgroundOrder::WhenReady;  ///< as PassMeans::order
};

/// What a step did for one of its members.
struct EntryResult {
    std::size_t member = 0;  ///< index
    Result<GenerationStep> step;
    bool torn = false;  ///< memory ran out where it should not: the sequence is not to be trusted
};

struct StepMeans {
    Transformer& model;
    int room = 1;  ///< tokens of one forward pass
    StepPasses passes = StepPasses::Shared;
    const ForwardOptions& forward;
    const Clock& clock;
    /// As PassMeans::bytes.
    std::int64_t passBytes = std::numeric_limits<std::int64_t>::max();
};

/// Takes one step with as many of the members as there is room for (step_plan.h). Where answers
/// have no room for a further token, they end, and that is the step. Nothing comes back for members
/// that wait, nor for any when the step was cancelled: everything is then as before.
/// @pre at least one member
[[nodiscard]] std::vector<EntryResult> stepTogether(std::span<const BatchEntry> members,
                                                    const StepMeans& means);

}  // namespace lacuna
