#pragma once
/// \file
/// Finds tensors of a model by role, checks them against the shape that is asked for, and remembers
/// which it gave out. Used by one thread.

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Which tensor: `expert` counts for the roles of a single expert only.
struct WeightKey {
    TensorRole role = TensorRole::Embedding;
    int layer = 0;
    int expert = 0;
};

class WeightFinder {
  public:
    WeightFinder(const TensorSource& source, TensorNames names)
        : source_(source), names_(std::move(names)) {}

    [[nodiscard]] bool has(const WeightKey& key) const { return lookUp(key) != nullptr; }
    /// A tensor [rows, columns]. Errors: ModelMissingTensor, ModelShape; ModelVocab for the
    /// vocabulary's rows.
    [[nodiscard]] Result<WeightMatrix> matrix(const WeightKey& key, std::int64_t rows,
                                              std::int64_t columns);
    /// A tensor [count, rows, columns] as `count` matrices. Errors: ModelMissingTensor, ModelShape.
    [[nodiscard]] Result<std::vector<WeightMatrix>> matrices(const WeightKey& key,
                                                             std::int64_t count, std::int64_t rows,
                                                             std::int64_t columns);
    /// A tensor [columns] or [1, columns] as a matrix of one row.
    [[nodiscard]] Result<WeightMatrix> oneRow(const WeightKey& key, std::int64_t columns);
    /// A tensor [length], decoded; the gain of a norm as it is multiplied. Errors: as matrix,
    /// ModelTypeUse for quantised ones.
    [[nodiscard]] Result<std::vector<float>> vector(const WeightKey& key, std::int64_t length);
    /// Unsupported, naming the first tensor that was not given out and is not ignorable;
    /// `tied`: an output matrix may be left.
    [[nodiscard]] Status checkAllUsed(bool tied) const;

  private:
    [[nodiscard]] const TensorInfo* lookUp(const WeightKey& key) const;
    [[nodiscard]] Result<const TensorInfo*> find(const WeightKey& key);
    [[nodiscard]] Result<const TensorInfo*> shaped(const WeightKey& key,
                                                   const std::vector<std::uint64_t>& shape);

    const TensorSource& source_;
    const TensorNames names_;
    std::set<const TensorInfo*> used_;
};

/// Rows `first` to `first + count - 1` of a matrix, as a view.
[[nodiscard]] WeightMatrix rowsOf(const WeightMatrix& matrix, std::int64_t first,
                                  std::int64_t count);

}  // namespace lacuna
