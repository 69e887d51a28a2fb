#include "engine/quality/surrogate_fit.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/matrix_products.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/linalg/least_squares.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

constexpr std::int64_t kSinks = 4;    // the first tokens draw attention whatever they are
constexpr std::int64_t kBatch = 512;  // rows that are multiplied together

/// What the layers read of the tokens of one piece, [layers][tokens, hidden].
class InputKeeper final : public QueryObserver {
  public:
    explicit InputKeeper(int layers) : inputs_(static_cast<std::size_t>(layers)) {}
    [[nodiscard]] bool wantsInputs() const override { return true; }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position) override {
        auto& kept = inputs_[static_cast<std::size_t>(layer.value)];
        kept.insert(kept.end(), inputs.data(), inputs.data() + inputs.size());
    }
    void observeQueries(LayerIndex, View<const float, 3>, Position) override {}
    void clear() {
        for (auto& kept : inputs_) kept.clear();
    }
    [[nodiscard]] const std::vector<float>& of(int layer) const {
        return inputs_[static_cast<std::size_t>(layer)];
    }

  private:
    std::vector<std::vector<float>> inputs_;
};

/// Reads pieces and has them repeated.
class PieceReader {
  public:
    PieceReader(Transformer& model, ThreadPool& pool, const SurrogateFitOptions& options)
        : model_(model), pool_(pool), options_(options) {}

    /// The scores of a piece; `observer` sees its first reading.
    Result<ReconstructionScores> read(std::span<const TokenId> piece, QueryObserver& observer) {
        const ModelSpec& spec = model_.model().spec;
        LACUNA_TRY(const auto cache, makeWholeCache(spec, options_.type));
        const std::size_t length = 2 * piece.size() + options_.instruction.size();
        end_ = Position(static_cast<std::int32_t>(length));
        LACUNA_TRY_STATUS(feed(piece, *cache, &observer));
        LACUNA_TRY_STATUS(feed(options_.instruction, *cache, nullptr));
        const CompactorModel facts = compactorModel(spec, 0, {});
        ReconstructionObserver scores(*cache, static_cast<std::int64_t>(piece.size()), facts.heads,
                                      {.scale = facts.scale, .softCap = facts.softCap}, pool_);
        LACUNA_TRY_STATUS(feed(piece, *cache, &scores));
        return scores.take();
    }

  private:
    Status feed(std::span<const TokenId> tokens, KvCache& cache, QueryObserver* observer) {
        const auto chunk = static_cast<std::size_t>(options_.chunk);
        for (std::size_t at = 0; at < tokens.size();) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = LogitsFor::None,
                               .observer = observer,
                               .promptEnd = end_};
            LACUNA_TRY([[maybe_unused]] const auto none,
                       model_.forward({&run, 1}, {.cancelled = options_.cancelled}));
            at += run.tokens.size();
        }
        return {};
    }

    Transformer& model_;
    ThreadPool& pool_;
    const SurrogateFitOptions& options_;
    Position end_{};
};

/// The normal equations of one layer: inputs with a one appended against log u of every head.
class LayerSums {
  public:
    LayerSums(int hidden, int kvHeads)
        : unknowns_(hidden + 1),
          kvHeads_(kvHeads),
          gram_(static_cast<std::size_t>(unknowns_ * unknowns_)),
          right_(static_cast<std::size_t>(unknowns_ * kvHeads)) {}

    void add(const std::vector<float>& inputs, const ReconstructionScores& scores, int layer) {
        const std::int64_t hidden = unknowns_ - 1;
        for (std::int64_t from = kSinks; from < scores.tokens; from += kBatch) {
            const std::int64_t count = std::min(kBatch, scores.tokens - from);
            columns_.assign(static_cast<std::size_t>(unknowns_ * count), 1.0F);
            for (std::int64_t t = 0; t < count; ++t)
                for (std::int64_t i = 0; i < hidden; ++i)
                    columns_[static_cast<std::size_t>(i * count + t)] =
                        inputs[static_cast<std::size_t>((from + t) * hidden + i)];
            addGram(count);
            addRight(scores, layer, from, count);
        }
    }

    /// [unknowns, kvHeads], or nothing.
    [[nodiscard]] std::optional<std::vector<float>> solve() const {
        auto solved = solveRidge({.gram = {gram_.data(), {unknowns_, unknowns_}},
                                  .right = {right_.data(), {unknowns_, kvHeads_}},
                                  .lambda = kSurrogateRidge});
        if (!solved) return std::nullopt;
        return std::move(solved->values);
    }

  private:
    void addGram(std::int64_t count) {
        const std::int64_t stride = paddedColumns(unknowns_);
        product_.resize(static_cast<std::size_t>(unknowns_ * stride));
        multiplyBySelf({.a = columns_.data(),
                        .aStride = count,
                        .c = product_.data(),
                        .cStride = stride,
                        .rows = unknowns_,
                        .depth = count,
                        .columns = unknowns_});
        for (std::int64_t i = 0; i < unknowns_; ++i)
            for (std::int64_t j = 0; j <= i; ++j)
                gram_[static_cast<std::size_t>(i * unknowns_ + j)] +=
                    product_[static_cast<std::size_t>(i * stride + j)];
    }

