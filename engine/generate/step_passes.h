#pragma once
/// \file
/// How the answers of a step share the passes over the weights. Plain data.
///
/// A row of a product is rounded by the path that computes it, and the path depends on the number
/// of rows (matmul.cpp: from 3 rows on for block formats, 8 for F16 and BF16, 12 for F32). A shared
/// pass has more rows than an answer alone, so that its logits may differ in the last bits, and
/// with them, now and then, a token. Attention and everything else is computed row by row and chunk
/// by chunk as it is alone.

namespace lacuna {

enum class StepPasses {
    Shared,  ///< one pass for all answers of a step
    Apart,   ///< one for each: bit for bit what it computes alone
};

}  // namespace lacuna
