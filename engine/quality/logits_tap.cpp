#include "engine/quality/logits_tap.h"

#include "engine/model/step_runs.h"

namespace lacuna {

Result<View<const float, 2>> LogitsTap::forward(std::span<const BatchRun> runs,
                                                const ForwardOptions& options) {
    LACUNA_TRY(const auto logits, inner_.forward(runs, options));
    if (watched_ == nullptr) return logits;
    std::int64_t first = 0;
    for (const BatchRun& run : runs) {
        const std::int64_t count = logitRowsOf(run);
        if (run.cache == watched_ && count > 0) {
            const std::int64_t width = logits.extent(1);
            rows_.assign(logits.data() + first * width, logits.data() + (first + count) * width);
        }
        first += count;
    }
    return logits;
}

}  // namespace lacuna
