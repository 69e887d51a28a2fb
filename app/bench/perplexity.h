#pragma once
/// \file
/// Perplexity of a text: e to the mean negative log likelihood of its tokens. The text is read in
/// windows, each with its own cache; a window predicts the tokens not predicted by earlier windows,
/// except its first. With compaction it measures the compacted cache, and fails if nothing was
/// evicted. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "engine/base/ids.h"
#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct PerplexityOptions {
    KvOptions kv;
    int window = 0;   ///< tokens; 0 = the model's trained context
    int stride = 0;   ///< tokens from one window's start to the next; 0 = the window: no overlap
    int chunk = 256;  ///< tokens per forward pass, at most the transformer's maximum
    std::int64_t limit = 0;      ///< only the first tokens of the text; 0 = all
    HeadProfiles profiles = {};  ///< profiles of the model's heads
    std::uint64_t seed = 0;      ///< seed of the sampling in compaction
    std::function<void(std::int64_t done, std::int64_t total, double perplexity)> progress;
    std::stop_token stop;
};

struct PerplexityOutcome {
    std::int64_t tokens = 0;  ///< tokens of the text, after the limit
    std::int64_t windows = 0;
    int window = 0;  ///< tokens per window; fewer only if the text is shorter
    int stride = 0;
    std::int64_t predicted = 0;
    double meanNll = 0;        ///< natural logarithm, per token
    double standardError = 0;  ///< of the mean, from the variance over tokens
    double perplexity = 0;
    std::int64_t evictions = 0;  ///< slots evicted or merged, over layers and heads
    std::int64_t compactions = 0;
    std::int64_t liveBytes = 0;  ///< sum over windows, at the end of each
    std::int64_t logicalBytes = 0;
    double liveOfLogical = 1;  ///< ratio of the two sums
    double bitsPerNumber = 0;  ///< over all windows (case_runner.h)
    double seconds = 0;
};

/// Measures `tokens`; a last part shorter than a window is skipped. f32 logits, f64 sums. Errors:
/// Range (window, stride), InvalidArgument (fewer than two tokens), Conflict (compaction is on and
/// nothing was evicted), Cancelled, as Transformer::forward.
[[nodiscard]] Result<PerplexityOutcome> measurePerplexity(Transformer& model, ThreadPool& pool,
                                                          std::span<const TokenId> tokens,
                                                          const PerplexityOptions& options);

[[nodiscard]] OrderedJson perplexityJson(const PerplexityOutcome& outcome);

}  // namespace lacuna
