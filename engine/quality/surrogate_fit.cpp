#include "engine/quality/surrogate_fit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <iterator>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/compress/matching/matrix_products.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/model/model_cache.h"
#include "engine/quality/surrogate_sums.h"

namespace lacuna {
namespace {

/// Reads and repeats a piece, one chunk at a time.
class PieceReading {
  public:
    /// `first` observes the first reading. All arguments must outlive the result. Errors: those of
    /// makeFullCache.
    [[nodiscard]] static Result<std::unique_ptr<PieceReading>> begin(
        const ModelSpec& spec, std::span<const TokenId> piece, std::span<const TokenId> instruction,
        DType type, QueryObserver& first) {
        std::unique_ptr<PieceReading> made(new PieceReading(piece, instruction, first));
        LACUNA_TRY(made->cache_, makeFullCache(spec, type));
        made->facts_ = compactorModel(spec, 0, {});
        return made;
    }
    [[nodiscard]] bool done() const { return part_ == kParts; }
    [[nodiscard]] double share() const {
        return static_cast<double>(fed_) /
               static_cast<double>(2 * piece_.size() + instruction_.size());
    }
    /// Feeds the next chunk; a cancelled chunk can be fed again. @pre !done()
    [[nodiscard]] Status step(Transformer& model, ThreadPool& pool, int chunk,
                              const std::function<bool()>& cancelled) {
        if (part_ == kRepetition && !scores_)
            scores_.emplace(
                *cache_, static_cast<std::int64_t>(piece_.size()), facts_.heads,
                LogitScaling{
                    .scale = facts_.scale, .softCap = facts_.softCap, .sinks = facts_.sinks.get()},
                pool);
        const std::array<QueryObserver*, kParts> observers{&first_, nullptr,
                                                           scores_ ? &*scores_ : nullptr};
        const auto tokens = part_ == kInstruction ? instruction_ : piece_;
        const auto at = static_cast<std::size_t>(part_);
        const BatchRun run{.tokens = tokens.subspan(
                               at_, std::min(static_cast<std::size_t>(chunk), tokens.size() - at_)),
                           .cache = cache_.get(),
                           .logits = LogitsFor::None,
                           .observer = observers.at(at),
                           .promptEnd = Position(
                               static_cast<std::int32_t>(2 * piece_.size() + instruction_.size()))};
        if (!run.tokens.empty()) {
            LACUNA_TRY([[maybe_unused]] const auto none,
                       model.forward({&run, 1}, {.cancelled = cancelled}));
        }
        at_ += run.tokens.size();
        fed_ += run.tokens.size();
        if (at_ < tokens.size()) return {};
        at_ = 0;
        ++part_;
        return {};
    }
    /// @pre done()
    [[nodiscard]] ReconstructionScores take() { return scores_->take(); }

  private:
    enum Part { kReading, kInstruction, kRepetition, kParts };
    PieceReading(std::span<const TokenId> piece, std::span<const TokenId> instruction,
                 QueryObserver& first)
        : piece_(piece), instruction_(instruction), first_(first) {}

    std::span<const TokenId> piece_;
    std::span<const TokenId> instruction_;
    QueryObserver& first_;
    CompactorModel facts_;
    std::unique_ptr<KvCache> cache_;
    std::optional<ReconstructionObserver> scores_;
    int part_ = kReading;
    std::size_t at_ = 0;  ///< index into the tokens of the current part
    std::size_t fed_ = 0;
};

/// Stores the input of each layer for the tokens of one piece, [layers][tokens, hidden].
class InputSaver final : public QueryObserver {
  public:
    explicit InputSaver(int layers) : inputs_(static_cast<std::size_t>(layers)) {}
    [[nodiscard]] bool observesInputs() const override { return true; }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override {
        auto& kept = inputs_[static_cast<std::size_t>(layer.value)];
        // A cancelled chunk is observed again, so discard its first observation.
        kept.resize(sized(first.value * inputs.extent(1)));
        kept.insert(kept.end(), inputs.data(), inputs.data() + inputs.size());
    }
    void observeQueries(LayerIndex, View<const float, 3>, Position) override {}
    void clear() {
        for (auto& kept : inputs_) kept = {};
    }
    [[nodiscard]] const std::vector<float>& of(int layer) const {
        return inputs_[static_cast<std::size_t>(layer)];
    }

