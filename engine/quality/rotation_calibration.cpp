#include "engine/quality/rotation_calibration.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/generate/cache_shape.h"
#include "engine/kernels/rotation.h"
#include "engine/kv/row_format.h"
#include "engine/linalg/least_squares.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

constexpr std::int64_t kBatch = 512;     // rows per matrix multiplication
constexpr std::int64_t kKeptRows = 256;  // approximate number per head
constexpr std::array<float, 9> kRanges{1.0F, 0.7F, 0.8F, 0.9F, 0.95F, 1.05F, 1.1F, 1.2F, 1.3F};

/// Sum of x x' over rows x, as the lower triangle of [dim, dim]. Batches are multiplied in float32
/// and summed in float64.
class Moments {
  public:
    explicit Moments(int dim)
        : dim_(dim), sums_(static_cast<std::size_t>(dim) * static_cast<std::size_t>(dim)) {}

    /// `row` returns a pointer to row i.
    template <class Row>
    void add(std::int64_t rows, const Row& row) {
        const std::int64_t stride = paddedColumns(dim_);
        std::vector<float> columns;
        std::vector<float> product(static_cast<std::size_t>(dim_ * stride));
        for (std::int64_t from = 0; from < rows; from += kBatch) {
            const std::int64_t count = std::min(kBatch, rows - from);
            columns.resize(static_cast<std::size_t>(dim_ * count));
            for (std::int64_t t = 0; t < count; ++t) {
                const float* const x = row(from + t);
                for (std::int64_t i = 0; i < dim_; ++i)
                    columns[static_cast<std::size_t>(i * count + t)] = x[i];
            }
            multiplyBySelf({.a = columns.data(),
                            .aStride = count,
                            .c = product.data(),
                            .cStride = stride,
                            .rows = dim_,
                            .depth = count,
                            .columns = dim_});
            for (std::int64_t i = 0; i < dim_; ++i)
                for (std::int64_t j = 0; j <= i; ++j)
                    sums_[static_cast<std::size_t>(i * dim_ + j)] +=
                        double{product[static_cast<std::size_t>(i * stride + j)]};
        }
    }
    void add(const Moments& other) {
        for (std::size_t i = 0; i < sums_.size(); ++i) sums_[i] += other.sums_[i];
    }
    void clear() { std::ranges::fill(sums_, 0.0); }
    [[nodiscard]] View<const double, 2> view() const { return {sums_.data(), {dim_, dim_}}; }
    /// Returns both triangles as float32, scaled to a maximum magnitude of 1; all zero if every
    /// entry is.
    [[nodiscard]] std::vector<float> scaled() const {
        double largest = 0;
        for (const double x : sums_) largest = std::max(largest, std::fabs(x));
        std::vector<float> out(sums_.size());
        for (std::int64_t i = 0; largest > 0 && i < dim_; ++i)
            for (std::int64_t j = 0; j < dim_; ++j)
                out[static_cast<std::size_t>(i * dim_ + j)] = static_cast<float>(
                    sums_[static_cast<std::size_t>(std::max(i, j) * dim_ + std::min(i, j))] /
                    largest);
        return out;
    }

  private:
    std::int64_t dim_;
    std::vector<double> sums_;
};

/// Sample of a head's rows, used to choose its code ranges.
struct KeptRows {
    std::vector<float> keys;     ///< [count, dim]
    std::vector<float> values;   ///< [count, dim]
    std::vector<float> weights;  ///< [count] weights of the values
};

/// Accumulates the sums of all heads over a text that is read window by window.
class HeadMoments final : public QueryObserver {
  public:
    /// Keeps one row out of `keptOf`.
    HeadMoments(const ModelSpec& spec, std::int64_t leftOut, std::int64_t keptOf)
        : spec_(spec),
          leftOut_(leftOut),
          keptOf_(keptOf),
          window_(heads(), Moments(spec.headDim)),
          queries_(heads(), Moments(spec.headDim)),
          values_(heads(), Moments(spec.headDim)),
          keySums_(heads(), std::vector<double>(static_cast<std::size_t>(spec.headDim))),
          kept_(heads()) {}

