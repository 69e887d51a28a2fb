// Cost of an error. If the rows of a layer's keys are off by e, scores are off by q . R e, with q a
// query and R the rotation between the two. Over many distances the pairs of q and e meet at every
// angle, so the expected square is the sum over pairs of |q pair|^2 |e pair|^2 / 2. This gives a
// weight for each pair of numbers from the observed queries.
//
// The effect on the output is measured: noise of a known size on one head's keys (or values)
// changes the next-token distribution by some nats, and the quotient is the head's weight. In
// weighted rows all errors of size 1 cost the same, so one step, or one budget, can serve all of
// them.

#include "engine/quality/transform_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <numeric>
#include <optional>

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/compress/transform/entropy_coder.h"
#include "engine/compress/transform/transform_codec.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/transform_file.h"
#include "engine/kv/row_format.h"
#include "engine/linalg/least_squares.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"

namespace lacuna {
namespace {

constexpr std::int64_t kBatch = 512;         // rows per matrix multiplication
constexpr std::int64_t kSampleTokens = 512;  // used to determine plans and steps
constexpr std::int64_t kPlanTokens = 128;    // the part of them used to measure errors of plans
constexpr std::int64_t kMostHeldOut = 1024;
constexpr double kNoiseShare = 0.04;   // relative to the weighted energy of a head
constexpr double kLeastWeight = 0.05;  // relative to the mean weight of all heads' keys and values
constexpr int kTokensPerComponent = 4;
constexpr std::array<float, 11> kRatios{2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};

/// Sums over the keys or values of a group while a text is read.
struct SideSums {
    std::int64_t count = 0;
    std::vector<float> shift;     ///< [width] approximate mean, subtracted before summing
    std::vector<double> sums;     ///< [width] of the shifted rows
    std::vector<double> moments;  ///< [width, width], lower triangle, of the shifted rows
    std::vector<float> sample;    ///< [tokens, width] a sample of the rows
    std::vector<float> heldOut;   ///< [tokens, width] of windows excluded from the sums
    [[nodiscard]] std::size_t width() const { return sums.size(); }

