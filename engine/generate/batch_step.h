#pragma once
/// \file
/// One forward pass for several answers, each with a cache, settings and draws of its own. An error
/// ends only the answer it belongs to: a pass that fails is computed again one answer at a time.
/// Owned by the engine thread. docs/generation-loop.md, "Several answers"; SP-10.
///
/// Who gets how much of a step is planned first. Every answer that draws takes its one row in every
/// step. Prompts are read in the room that is left, those that waited longest first and in whole
/// chunks only, so that a prompt is cut into the same chunks as when it is read alone. What is then
/// left goes to proposed tokens, in even shares. With P prompts being read, each of them gets a
/// chunk at least every P steps, and no step is larger than its room: that bounds the delay of
/// everybody.
///
/// An answer draws the tokens it would draw alone up to the rounding of shared passes (StepPasses).

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "engine/generate/generation.h"
#include "engine/generate/generation_options.h"

namespace lacuna {

/// Shares of a step of at most `room` tokens, in the order of the wishes; who has none waits. A
/// chunk larger than the whole room is cut. Pure function. @pre room >= 1
[[nodiscard]] std::vector<StepShare> planStep(std::span<const StepRequest> wishes, int room);

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

/// Takes one step with as many of the members as there is room for. Where answers have no room for
/// a further token, they end, and that is the step. Nothing comes back for members that wait, nor
/// for any when the step was cancelled: everything is then as before.
/// @pre at least one member
[[nodiscard]] std::vector<EntryResult> stepTogether(std::span<const BatchEntry> members,
                                                    const StepMeans& means);

}  // namespace lacuna
