#include "engine/model/step_runs.h"

#include <algorithm>

#include "engine/base/string_format.h"
#include "engine/kv/state/state_store.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

bool fits(const KvShape& shape, const ModelSpec& spec) {
    if (shape.layers != spec.layers) return false;
    for (int layer = 0; layer < spec.layers; ++layer)
        if (shape.extent(LayerIndex(layer)) != cacheExtent(spec.layer(layer))) return false;
    return true;
}

Status checkRun(const ModelSpec& spec, const BatchRun& run, std::size_t index) {
    if (run.cache == nullptr || run.tokens.empty())
        return fail(ErrorCode::InvalidArgument,
                    format("run {} of a step has no cache or no tokens", index));
    if (!fits(run.cache->shape(), spec))
        return fail(ErrorCode::InvalidArgument,
                    format("the cache of run {} has another shape than the model", index));
    const StateStore* const states = run.cache->states();
    const int mixers = states == nullptr ? 0 : states->layers();
    if (mixers != (spec.mixers == nullptr ? 0 : static_cast<int>(spec.mixers->size())))
        return fail(ErrorCode::InvalidArgument,
                    format("the cache of run {} has the states of {} recurrent layers, the model "
                           "has another number",
                           index, mixers));
    for (const TokenId id : run.tokens)
        if (id < 0 || id >= spec.vocabulary)
            return fail(ErrorCode::InvalidArgument,
                        format("token id {} is outside the vocabulary of {}", id, spec.vocabulary));
    return {};
}

}  // namespace

AppendGuard::~AppendGuard() {
    for (std::size_t i = 0; i < begun_; ++i) runs_[i].cache->abortAppend();
}

Status AppendGuard::begin() {
    for (const BatchRun& run : runs_) {
        LACUNA_TRY_STATUS(run.cache->beginAppend(static_cast<int>(run.tokens.size())));
        ++begun_;
    }
    return {};
}

void AppendGuard::commit() {
    for (const BatchRun& run : runs_) run.cache->commitAppend();
    begun_ = 0;
}

std::int64_t logitRowsOf(const BatchRun& run) {
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

std::int64_t keptRows(const BatchRun& run) {
    return run.hidden != nullptr ? static_cast<std::int64_t>(run.tokens.size()) : logitRowsOf(run);
}

std::int64_t sequenceLength(const BatchRun& run) {
    const std::int64_t end =
        run.cache->offset().value + static_cast<std::int64_t>(run.tokens.size());
    return std::max<std::int64_t>(end, run.promptEnd.value);
}

Status checkRuns(const ModelSpec& spec, std::span<const BatchRun> runs, int maxTokens) {
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        LACUNA_TRY_STATUS(checkRun(spec, runs[i], i));
        for (std::size_t j = 0; j < i; ++j)
            if (runs[j].cache == runs[i].cache)
                return fail(ErrorCode::InvalidArgument,
                            format("runs {} and {} of a step share a cache", j, i));
        tokens += runs[i].tokens.size();
    }
    if (tokens == 0 || tokens > static_cast<std::size_t>(maxTokens))
        return fail(ErrorCode::InvalidArgument,
                    format("a step has {} tokens; 1 to {} are possible", tokens, maxTokens));
    return {};
}

Status checkTail(const ModelSpec& spec, const LayerTail& tail) {
    for (int layer = tail.first.value; layer < spec.layers; ++layer)
        if (const int owner = spec.cacheLayer(layer); owner < tail.first.value)
            return fail(ErrorCode::Unsupported,
                        format("a pass cannot begin at layer {}, because layer {} reads the keys "
                               "and values of layer {}",
                               tail.first.value, layer, owner));
    return {};
}

}  // namespace lacuna
