#pragma once
/// \file
/// When settings have no effect, as rows for the settings table: one truth for the panel's hints,
/// the command line, `lacuna settings` and the rules. Said of a setting that is idle: another value
/// in its place gives the same tokens and the same compactions. Internal to this room. Plain data.

#include <vector>

#include "engine/settings/knob_spec.h"

namespace lacuna::idle {

/// Of what any compaction goes by.
[[nodiscard]] std::vector<IdleWhen> unlessCompacting();
/// Of what decides when one comes by itself: the cache limit asks nobody.
[[nodiscard]] std::vector<IdleWhen> unlessDueByItself();
/// Of turn_late, which also says whose queries a compaction for the cache limit is judged by.
[[nodiscard]] std::vector<IdleWhen> unlessDueOrJudged();
/// Of attention matching.
[[nodiscard]] std::vector<IdleWhen> unlessMatching();
/// Of attention matching beside the answer: one for the cache limit is never made there.
[[nodiscard]] std::vector<IdleWhen> unlessMatchingByItself();
/// Of the ratio, which may be what switches it on.
[[nodiscard]] std::vector<IdleWhen> unlessMethodIsMatching();
/// Of evictions.
[[nodiscard]] std::vector<IdleWhen> unlessEvicting();
[[nodiscard]] std::vector<IdleWhen> whileMethodIsNone();
/// Of the first tokens, which a window keeps as well.
[[nodiscard]] std::vector<IdleWhen> unlessCompactingOrWindow();
[[nodiscard]] std::vector<IdleWhen> whileNoLayerSlides();
[[nodiscard]] std::vector<IdleWhen> whileAnswersComeAlone();
[[nodiscard]] std::vector<IdleWhen> whileNothingIsDrawn();
[[nodiscard]] std::vector<IdleWhen> whilePenaltyIsOne();
[[nodiscard]] std::vector<IdleWhen> whilePenaltySeesNothing();

}  // namespace lacuna::idle
