#include "engine/quality/query_centres_run.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/model/model_cache.h"

namespace lacuna {

Result<QueryCentres> calibrateQueryCentres(Transformer& model, std::span<const TokenId> text,
                                           const QueryCentresRun& run) {
    const ModelSpec& spec = model.model().spec;
    const QueryRotation rotation = compactorModel(spec, 0, {}).rotation;
    if (spec.qkNormAfterRotary)
        return fail(ErrorCode::Unsupported,
                    format("queries of {} are normalised after the rotation, so future queries "
                           "cannot be predicted",
                           spec.name));
    LACUNA_TRY_STATUS(checkUniformCache(spec, "query centres"));
    if (rotation.variesWithLength)
        return fail(ErrorCode::Unsupported,
                    format("the rotary angles of {} depend on the length of the text, so future "
                           "queries cannot be predicted",
                           spec.name));
    if (text.size() < kMinCentreTokens)
        return fail(
            ErrorCode::InvalidArgument,
            format("a text of {} tokens is too short to calibrate on; at least {} are needed",
                   text.size(), kMinCentreTokens));
    const auto window = static_cast<std::size_t>(std::min(run.window, spec.context));
    const auto chunk = static_cast<std::size_t>(run.chunk);
    QueryCentreSums sums(spec.layers, spec.heads, rotation);
    for (std::size_t first = 0; first < text.size(); first += window) {
        const auto part = text.subspan(first, std::min(window, text.size() - first));
        LACUNA_TRY(const auto cache, makeFullCache(spec, run.type));
        for (std::size_t at = 0; at < part.size(); at += chunk) {
            const BatchRun batch{.tokens = part.subspan(at, std::min(chunk, part.size() - at)),
                                 .cache = cache.get(),
                                 .logits = LogitsFor::None,
                                 .observer = &sums,
                                 .promptEnd = Position(static_cast<std::int32_t>(part.size()))};
            LACUNA_TRY([[maybe_unused]] const auto none,
                       model.forward({&batch, 1}, {.cancelled = run.cancelled}));
            if (run.progress)
                run.progress(static_cast<std::int64_t>(first + at + batch.tokens.size()),
                             static_cast<std::int64_t>(text.size()));
        }
    }
    QueryCentres centres = sums.centres(spec.headDim);
    centres.model = spec.name;
    centres.fingerprint = spec.fingerprint;
    centres.how =
        format("means of the queries of {} tokens in windows of {}", centres.tokens, window);
    return centres;
}

}  // namespace lacuna