    void add(std::span<const float> rows) {
        const auto p = static_cast<std::int64_t>(width());
        const std::int64_t tokens = static_cast<std::int64_t>(rows.size()) / p;
        if (tokens == 0) return;
        if (shift.empty()) {
            shift.resize(width());
            for (std::size_t j = 0; j < width(); ++j) {
                double sum = 0;
                for (std::int64_t t = 0; t < tokens; ++t)
                    sum += double{rows[static_cast<std::size_t>(t * p) + j]};
                shift[j] = static_cast<float>(sum / static_cast<double>(tokens));
            }
        }
        const std::int64_t stride = paddedColumns(p);
        std::vector<float> columns;
        std::vector<float> product(static_cast<std::size_t>(p * stride));
        for (std::int64_t first = 0; first < tokens; first += kBatch) {
            const std::int64_t n = std::min(kBatch, tokens - first);
            columns.resize(static_cast<std::size_t>(p * n));
            for (std::int64_t t = 0; t < n; ++t)
                for (std::int64_t j = 0; j < p; ++j) {
                    const auto at = static_cast<std::size_t>(j);
                    const float x =
                        rows[static_cast<std::size_t>((first + t) * p) + at] - shift[at];
                    columns[static_cast<std::size_t>(j * n + t)] = x;
                    sums[at] += double{x};
                }
            multiplyBySelf({.a = columns.data(),
                            .aStride = n,
                            .c = product.data(),
                            .cStride = stride,
                            .rows = p,
                            .depth = n,
                            .columns = p});
            for (std::int64_t i = 0; i < p; ++i)
                for (std::int64_t j = 0; j <= i; ++j)
                    moments[static_cast<std::size_t>(i * p + j)] +=
                        double{product[static_cast<std::size_t>(i * stride + j)]};
        }
        count += tokens;
    }
    [[nodiscard]] std::vector<double> means() const {
        std::vector<double> out(width());
        for (std::size_t j = 0; j < width(); ++j)
            out[j] = double{shift[j]} + sums[j] / static_cast<double>(count);
        return out;
    }
    /// Returns the lower triangle of the covariance of rows scaled by `weight`.
    [[nodiscard]] std::vector<double> covariance(std::span<const double> weight) const {
        std::vector<double> out(moments.size());
        const auto n = static_cast<double>(count);
        for (std::size_t i = 0; i < width(); ++i)
            for (std::size_t j = 0; j <= i; ++j)
                out[i * width() + j] = weight[i] * weight[j] *
                                       (moments[i * width() + j] / n - sums[i] * sums[j] / (n * n));
        return out;
    }
    [[nodiscard]] double variance(std::size_t j) const {
        const auto n = static_cast<double>(count);
        return std::max(0.0, moments[j * width() + j] / n - sums[j] * sums[j] / (n * n));
    }
};

/// Returns rows [tokens, layers, heads, dim] of a cache, starting at a slot.
std::vector<float> groupRows(const KvCache& cache, std::span<const int> layers, KvSide side,
                             int first, int count) {
    const KvShape& shape = cache.shape();
    const auto dim = static_cast<std::size_t>(side == KvSide::Keys ? shape.keyDim : shape.valueDim);
    const std::size_t width = layers.size() * static_cast<std::size_t>(shape.kvHeads) * dim;
    const auto tokens = static_cast<std::size_t>(count);
    std::vector<float> out(tokens * width);
    std::vector<float> head(tokens * dim);
    std::size_t column = 0;
    for (const int layer : layers)
        for (int h = 0; h < shape.kvHeads; ++h, column += dim) {
            const KvHeadView view = cache.head(LayerIndex(layer), HeadIndex(h));
            (side == KvSide::Keys ? readKeys : readValues)(view, static_cast<int>(dim), first,
                                                           count, head.data());
            for (std::size_t t = 0; t < tokens; ++t)
                std::copy_n(head.data() + t * dim, dim, out.data() + t * width + column);
        }
    return out;
}

/// Accumulates the squares of the query numbers for each KV head.
class QueryEnergies final : public QueryObserver {
  public:
    explicit QueryEnergies(const ModelSpec& spec)
        : spec_(spec), sums_(static_cast<std::size_t>(spec.layers) * rowOf(spec)) {}

    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position) override {
        const auto heads = static_cast<std::size_t>(spec_.heads);
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        const std::size_t group = heads / static_cast<std::size_t>(spec_.kvHeads);
        double* const to = sums_.data() + static_cast<std::size_t>(layer.value) * rowOf(spec_);
        for (std::int64_t t = 0; t < queries.extent(0); ++t)
            for (std::size_t h = 0; h < heads; ++h) {
                const float* const query =
                    queries.data() + (static_cast<std::size_t>(t) * heads + h) * dim;
                for (std::size_t i = 0; i < dim; ++i)
                    to[h / group * dim + i] += double{query[i]} * double{query[i]};
            }
        if (layer.value == 0) count_ += queries.extent(0) * static_cast<std::int64_t>(group);
    }
    /// Returns [heads, dim] of a layer: the root mean square of each number, equal for pairs that
    /// rotate together; 1 if no query was observed.
    [[nodiscard]] std::vector<double> weights(int layer, const BundledRope* rope) const {
        const std::size_t row = rowOf(spec_);
        const auto first = sums_.begin() + static_cast<std::ptrdiff_t>(row) * layer;
        std::vector<double> energy(first, first + static_cast<std::ptrdiff_t>(row));
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        for (std::size_t h = 0; rope != nullptr && h < row; h += dim) {
            const std::size_t pairs = rope->frequencies.size();
            for (std::size_t i = 0; i < pairs; ++i) {
                double& a = energy[h + (rope->interleaved ? 2 * i : i)];
                double& b = energy[h + (rope->interleaved ? 2 * i + 1 : i + pairs)];
                a = b = (a + b) / 2;
            }
        }
        const double mean =
            std::accumulate(energy.begin(), energy.end(), 0.0) / static_cast<double>(row);
        for (double& e : energy)
            e = mean > 0 && std::isfinite(mean)
                    ? std::sqrt(std::max(e, 1e-4 * mean) / static_cast<double>(count_))
                    : 1;
        return energy;
    }

  private:
    [[nodiscard]] static std::size_t rowOf(const ModelSpec& spec) {
        return static_cast<std::size_t>(spec.kvHeads) * static_cast<std::size_t>(spec.headDim);
    }
    const ModelSpec& spec_;
    std::vector<double> sums_;  ///< [layers, KV heads, dim]
    std::int64_t count_ = 0;
};

/// Components of the keys or values of a group while its codes are chosen.
struct FittedSide {
    std::vector<float> sample;   ///< [tokens, rank]
    std::vector<float> heldOut;  ///< [tokens, rank]
    double lost = 0;    ///< weighted energy of the held-out tokens that no component represents
    double energy = 0;  ///< total weighted energy of the held-out tokens
};

class Calibrator {
  public:
    Calibrator(Transformer& model, ThreadPool& pool, std::span<const TokenId> text,
               const TransformCalibration& options)
        : model_(model),
          pool_(pool),
          text_(text),
          options_(options),
          spec_(model.model().spec),
          energies_(spec_) {
        bundle_.identity = transformIdentityOf(spec_);
        bundle_.model = spec_.name;
        bundle_.textHash = hashHex(std::as_bytes(text));
        bundle_.ratios.assign(kRatios.begin(), kRatios.end());
        const int group = options.layerGroup > 0 ? options.layerGroup : spec_.layers;
        for (int layer = 0; layer < spec_.layers; ++layer) {
            if (layer % group == 0) bundle_.groups.emplace_back();
            bundle_.groups.back().layers.push_back(layer);
        }
        // Groups are made as even as possible, since a last group of one or two layers would have a
        // poor basis.
        evenOut();
        sides_.resize(2 * bundle_.groups.size());
        for (std::size_t i = 0; i < sides_.size(); ++i) {
            const std::size_t width = bundle_.groups[i / 2].layers.size() *
                                      static_cast<std::size_t>(spec_.kvHeads) *
                                      static_cast<std::size_t>(spec_.headDim);
            sides_[i].sums.resize(width);
            sides_[i].moments.resize(width * width);
        }
    }