    /// Discards observations of a window that was cancelled.
    void beginWindow(ThreadPool& pool) {
        pool_ = &pool;
        for (Moments& moments : window_) moments.clear();
    }

    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        if (first.value < leftOut_) return;
        const std::int64_t group = spec_.heads / spec_.kvHeads;
        pool_->parallelFor(spec_.kvHeads, [&](int head) {
            const auto row = [&](std::int64_t i) {
                return queries.data() +
                       (i / group * spec_.heads + head * group + i % group) * spec_.headDim;
            };
            window_[place(layer.value, head)].add(queries.extent(0) * group, row);
        });
    }

    /// Called at the end of a window of `tokens` tokens, whose rows `cache` holds.
    void endWindow(const KvCache& cache, std::int64_t tokens) {
        const std::int64_t count = tokens - leftOut_;
        if (count <= 0) return;
        pool_->parallelFor(static_cast<int>(heads()), [&](int head) {
            const auto at = static_cast<std::size_t>(head);
            addRows(cache.head(LayerIndex(head / spec_.kvHeads), HeadIndex(head % spec_.kvHeads)),
                    count, at);
            queries_[at].add(window_[at]);
        });
        rows_ += count;
    }

    /// Errors: Unsupported.
    [[nodiscard]] Result<RotationMatrices> rotations(ThreadPool& pool) const {
        std::vector<HeadFit> fits(heads());
        pool.parallelFor(static_cast<int>(heads()), [&](int head) {
            fits[static_cast<std::size_t>(head)] = fitOf(static_cast<std::size_t>(head));
        });
        RotationMatrices out{.model = spec_.name,
                             .fingerprint = spec_.fingerprint,
                             .layers = spec_.layers,
                             .kvHeads = spec_.kvHeads,
                             .dim = spec_.headDim};
        const auto append = [](std::vector<float>& to, const auto& from) {
            to.insert(to.end(), from.begin(), from.end());
        };
        for (std::size_t at = 0; at < heads(); ++at) {
            const HeadFit& fit = fits[at];
            if (!fit.keys || !fit.values)
                return fail(ErrorCode::Unsupported,
                            format("the queries, keys or values of layer {}, head {} hold numbers "
                                   "that are not finite",
                                   at / static_cast<std::size_t>(spec_.kvHeads),
                                   at % static_cast<std::size_t>(spec_.kvHeads)));
            append(out.keys, *fit.keys);
            append(out.values, *fit.values);
            append(out.centres, fit.centre);
            append(out.ranges, fit.keyRanges);
            append(out.ranges, fit.valueRanges);
        }
        return out;
    }

  private:
    struct HeadFit {
        std::optional<std::vector<float>> keys;
        std::optional<std::vector<float>> values;
        std::vector<float> centre;
        std::array<float, 8> keyRanges{};
        std::array<float, 8> valueRanges{};
    };

    [[nodiscard]] std::size_t heads() const {
        return static_cast<std::size_t>(spec_.layers) * static_cast<std::size_t>(spec_.kvHeads);
    }
    [[nodiscard]] std::size_t place(int layer, int head) const {
        return static_cast<std::size_t>(layer * spec_.kvHeads + head);
    }

    /// Returns a fit without matrices if a number is not finite.
    [[nodiscard]] HeadFit fitOf(std::size_t at) const {
        const int dim = spec_.headDim;
        HeadFit fit;
        fit.keys = calibratedRotation(queries_[at].view());
        fit.values = calibratedRotation(values_[at].view());
        if (!fit.keys || !fit.values) return fit;
        // Subtracting the centre shifts all scores of a query by one constant. With a soft cap or a
        // sink that would change the attention, so the centre is left at zero.
        const bool movable = spec_.attentionSoftCap == 0 && !spec_.sinks;
        const double weight = movable && rows_ > 0 ? 1.0 / static_cast<double>(rows_) : 0.0;
        std::vector<float> mean;
        for (const double sum : keySums_[at]) mean.push_back(static_cast<float>(sum * weight));
        if (!std::ranges::all_of(mean, [](float x) { return std::isfinite(x); })) {
            fit.keys.reset();
            return fit;
        }
        const Rotation keys = *Rotation::dense(dim, *fit.keys);
        fit.centre.resize(mean.size());
        keys.apply(mean.data(), fit.centre.data());
        const KeptRows& kept = kept_[at];
        const std::vector<float> even(kept.weights.size(), 1.0F);
        fit.keyRanges =
            fittedRanges(turned(keys, kept.keys, fit.centre), dim, even, CodeScale::Unbiased);
        fit.valueRanges = fittedRanges(turned(*Rotation::dense(dim, *fit.values), kept.values, {}),
                                       dim, kept.weights, CodeScale::LeastSquares);
        return fit;
    }

    /// Rows in the rotated basis minus the centre.
    [[nodiscard]] std::vector<float> turned(const Rotation& rotation, std::vector<float> rows,
                                            std::span<const float> centre) const {
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        for (std::size_t from = 0; from < rows.size(); from += dim) {
            rotation.apply(rows.data() + from, rows.data() + from);
            for (std::size_t i = 0; i < centre.size(); ++i) rows[from + i] -= centre[i];
        }
        return rows;
    }

    /// Adds the newest `count` keys, and w v v' of their values, with w = k' (sum of q q') k over
    /// the queries of the window, divided by the mean of w.
    void addRows(const KvHeadView& view, std::int64_t count, std::size_t at) {
        const std::int64_t dim = spec_.headDim;
        std::vector<float> keys(static_cast<std::size_t>(count * dim));
        std::vector<float> values(keys.size());
        readKeys(view, spec_.headDim, static_cast<int>(leftOut_), static_cast<int>(count),
                 keys.data());
        readValues(view, spec_.headDim, static_cast<int>(leftOut_), static_cast<int>(count),
                   values.data());
        const std::vector<float> weights = weightsOf(keys, window_[at].scaled());
        KeptRows& kept = kept_[at];
        for (std::int64_t t = 0; t < count; ++t) {
            float* const key = keys.data() + t * dim;
            float* const value = values.data() + t * dim;
            const float weight = weights[static_cast<std::size_t>(t)];
            for (std::int64_t i = 0; i < dim; ++i)
                keySums_[at][static_cast<std::size_t>(i)] += double{key[i]};
            if ((rows_ + t) % keptOf_ == 0) {
                kept.keys.insert(kept.keys.end(), key, key + dim);
                kept.values.insert(kept.values.end(), value, value + dim);
                kept.weights.push_back(weight);
            }
            const float root = std::sqrt(weight);
            for (std::int64_t i = 0; i < dim; ++i) value[i] *= root;
        }
        values_[at].add(count, [&](std::int64_t t) { return values.data() + t * dim; });
    }

    /// Returns k' (asked) k of every key, divided by the mean; 1 if no query was observed.
    [[nodiscard]] std::vector<float> weightsOf(std::span<const float> keys,
                                               std::span<const float> asked) const {
        const auto dim = static_cast<std::size_t>(spec_.headDim);
        std::vector<double> weights;
        std::vector<float> product(dim);
        for (std::size_t from = 0; from < keys.size(); from += dim) {
            const std::span<const float> key = keys.subspan(from, dim);
            std::ranges::fill(product, 0.0F);
            for (std::size_t j = 0; j < dim; ++j)
                for (std::size_t i = 0; i < dim; ++i) product[i] += key[j] * asked[j * dim + i];
            weights.push_back(std::max(
                0.0, std::inner_product(product.begin(), product.end(), key.begin(), 0.0)));
        }
        const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) /
                            static_cast<double>(std::max<std::size_t>(weights.size(), 1));
        std::vector<float> out;
        for (const double weight : weights)
            out.push_back(mean > 0 ? static_cast<float>(weight / mean) : 1.0F);
        return out;
    }

    const ModelSpec& spec_;
    ThreadPool* pool_ = nullptr;  ///< pool used for the current window
    std::int64_t leftOut_;
    std::int64_t keptOf_;
    std::int64_t rows_ = 0;         ///< number of keys per head so far
    std::vector<Moments> window_;   ///< moments of the queries of the current window
    std::vector<Moments> queries_;  ///< moments of the queries of all windows
    std::vector<Moments> values_;
    std::vector<std::vector<double>> keySums_;
    std::vector<KeptRows> kept_;
};

