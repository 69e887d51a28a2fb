#pragma once
/// \file
/// Scores of attention sinks (arXiv:2309.17453, sec. 3.3): each query head has one, which is part
/// of the denominator of its softmax and has no value, so that some attention mass belongs to no
/// slot. Plain data, immutable.

#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/ids.h"

namespace lacuna {

class AttentionSinks {
  public:
    /// `scores` has the shape [layers, heads].
    AttentionSinks(int heads, std::vector<float> scores)
        : heads_(static_cast<std::size_t>(heads)), scores_(std::move(scores)) {}
    [[nodiscard]] float of(LayerIndex layer, int queryHead) const {
        return scores_[static_cast<std::size_t>(layer.value) * heads_ +
                       static_cast<std::size_t>(queryHead)];
    }
    /// Returns the scores of the `group` query heads that share a KV head.
    [[nodiscard]] std::span<const float> of(LayerIndex layer, HeadIndex head, int group) const {
        const auto count = static_cast<std::size_t>(group);
        return std::span(scores_).subspan(static_cast<std::size_t>(layer.value) * heads_ +
                                              static_cast<std::size_t>(head.value) * count,
                                          count);
    }
    /// Returns minus infinity, which adds nothing, if a model has no sinks.
    [[nodiscard]] static float of(const AttentionSinks* sinks, LayerIndex layer, int queryHead) {
        return sinks == nullptr ? -std::numeric_limits<float>::infinity()
                                : sinks->of(layer, queryHead);
    }

  private:
    std::size_t heads_;
    std::vector<float> scores_;
};

}  // namespace lacuna