    [[nodiscard]] Result<TransformBundle> run() {
        LACUNA_TRY_STATUS(checkText());
        LACUNA_TRY_STATUS(readText());
        LACUNA_TRY_STATUS(weighHeads());
        LACUNA_TRY_STATUS(fitSides());
        findSteps();
        LACUNA_TRY_STATUS(findPlans());
        LACUNA_TRY_STATUS(measureHeldOut());
        bundle_.tokens = sides_.front().count;
        bundle_.how = format("{} tokens of a text of {}, groups of {} layers", bundle_.tokens,
                             text_.size(), bundle_.groups.front().layers.size());
        LACUNA_TRY_STATUS(checkTransform(bundle_));
        return std::move(bundle_);
    }

  private:
    void evenOut() {
        const std::size_t count = bundle_.groups.size();
        int layer = 0;
        for (std::size_t g = 0; g < count; ++g) {
            auto& layers = bundle_.groups[g].layers;
            layers.clear();
            const auto end =
                static_cast<int>(static_cast<std::size_t>(spec_.layers) * (g + 1) / count);
            while (layer < end) layers.push_back(layer++);
        }
    }
    [[nodiscard]] int window() const { return std::min(options_.window, spec_.context); }
    [[nodiscard]] std::size_t windows() const {
        return text_.size() / static_cast<std::size_t>(window());
    }
    [[nodiscard]] std::size_t heldOutWindows() const {
        return std::max<std::size_t>(
            1, static_cast<std::size_t>(options_.heldOut * static_cast<double>(windows())));
    }
    [[nodiscard]] Status cancelled() const {
        if (options_.cancelled && options_.cancelled())
            return fail(ErrorCode::Cancelled, "the calibration was cancelled");
        return {};
    }
    void told(std::string_view stage, std::int64_t done, std::int64_t total) const {
        if (options_.progress) options_.progress(stage, done, total);
    }
    [[nodiscard]] std::int64_t counted() const {
        return static_cast<std::int64_t>(windows() - heldOutWindows()) * (window() - bundle_.sinks);
    }
    [[nodiscard]] int rankOf(std::size_t side) const {
        // Half of the components represent nearly all of the energy, and the text must have several
        // tokens per component.
        return static_cast<int>(
            std::min<std::int64_t>({static_cast<std::int64_t>(sides_[side].width() + 1) / 2,
                                    options_.maxRank, counted() / kTokensPerComponent}));
    }

    [[nodiscard]] Status checkText() const {
        const std::size_t least = 3 * static_cast<std::size_t>(window());
        if (text_.size() < least)
            return fail(ErrorCode::InvalidArgument,
                        format("a text of {} tokens is too short; at least {} windows of {} are "
                               "needed, {} are usual",
                               text_.size(), 3, window(), kTransformTokens));
        if (window() <= options_.noiseContext / 2 || options_.noiseAfter < 1)
            return fail(ErrorCode::InvalidArgument,
                        format("a context of {} tokens is too short to calibrate on", window()));
        return {};
    }