    void addRight(const ReconstructionScores& scores, int layer, std::int64_t from,
                  std::int64_t count) {
        for (int head = 0; head < kvHeads_; ++head) {
            const auto shares = scores.of(LayerIndex(layer), HeadIndex(head));
            logs_.resize(static_cast<std::size_t>(count));
            for (std::int64_t t = 0; t < count; ++t)
                logs_[static_cast<std::size_t>(t)] =
                    std::log(std::max(shares[static_cast<std::size_t>(from + t)], kLeastShare));
            for (std::int64_t i = 0; i < unknowns_; ++i) {
                double sum = 0;
                for (std::int64_t t = 0; t < count; ++t)
                    sum += static_cast<double>(columns_[static_cast<std::size_t>(i * count + t)]) *
                           static_cast<double>(logs_[static_cast<std::size_t>(t)]);
                right_[static_cast<std::size_t>(i * kvHeads_ + head)] += static_cast<float>(sum);
            }
        }
    }

    std::int64_t unknowns_;
    int kvHeads_;
    std::vector<float> gram_;     ///< [unknowns, unknowns], lower triangle
    std::vector<float> right_;    ///< [unknowns, kvHeads]
    std::vector<float> columns_;  ///< [unknowns, count] of the batch at work
    std::vector<float> product_;
    std::vector<float> logs_;
};

Status checkLength(const ModelSpec& spec, std::size_t tokens, const SurrogateFitOptions& options) {
    const auto least =
        static_cast<std::size_t>(kFitTokensPerUnknown) * static_cast<std::size_t>(spec.hidden + 1);
    if (tokens < least)
        return fail(ErrorCode::InvalidArgument,
                    format("a text of {} tokens is too short for a fit with hidden size {}: at "
                           "least {} are needed",
                           tokens, spec.hidden, least));
    const std::size_t needed =
        2 * static_cast<std::size_t>(options.piece) + options.instruction.size();
    if (needed > static_cast<std::size_t>(spec.context))
        return fail(ErrorCode::InvalidArgument,
                    format("a piece and its repetition take {} tokens, the context of the model "
                           "has room for {}",
                           needed, spec.context));
    return {};
}

ReconstructionSurrogate emptyFor(const LoadedModel& model, std::size_t tokens) {
    const ModelSpec& spec = model.spec;
    ReconstructionSurrogate out;
    out.model = spec.name;
    out.fingerprint = spec.fingerprint;
    out.how = format("ridge regression on {} tokens of text, each repeated once", tokens);
    out.layers = spec.layers;
    out.kvHeads = spec.kvHeads;
    out.hidden = spec.hidden;
    out.weights.resize(static_cast<std::size_t>(out.layers) * out.kvHeads * out.hidden);
    out.bias.resize(static_cast<std::size_t>(out.layers) * out.kvHeads);
    return out;
}

Result<ReconstructionSurrogate> fit(Transformer& model, ThreadPool& pool,
                                    std::span<const TokenId> text,
                                    const SurrogateFitOptions& options) {
    const ModelSpec& spec = model.model().spec;
    LACUNA_TRY_STATUS(checkLength(spec, text.size(), options));
    std::vector<LayerSums> sums(static_cast<std::size_t>(spec.layers),
                                LayerSums(spec.hidden, spec.kvHeads));
    InputKeeper inputs(spec.layers);
    PieceReader reader(model, pool, options);
    const auto total = static_cast<std::int64_t>(text.size());
    for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(options.piece)) {
        const auto piece =
            text.subspan(at, std::min(static_cast<std::size_t>(options.piece), text.size() - at));
        inputs.clear();
        LACUNA_TRY(const ReconstructionScores scores, reader.read(piece, inputs));
        pool.parallelFor(spec.layers, [&](int layer) {
            sums[static_cast<std::size_t>(layer)].add(inputs.of(layer), scores, layer);
        });
        if (options.progress)
            options.progress(std::min(total, static_cast<std::int64_t>(at + piece.size())), total);
    }
    ReconstructionSurrogate out = emptyFor(model.model(), text.size());
    for (int layer = 0; layer < spec.layers; ++layer) {
        if (options.cancelled && options.cancelled())
            return fail(ErrorCode::Cancelled, "the fit was broken off");
        const auto solved = sums[static_cast<std::size_t>(layer)].solve();
        if (!solved)
            return fail(ErrorCode::Unsupported,
                        format("layer {} reads inputs that no linear map can be fitted to", layer));
        for (int head = 0; head < spec.kvHeads; ++head) {
            const std::size_t index = static_cast<std::size_t>(layer * spec.kvHeads + head);
            for (int i = 0; i < spec.hidden; ++i)
                out.weights[index * static_cast<std::size_t>(spec.hidden) +
                            static_cast<std::size_t>(i)] =
                    (*solved)[static_cast<std::size_t>(i * spec.kvHeads + head)];
            out.bias[index] =
                (*solved)[static_cast<std::size_t>(spec.hidden * spec.kvHeads + head)];
        }
    }
    return out;
}

