#pragma once
/// \file
/// A transformer that keeps a copy of what another one said about one cache, so that measuring
/// needs nothing of whoever drives it. Costs nothing while nothing is watched. Owned by one thread.

#include <vector>

#include "engine/model/transformer.h"

namespace lacuna {

class LogitsTap final : public Transformer {
  public:
    explicit LogitsTap(Transformer& inner) : inner_(inner) {}

    /// Copies the rows of runs on `cache` from the next forward on; null: none.
    void watch(const KvCache* cache) { watched_ = cache; }
    /// Rows [n, vocabulary] of the newest forward with logits of the watched cache; empty before
    /// one.
    [[nodiscard]] View<const float, 2> rows() const {
        const std::int64_t width = inner_.model().spec.vocabulary;
        return {rows_.data(), {static_cast<std::int64_t>(rows_.size()) / width, width}};
    }
    void forget() { rows_.clear(); }

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
