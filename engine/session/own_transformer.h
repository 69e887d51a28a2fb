#pragma once
/// \file
/// The forward pass of a job that works beside answers, whose own one is made again when settings
/// change. It refers to the threads of the model in use and has to be made again where these were
/// replaced. Owned by the engine thread.

#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/model/transformer.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class OwnTransformer {
  public:
    /// Whether it was made for the threads of the model in use. @pre a model is in use
    [[nodiscard]] bool current(const ModelHolder& models) const {
        return transformer_ != nullptr && threadsMade_ == models.model()->threadsMade();
    }
    /// Makes it, after the one before was dropped. Errors: as ModelHolder::makeTransformer. @pre a
    /// model is in use
    [[nodiscard]] Status make(ModelHolder& models, int rows,
                              std::optional<Precision> precision = std::nullopt) {
        reset();
        LACUNA_TRY(transformer_, models.makeTransformer(rows, precision));
        threadsMade_ = models.model()->threadsMade();
        return {};
    }
    void reset() { transformer_.reset(); }
    /// @pre it was made
    [[nodiscard]] Transformer& operator*() const { return *transformer_; }

  private:
    std::unique_ptr<Transformer> transformer_;
    int threadsMade_ = 0;  ///< of the model, when it was made
};

}  // namespace lacuna
