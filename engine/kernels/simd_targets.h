#pragma once
// Which Highway targets the files of this room are compiled for; included before any Highway
// header. The baseline target only keeps Highway's machinery happy and gets no code:
// kernels_scalar.cpp is the fallback. No guard: plain preprocessor definitions, the same each time.
#ifndef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)
#endif
