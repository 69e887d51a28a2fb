#pragma once
/// \file
/// Transformer of a job that runs between turns, independent of the one that generates answers,
/// which is recreated when settings change. It refers to the model's compute threads and must be
/// recreated when these are replaced. Owned by the engine thread.

#include <memory>
#include <optional>

#include "engine/base/result.h"
#include "engine/model/transformer.h"
#include "engine/session/model_holder.h"

namespace lacuna {

class OwnTransformer {
  public:
    /// Returns true if it was made for the model's current threads. @pre a model is loaded
    [[nodiscard]] bool current(const ModelHolder& models) const {
        return transformer_ != nullptr && threadsMade_ == models.model()->threadsMade();
    }
    /// Destroys the previous transformer and creates a new one. Errors: as
    /// ModelHolder::makeTransformer. @pre a model is loaded
    [[nodiscard]] Status make(ModelHolder& models, int rows,
                              std::optional<Precision> precision = std::nullopt) {
        reset();
        LACUNA_TRY(transformer_, models.makeTransformer(rows, precision));
        threadsMade_ = models.model()->threadsMade();
        return {};
    }
    void reset() { transformer_.reset(); }
    /// @pre make succeeded
    [[nodiscard]] Transformer& operator*() const { return *transformer_; }

  private:
    std::unique_ptr<Transformer> transformer_;
    int threadsMade_ = 0;  ///< RunningModel::threadsMade() when it was made
};

}  // namespace lacuna
