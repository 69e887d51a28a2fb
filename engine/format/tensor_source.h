#pragma once
/// \file
/// Named read-only tensors of any kind of file. Immutable; may be read from many threads.

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
    /// Separate scales of MXFP4 in safetensors, one byte for each 16 of `data`; null otherwise.
    const std::byte* scales = nullptr;
};

class TensorSource {
  public:
    virtual ~TensorSource() = default;
    [[nodiscard]] virtual std::span<const TensorInfo> tensors() const = 0;
    /// Returns null if there is no tensor of that name.
    [[nodiscard]] virtual const TensorInfo* find(std::string_view name) const = 0;
    /// Returns ModelChanged if a file behind it differs from the one that was opened.
    [[nodiscard]] virtual Status checkUnchanged() const = 0;
    /// Returns the mappings of the tensors: their pages may be released and are read again on
    /// access. Empty if the bytes are the caller's memory.
    [[nodiscard]] virtual std::vector<std::span<const std::byte>> mappings() const { return {}; }
};

/// Returns the outcome of a computation with `source`, with ModelChanged in place of an error that
/// a truncated or replaced file explains. A success must be checked before it is used.
template <class T>
[[nodiscard]] Result<T> orChanged(Result<T> outcome, const TensorSource& source) {
    if (outcome || outcome.error().code == ErrorCode::Cancelled) return outcome;
    LACUNA_TRY_STATUS(source.checkUnchanged());
    return outcome;
}

}  // namespace lacuna
