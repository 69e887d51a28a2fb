#pragma once
/// \file
/// Measures which KV heads of a model need the full context (docs/attention-matching.md, "Slots per
/// head"). Questions about texts are answered repeatedly while heads are reduced to sinks and
/// newest tokens; each round cuts the less needed half of the remaining heads. The loss of the
/// answers is attributed to the head. Heads are evaluated together with those already cut, so that
/// two redundant heads are not both considered unnecessary. Costs about two answers per head and
/// question. Runs on the calling thread.

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
    int chunk = 256;     ///< tokens per forward pass, at most the transformer's limit
    int maxTokens = 28;  ///< maximum length of an answer
    std::function<void(std::int64_t done, std::int64_t total)> progress;
    std::stop_token stop;
};

/// Uses only the questions that the full cache answers correctly. Holds one cache per question.
/// Errors: Unsupported (it answers none), NoMemory, Cancelled, as promptTokens and
/// Transformer::forward.
[[nodiscard]] Result<HeadProfile> calibrateHeads(Transformer& model,
                                                 std::span<const RecallCase> cases,
                                                 const CalibrationOptions& options);

}  // namespace lacuna
