#pragma once
/// \file
/// One sample of a conversation's quality while it goes on. Plain data.

#include <cstdint>
#include <optional>

namespace lacuna {

struct LiveQuality {
    std::int64_t tokens = 0;  ///< of the conversation, when it was measured
    double kl = 0;            ///< of the next-token distribution, nats
    bool sameTop = false;     ///< the likeliest next token is the same
    /// Relative attention-output error, mean over a few heads that change from sample to sample,
    /// for the newest token's queries.
    std::optional<double> outputError;
    double costMs = 0;    ///< wall time of measuring since the sample before
    double decodeMs = 0;  ///< wall time of the steps since then
    std::int64_t shadowBytes = 0;

    /// Of the time since the sample before, 0..1.
    [[nodiscard]] double costShare() const {
        return costMs + decodeMs > 0 ? costMs / (costMs + decodeMs) : 0;
    }
};

}  // namespace lacuna
