#pragma once
/// \file
/// Which kernels this processor and operating system can run, and the choice among them.
/// Pure functions; the tables are immutable and may be used from many threads.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Usable instruction sets: the processor has them and the operating system saves their registers.
struct CpuFeatures {
    bool avx2 = false;        ///< with FMA, F16C, BMI
    bool avx512 = false;      ///< F, VL, DQ, BW
    bool avx512Vnni = false;  ///< int8 dot products
    bool avx512Bf16 = false;  ///< bfloat16 dot products
    bool avx512Vbmi = false;  ///< tables of 128 bytes; part of the tables with VNNI where it is
                              ///< there
    /// "avx2 avx512 avx512-vnni", for reports.
    [[nodiscard]] std::string describe() const;
};

[[nodiscard]] CpuFeatures detectCpuFeatures();

/// Tables this machine can run, plainest first: "scalar", "avx2", "avx512", "avx512-vnni",
/// "avx512-vnni-bf16" as far as they apply.
[[nodiscard]] std::span<const KernelTable> availableKernels();
/// The one that the environment variable LACUNA_KERNELS names when it is first asked for; else the
/// fastest of them. For tests and measurements of what smaller processors run.
[[nodiscard]] const KernelTable& bestKernels();
/// Errors: InvalidArgument when LACUNA_KERNELS names no table that this machine can run.
[[nodiscard]] Status checkKernelChoice();
/// By name; null when it is unknown or this machine cannot run it.
[[nodiscard]] const KernelTable* findKernels(std::string_view name);

}  // namespace lacuna
