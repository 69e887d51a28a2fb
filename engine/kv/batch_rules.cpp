#include "engine/kv/batch_rules.h"

#include "engine/base/string_format.h"

namespace lacuna {

Status checkBatchWindow(const std::optional<WindowRule>& window) {
    if (!window) return {};
    LACUNA_TRY_STATUS(checkRule(*window));
    if (window->kind != WindowKind::Ring)
        return fail(ErrorCode::Unsupported,
                    "a chunked cache cannot be a row of a batch; run its sequence alone");
    if (window->keep > 0)
        return fail(ErrorCode::Unsupported,
                    format("a rotating batch cannot keep the first {} tokens of rows that start at "
                           "different columns; set keep to 0 or run the sequence alone",
                           window->keep));
    return {};
}

Result<std::optional<WindowRule>> rowWindow(const KvCache& cache) {
    const KvCapabilities able = cache.capabilities();
    if (able.kind == KvKind::Evicting)
        return fail(
            ErrorCode::Unsupported,
            "a compacted cache cannot be merged into a batch: its rows would hold different "
            "tokens in each head; run its sequence alone, or read it again without a budget");
    if (!able.canMerge)
        return fail(ErrorCode::Unsupported,
                    "a cache of this kind cannot be merged into a batch; run its sequence alone");
    if (able.windowSize == 0) return std::optional<WindowRule>();
    return std::optional<WindowRule>({WindowKind::Ring, able.windowSize, able.windowKeep});
}

}  // namespace lacuna