/// Number of tokens of a text that are counted.
std::int64_t counted(std::int64_t tokens, const RotationCalibration& options) {
    const std::int64_t whole = tokens / options.window * (options.window - options.chunk);
    return whole + std::max<std::int64_t>(0, tokens % options.window - options.chunk);
}

Error noRoomForSums(const ModelSpec& spec) {
    const double mib =
        3.0 * 8 * spec.layers * spec.kvHeads * spec.headDim * spec.headDim / (1024.0 * 1024.0);
    return fail(ErrorCode::NoMemory, format("the calibration holds sums of {:.0f} MiB", mib))
        .value();
}

Status checkText(const ModelSpec& spec, std::size_t tokens, const RotationCalibration& options) {
    LACUNA_TRY_STATUS(checkUniformCache(spec, "calibrated rotations"));
    LACUNA_TRY_STATUS(checkQuant("key", {4, 0}, spec.headDim));
    const std::int64_t least = std::int64_t{kCountedTokensPerNumber} * spec.headDim;
    const std::int64_t found =
        options.window > options.chunk ? counted(static_cast<std::int64_t>(tokens), options) : 0;
    if (found >= least) return {};
    return fail(ErrorCode::InvalidArgument,
                format("a text of {} tokens leaves {} to calibrate on, because the first {} of "
                       "every {} are left out; heads of {} numbers need {}",
                       tokens, found, options.chunk, options.window, spec.headDim, least));
}