/// Places of the best `count` numbers, in order.
std::vector<std::size_t> bestPlaces(const std::vector<float>& numbers, std::size_t count) {
    std::vector<std::size_t> places(numbers.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
    std::nth_element(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count),
                     places.end(),
                     [&](std::size_t a, std::size_t b) { return numbers[a] > numbers[b]; });
    places.resize(count);
    std::sort(places.begin(), places.end());
    return places;
}

double logShare(float share) {
    return std::log(static_cast<double>(std::max(share, kLeastShare)));
}

double correlation(const std::vector<float>& a, const std::vector<float>& b) {
    const auto mean = [](const std::vector<float>& x) {
        double sum = 0;
        for (const float value : x) sum += logShare(value);
        return sum / static_cast<double>(x.size());
    };
    const double meanA = mean(a);
    const double meanB = mean(b);
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double da = logShare(a[i]) - meanA;
        const double db = logShare(b[i]) - meanB;
        ab += da * db;
        aa += da * da;
        bb += db * db;
    }
    return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : 0;
}

/// A table, a list of records or a string of words, some 600 characters.
std::string inventedPart(const std::vector<std::string>& words, RandomStream& random) {
    const auto word = [&] { return words[random.below(words.size())]; };
    std::string out;
    switch (random.below(3)) {
        case 0:
            for (int line = 0; line < 20; ++line)
                out += format("{},{},{:.2f},{:x}\n", word(), random.below(10000),
                              100 * random.uniform(), random.below(1U << 24U));
            return out;
        case 1:
            for (int line = 0; line < 9; ++line)
                out += format("{{\"{}\": {}, \"{}\": \"{} {}\", \"id\": \"{:08x}\"}}\n", word(),
                              random.below(100000), word(), word(), word(),
                              random.below(std::uint64_t{1} << 32U));
            return out;
        default:
            for (int i = 0; i < 100; ++i) out += word() + (random.below(8) == 0 ? ", " : " ");
            return out + "\n";
    }
}

}  // namespace

std::string textToFit(std::string_view prose, std::size_t characters, std::uint64_t seed) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at < prose.size();) {
        const auto letter = [&](std::size_t i) {
            return (prose[i] >= 'a' && prose[i] <= 'z') || (prose[i] >= 'A' && prose[i] <= 'Z');
        };
        std::size_t end = at;
        while (end < prose.size() && letter(end)) ++end;
        if (end - at >= 4) words.emplace_back(prose.substr(at, end - at));
        at = end + 1;
    }
    if (words.empty()) return std::string(prose.substr(0, characters));
    RandomStream random(seed, 0);
    std::string out;
    std::size_t invented = 0;
    for (std::size_t at = 0; at < prose.size() && out.size() < characters;) {
        std::size_t end = prose.find("\n\n", at);
        end = end == std::string_view::npos ? prose.size() : end + 2;
        out += prose.substr(at, end - at);
        at = end;
        while (2 * invented + 600 < out.size()) {
            const std::string part = inventedPart(words, random);
            invented += part.size();
            out += part + "\n";
        }
    }
    if (out.size() > characters) out.resize(characters);
    return out;
}

Result<ReconstructionSurrogate> fitSurrogate(Transformer& model, ThreadPool& pool,
                                             std::span<const TokenId> text,
                                             const SurrogateFitOptions& options) {
    try {
        return fit(model, pool, text, options);
    } catch (const std::bad_alloc&) {
        const ModelSpec& spec = model.model().spec;
        const double mib = static_cast<double>(spec.layers) * (spec.hidden + 1.0) *
                           (spec.hidden + 1.0) * sizeof(float) / (1024.0 * 1024.0);
        return fail(ErrorCode::NoMemory,
                    format("the sums of a fit take {:.0f} MiB, which there is no memory for", mib));
    }
}

Result<SurrogateAgreement> compareSurrogate(
    std::shared_ptr<const ReconstructionSurrogate> surrogate, Transformer& model, ThreadPool& pool,
    std::span<const TokenId> text, const SurrogateFitOptions& options) {
    PieceReader reader(model, pool, options);
    SurrogateAgreement out;
    double pieces = 0;
    for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(options.piece)) {
        const auto piece =
            text.subspan(at, std::min(static_cast<std::size_t>(options.piece), text.size() - at));
        ForetoldScores foretold(surrogate);
        LACUNA_TRY(const ReconstructionScores found, reader.read(piece, foretold));
        const auto guessed = foretold.scores(found.tokens);
        const std::size_t quarter = found.shares.size() / 4;
        const auto a = bestPlaces(found.shares, quarter);
        const auto b = bestPlaces(guessed.shares, quarter);
        std::vector<std::size_t> both;
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
        out.overlap +=
            quarter == 0 ? 1 : static_cast<double>(both.size()) / static_cast<double>(quarter);
        out.correlation += correlation(found.shares, guessed.shares);
        out.tokens += found.tokens;
        ++pieces;
    }
    if (pieces > 0) {
        out.overlap /= pieces;
        out.correlation /= pieces;
    }
    return out;
}

}  // namespace lacuna