  private:
    std::vector<std::vector<float>> inputs_;
};

SumsShape sumsShape(const ModelSpec& spec, int piece, int kvHeads) {
    SumsShape shape{.hidden = spec.hidden, .kvHeads = kvHeads, .landmarks = 0};
    if (spec.hidden > kLongInput)
        shape.landmarks = std::min(kFitLandmarks, piece - static_cast<int>(LayerSums::kSinks));
    return shape;
}

/// Returns the layers with rows of their own. The others have no heads to predict.
std::vector<int> layersWithRows(const KvShape& cache) {
    std::vector<int> layers;
    for (int layer = 0; layer < cache.layers; ++layer)
        if (cache.heads(LayerIndex(layer)) > 0) layers.push_back(layer);
    return layers;
}

std::vector<SumsShape> sumsShapes(const ModelSpec& spec, int piece) {
    const KvShape cache = plainShapeOf(spec);
    std::vector<SumsShape> shapes;
    for (const int layer : layersWithRows(cache))
        shapes.push_back(sumsShape(spec, piece, cache.heads(LayerIndex(layer))));
    return shapes;
}

std::int64_t sumsBytes(const ModelSpec& spec, int piece) {
    std::int64_t bytes = 0;
    for (const SumsShape& shape : sumsShapes(spec, piece)) bytes += shape.bytes();
    return bytes;
}

Status checkLength(const ModelSpec& spec, std::size_t tokens, std::size_t instruction, int piece) {
    if (tokens < std::size_t{kMinFitTokens})
        return fail(ErrorCode::InvalidArgument,
                    format("a text of {} tokens is too short for a fit: at least {} are needed",
                           tokens, kMinFitTokens));
    const std::size_t needed = 2 * static_cast<std::size_t>(piece) + instruction;
    if (needed > static_cast<std::size_t>(spec.context))
        return fail(ErrorCode::InvalidArgument,
                    format("a piece and its repetition take {} tokens, but the context of the "
                           "model has room for {}",
                           needed, spec.context));
    return {};
}

Error noRoom(std::int64_t bytes) {
    return fail(ErrorCode::NoMemory,
                format("the fit needs {:.0f} MiB of memory, which are not available",
                       static_cast<double>(bytes) / kMiB))
        .value();
}

constexpr std::string_view kKeptMagic = "LACUNASF";
constexpr std::uint32_t kKeptVersion = 1;
constexpr int kUsualPiece = 700;
constexpr int kLeastPiece = 64;

template <class T>
void appendNumber(std::string& out, T number) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(number);
    out.append(bytes.data(), bytes.size());
}

/// Returns the indices of the `count` largest numbers, in ascending order.
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
    return std::log(static_cast<double>(std::max(share, kMinScoreShare)));
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

/// Returns a table, a list of records or a string of words, about 600 characters long.
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

int defaultFitTokens(const ModelSpec& spec) {
    constexpr std::uint64_t kSmall = 1'000'000'000;
    constexpr std::uint64_t kMiddle = 3'000'000'000;
    if (spec.parameters <= kSmall) return 14 * kUsualPiece;
    return (spec.parameters <= kMiddle ? 10 : 8) * kUsualPiece;
}

int defaultFitPiece(const ModelSpec& spec, std::size_t instruction) {
    const int room = (spec.context - static_cast<int>(instruction)) / 2;
    return std::clamp(room, kLeastPiece, kUsualPiece);
}

struct SurrogateRun::Impl {
    Impl(const LoadedModel& loaded, std::vector<TokenId> tokens, std::vector<TokenId> asked,
         const SurrogateFitOptions& given)
        : spec(loaded.spec),
          text(std::move(tokens)),
          instruction(std::move(asked)),
          options(given),
          cache(plainShapeOf(spec)),
          layers(layersWithRows(cache)),
          inputs(spec.layers),
          sums(freshSums()) {
        options.instruction = instruction;
    }

