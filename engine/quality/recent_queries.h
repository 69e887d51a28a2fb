#pragma once
/// \file
/// Reference queries of a conversation whose settings asked for none so far: its newest tokens are
/// read once more over a copy of its cache (docs/attention-matching.md, "Reference queries"). Runs
/// on the engine thread; costs a copy of the cache and one forward pass.

#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/compress/compactor.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/transformer.h"

namespace lacuna {

/// A conversation to capture from: `tokens` are those its cache covers, `compactor` watches over
/// it.
struct CaptureSource {
    const KvCache* cache = nullptr;
    std::span<const TokenId> tokens;
    Compactor* compactor = nullptr;
};

/// Gives the compactor the queries of the newest tokens, at most `most` and at least 16; the cache
/// stays as it is. How many they were. Errors: Unsupported (so few tokens, or the cache cannot go
/// back that far), NoMemory, as Transformer::forward.
[[nodiscard]] Result<int> captureNewest(const CaptureSource& source, Transformer& model, int most);

}  // namespace lacuna
