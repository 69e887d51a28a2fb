#pragma once
/// \file
/// Encodes numbers to blocks with the least squared error found by a bounded search. Pure; the same
/// numbers give the same bits on every machine. @pre all numbers are finite

#include "engine/tensor/block_formats.h"

namespace lacuna {

/// Scale = max|x| / 127 rounded to half, codes rounded to nearest.
void encodeBlock(const float* in, BlockQ8_0& block);
/// Each encodes 32 numbers.
void encodeBlock(const float* in, BlockQ4_0& block);
void encodeBlock(const float* in, BlockQ4_1& block);
void encodeBlock(const float* in, BlockQ5_0& block);
void encodeBlock(const float* in, BlockQ5_1& block);
/// Each encodes 256 numbers.
void encodeBlock(const float* in, BlockQ4_K& block);
void encodeBlock(const float* in, BlockQ5_K& block);
void encodeBlock(const float* in, BlockQ6_K& block);

}  // namespace lacuna
