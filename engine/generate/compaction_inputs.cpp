#include "engine/generate/compaction_inputs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/compress/family_policy.h"
#include "engine/generate/prompt.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {

CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed, HeadProfiles profiles) {
    CompactorModel model{
        .heads = spec.heads,
        .scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim))),
        .softCap = spec.attentionSoftCap,
        .seed = seed,
        .profiles = std::move(profiles)};
    model.familyPolicy = policyForFamily(spec.architecture, spec.qkNorm != QkNorm::None).policy;
    for (int layer = 0; layer < spec.layers; ++layer)
        if (spec.layer(layer).sliding) model.slidingLayers.push_back(layer);
    return model;
}

namespace {

constexpr std::string_view kInstruction = "Repeat the text above, word for word.";

/// What is read, and from which place on its queries count.
struct Reading {
    std::vector<TokenId> tokens;
    std::size_t counts = 0;
};

/// The instruction as a message of the person's, after whatever the conversation ends with.
Result<std::vector<TokenId>> instruction(const LoadedModel& model) {
    const std::vector<ChatMessage> asked{{"user", std::string(kInstruction)}};
    LACUNA_TRY(auto tokens, promptTokens(model, asked));
    const auto& bos = model.tokenizer.data().bos;
    if (bos && !tokens.empty() && tokens.front() == *bos) tokens.erase(tokens.begin());
    return tokens;
}

Result<Reading> readingOf(const QueryWish& wish, const QueryPass& pass) {
    const auto text = pass.tokens.first(static_cast<std::size_t>(wish.end.value));
    const auto turn = static_cast<std::size_t>(wish.turn.value);
    Reading reading{.tokens = {text.begin(), text.end()}, .counts = turn};
    if (wish.source != QuerySource::Repeat) return reading;
    LACUNA_TRY(const auto asked, instruction(pass.model->model()));
    const auto again = turn > 0 ? text.first(turn) : text;
    reading.tokens.insert(reading.tokens.end(), asked.begin(), asked.end());
    reading.counts = reading.tokens.size();
    reading.tokens.insert(reading.tokens.end(), again.begin(), again.end());
    const auto context = static_cast<std::size_t>(pass.model->model().spec.context);
    if (reading.tokens.size() > context)
        return fail(ErrorCode::ContextFull,
                    format("it would make {} tokens, and the context of the model has room for {}",
                           reading.tokens.size(), context));
    return reading;
}

Status checkRoom(const ModelSpec& spec, const QueryPass& pass, std::size_t tokens) {
    KvOptions whole;
    whole.type = pass.type;
    whole.layerCaches = LayerCaches::Uniform;
    const std::int64_t bytes =
        cacheBytes(cacheModelOf(spec), whole, static_cast<std::int64_t>(tokens));
    if (bytes <= pass.mostBytes) return {};
    constexpr double kMiB = 1024.0 * 1024.0;
    return fail(ErrorCode::NoMemory,
                format("its cache would take {:.1f} MiB, {:.1f} MiB are left below cache_limit",
                       static_cast<double>(bytes) / kMiB,
                       static_cast<double>(std::max<std::int64_t>(pass.mostBytes, 0)) / kMiB));
}

}  // namespace

Result<ReferenceQueries> passForQueries(const QueryWish& wish, const QueryPass& pass) {
    const ModelSpec& spec = pass.model->model().spec;
    LACUNA_TRY(const Reading reading, readingOf(wish, pass));
    LACUNA_TRY_STATUS(checkRoom(spec, pass, reading.tokens.size()));
    LACUNA_TRY(const auto cache, makeWholeCache(spec, pass.type));
    ReferenceQueries queries(wish.shape, wish.seed, 0);
    const std::span<const TokenId> all(reading.tokens);
    const auto chunk = static_cast<std::size_t>(std::max(pass.chunk, 1));
    for (std::size_t at = 0; at < all.size();) {
        const bool counts = at >= reading.counts;
        const std::size_t end = counts ? all.size() : reading.counts;
        const BatchRun run{.tokens = all.subspan(at, std::min(chunk, end - at)),
                           .cache = cache.get(),
                           .logits = LogitsFor::None,
                           .observer = counts ? &queries : nullptr,
                           .promptEnd = Position(static_cast<std::int32_t>(all.size()))};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   pass.model->forward({&run, 1}, {.cancelled = pass.cancelled}));
        at += run.tokens.size();
    }
    return queries;
}

QueryReader queryReader(QueryPass pass) {
    return [pass = std::move(pass)](const QueryWish& wish) { return passForQueries(wish, pass); };
}

}  // namespace lacuna
