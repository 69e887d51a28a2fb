#pragma once
/// \file
/// The parts kernel tables are put together from, one per instruction set and source file. Private
/// to this room. A part may be called only where its instructions are usable (cpu_features.h).

#include "engine/kernels/kernels.h"

namespace lacuna {

enum class SimdLevel { Avx2, Avx512 };

[[nodiscard]] KernelTable scalarKernels() noexcept;
/// The plain decoder of any type, for the formats that an instruction set has none of its own for.
void decodePlainly(DType type, const std::byte* source, float* out, std::int64_t n) noexcept;
/// Fill the functions on rows, the curves (gelu, soft cap), and those on packed panels.
void fillSimdRowKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdCurveKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdTileKernels(SimdLevel level, KernelTable& table) noexcept;
/// Rows of a cache against several queries.
void fillSimdAttentionKernels(SimdLevel level, KernelTable& table) noexcept;
/// Rows of a cache that are group codes.
void fillScalarCodedKernels(KernelTable& table) noexcept;
void fillSimdCodedKernels(SimdLevel level, KernelTable& table) noexcept;
/// Passes over the scores of slots.
void fillScalarSelectionKernels(KernelTable& table) noexcept;
void fillSimdSelectionKernels(SimdLevel level, KernelTable& table) noexcept;
/// Integer products, from the smallest instruction set to the largest; later ones replace earlier.
void fillAvx2IntegerKernels(KernelTable& table) noexcept;
void fillAvx2GroupKernels(KernelTable& table) noexcept;
void fillAvx2HalfKernels(KernelTable& table) noexcept;
void fillAvx512HalfKernels(KernelTable& table) noexcept;
void fillVnniRowKernels(KernelTable& table) noexcept;
void fillVnniTileKernels(KernelTable& table) noexcept;
void fillVnniGroupKernels(KernelTable& table) noexcept;
void fillBfloatKernels(KernelTable& table) noexcept;
void fillBfloatGroupKernels(KernelTable& table) noexcept;

}  // namespace lacuna
