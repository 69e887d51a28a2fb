#pragma once
/// \file
/// Effect of a compaction on a model's output for one text, relative to the full cache. Plain
/// values for tables, files and the window.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/quality/divergence.h"
#include "engine/quality/head_divergence.h"

namespace lacuna {

/// Comparison of the greedy answers of both caches to the same text.
struct GreedyAgreement {
    std::int64_t answered = 0;    ///< length of the full cache's answer, including its end token
    std::int64_t agreed = 0;      ///< number of tokens before the first difference
    std::vector<TokenId> tokens;  ///< the compacted cache's answer
    std::string fullText, text;
    [[nodiscard]] bool same() const { return agreed == answered; }
};

struct QualityRecord {
    std::int64_t contextTokens = 0;  ///< tokens read before the compaction
    std::int64_t evictions = 0;  ///< slots evicted or merged, over layers and heads; 0 only if rows
                                 ///< are coded and nothing is compacted
    std::int64_t liveBytes = 0;  ///< live bytes after the compaction
    std::int64_t allocatedBytes = 0, fullAllocatedBytes = 0;  ///< reserved bytes of the compacted
                                                              ///< and of the full cache
    std::int64_t numbers = 0, fullNumbers = 0;  ///< numbers in the held keys and values
    std::int64_t logicalBytes = 0;              ///< logical bytes of the full cache at that time
    double compactionMs = 0;
    std::string note;                    ///< remark about the compaction, such as a replaced policy
    std::optional<double> heldOutError;  ///< error predicted by the fit; attention matching only

    std::vector<double> kl;    ///< divergence at each position after the compaction, in order; nats
    std::int64_t sameTop = 0;  ///< positions with the same top token
    double fullNll = 0;        ///< mean negative log likelihood of the following tokens
    double compactedNll = 0;   ///< the same with the compacted cache
    std::vector<HeadDivergence> heads;  ///< empty if not requested
    std::optional<GreedyAgreement> greedy;

    [[nodiscard]] DivergenceFigures divergence() const { return divergenceFigures(kl, sameTop); }
    /// exp(nll') / exp(nll) - 1, on the same tokens.
    [[nodiscard]] double perplexityChange() const;
    /// Logical over live bytes.
    [[nodiscard]] double ratio() const;
};

}  // namespace lacuna
