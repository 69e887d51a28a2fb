#pragma once
/// \file
/// Finds the tensors of one model by role, as matrices or decoded numbers, and notices which
/// tensors were used.

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/model_spec.h"
#include "engine/format/rearranged_experts.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weights.h"

namespace lacuna {

/// Identifies a tensor; `number` matters only for the roles of a single expert or head.
struct WeightKey {
    TensorRole role = TensorRole::Embedding;
    int layer = 0;
    int number = 0;
};

class WeightFinder {
  public:
    WeightFinder(const TensorSource& source, TensorNames names) : source_(source), names_(names) {}
    [[nodiscard]] const TensorNames& names() const { return names_; }

    [[nodiscard]] bool has(const WeightKey& key) const { return lookUp(key) != nullptr; }
    /// Returns the number of dimensions of the tensor; 0 if it does not exist.
    [[nodiscard]] std::size_t dimensions(const WeightKey& key) const {
        const TensorInfo* const tensor = lookUp(key);
        return tensor == nullptr ? 0 : tensor->shape.size();
    }
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
    /// A tensor [length], decoded; the gain of a norm in its effective form. Errors: as matrix,
    /// ModelTypeUse for quantised ones.
    [[nodiscard]] Result<std::vector<float>> vector(const WeightKey& key, std::int64_t length);
    /// The rows of a tensor [count, length], under the same conditions.
    [[nodiscard]] Result<std::vector<std::vector<float>>> vectors(const WeightKey& key,
                                                                  std::int64_t count,
                                                                  std::int64_t length);
    /// The `count` numbers of a tensor of any shape, row by row. Errors: as vector.
    [[nodiscard]] Result<std::vector<float>> numbers(const WeightKey& key, std::int64_t count);
    /// A tensor [count, outputs, columns], or [count, columns, outputs] if it is transposed, that
    /// is copied in another order.
    [[nodiscard]] Result<ExpertStack> stack(const WeightKey& key, std::int64_t count,
                                            std::int64_t outputs, std::int64_t columns,
                                            bool transposed);
    /// Returns Unsupported, naming the first tensor that was not used and is not ignorable. An
    /// output matrix may remain unused if embeddings are tied; draft layers are loaded apart.
    [[nodiscard]] Status checkAllUsed(const ModelSpec& spec) const;

  private:
    [[nodiscard]] const TensorInfo* lookUp(const WeightKey& key) const;
    [[nodiscard]] Result<const TensorInfo*> find(const WeightKey& key);
    [[nodiscard]] Result<const TensorInfo*> shaped(const WeightKey& key,
                                                   const std::vector<std::uint64_t>& shape);
    /// Returns the factors of the decoded numbers of a matrix, or of each of `count` matrices: the
    /// tensor `NAME.scale` [count] next to `NAME.weight`, otherwise ones. Errors: ModelShape,
    /// ModelTypeUse, ModelNonFinite.
    [[nodiscard]] Result<std::vector<float>> scales(const TensorInfo& tensor, std::int64_t count);

    const TensorSource& source_;
    const TensorNames names_;
    std::set<const TensorInfo*> used_;
};

/// Returns rows `first` to `first + count - 1` of a matrix, as a view.
[[nodiscard]] WeightMatrix rowsOf(const WeightMatrix& matrix, std::int64_t first,
                                  std::int64_t count);

}  // namespace lacuna
