#include "engine/quality/logits_tap.h"

namespace lacuna {
namespace {

std::int64_t rowsOf(const BatchRun& run) {
    switch (run.logits) {
        case LogitsFor::None:
            return 0;
        case LogitsFor::LastToken:
            return 1;
        case LogitsFor::AllTokens:
            return static_cast<std::int64_t>(run.tokens.size());
    }
    return 0;
}

}  // namespace

Result<View<const float, 2>> LogitsTap::forward(std::span<const BatchRun> runs,
                                                const ForwardOptions& options) {
    LACUNA_TRY(const auto logits, inner_.forward(runs, options));
    if (watched_ == nullptr) return logits;
    std::int64_t first = 0;
    for (const BatchRun& run : runs) {
        const std::int64_t count = rowsOf(run);
        if (run.cache == watched_ && count > 0) {
            const std::int64_t width = logits.extent(1);
            rows_.assign(logits.data() + first * width, logits.data() + (first + count) * width);
        }
        first += count;
    }
    return logits;
}

}  // namespace lacuna
