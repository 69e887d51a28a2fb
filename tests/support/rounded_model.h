#pragma once
/// \file
/// A forward pass whose logits have an error set by the test for each precision, which models
/// rounding without weights. Owned by one thread.

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/model/transformer.h"

namespace lacuna::test {

/// The increase of every second logit of a row over that of Exact.
using LogitError = std::map<Precision, float>;

class RoundedTransformer final : public Transformer {
  public:
    RoundedTransformer(std::unique_ptr<Transformer> exact, float error)
        : exact_(std::move(exact)), error_(error) {}

    [[nodiscard]] Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                                       const ForwardOptions& options) override {
        LACUNA_TRY(const auto rows, exact_->forward(runs, options));
        sizes.push_back(static_cast<int>(runs.front().tokens.size()));
        logits_.assign(rows.data(), rows.data() + rows.size());
        for (std::size_t i = 0; i < logits_.size(); i += 2) logits_[i] += error_;
        return View<const float, 2>(logits_.data(), {rows.extent(0), rows.extent(1)});
    }
    [[nodiscard]] const LoadedModel& model() const override { return exact_->model(); }
    [[nodiscard]] std::size_t activationBytes() const override { return exact_->activationBytes(); }

    std::vector<int> sizes;  ///< number of tokens of each forward pass

  private:
    std::unique_ptr<Transformer> exact_;
    float error_;
    std::vector<float> logits_;
};

}  // namespace lacuna::test
