#pragma once
/// \file
/// Limits of what is computed at all: far above every real model, low enough that products of two
/// of them fit 64 bits and a hostile file cannot ask for absurd work. Pure data.

#include <cstdint>

namespace lacuna {

inline constexpr int kMaxLayers = 1024;
inline constexpr int kMaxHeads = 1024;
inline constexpr int kMaxHidden = 1 << 20;
inline constexpr int kMaxHeadDim = 1 << 14;
inline constexpr int kMaxFeedForward = 1 << 22;
inline constexpr int kMaxExperts = 4096;
inline constexpr int kMaxVocabulary = 1 << 20;
inline constexpr int kMaxContext = 0x7FFFFFFF;

}  // namespace lacuna
