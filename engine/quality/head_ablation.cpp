#include "engine/quality/head_ablation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/eviction/attention_scores.h"
#include "engine/kv/eviction/layer_heads.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

// Tokens with higher ids are rare, and some were never trained.
constexpr int kFrequentIds = 40'000;
constexpr std::uint64_t kReadingStream = 0x6865616473;

bool isOrdinary(const Tokenizer& tokenizer, TokenId id) {
    const TokenizerData& data = tokenizer.data();
    const auto at = static_cast<std::size_t>(id);
    const bool normal = data.kinds.empty() || data.kinds[at] == TokenKind::Normal;
    return normal && !tokenizer.isControl(id) && data.pieces[at].size() > 1;
}

std::vector<TokenId> ordinaryTokens(const LoadedModel& model) {
    const int most =
        std::min({kFrequentIds, model.spec.vocabulary, model.tokenizer.vocabularySize()});
    std::vector<TokenId> ordinary;
    for (TokenId id = 0; id < most; ++id)
        if (isOrdinary(model.tokenizer, id)) ordinary.push_back(id);
    if (!ordinary.empty()) return ordinary;
    // The vocabulary consists of single bytes.
    for (TokenId id = 0; id < most; ++id)
        if (!model.tokenizer.isControl(id)) ordinary.push_back(id);
    return ordinary;
}

/// Returns the token that precedes every text of this model, or id 0 if there is none.
TokenId firstToken(const Tokenizer& tokenizer) {
    const TokenizerData& data = tokenizer.data();
    if (!data.prefixTokens.empty()) return data.prefixTokens.front();
    return data.addBos ? data.bos.value_or(0) : 0;
}

/// Negative log-likelihood of a token, in nats.
double lossOfToken(const KernelTable& kernels, std::span<const float> logits, TokenId token) {
    std::vector<float> weights(logits.begin(), logits.end());
    const auto count = static_cast<std::int64_t>(weights.size());
    const float top = kernels.maximum(weights.data(), count);
    const float mass = kernels.expSum(weights.data(), top, count);
    return std::log(static_cast<double>(mass)) -
           static_cast<double>(logits[static_cast<std::size_t>(token)] - top);
}

/// Observes the second reading and records the attention of each head to the token that followed
/// the same token in the first reading.
class CopyWatch final : public QueryObserver {
  public:
    /// The first reading begins at position 1 and the second at `own`.
    CopyWatch(const ModelSpec& spec, const KvCache& cache, ThreadPool& pool, int own)
        : spec_(spec),
          cache_(cache),
          pool_(pool),
          own_(own),
          shape_(cache.shape()),
          scores_(static_cast<std::size_t>(shape_.headCount()), 0.0F) {}

    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        std::vector<float> means(static_cast<std::size_t>(spec_.heads));
        pool_.parallelFor(spec_.heads, [&](int head) {
            means[static_cast<std::size_t>(head)] = meanOf(layer, head, queries, first.value);
        });
        const int group = spec_.heads / shape_.heads(layer);
        for (int head = 0; head < spec_.heads; ++head) {
            float& score =
                scores_[static_cast<std::size_t>(shape_.headIndex(layer, HeadIndex(head / group)))];
            score = std::max(score, means[static_cast<std::size_t>(head)]);
        }
    }
    [[nodiscard]] std::vector<float> scores() const { return scores_; }

  private:
    [[nodiscard]] float meanOf(LayerIndex layer, int head, View<const float, 3> queries,
                               std::int64_t first) const {
        const KvExtent extent = shape_.extent(layer);
        KvHeadView view = cache_.head(layer, HeadIndex(head / (spec_.heads / extent.heads)));
        if (spec_.layer(layer.value).sliding) view.window = spec_.window;
        const LogitScaling scaling{.scale = attentionScaleOf(spec_, layer),
                                   .softCap = spec_.attentionSoftCap};
        const float sink =
            spec_.sinkScores.empty()
                ? PositionedQuery().sink
                : spec_.sinkScores[static_cast<std::size_t>(layer.value * spec_.heads + head)];
        std::vector<float> shares(static_cast<std::size_t>(view.slots));
        const std::int64_t skipped = (own_ - 1) / 8;
        double sum = 0;
        for (std::int64_t i = skipped; i < queries.extent(0); ++i) {
            const PositionedQuery asked{
                queries.data() + (i * spec_.heads + head) * std::int64_t{extent.keyDim}, first + i,
                sink};
            // A query sees the earlier tokens of its chunk.
            if (spec_.chunked && view.window > 0)
                view.window = static_cast<int>((first + i) % spec_.window) + 1;
            std::ranges::fill(shares, 0.0F);
            addAttention(view, extent.keyDim, scaling, {&asked, 1}, shares);
            // Token i of the first reading is at position 1 + i, so its successor is at i + 2.
            sum += static_cast<double>(shares[static_cast<std::size_t>(first + i - own_ + 2)]);
        }
        return static_cast<float>(sum / static_cast<double>(queries.extent(0) - skipped));
    }

    const ModelSpec& spec_;
    const KvCache& cache_;
    ThreadPool& pool_;
    const int own_;
    const KvShape& shape_;
    std::vector<float> scores_;  ///< by KvShape::headIndex
};