    [[nodiscard]] int pieces() const {
        return static_cast<int>((text.size() + pieceLength() - 1) / pieceLength());
    }
    [[nodiscard]] std::size_t pieceLength() const {
        return static_cast<std::size_t>(options.piece);
    }
    [[nodiscard]] std::vector<LayerSums> freshSums() const {
        std::vector<LayerSums> fresh;
        for (const SumsShape& shape : sumsShapes(spec, options.piece)) fresh.emplace_back(shape);
        return fresh;
    }
    [[nodiscard]] int layerCount() const { return static_cast<int>(layers.size()); }
    /// Hash of everything that the sums depend on, except the model's arithmetic.
    [[nodiscard]] std::uint64_t plan() const {
        std::string all = spec.fingerprint;
        for (const std::vector<TokenId>& tokens : {text, instruction})
            for (const TokenId token : tokens) appendNumber(all, token);
        for (const int number :
             {options.piece, options.chunk, static_cast<int>(options.type),
              sumsShape(spec, options.piece, spec.kvHeads).landmarks, spec.layers, spec.kvHeads})
            appendNumber(all, number);
        return hash64(all);
    }
    [[nodiscard]] Status read(Transformer& model, ThreadPool& pool);
    void add(ThreadPool& pool);
    [[nodiscard]] Status solve(ThreadPool& pool);
    void begin(ReconstructionSurrogate& out) const;

