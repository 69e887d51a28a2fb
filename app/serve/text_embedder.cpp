#include "app/serve/text_embedder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/thread_pool.h"
#include "engine/model/layer_norm.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"

namespace lacuna::app {
namespace {

// Tokens per forward pass; small because their logits are computed too.
constexpr int kChunk = 64;

double sumOfSquares(std::span<const float> vector) {
    double sum = 0;
    for (const float x : vector) sum += static_cast<double>(x) * static_cast<double>(x);
    return sum;
}

}  // namespace

std::optional<Pooling> poolingOf(std::string_view name) {
    if (name == "mean") return Pooling::Mean;
    if (name == "cls") return Pooling::First;
    if (name == "last") return Pooling::Last;
    if (name == "none") return Pooling::None;
    return std::nullopt;
}

void normalise(std::span<float> vector) {
    const double squares = sumOfSquares(vector);
    if (squares == 0) return;
    const auto scale = static_cast<float>(1 / std::sqrt(squares));
    for (float& x : vector) x *= scale;
}

struct TextEmbedder::Parts {
    Parts(std::shared_ptr<const LoadedModel> loaded, Precision precision, int threads)
        : model(std::move(loaded)),
          rows(precision == Precision::Exact ? DType::F32 : DType::F16),
          pool(threads) {}

    /// Appends the states of the last layer, after the final norm if the model has one.
    void add(View<const float, 2> residual, std::vector<std::vector<float>>& states) const {
        const std::vector<float>& gain = model->weights.finalNorm;
        const auto width = static_cast<std::size_t>(residual.extent(1));
        for (std::int64_t row = 0; row < residual.extent(0); ++row) {
            const float* const x = residual.data() + row * residual.extent(1);
            std::vector<float> state(x, x + width);
            if (!gain.empty() && model->spec.normKind == NormKind::Layer) {
                layerNorm(x, gain, model->weights.finalNormBias, state.data(),
                          model->spec.rmsEpsilon);
            } else if (!gain.empty()) {  // arXiv:1910.07467
                const double mean = sumOfSquares(state) / static_cast<double>(width);
                const auto scale = static_cast<float>(
                    1 / std::sqrt(mean + static_cast<double>(model->spec.rmsEpsilon)));
                for (std::size_t i = 0; i < width; ++i) state[i] *= scale * gain[i];
            }
            states.push_back(std::move(state));
        }
    }

    std::shared_ptr<const LoadedModel> model;
    DType rows;  ///< row type of the cache that a text is read into
    ThreadPool pool;
    std::unique_ptr<Transformer> transformer;
};

TextEmbedder::TextEmbedder(std::unique_ptr<Parts> parts)
    : m_parts(std::move(parts)), m_width(m_parts->model->spec.hidden) {}
TextEmbedder::~TextEmbedder() = default;

int TextEmbedder::width() const {
    return m_width;
}

Result<std::unique_ptr<TextEmbedder>> TextEmbedder::create(std::shared_ptr<const LoadedModel> model,
                                                           Precision precision, int threads) {
    auto parts = std::make_unique<Parts>(std::move(model), precision, threads);
    LACUNA_TRY(parts->transformer,
               Transformer::create(parts->model, parts->pool,
                                   {.precision = precision, .maxTokens = kChunk}));
    return std::unique_ptr<TextEmbedder>(new TextEmbedder(std::move(parts)));
}

Result<std::vector<std::vector<float>>> TextEmbedder::embed(std::span<const TokenId> tokens,
                                                            Pooling pooling,
                                                            const StopRequested& stop) {
    LACUNA_REQUIRE(!tokens.empty(), "a text has at least one token");
    const MutexLock lock(m_mutex);
    // Attention is causal, so later tokens do not affect the first state.
    if (pooling == Pooling::First) tokens = tokens.first(1);
    LACUNA_TRY(const auto cache, makeFullCache(m_parts->model->spec, m_parts->rows));
    const LayerIndex end(m_parts->model->spec.layers);
    std::vector<std::vector<float>> states;
    const Parts& parts = *m_parts;
    const auto keep = [&](LayerIndex layer, View<const float, 2> residual) {
        if (layer == end) parts.add(residual, states);
    };
    for (std::size_t at = 0; at < tokens.size();) {
        const std::size_t count = std::min<std::size_t>(kChunk, tokens.size() - at);
        const bool last = at + count == tokens.size();
        const BatchRun run{.tokens = tokens.subspan(at, count),
                           .cache = cache.get(),
                           .logits = pooling != Pooling::Last ? LogitsFor::AllTokens
                                     : last                   ? LogitsFor::LastToken
                                                              : LogitsFor::None,
                           .promptEnd = Position(static_cast<std::int32_t>(tokens.size()))};
        LACUNA_TRY(
            [[maybe_unused]] const auto logits,
            m_parts->transformer->forward({&run, 1}, {.cancelled = stop, .layerInput = keep}));
        at += count;
    }
    if (pooling != Pooling::Mean) return states;
    std::vector<double> sum(states.front().size());
    for (const std::vector<float>& state : states)
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<double>(state[i]);
    std::vector<float> mean(sum.size());
    for (std::size_t i = 0; i < sum.size(); ++i)
        mean[i] = static_cast<float>(sum[i] / static_cast<double>(states.size()));
    return std::vector<std::vector<float>>{std::move(mean)};
}

}  // namespace lacuna::app