    /// Feeds a window's tokens to a cache. With `logits`, calls `row` with those of every token.
    template <class Row>
    [[nodiscard]] Status feed(KvCache& cache, std::span<const TokenId> tokens, std::size_t end,
                              QueryObserver* observer, bool logits, const Row& row) {
        const auto chunk = static_cast<std::size_t>(options_.chunk);
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = logits ? LogitsFor::AllTokens : LogitsFor::None,
                               .observer = observer,
                               .promptEnd = Position(static_cast<std::int32_t>(end))};
            LACUNA_TRY(const auto rows,
                       model_.forward({&run, 1}, {.cancelled = options_.cancelled}));
            for (std::int64_t i = 0; logits && i < rows.extent(0); ++i) row(rows.row(i));
        }
        return {};
    }
    [[nodiscard]] Status feed(KvCache& cache, std::span<const TokenId> tokens, std::size_t end,
                              QueryObserver* observer) {
        return feed(cache, tokens, end, observer, false, [](std::span<const float>) {});
    }

    [[nodiscard]] const BundledRope* ropeOf(int layer) const {
        const int rope = bundle_.identity.layerRopes[static_cast<std::size_t>(layer)];
        return rope < 0 ? nullptr : &bundle_.identity.ropes[static_cast<std::size_t>(rope)];
    }

    /// Reverts the rotation of rows [tokens, layers, heads, dim], starting at a position.
    void unturn(std::vector<float>& rows, std::span<const int> layers, std::int64_t first) const {
        const auto heads = static_cast<std::size_t>(spec_.kvHeads);
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        const std::size_t width = layers.size() * heads * dim;
        for (std::size_t t = 0; t * width < rows.size(); ++t)
            for (std::size_t l = 0; l < layers.size(); ++l) {
                const BundledRope* const rope = ropeOf(layers[l]);
                if (rope == nullptr) continue;
                const std::size_t pairs = rope->frequencies.size();
                for (std::size_t i = 0; i < pairs; ++i) {
                    const double angle =
                        rope->frequencies[i] * static_cast<double>(first + static_cast<int>(t));
                    const auto cosine = static_cast<float>(std::cos(angle));
                    const auto sine = static_cast<float>(std::sin(angle));
                    for (std::size_t h = 0; h < heads; ++h) {
                        float* const key = rows.data() + t * width + (l * heads + h) * dim;
                        float& a = key[rope->interleaved ? 2 * i : i];
                        float& b = key[rope->interleaved ? 2 * i + 1 : i + pairs];
                        const float turned = a * cosine + b * sine;
                        b = b * cosine - a * sine;
                        a = turned;
                    }
                }
            }
    }

    [[nodiscard]] Status readText() {
        const auto size = static_cast<std::size_t>(window());
        const std::size_t counts = windows() - heldOutWindows();
        const auto perWindow = [](std::int64_t tokens, std::size_t of) {
            return static_cast<std::size_t>(tokens) / of + 1;
        };
        const std::size_t samples = perWindow(kSampleTokens, counts);
        const std::size_t held = perWindow(kMostHeldOut, heldOutWindows());
        for (std::size_t w = 0; w < windows(); ++w) {
            told("reading", static_cast<std::int64_t>(w * size),
                 static_cast<std::int64_t>(windows() * size));
            LACUNA_TRY(const auto cache, makeFullCache(spec_, options_.type));
            const auto tokens = text_.subspan(w * size, size);
            LACUNA_TRY_STATUS(feed(*cache, tokens, size, w < counts ? &energies_ : nullptr));
            std::vector<char> bad(sides_.size());
            pool_.parallelFor(static_cast<int>(sides_.size()), [&](int i) {
                const auto at = static_cast<std::size_t>(i);
                SideSums& side = sides_[at];
                const auto& layers = bundle_.groups[at / 2].layers;
                std::vector<float> rows = groupRows(*cache, layers, kKvSides[at % 2], bundle_.sinks,
                                                    static_cast<int>(size) - bundle_.sinks);
                bad[at] = !std::ranges::all_of(rows, [](float x) { return std::isfinite(x); });
                if (at % 2 == 0) unturn(rows, layers, bundle_.sinks);
                if (bad[at] != 0) return;
                const std::size_t total = rows.size() / side.width();
                const std::size_t wanted = std::min(w < counts ? samples : held, total);
                auto& kept = w < counts ? side.sample : side.heldOut;
                for (std::size_t k = 0; k < wanted; ++k) {
                    const auto row = rows.begin() +
                                     static_cast<std::ptrdiff_t>(k * total / wanted * side.width());
                    kept.insert(kept.end(), row, row + static_cast<std::ptrdiff_t>(side.width()));
                }
                if (w < counts) side.add(rows);
            });
            if (std::ranges::any_of(bad, [](char b) { return b != 0; }))
                return fail(ErrorCode::Unsupported,
                            "the keys or values of the model hold numbers that are not finite");
        }
        return {};
    }

    /// Weights of an error within each layer of a group's keys or values, [layers, heads, dim].
    [[nodiscard]] std::vector<double> localWeights(std::size_t side) const {
        std::vector<double> out;
        for (const int layer : bundle_.groups[side / 2].layers) {
            const std::vector<double> of =
                side % 2 == 0 ? energies_.weights(layer, ropeOf(layer))
                              : std::vector<double>(static_cast<std::size_t>(spec_.kvHeads) *
                                                        static_cast<std::size_t>(spec_.headDim),
                                                    1.0);
            out.insert(out.end(), of.begin(), of.end());
        }
        return out;
    }

    /// The keys or values of a KV head of a layer; noise is added to one part at a time.
    struct Part {
        int layer = 0;
        KvSide side = KvSide::Keys;
        int head = 0;
    };
    [[nodiscard]] std::vector<Part> parts() const {
        std::vector<Part> out;
        for (int layer = 0; layer < spec_.layers; ++layer)
            for (const KvSide side : kKvSides)
                for (int head = 0; head < spec_.kvHeads; ++head) out.push_back({layer, side, head});
        return out;
    }

    /// Determines the weights of all keys and values: the cost of an error in nats, measured by
    /// adding noise to each head of each layer.
    [[nodiscard]] Status weighHeads() {
        for (std::size_t i = 0; i < sides_.size(); ++i) weights_.push_back(localWeights(i));
        // Read a text and its continuation without noise as the reference.
        const std::size_t context = static_cast<std::size_t>(
            std::min(options_.noiseContext, window() - options_.noiseAfter));
        const auto after = static_cast<std::size_t>(options_.noiseAfter);
        const std::vector<Part> of = parts();
        std::vector<double> cost(of.size());
        const auto total = static_cast<std::int64_t>(of.size()) * options_.noiseRounds;
        std::int64_t done = 0;
        for (int round = 0; round < options_.noiseRounds; ++round) {
            const std::size_t start =
                static_cast<std::size_t>(round) % windows() * static_cast<std::size_t>(window());
            const auto tokens = text_.subspan(start, context + after);
            LACUNA_TRY(const auto whole, makeFullCache(spec_, options_.type));
            LACUNA_TRY_STATUS(feed(*whole, tokens.first(context), context + after, nullptr));
            std::vector<float> expected;
            {
                LACUNA_TRY(const auto copy, whole->clone());
                LACUNA_TRY_STATUS(feed(*copy, tokens.subspan(context), context + after, nullptr,
                                       true, [&](std::span<const float> row) {
                                           expected.insert(expected.end(), row.begin(), row.end());
                                       }));
            }
            for (std::size_t i = 0; i < of.size(); ++i) {
                told("weighing heads", done++, total);
                LACUNA_TRY(const double nats, costOf(*whole, tokens.subspan(context), expected,
                                                     of[i], static_cast<std::uint64_t>(round)));
                cost[i] += nats / options_.noiseRounds;
            }
        }
        // Nats per error of 1 in the head's weighted numbers. The cost of each head is bounded
        // below by a share of the mean.
        const double mean =
            std::accumulate(cost.begin(), cost.end(), 0.0) / static_cast<double>(cost.size());
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        for (std::size_t i = 0; i < of.size(); ++i) {
            const double noise = noiseOf(of[i]) * static_cast<double>(dim);
            double factor = noise > 0 ? std::max(cost[i], kLeastWeight * mean) / noise : 0;
            if (!(factor > 0)) factor = 1;
            const auto [group, first] = placeOf(of[i]);
            std::vector<double>& weights = weights_[group];
            for (std::size_t j = first; j < first + dim; ++j) weights[j] *= std::sqrt(factor);
        }
        return {};
    }

    /// Returns the index of a part's side, and of its first number within a row of that side.
    [[nodiscard]] std::pair<std::size_t, std::size_t> placeOf(const Part& part) const {
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        for (std::size_t g = 0; g < bundle_.groups.size(); ++g) {
            const auto& layers = bundle_.groups[g].layers;
            if (part.layer > layers.back()) continue;
            const auto place = static_cast<std::size_t>(part.layer - layers.front());
            return {2 * g + static_cast<std::size_t>(part.side),
                    (place * static_cast<std::size_t>(spec_.kvHeads) +
                     static_cast<std::size_t>(part.head)) *
                        dim};
        }
        return {};
    }

    /// Mean square of the noise on a weighted number of a part.
    [[nodiscard]] double noiseOf(const Part& part) const {
        const auto [side, first] = placeOf(part);
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        const std::vector<double> weights = localWeights(side);
        double energy = 0;
        for (std::size_t j = first; j < first + dim; ++j)
            energy += weights[j] * weights[j] * sides_[side].variance(j);
        return kNoiseShare * energy / static_cast<double>(dim);
    }

    /// Returns the mean KL of the continuation with noise on all rows of a part except sinks and
    /// newest tokens.
    [[nodiscard]] Result<double> costOf(const KvCache& whole, std::span<const TokenId> after,
                                        std::span<const float> expected, const Part& part,
                                        std::uint64_t round) {
        LACUNA_TRY(const auto cache, makeFullCache(spec_, options_.type));
        const int tokens = whole.offset().value;
        const auto [side, first] = placeOf(part);
        const std::vector<double> weights = localWeights(side);
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        const std::size_t width = static_cast<std::size_t>(spec_.kvHeads) * dim;
        const double size = std::sqrt(noiseOf(part));
        LACUNA_TRY_STATUS(cache->beginAppend(tokens));
        for (int l = 0; l < spec_.layers; ++l) {
            const std::array<int, 1> one{l};
            std::array<std::vector<float>, 2> read;
            for (const KvSide s : kKvSides)
                read[static_cast<std::size_t>(s)] = groupRows(whole, one, s, 0, tokens);
            if (l == part.layer) {
                RandomStream random(options_.seed,
                                    (round * 4096 + static_cast<std::uint64_t>(part.layer) * 2 +
                                     static_cast<std::uint64_t>(part.side)) *
                                            256 +
                                        static_cast<std::uint64_t>(part.head));
                auto& numbers = read[static_cast<std::size_t>(part.side)];
                const int end = std::max(bundle_.sinks, tokens - bundle_.window);
                for (auto t = static_cast<std::size_t>(bundle_.sinks);
                     t < static_cast<std::size_t>(end); ++t)
                    for (std::size_t j = 0; j < dim; ++j)
                        numbers[t * width + static_cast<std::size_t>(part.head) * dim + j] +=
                            static_cast<float>(size / weights[first + j] * random.normal());
            }
            const View<const float, 3>::Extents extents{tokens, spec_.kvHeads, spec_.headDim};
            cache->writeLayer(LayerIndex(l), {read[0].data(), extents}, {read[1].data(), extents},
                              &pool_);
        }
        cache->commitAppend();
        double sum = 0;
        std::size_t at = 0;
        LACUNA_TRY_STATUS(feed(*cache, after, static_cast<std::size_t>(tokens) + after.size(),
                               nullptr, true, [&](std::span<const float> said) {
                                   sum += rowDivergence(expected.subspan(at, said.size()), said).kl;
                                   at += said.size();
                               }));
        return sum / static_cast<double>(after.size());
    }

    [[nodiscard]] TransformSide& sideAt(std::size_t index) {
        TransformGroup& group = bundle_.groups[index / 2];
        return index % 2 == 0 ? group.keys : group.values;
    }

    [[nodiscard]] Status fitSides() {
        fitted_.resize(sides_.size());
        std::vector<char> bad(sides_.size());
        std::int64_t done = 0;
        const auto together = static_cast<std::size_t>(pool_.threads());
        for (std::size_t first = 0; first < sides_.size(); first += together) {
            LACUNA_TRY_STATUS(cancelled());
            told("components", done, static_cast<std::int64_t>(sides_.size()));
            const std::size_t count = std::min(together, sides_.size() - first);
            pool_.parallelFor(static_cast<int>(count), [&](int i) {
                const std::size_t at = first + static_cast<std::size_t>(i);
                bad[at] = !fitSide(at);
            });
            done += static_cast<std::int64_t>(count);
        }
        if (std::ranges::any_of(bad, [](char b) { return b != 0; }))
            return fail(ErrorCode::Unsupported, "the covariances of the model are not finite");
        return {};
    }

    [[nodiscard]] bool fitSide(std::size_t at) {
        SideSums& sums = sides_[at];
        const std::size_t width = sums.width();
        const std::vector<double> covariance = sums.covariance(weights_[at]);
        const auto p = static_cast<std::int64_t>(width);
        const auto found = leadingEigenvectors({covariance.data(), {p, p}}, {.count = rankOf(at)});
        sums.moments = {};
        if (!found) return false;
        TransformSide& side = sideAt(at);
        for (const double mean : sums.means()) side.mean.push_back(static_cast<float>(mean));
        for (const double weight : weights_[at]) side.weight.push_back(static_cast<float>(weight));
        for (std::size_t i = 0; i < found->values.size(); ++i) {
            const std::span<const double> vector(found->vectors.data() + i * width, width);
            double largest = 0;
            for (const double x : vector) largest = std::max(largest, std::fabs(x));
            const double scale = largest / 127;
            double square = 0;
            std::vector<int> codes;
            for (const double x : vector) {
                codes.push_back(static_cast<int>(std::lround(x / scale)));
                square += double(codes.back()) * codes.back();
            }
            for (const int code : codes) side.basis.push_back(static_cast<std::int8_t>(code));
            // Normalises the basis vector as stored.
            side.scale.push_back(static_cast<float>(1 / std::sqrt(square)));
            side.deviation.push_back(static_cast<float>(std::sqrt(found->values[i])));
        }
        side.shape.assign(side.scale.size(), 0);
        // The initial values of the iteration may leave neighbours slightly out of order.
        for (std::size_t i = 1; i < side.deviation.size(); ++i)
            side.deviation[i] = std::min(side.deviation[i], side.deviation[i - 1]);
        FittedSide& fit = fitted_[at];
        fit.sample = projected(side, sums.sample, nullptr);
        fit.heldOut = projected(side, sums.heldOut, &fit);
        sums.sample = {};
        sums.heldOut = {};
        chooseShapes(side, fit);
        return true;
    }

    /// Returns components [tokens, rank] of rows; adds the lost and total energy to `fit` unless it
    /// is null.
    static std::vector<float> projected(const TransformSide& side, std::span<const float> rows,
                                        FittedSide* fit) {
        const auto width = static_cast<std::size_t>(side.width());
        const std::size_t tokens = rows.size() / width;
        const auto rank = static_cast<std::size_t>(side.rank());
        std::vector<float> weighted(rows.size());
        double energy = 0;
        for (std::size_t t = 0; t < tokens; ++t)
            for (std::size_t j = 0; j < width; ++j) {
                const float x = (rows[t * width + j] - side.mean[j]) * side.weight[j];
                weighted[t * width + j] = x;
                energy += double{x} * double{x};
            }
        std::vector<float> basis(side.basis.size());
        for (std::size_t i = 0; i < basis.size(); ++i)
            basis[i] = side.scale[i / width] * static_cast<float>(side.basis[i]);
        std::vector<float> out(tokens * rank);
        multiplyTransposed({.a = weighted.data(),
                            .aStride = side.width(),
                            .b = basis.data(),
                            .bStride = side.width(),
                            .c = out.data(),
                            .cStride = side.rank(),
                            .rows = static_cast<std::int64_t>(tokens),
                            .depth = side.width(),
                            .columns = side.rank()});
        if (fit != nullptr) {
            double held = 0;
            for (const float z : out) held += double{z} * double{z};
            fit->energy = energy;
            fit->lost = std::max(0.0, energy - held);
        }
        return out;
    }

    /// Returns the values of one component.
    static std::vector<float> column(std::span<const float> components, std::size_t rank,
                                     std::size_t index, std::size_t most) {
        std::vector<float> out;
        const std::size_t tokens = components.size() / rank;
        for (std::size_t t = 0; t < std::min(tokens, most); ++t)
            out.push_back(components[t * rank + index]);
        return out;
    }

    static void chooseShapes(TransformSide& side, const FittedSide& fit) {
        const auto rank = static_cast<std::size_t>(side.rank());
        for (std::size_t i = 0; i < rank; ++i) {
            const std::vector<float> numbers =
                column(fit.sample, rank, i, static_cast<std::size_t>(kSampleTokens));
            double least = std::numeric_limits<double>::infinity();
            for (int shape = 0; shape < kTailShapes; ++shape) {
                const double deviation = double{side.deviation[i]};
                const double bits = stepCost(numbers, deviation, shape, deviation).bits;
                if (bits >= least) continue;
                least = bits;
                side.shape[i] = static_cast<std::uint8_t>(shape);
            }
        }
    }

    /// Returns the bits and weighted error of components coded with a step.
    [[nodiscard]] StepCost costOfStep(double step, bool heldOut, std::size_t most) {
        std::vector<StepCost> costs(sides_.size());
        pool_.parallelFor(static_cast<int>(sides_.size()), [&](int i) {
            const auto at = static_cast<std::size_t>(i);
            const TransformSide& side = sideAt(at);
            const auto& components = heldOut ? fitted_[at].heldOut : fitted_[at].sample;
            const auto rank = static_cast<std::size_t>(side.rank());
            for (std::size_t c = 0; c < rank; ++c) {
                const StepCost cost = stepCost(column(components, rank, c, most),
                                               double{side.deviation[c]}, side.shape[c], step);
                costs[at].bits += cost.bits;
                costs[at].squaredError += cost.squaredError;
            }
        });
        StepCost sum;
        for (const StepCost& cost : costs) {
            sum.bits += cost.bits;
            sum.squaredError += cost.squaredError;
        }
        return sum;
    }
    /// Numbers in the rows of one token.
    [[nodiscard]] double numbers() const {
        double sum = 0;
        for (const SideSums& side : sides_) sum += static_cast<double>(side.width());
        return sum;
    }
    [[nodiscard]] std::size_t tokensOf(bool heldOut) {
        const auto rank = static_cast<std::size_t>(std::max(1, sideAt(0).rank()));
        return (heldOut ? fitted_[0].heldOut : fitted_[0].sample).size() / rank;
    }

    /// Returns the step that takes this many bits per token.
    [[nodiscard]] double stepOf(double bits, double low, double high, bool heldOut) {
        constexpr std::size_t kTokens = 256;
        constexpr int kHalvings = 18;
        const auto tokens = static_cast<double>(std::min(kTokens, tokensOf(heldOut)));
        for (int i = 0; i < kHalvings; ++i) {
            const double step = std::sqrt(low * high);
            (costOfStep(step, heldOut, kTokens).bits > bits * tokens ? low : high) = step;
        }
        return high;
    }

    void findSteps() {
        double largest = 0;
        for (std::size_t i = 0; i < sides_.size(); ++i)
            if (sideAt(i).rank() > 0)
                largest = std::max(largest, double{sideAt(i).deviation.front()});
        double low = 1e-4 * largest;
        for (std::size_t i = 0; i < bundle_.ratios.size(); ++i) {
            told("steps", static_cast<std::int64_t>(i),
                 static_cast<std::int64_t>(bundle_.ratios.size()));
            const double step =
                stepOf(16 * numbers() / double{bundle_.ratios[i]}, low, 4 * largest, false);
            bundle_.steps.push_back(static_cast<float>(
                std::max(step, i == 0 ? 0.0 : 1.001 * double{bundle_.steps.back()})));
            low = step;
        }
    }

    [[nodiscard]] Status findPlans() {
        std::int64_t done = 0;
        const auto together = static_cast<std::size_t>(pool_.threads());
        for (std::size_t first = 0; first < sides_.size(); first += together) {
            LACUNA_TRY_STATUS(cancelled());
            told("plans", done, static_cast<std::int64_t>(sides_.size()));
            const std::size_t count = std::min(together, sides_.size() - first);
            pool_.parallelFor(static_cast<int>(count),
                              [&](int i) { planSide(first + static_cast<std::size_t>(i)); });
            done += static_cast<std::int64_t>(count);
        }
        return {};
    }

    void planSide(std::size_t at) {
        TransformSide& side = sideAt(at);
        const auto rank = static_cast<std::size_t>(side.rank());
        const std::size_t tokens =
            std::min<std::size_t>(kPlanTokens, rank == 0 ? 0 : fitted_[at].sample.size() / rank);
        // [lengths, codes][first component]
        std::array<std::vector<double>, kGroupLengths.size() * kComponentCodes.size()> errors;
        std::vector<std::uint8_t> codes;
        std::vector<float> back;
        for (std::size_t l = 0; l < kGroupLengths.size(); ++l)
            for (const ComponentCode code : kComponentCodes) {
                auto& of = errors[l * kComponentCodes.size() + static_cast<std::size_t>(code)];
                const auto length = static_cast<std::size_t>(kGroupLengths[l]);
                codes.resize(length);
                back.resize(length);
                for (std::size_t first = 0; first + length <= rank; ++first) {
                    double sum = 0;
                    for (std::size_t t = 0; t < tokens; ++t) {
                        const std::span<const float> numbers(
                            fitted_[at].sample.data() + t * rank + first, length);
                        decodeGroup(encodeGroup(numbers, code, codes.data()), code, codes.data(),
                                    back);
                        for (std::size_t i = 0; i < length; ++i) {
                            const double gap = double{numbers[i]} - double{back[i]};
                            sum += gap * gap;
                        }
                    }
                    of.push_back(sum / static_cast<double>(std::max<std::size_t>(1, tokens)));
                }
            }
        for (const float ratio : bundle_.ratios) {
            const AllocationProblem problem{
                .components = static_cast<int>(rank),
                .error =
                    [&](int first, int length, ComponentCode code) {
                        const auto l = static_cast<std::size_t>(
                            std::ranges::find(kGroupLengths, length) - kGroupLengths.begin());
                        return errors[l * kComponentCodes.size() + static_cast<std::size_t>(code)]
                                     [static_cast<std::size_t>(first)];
                    },
                .budget = budgetOf(side.width(), double{ratio})};
            side.plans.push_back(allocateBits(problem).plan);
        }
    }

    /// Measures both codes on held-out tokens, and determines which is better at equal size.
    [[nodiscard]] Status measureHeldOut() {
        double energy = 0;
        double lost = 0;
        for (const FittedSide& fit : fitted_) {
            energy += fit.energy;
            lost += fit.lost;
        }
        if (!(energy > 0)) energy = 1;
        const std::size_t tokens = tokensOf(true);
        bundle_.heldOutTokens = static_cast<std::int64_t>(tokens);
        int planWins = 0;
        bundle_.planErrors.assign(bundle_.ratios.size(), 0.0F);
        bundle_.stepErrors.assign(bundle_.ratios.size(), 0.0F);
        for (std::size_t r = 0; r < bundle_.ratios.size(); ++r) {
            LACUNA_TRY_STATUS(cancelled());
            const double stepError =
                costOfStep(double{bundle_.steps[r]}, true, tokens).squaredError;
            bundle_.stepErrors[r] = static_cast<float>((stepError + lost) / energy);
            double bits = 0;
            const double planError = planOnHeldOut(r, bits);
            bundle_.planErrors[r] = static_cast<float>((planError + lost) / energy);
            const double same = stepOf(bits / static_cast<double>(std::max<std::size_t>(1, tokens)),
                                       1e-3 * double{bundle_.steps.front()},
                                       1e2 * double{bundle_.steps.back()}, true);
            planWins += planError < costOfStep(same, true, tokens).squaredError ? 1 : -1;
        }
        bundle_.better = planWins > 0 ? StoredCode::Plan : StoredCode::Step;
        return {};
    }

    /// Squared error of a plan on the held-out tokens; `bits` receives their actual size.
    [[nodiscard]] double planOnHeldOut(std::size_t ratio, double& bits) {
        double sum = 0;
        std::vector<std::uint8_t> codes;
        std::vector<float> back;
        for (std::size_t at = 0; at < sides_.size(); ++at) {
            const TransformSide& side = sideAt(at);
            const auto rank = static_cast<std::size_t>(side.rank());
            const auto& numbers = fitted_[at].heldOut;
            std::string packed;
            for (std::size_t t = 0; rank > 0 && t < numbers.size() / rank; ++t) {
                std::size_t first = 0;
                for (const ComponentGroup& group : side.plans[ratio]) {
                    const auto length = static_cast<std::size_t>(group.length);
                    const std::span<const float> of(numbers.data() + t * rank + first, length);
                    codes.assign(length, 0);
                    back.resize(length);
                    const CodedGroup coded = encodeGroup(of, group.code, codes.data());
                    decodeGroup(coded, group.code, codes.data(), back);
                    for (std::size_t i = 0; i < length; ++i) {
                        const double gap = double{of[i]} - double{back[i]};
                        sum += gap * gap;
                    }
                    first += length;
                }
            }
            if (rank > 0)
                encodeByPlan(packed, side.plans[ratio], numbers.data(), side.rank(),
                             static_cast<std::int64_t>(numbers.size() / rank));
            bits += 8.0 * static_cast<double>(packed.size());
        }
        return sum;
    }

    Transformer& model_;
    ThreadPool& pool_;
    const std::span<const TokenId> text_;
    const TransformCalibration& options_;
    const ModelSpec& spec_;
    QueryEnergies energies_;
    TransformBundle bundle_;
    std::vector<SideSums> sides_;               ///< [groups, keys and values]
    std::vector<std::vector<double>> weights_;  ///< [groups, keys and values][width]
    std::vector<FittedSide> fitted_;
};

}  // namespace

Result<TransformBundle> calibrateTransform(Transformer& model, ThreadPool& pool,
                                           std::span<const TokenId> text,
                                           const TransformCalibration& options) {
    LACUNA_TRY_STATUS(checkUniformCache(model.model().spec, "transforms"));
    try {
        return Calibrator(model, pool, text, options).run();
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory,
                    "there is not enough memory for the sums of the calibration");
    }
}

}  // namespace lacuna
