#pragma once
/// \file
/// The parts of kernel tables, one per instruction set and source file. Private to this module. A
/// part may be called only if its instructions are usable (cpu_features.h).

#include "engine/kernels/kernels.h"

namespace lacuna {

enum class SimdLevel { Avx2, Avx512 };

[[nodiscard]] KernelTable scalarKernels() noexcept;
/// Decodes any type plainly, for formats without a decoder in an instruction set.
void decodeScalar(DType type, const std::byte* source, float* out, std::int64_t n) noexcept;
/// Fill in the functions on rows, the curves (gelu, soft cap), and those on packed panels.
void fillSimdRowKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdCurveKernels(SimdLevel level, KernelTable& table) noexcept;
void fillSimdTileKernels(SimdLevel level, KernelTable& table) noexcept;
/// Fills in products of cache rows with several queries.
void fillSimdAttentionKernels(SimdLevel level, KernelTable& table) noexcept;
/// Fills in the functions on cache rows of group codes.
void fillScalarCodedKernels(KernelTable& table) noexcept;
void fillSimdCodedKernels(SimdLevel level, KernelTable& table) noexcept;
/// Fills in the passes over slot scores.
void fillScalarSelectionKernels(KernelTable& table) noexcept;
void fillSimdSelectionKernels(SimdLevel level, KernelTable& table) noexcept;
/// Fills in the functions of recurrent mixers.
void fillScalarMixerKernels(KernelTable& table) noexcept;
void fillSimdMixerKernels(SimdLevel level, KernelTable& table) noexcept;
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
