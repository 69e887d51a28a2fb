#pragma once
/// \file
/// Measures which KV heads of a model need their whole context (docs/attention-matching.md, "Slots
/// by head"): questions about texts are asked again and again while heads are cut down to sinks and
/// newest tokens, the least needed half of the rest in each round. What an answer loses is a head's
/// loss. Heads are judged alongside those that are cut already, so that two that can stand in for
/// each other are not both called needless. About two answers for each head and question. Runs on
/// the calling thread.

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>

#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/model/transformer.h"
#include "engine/quality/recall_cases.h"

namespace lacuna {

struct CalibrationOptions {
    int nSink = 4;
    int keepRecent = 32;
    int chunk = 256;     ///< tokens of a forward pass, at most those the transformer was made for
    int maxTokens = 28;  ///< most tokens of an answer
    std::function<void(std::int64_t done, std::int64_t total)> progress;
    std::stop_token stop;
};

/// Only questions that the whole cache answers count. Holds a cache for each question. Errors:
/// Unsupported (it answers none), NoMemory, Cancelled, as promptTokens and Transformer::forward.
[[nodiscard]] Result<HeadProfile> calibrateHeads(Transformer& model,
                                                 std::span<const RecallCase> cases,
                                                 const CalibrationOptions& options);

}  // namespace lacuna