/// Normalised Hadamard matrix [dim, dim] with its first row positive, in row-major order.
std::vector<float> hadamardMatrix(int dim) {
    const Rotation rotation = *Rotation::hadamard(dim, 0);
    const auto n = static_cast<std::size_t>(dim);
    std::vector<float> out(n * n);
    std::vector<float> column(n);
    for (std::size_t j = 0; j < n; ++j) {
        std::ranges::fill(column, 0.0F);
        column[j] = 1;
        rotation.apply(column.data(), column.data());
        const float sign = column[0] < 0 ? -1.0F : 1.0F;
        for (std::size_t i = 0; i < n; ++i) out[i * n + j] = sign * column[i];
    }
    return out;
}

/// Returns the indices 0 to n - 1 sorted by their reversed bits.
std::vector<std::size_t> bitReversed(std::size_t n) {
    const auto bits = static_cast<int>(std::bit_width(n - 1));
    const auto reversed = [&](std::size_t place) {
        std::size_t out = 0;
        for (int bit = 0; bit < bits; ++bit) out |= (place >> bit & 1) << (bits - 1 - bit);
        return out;
    };
    std::vector<std::size_t> places(n);
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::sort(places, {}, reversed);
    return places;
}

}  // namespace

std::optional<std::vector<float>> calibratedRotation(View<const double, 2> moments) {
    const auto basis = eigenvectors(moments);
    if (!basis) return std::nullopt;
    const auto n = static_cast<std::size_t>(moments.extent(0));
    const std::vector<float> hadamard = hadamardMatrix(static_cast<int>(n));
    const std::vector<std::size_t> order = bitReversed(n);
    std::vector<float> out;
    out.reserve(n * n);
    for (const std::size_t place : order) {
        for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t m = 0; m < n; ++m)
                sum += (*basis)[j * n + m] * double{hadamard[m * n + place]};
            out.push_back(static_cast<float>(sum));
        }
    }
    return out;
}

std::array<float, 8> fittedRanges(std::span<const float> rows, int dim,
                                  std::span<const float> weights, CodeScale scale) {
    const auto length = static_cast<std::size_t>(dim);
    std::vector<float> decoded(length);
    std::vector<std::byte> coded(rotatedRowBytes(kMaxCodeBits, dim));
    const auto errorOf = [&](int bits, float range) {
        double sum = 0;
        for (std::size_t row = 0; row < weights.size(); ++row) {
            const std::span<const float> numbers = rows.subspan(row * length, length);
            encodeRotated(numbers, bits, scale, coded.data(), range);
            decodeRotated(coded.data(), bits, decoded);
            double square = 0;
            for (std::size_t i = 0; i < length; ++i) {
                const double gap = double{decoded[i]} - double{numbers[i]};
                square += gap * gap;
            }
            sum += double{weights[row]} * square;
        }
        return sum;
    };
    std::array<float, 8> out{};
    for (int bits = 1; bits <= kMaxCodeBits; ++bits) {
        double least = std::numeric_limits<double>::infinity();
        out[static_cast<std::size_t>(bits - 1)] = kRanges.front();
        for (const float range : kRanges) {
            const double error = errorOf(bits, range);
            if (!(error < least)) continue;
            least = error;
            out[static_cast<std::size_t>(bits - 1)] = range;
        }
    }
    return out;
}

