#pragma once
/// \file
/// Named read-only tensors, whatever file they come from. Immutable; may be read from many threads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

struct TensorInfo {
    std::string name;
    DType type = DType::F32;
    std::vector<std::uint64_t> shape;  ///< outermost first: [rows, columns] for a matrix
    std::uint64_t bytes = 0;
    const std::byte* data = nullptr;  ///< inside the mapped file; alignment as in the file
    /// Of MXFP4 whose scales lie apart, as safetensors hold it: one byte for each 16 of `data`.
    const std::byte* scales = nullptr;
};

class TensorSource {
  public:
    virtual ~TensorSource() = default;
    [[nodiscard]] virtual std::span<const TensorInfo> tensors() const = 0;
    /// Null when there is none of that name.
    [[nodiscard]] virtual const TensorInfo* find(std::string_view name) const = 0;
    /// ModelChanged when a file behind it is no longer the one that was opened.
    [[nodiscard]] virtual Status checkUnchanged() const = 0;
    /// The files that tensors are mapped from: their pages may be given back, and come again when
    /// they are read. Empty where the bytes are somebody's memory.
    [[nodiscard]] virtual std::vector<std::span<const std::byte>> mappings() const { return {}; }
};

/// What a computation with `source` came to, with ModelChanged in the place of an error that a file
/// cut or replaced meanwhile explains. A success has to be checked before it is used.
template <class T>
[[nodiscard]] Result<T> orChanged(Result<T> outcome, const TensorSource& source) {
    if (outcome || outcome.error().code == ErrorCode::Cancelled) return outcome;
    LACUNA_TRY_STATUS(source.checkUnchanged());
    return outcome;
}

}  // namespace lacuna
