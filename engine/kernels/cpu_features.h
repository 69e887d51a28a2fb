#pragma once
/// \file
/// Kernels that this processor and operating system can run, and the choice among them. Pure
/// functions; the tables are immutable and may be used from many threads.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/kernels/kernels.h"

namespace lacuna {

/// Usable instruction sets: supported by the processor, with registers saved by the operating
/// system.
struct CpuFeatures {
    bool avx2 = false;        ///< with FMA, F16C, BMI
    bool avx512 = false;      ///< F, VL, DQ, BW
    bool avx512Vnni = false;  ///< int8 dot products
    bool avx512Bf16 = false;  ///< bfloat16 dot products
    bool avx512Vbmi = false;  ///< tables of 128 bytes; used by the VNNI tables if present
    /// Returns a text such as "avx2 avx512 avx512-vnni" for reports.
    [[nodiscard]] std::string describe() const;
};

[[nodiscard]] CpuFeatures detectCpuFeatures();

/// Returns the tables that this machine can run, plainest first: "scalar", "avx2", "avx512",
/// "avx512-vnni", "avx512-vnni-bf16" as far as they apply.
[[nodiscard]] std::span<const KernelTable> availableKernels();
/// Returns the table named by the environment variable LACUNA_KERNELS, read on the first call;
/// otherwise the fastest. For tests and measurements of smaller processors' kernels.
[[nodiscard]] const KernelTable& bestKernels();
/// Errors: InvalidArgument if LACUNA_KERNELS does not name a table that this machine can run.
[[nodiscard]] Status checkKernelChoice();
/// Returns the table of that name; null if it is unknown or this machine cannot run it.
[[nodiscard]] const KernelTable* findKernels(std::string_view name);

}  // namespace lacuna
