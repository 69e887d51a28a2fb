#pragma once
// The Highway targets of this module's files; included before any Highway header. Highway requires
// the baseline target, which gets no code: kernels_scalar.cpp is the fallback. No guard: plain
// preprocessor definitions that are the same each time.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
