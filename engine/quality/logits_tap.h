#pragma once
/// \file
/// A Transformer decorator that copies the logits of one cache, so that measuring needs no support
/// from the code that runs the steps. Costs nothing while no cache is watched. Owned by one thread.

#include <vector>

#include "engine/model/transformer.h"

namespace lacuna {

class LogitsTap final : public Transformer {
  public:
    explicit LogitsTap(Transformer& inner) : inner_(inner) {}

    /// Copies the logits of runs on `cache` from the next forward pass on; null stops copying.
    void watch(const KvCache* cache) { watched_ = cache; }
    /// Rows [n, vocabulary] of the latest forward pass with logits for the watched cache; empty
    /// before the first.
    [[nodiscard]] View<const float, 2> rows() const {
        const std::int64_t width = inner_.model().spec.vocabulary;
        return {rows_.data(), {static_cast<std::int64_t>(rows_.size()) / width, width}};
    }
    void clear() { rows_.clear(); }

    [[nodiscard]] Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                                       const ForwardOptions& options) override;
    [[nodiscard]] const LoadedModel& model() const override { return inner_.model(); }
    [[nodiscard]] std::size_t activationBytes() const override {
        return inner_.activationBytes() + rows_.size() * sizeof(float);
    }

  private:
    Transformer& inner_;
    const KvCache* watched_ = nullptr;
    std::vector<float> rows_;
};

}  // namespace lacuna
