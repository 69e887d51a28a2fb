#pragma once
/// \file
/// The part of a kernel table that tile registers (AMX) make. Private to this room. May be called
/// only where the system granted them (cpu_features.h).

#include "engine/kernels/kernels.h"

namespace lacuna {

/// Products of bfloat16; panels are those of fillBfloatKernels.
void fillTileRegisterKernels(KernelTable& table) noexcept;

}  // namespace lacuna