/// Returns true if a pass can begin at a layer. It cannot if a later layer reads the rows of an
/// earlier one; the heads of such a layer count like the head that loses most.
bool beginsAt(const ModelSpec& spec, int layer) {
    for (int later = layer; later < spec.layers; ++later)
        if (spec.cacheLayer(later) < layer) return false;
    return true;
}

}  // namespace

Result<std::vector<TokenId>> randomReading(const LoadedModel& model, int tokens, int kinds,
                                           std::uint64_t seed) {
    const std::vector<TokenId> ordinary = ordinaryTokens(model);
    if (ordinary.empty())
        return fail(ErrorCode::Unsupported,
                    format("{}: its vocabulary has no ordinary tokens to measure heads with",
                           model.path.string()));
    RandomStream random(seed, kReadingStream);
    std::vector<TokenId> drawn;
    for (int i = 0; i < std::max(kinds, 1); ++i)
        drawn.push_back(ordinary[random.below(ordinary.size())]);
    std::vector<TokenId> reading;
    for (int i = 0; i < tokens; ++i) reading.push_back(drawn[random.below(drawn.size())]);
    return reading;
}

Result<HeadAblation> HeadAblation::create(Transformer& model, ThreadPool& pool,
                                          AblationOptions options,
                                          const std::function<bool()>& cancelled) {
    HeadAblation ablation(model, pool, std::move(options));
    LACUNA_TRY_STATUS(ablation.read(cancelled));
    return ablation;
}

int HeadAblation::heads() const {
    return cache_->shape().headCount();
}

Status HeadAblation::read(const std::function<bool()>& cancelled) {
    const ModelSpec& spec = model_->model().spec;
    std::vector<TokenId> reading = options_.ids;
    if (reading.empty()) {
        LACUNA_TRY(reading,
                   randomReading(model_->model(), options_.tokens, options_.kinds, options_.seed));
    }
    options_.tokens = static_cast<int>(reading.size());
    own_ = 1 + options_.tokens;
    if (own_ + options_.tokens > spec.context)
        return fail(ErrorCode::Unsupported,
                    format("{}: its context of {} tokens is too short to measure heads with",
                           model_->model().path.string(), spec.context));
    sequence_ = {firstToken(model_->model().tokenizer)};
    for (int i = 0; i < 2; ++i) sequence_.insert(sequence_.end(), reading.begin(), reading.end());
    inputs_.assign(static_cast<std::size_t>(spec.layers), {});
    LACUNA_TRY(cache_, makeFullCache(spec, options_.type));
    loss_.assign(static_cast<std::size_t>(heads()), 0.0F);
    BatchRun first = secondReading();
    first.tokens = std::span(std::as_const(sequence_)).first(static_cast<std::size_t>(own_));
    first.logits = LogitsFor::None;
    LACUNA_TRY([[maybe_unused]] const auto none,
               model_->forward({&first, 1}, {.cancelled = cancelled}));
    BatchRun second = secondReading();
    CopyWatch watch(spec, *cache_, *pool_, own_);
    second.observer = &watch;
    const auto keep = [this](LayerIndex layer, View<const float, 2> residual) {
        if (static_cast<std::size_t>(layer.value) == inputs_.size())
            return;  // the input after the last layer
        inputs_[static_cast<std::size_t>(layer.value)].assign(residual.data(),
                                                              residual.data() + residual.size());
    };
    LACUNA_TRY(const auto logits,
               model_->forward({&second, 1}, {.cancelled = cancelled, .layerInput = keep}));
    base_ = meanLoss(logits);
    copied_ = watch.scores();
    return cache_->rollback(options_.tokens - 1);
}