    const ModelSpec& spec;
    const std::vector<TokenId> text;
    const std::vector<TokenId> instruction;
    SurrogateFitOptions options;
    const KvShape cache;
    const std::vector<int> layers;  ///< those with rows of their own, ascending
    InputSaver inputs;
    std::vector<LayerSums> sums;  ///< one for each of `layers`
    std::vector<SumsScratch> scratch;
    int piecesAdded = 0;
    std::unique_ptr<PieceReading> reading;       ///< reads the current piece
    std::optional<ReconstructionScores> scores;  ///< scores of the current piece, after its
                                                 ///< repetition
    int layersAdded = 0;  ///< number of `layers` whose sums of the current piece were added
    ReconstructionSurrogate made;
    int layersSolved = 0;
};

Status SurrogateRun::Impl::read(Transformer& model, ThreadPool& pool) {
    if (reading == nullptr) {
        const std::size_t at = static_cast<std::size_t>(piecesAdded) * pieceLength();
        const auto piece = std::span(text).subspan(at, std::min(pieceLength(), text.size() - at));
        inputs.clear();
        LACUNA_TRY(reading, PieceReading::begin(spec, piece, instruction, options.type, inputs));
    }
    LACUNA_TRY_STATUS(reading->step(model, pool, options.chunk, options.cancelled));
    if (!reading->done()) return {};
    scores = reading->take();
    reading.reset();
    return {};
}

void SurrogateRun::Impl::add(ThreadPool& pool) {
    const int count = std::min(pool.threads(), layerCount() - layersAdded);
    scratch.resize(static_cast<std::size_t>(std::max(count, static_cast<int>(scratch.size()))));
    pool.parallelFor(count, [&](int i) {
        const auto at = static_cast<std::size_t>(layersAdded + i);
        sums[at].add(inputs.of(layers[at]), *scores, layers[at],
                     scratch[static_cast<std::size_t>(i)]);
    });
    layersAdded += count;
    if (layersAdded < layerCount()) return;
    layersAdded = 0;
    scores.reset();
    inputs.clear();
    ++piecesAdded;
}

void SurrogateRun::Impl::begin(ReconstructionSurrogate& out) const {
    out.model = spec.name;
    out.fingerprint = spec.fingerprint;
    out.how = format("ridge regression on {} tokens of text, each repeated once", text.size());
    out.layers = spec.layers;
    out.kvHeads = cache.kvHeads;
    out.layerHeads = layerHeadsOf(cache);
    out.hidden = spec.hidden;
    const auto heads = static_cast<std::size_t>(cache.headCount());
    out.weights.resize(heads * static_cast<std::size_t>(out.hidden));
    out.bias.resize(heads);
}

Status SurrogateRun::Impl::solve(ThreadPool& pool) {
    if (layersSolved == 0) begin(made);
    const int count = std::min(pool.threads(), layerCount() - layersSolved);
    std::vector<std::optional<LayerMap>> solved(static_cast<std::size_t>(count));
    pool.parallelFor(count, [&](int i) {
        solved[static_cast<std::size_t>(i)] =
            sums[static_cast<std::size_t>(layersSolved + i)].solve(kSurrogateRidge);
    });
    for (int i = 0; i < count; ++i) {
        const int layer = layers[static_cast<std::size_t>(layersSolved + i)];
        const auto& map = solved[static_cast<std::size_t>(i)];
        if (!map)
            return fail(ErrorCode::Unsupported,
                        format("layer {} reads inputs that no linear map can be fitted to", layer));
        const std::int64_t head = cache.headIndex(LayerIndex(layer), HeadIndex(0));
        std::ranges::copy(map->weights, made.weights.begin() + head * spec.hidden);
        std::ranges::copy(map->bias, made.bias.begin() + head);
    }
    layersSolved += count;
    return {};
}

SurrogateRun::SurrogateRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SurrogateRun::~SurrogateRun() = default;

Result<std::unique_ptr<SurrogateRun>> SurrogateRun::create(const LoadedModel& model,
                                                           std::vector<TokenId> text,
                                                           std::vector<TokenId> instruction,
                                                           const SurrogateFitOptions& options) {
    const ModelSpec& spec = model.spec;
    LACUNA_TRY_STATUS(checkLength(spec, text.size(), instruction.size(), options.piece));
    try {
        return std::unique_ptr<SurrogateRun>(new SurrogateRun(
            std::make_unique<Impl>(model, std::move(text), std::move(instruction), options)));
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(noRoom(sumsBytes(spec, options.piece)));
    }
}

Status SurrogateRun::step(Transformer& model, ThreadPool& pool) {
    Impl& my = *impl_;
    if (my.options.cancelled && my.options.cancelled())
        return fail(ErrorCode::Cancelled, "the fit was cancelled");
    try {
        if (my.piecesAdded == my.pieces()) return my.solve(pool);
        if (!my.scores) return my.read(model, pool);
        my.add(pool);
        return {};
    } catch (const std::bad_alloc&) {
        return tl::unexpected<Error>(noRoom(bytes()));
    }
}

bool SurrogateRun::done() const {
    return impl_->piecesAdded == impl_->pieces() && impl_->layersSolved == impl_->layerCount();
}

double SurrogateRun::share() const {
    constexpr double kReadingShare = 0.95;
    const Impl& my = *impl_;
    const double piece = my.scores ? 1 : my.reading != nullptr ? my.reading->share() : 0;
    return kReadingShare * std::min(1.0, (my.piecesAdded + piece) / my.pieces()) +
           (1 - kReadingShare) * my.layersSolved / my.layerCount();
}

std::int64_t SurrogateRun::tokens() const {
    return static_cast<std::int64_t>(impl_->text.size());
}

std::int64_t SurrogateRun::read() const {
    return std::min(tokens(), std::int64_t{impl_->piecesAdded} * impl_->options.piece);
}

std::int64_t SurrogateRun::bytes() const {
    const Impl& my = *impl_;
    const ModelSpec& spec = my.spec;
    const std::int64_t tokens =
        2 * std::int64_t{my.options.piece} + static_cast<std::int64_t>(my.instruction.size());
    const std::int64_t cache =
        elementsPerToken(my.cache) * tokens * static_cast<std::int64_t>(sizeof(float));
    const std::int64_t inputs = std::int64_t{my.layerCount()} * my.options.piece * spec.hidden *
                                static_cast<std::int64_t>(sizeof(float));
    return sumsBytes(spec, my.options.piece) + cache + inputs;
}

std::string SurrogateRun::kept() const {
    const Impl& my = *impl_;
    std::string out(kKeptMagic);
    appendNumber(out, kKeptVersion);
    appendNumber(out, my.plan());
    appendNumber(out, static_cast<std::uint32_t>(my.piecesAdded));
    if (my.piecesAdded > 0)
        for (const LayerSums& one : my.sums) one.write(out);
    appendNumber(out, hash64(out));
    return out;
}

Status SurrogateRun::resumeFrom(std::string_view kept) {
    Impl& my = *impl_;
    const auto damaged = [] {
        return fail(ErrorCode::Corrupt, "the stored sums of the fit are damaged");
    };
    if (kept.size() < kKeptMagic.size() + sizeof(std::uint64_t) || !kept.starts_with(kKeptMagic))
        return damaged();
    const std::string_view body = kept.substr(0, kept.size() - sizeof(std::uint64_t));
    ByteReader end(std::as_bytes(std::span(kept)).last(sizeof(std::uint64_t)));
    if (*end.read<std::uint64_t>() != hash64(body)) return damaged();
    ByteReader bytes(std::as_bytes(std::span(body)).subspan(kKeptMagic.size()));
    const auto version = bytes.read<std::uint32_t>();
    const auto plan = bytes.read<std::uint64_t>();
    const auto pieces = bytes.read<std::uint32_t>();
    if (!version || !plan || !pieces) return damaged();
    if (*version != kKeptVersion || *plan != my.plan())
        return fail(ErrorCode::Incompatible,
                    "the stored sums are of another model, text or version of the program");
    if (*pieces > static_cast<std::uint32_t>(my.pieces())) return damaged();
    std::vector<LayerSums> sums = my.freshSums();
    if (*pieces > 0)
        for (LayerSums& one : sums)
            if (!one.read(bytes)) return damaged();
    if (bytes.remaining() > 0) return damaged();
    if (*pieces > 0) my.sums = std::move(sums);
    my.piecesAdded = static_cast<int>(*pieces);
    return {};
}

ReconstructionSurrogate SurrogateRun::surrogate() const {
    return impl_->made;
}

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
    LACUNA_TRY(
        const auto run,
        SurrogateRun::create(model.model(), {text.begin(), text.end()},
                             {options.instruction.begin(), options.instruction.end()}, options));
    for (std::int64_t shown = 0; !run->done();) {
        LACUNA_TRY_STATUS(run->step(model, pool));
        if (options.progress && run->read() > shown) {
            shown = run->read();
            options.progress(shown, run->tokens());
        }
    }
    return run->surrogate();
}

Result<SurrogateAgreement> compareSurrogate(
    std::shared_ptr<const ReconstructionSurrogate> surrogate, Transformer& model, ThreadPool& pool,
    std::span<const TokenId> text, const SurrogateFitOptions& options) {
    SurrogateAgreement out;
    double pieces = 0;
    for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(options.piece)) {
        const auto piece =
            text.subspan(at, std::min(static_cast<std::size_t>(options.piece), text.size() - at));
        PredictedScores predicted(surrogate);
        LACUNA_TRY(const auto reading,
                   PieceReading::begin(model.model().spec, piece, options.instruction, options.type,
                                       predicted));
        while (!reading->done())
            LACUNA_TRY_STATUS(reading->step(model, pool, options.chunk, options.cancelled));
        const ReconstructionScores found = reading->take();
        const auto guessed = predicted.scores(found.tokens);
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