struct RotationRun::Impl {
    const ModelSpec& spec;
    const std::vector<TokenId> text;
    const RotationCalibration options;
    HeadMoments moments;
    std::size_t read = 0;  ///< number of tokens read

    Impl(const ModelSpec& of, std::vector<TokenId> tokens, const RotationCalibration& request)
        : spec(of),
          text(std::move(tokens)),
          options(request),
          moments(of, request.chunk, std::max<std::int64_t>(1, counts() / kKeptRows)) {}

    [[nodiscard]] std::int64_t counts() const {
        return counted(static_cast<std::int64_t>(text.size()), options);
    }
    [[nodiscard]] Status readWindow(Transformer& model, ThreadPool& pool,
                                    std::span<const TokenId> window);
};

Status RotationRun::Impl::readWindow(Transformer& model, ThreadPool& pool,
                                     std::span<const TokenId> window) {
    LACUNA_TRY(const auto cache, makeFullCache(spec, options.type));
    moments.beginWindow(pool);
    const auto chunk = static_cast<std::size_t>(options.chunk);
    for (std::size_t at = 0; at < window.size(); at += chunk) {
        const BatchRun run{.tokens = window.subspan(at, std::min(chunk, window.size() - at)),
                           .cache = cache.get(),
                           .logits = LogitsFor::None,
                           .observer = &moments,
                           .promptEnd = Position(static_cast<std::int32_t>(window.size()))};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   model.forward({&run, 1}, {.cancelled = options.cancelled}));
        if (options.progress)
            options.progress(static_cast<std::int64_t>(read + at + run.tokens.size()),
                             static_cast<std::int64_t>(text.size()));
    }
    moments.endWindow(*cache, static_cast<std::int64_t>(window.size()));
    return {};
}

RotationRun::RotationRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RotationRun::~RotationRun() = default;

Result<std::unique_ptr<RotationRun>> RotationRun::create(const ModelSpec& spec,
                                                         std::vector<TokenId> text,
                                                         const RotationCalibration& options) {
    RotationCalibration within = options;
    within.window = std::min(options.window, spec.context);
    LACUNA_TRY_STATUS(checkText(spec, text.size(), within));
    try {
        return std::unique_ptr<RotationRun>(
            new RotationRun(std::make_unique<Impl>(spec, std::move(text), within)));
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(noRoomForSums(spec));
    }
}

Status RotationRun::step(Transformer& model, ThreadPool& pool) {
    const std::span<const TokenId> left = std::span(impl_->text).subspan(impl_->read);
    const auto window =
        left.first(std::min(static_cast<std::size_t>(impl_->options.window), left.size()));
    try {
        LACUNA_TRY_STATUS(impl_->readWindow(model, pool, window));
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(noRoomForSums(impl_->spec));
    }
    impl_->read += window.size();
    return {};
}

bool RotationRun::done() const {
    return impl_->read == impl_->text.size();
}

std::int64_t RotationRun::read() const {
    return static_cast<std::int64_t>(impl_->read);
}

std::int64_t RotationRun::tokens() const {
    return static_cast<std::int64_t>(impl_->text.size());
}

std::int64_t RotationRun::cacheBytes() const {
    const auto rows = std::min<std::int64_t>(impl_->options.window, tokens());
    const ModelSpec& spec = impl_->spec;
    return 2 * rows * spec.layers * spec.kvHeads *
           static_cast<std::int64_t>(
               rowBytes(impl_->options.type, static_cast<std::uint64_t>(spec.headDim)));
}

Result<RotationMatrices> RotationRun::rotations(ThreadPool& pool) const {
    try {
        LACUNA_TRY(RotationMatrices out, impl_->moments.rotations(pool));
        out.how = format("queries and values of {} tokens of a text of {}", impl_->counts(),
                         impl_->text.size());
        return out;
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(noRoomForSums(impl_->spec));
    }
}

Result<RotationMatrices> calibrateRotations(Transformer& model, ThreadPool& pool,
                                            std::span<const TokenId> text,
                                            const RotationCalibration& options) {
    LACUNA_TRY(const auto run,
               RotationRun::create(model.model().spec, {text.begin(), text.end()}, options));
    while (!run->done()) LACUNA_TRY_STATUS(run->step(model, pool));
    if (options.cancelled && options.cancelled())
        return fail(ErrorCode::Cancelled, "the calibration was cancelled");
    return run->rotations(pool);
}

}  // namespace lacuna
