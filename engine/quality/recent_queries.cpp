#include "engine/quality/recent_queries.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

// What an attention matching needs to begin with.
constexpr int kMinCount = 16;

}  // namespace

Result<int> captureNewest(const CaptureSource& source, Transformer& model, int most) {
    const KvCapabilities can = source.cache->capabilities();
    // At least one token stays, so that none is read without anything before it.
    const int before = static_cast<int>(source.tokens.size()) - 1;
    const int count = std::min({most, before, can.rollbackLimit});
    if (count < kMinCount)
        return fail(ErrorCode::Unsupported,
                    format("only the newest {} tokens can be read again, at least {} are needed{}",
                           std::max(count, 0), kMinCount,
                           can.whyNoRollback.empty() ? "" : "; " + can.whyNoRollback));
    LACUNA_TRY(const auto copy, source.cache->clone());
    LACUNA_TRY_STATUS(copy->rollback(count));
    const BatchRun run{.tokens = source.tokens.last(static_cast<std::size_t>(count)),
                       .cache = copy.get(),
                       .logits = LogitsFor::None,
                       .observer = source.compactor->matchingObserver()};
    LACUNA_TRY([[maybe_unused]] const auto none, model.forward({&run, 1}, {}));
    return count;
}

}  // namespace lacuna
