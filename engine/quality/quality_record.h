#pragma once
/// \file
/// What a compaction did to a model's answers to one text, against the whole cache: plain values
/// for tables, files and the window.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/quality/divergence.h"
#include "engine/quality/head_divergence.h"

namespace lacuna {

/// Both caches answered greedily after the same text.
struct GreedyAgreement {
    std::int64_t answered = 0;    ///< tokens of the whole cache's answer, its end included
    std::int64_t agreed = 0;      ///< of them, before the first that differs
    std::vector<TokenId> tokens;  ///< of the compacted cache's answer
    std::string wholeText, text;
    [[nodiscard]] bool same() const { return agreed == answered; }
};

struct QualityRecord {
    std::int64_t contextTokens = 0;  ///< read before the compaction
    std::int64_t evictions = 0;      ///< slots evicted or merged, over layers and heads; 0 only
                                     ///< where rows are coded and nothing is compacted
    std::int64_t liveBytes = 0;      ///< after the compaction
    std::int64_t allocatedBytes = 0, wholeAllocatedBytes = 0;  ///< of it and of the whole cache
    std::int64_t numbers = 0, wholeNumbers = 0;                ///< of keys and values that are held
    std::int64_t logicalBytes = 0;  ///< of the whole cache at that moment
    double compactionMs = 0;
    std::string note;                    ///< of the compaction: a policy was replaced, ...
    std::optional<double> heldOutError;  ///< what the fit expected; attention matching only

    std::vector<double> kl;             ///< of each position after the compaction, in order; nats
    std::int64_t sameTop = 0;           ///< positions whose likeliest token is the same
    double wholeNll = 0;                ///< mean negative log likelihood of the tokens that follow
    double compactedNll = 0;            ///< the same for the compacted cache
    std::vector<HeadDivergence> heads;  ///< empty when not asked for
    std::optional<GreedyAgreement> greedy;

    [[nodiscard]] DivergenceFigures divergence() const { return divergenceFigures(kl, sameTop); }
    /// exp(nll') / exp(nll) - 1, on the same tokens.
    [[nodiscard]] double perplexityChange() const;
    /// Logical over live bytes.
    [[nodiscard]] double ratio() const;
};

}  // namespace lacuna