/// Omits the last token, which predicts nothing and is not attended to.
BatchRun HeadAblation::secondReading() const {
    return {.tokens = std::span(sequence_).subspan(static_cast<std::size_t>(own_),
                                                   static_cast<std::size_t>(options_.tokens - 1)),
            .cache = cache_.get(),
            .logits = LogitsFor::AllTokens,
            .promptEnd = Position(static_cast<std::int32_t>(sequence_.size()))};
}

/// Mean loss over the tokens of the second reading. Its first token is predicted by the first
/// reading and counts as no loss.
double HeadAblation::meanLoss(View<const float, 2> logits) const {
    const KernelTable& kernels = bestKernels();
    std::vector<double> losses(static_cast<std::size_t>(logits.extent(0)));
    pool_->parallelFor(static_cast<int>(losses.size()), [&](int row) {
        const TokenId next = sequence_[static_cast<std::size_t>(own_ + row + 1)];
        losses[static_cast<std::size_t>(row)] = lossOfToken(kernels, logits.row(row), next);
    });
    double sum = 0;
    for (const double loss : losses) sum += loss;
    return sum / options_.tokens;
}

Status HeadAblation::step(const std::function<bool()>& cancelled) {
    const ModelSpec& spec = model_->model().spec;
    const auto [layer, head] = cache_->shape().placeOf(measured_);
    if (!beginsAt(spec, layer.value)) {
        loss_[static_cast<std::size_t>(measured_++)] = *std::ranges::max_element(loss_);
        return {};
    }
    const LayerTail tail{.first = layer,
                         .residual = {inputs_[static_cast<std::size_t>(layer.value)].data(),
                                      {options_.tokens - 1, std::int64_t{spec.hidden}}},
                         .cut = DistanceCut{head, options_.sinks, options_.near, Position(own_)}};
    const BatchRun run = secondReading();
    LACUNA_TRY(const auto logits,
               model_->forward({&run, 1}, {.cancelled = cancelled, .tail = &tail}));
    loss_[static_cast<std::size_t>(measured_)] =
        static_cast<float>(std::max(meanLoss(logits) - base_, 0.0));
    ++measured_;
    return {};
}

double HeadAblation::share() const {
    const ModelSpec& spec = model_->model().spec;
    // Number of layers that a trial computes, plus one for the output matrix.
    const auto cost = [&](int heads) {
        double sum = 0;
        for (int head = 0; head < heads; ++head)
            sum += spec.layers - cache_->shape().placeOf(head).layer.value + 1;
        return sum;
    };
    return cost(measured_) / cost(heads());
}

HeadProfile HeadAblation::profileOf(ProfileKind kind, std::vector<float> numbers,
                                    std::string how) const {
    const ModelSpec& spec = model_->model().spec;
    return {.kind = kind,
            .model = spec.name,
            .fingerprint = spec.fingerprint,
            .layers = spec.layers,
            .kvHeads = cache_->shape().kvHeads,
            .layerHeads = layerHeadsOf(cache_->shape()),
            .loss = std::move(numbers),
            .how = std::move(how),
            .textTokens = static_cast<std::int64_t>(sequence_.size())};
}

HeadProfile HeadAblation::profile() const {
    return profileOf(
        ProfileKind::TaskFree, loss_,
        format("{} random tokens of {} kinds (seed {}), read twice; increase of the loss of the "
               "second reading when a head sees only the {} first and {} newest tokens",
               options_.tokens, options_.kinds, options_.seed, options_.sinks, options_.near));
}

HeadProfile HeadAblation::copyScores() const {
    return profileOf(
        ProfileKind::CopyScores, copied_,
        format("{} random tokens of {} kinds (seed {}), read twice; mean attention of the second "
               "reading to the token that followed the same token in the first",
               options_.tokens, options_.kinds, options_.seed));
}

std::size_t HeadAblation::bytes() const {
    std::size_t bytes = 0;
    for (const auto& rows : inputs_) bytes += rows.size() * sizeof(float);
    return bytes + static_cast<std::size_t>(cache_->stats().allocatedBytes);
}

}  // namespace lacuna
