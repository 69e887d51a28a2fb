#pragma once
/// \file
/// Layout of the int8 panels of the AVX-512 kernels, for the code that writes and reads them. A
/// panel holds 32 rows: every 32 columns are a block of codes as [4 columns][half of the
/// rows][row][4 bytes] followed by the scales of the rows. Formats with a centre are packed as
/// signed code + 128; formats with a smallest value keep their unsigned codes. Private to them.

#include <cstdint>

namespace lacuna::vnni {

/// 32 columns of 32 rows, [part][half of the rows][row]. `smallest` exists only in forms that have
/// it.
template <bool halves, bool smallest>
struct PanelBlock {
    static constexpr int kParts = halves ? 2 : 1;
    std::uint8_t codes[8][2][64];
    float scales[kParts][2][16];
    float minima[smallest ? kParts : 1][2][16];
};

}  // namespace lacuna::vnni
