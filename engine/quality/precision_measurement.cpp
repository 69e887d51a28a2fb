#include "engine/quality/precision_measurement.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna precision 1";
constexpr std::size_t kFileLimit = std::size_t{1} << 16;
constexpr std::size_t kMostTokens = 320;
constexpr std::size_t kFewestTokens = 8;
// Small enough for the matrix products to be computed as in decoding.
constexpr std::size_t kAnswerTokens = 8;
// Maximum number of logits per pass, so that a large vocabulary takes no more memory than a small
// one.
constexpr std::size_t kMostLogits = std::size_t{1} << 22;

// Conversation, prose, numbers and code, as in typical use.
constexpr std::string_view kText =
    "My name is Ada and I live in Bergen. What is my name, and where do I live?\n"
    "Your name is Ada, and you live in Bergen, on the west coast of Norway.\n\n"
    "The ferry left at a quarter past six, when the fog still lay on the water and the lamps along "
    "the quay had not yet been put out. Nobody spoke. A boy with a basket of apples sat down next "
    "to the old woman, who counted her coins twice, shook her head and looked at the gulls. \"It "
    "will clear before noon,\" she said, \"it always does in April.\"\n\n"
    "How do I boil an egg?\n"
    "1. Bring a pan of water to the boil.\n"
    "2. Lower the egg in with a spoon.\n"
    "3. Wait 7 minutes for a soft yolk, 10 for a hard one.\n\n"
    "The capital of France is Paris; 12 times 12 is 144; water freezes at 0 degrees Celsius. In "
    "1969 two people walked on the Moon, and 600 million watched them.\n\n"
    "def mean(values):\n"
    "    total = 0\n"
    "    for value in values:\n"
    "        total += value\n"
    "    return total / len(values)\n";

std::string_view nameOf(Precision precision) {
    switch (precision) {
        case Precision::Exact:
            return "float32";
        case Precision::Fast:
            return "int8";
        case Precision::TwoTerms:
            return "int8 in two terms";
    }
    return {};
}

bool keepsBound(const MeasuredPrecision& one) {
    return one.klMean <= kMaxPrecisionKl;  // false for NaN
}

/// Reads the text with one arithmetic.
struct Reader {
    Precision precision = Precision::Exact;
    std::unique_ptr<Transformer> transformer;
    std::unique_ptr<KvCache> cache;
    double kl = 0;  ///< sum over positions
    std::int64_t sameTop = 0;

    [[nodiscard]] Result<View<const float, 2>> read(std::span<const TokenId> tokens,
                                                    const ForwardOptions& options) {
        const BatchRun run{.tokens = tokens, .cache = cache.get(), .logits = LogitsFor::AllTokens};
        return transformer->forward({&run, 1}, options);
    }
    /// Reads the tokens that produced `exact` [tokens.size(), vocabulary], and compares.
    [[nodiscard]] Status follow(std::span<const TokenId> tokens, std::size_t step,
                                View<const float, 2> exact, const ForwardOptions& options) {
        for (std::size_t at = 0; at < tokens.size(); at += step) {
            const std::size_t count = std::min(step, tokens.size() - at);
            LACUNA_TRY(const auto rows, read(tokens.subspan(at, count), options));
            for (std::size_t i = 0; i < count; ++i) {
                const auto row = static_cast<std::int64_t>(i);
                const RowDivergence found =
                    rowDivergence(exact.row(static_cast<std::int64_t>(at) + row), rows.row(row));
                kl += found.kl;
                sameTop += found.sameTop() ? 1 : 0;
            }
        }
        return {};
    }
};

Result<Reader> readerOf(const PrecisionMeasuring& dependencies, Precision precision,
                        std::size_t block) {
    Reader reader;
    reader.precision = precision;
    LACUNA_TRY(reader.transformer, dependencies.transformer(precision, static_cast<int>(block)));
    LACUNA_TRY(reader.cache, makeFullCache(dependencies.model.spec, DType::F16));
    return reader;
}

Result<std::vector<TokenId>> tokensOf(const LoadedModel& model,
                                      const std::function<bool()>& cancelled) {
    LACUNA_TRY(auto tokens,
               model.tokenizer.encode(
                   kText, {.special = SpecialText::Plain,
                           .edges = EdgeTokens::AsConfigured,
                           .stop = cancelled ? StopRequested(cancelled) : StopRequested()}));
    const auto context = static_cast<std::size_t>(std::max(model.spec.context, 0));
    tokens.resize(std::min({tokens.size(), kMostTokens, context}));
    if (tokens.size() < kFewestTokens)
        return fail(ErrorCode::Unsupported,
                    format("the text has {} tokens; {} are needed", tokens.size(), kFewestTokens));
    return tokens;
}

}  // namespace

Precision choosePrecision(std::span<const MeasuredPrecision> measured) {
    const auto found = std::ranges::find_if(measured, keepsBound);
    return found == measured.end() ? Precision::Exact : found->precision;
}

std::string precisionText(const PrecisionMeasurement& measurement) {
    const Precision chosen = choosePrecision(measurement.measured);
    std::string text(nameOf(chosen));
    std::string refused;
    for (const MeasuredPrecision& one : measurement.measured) {
        if (one.precision == chosen)
            text += format(": mean KL {:.2g} from exact over {} tokens", one.klMean,
                           measurement.positions);
        else if (!keepsBound(one))
            refused += format("; {} {:.2g}", nameOf(one.precision), one.klMean);
    }
    if (!refused.empty()) text += format("{}, above {}", refused, kMaxPrecisionKl);
    return text;
}

struct PrecisionRun::Impl {
    explicit Impl(PrecisionMeasuring run) : dependencies(std::move(run)) {}

    const PrecisionMeasuring dependencies;
    std::vector<TokenId> tokens = {};
    std::size_t block = 0;
    Reader exact = {};
    std::vector<Reader> others = {};
    std::size_t at = 0;  ///< tokens read by every reader

    [[nodiscard]] Status readBlock(std::size_t count) {
        const auto part = std::span(tokens).subspan(at, count);
        const std::size_t step = 2 * at < tokens.size() ? block : kAnswerTokens;
        const ForwardOptions options{.cancelled = dependencies.cancelled};
        LACUNA_TRY(const auto rows, exact.read(part, options));
        for (std::size_t i = 0; i < others.size(); ++i) {
            LACUNA_TRY_STATUS(others[i].follow(part, step, rows, options));
            const double share = static_cast<double>(i + 1) / static_cast<double>(others.size());
            const double done = static_cast<double>(at) + share * static_cast<double>(count);
            if (dependencies.progress)
                dependencies.progress(done / static_cast<double>(tokens.size()));
        }
        return {};
    }
    /// Rolls all readers back to the beginning of the block.
    [[nodiscard]] Status rewind() {
        const auto back = [this](Reader& reader) {
            return reader.cache->rollback(static_cast<int>(reader.cache->offset().value) -
                                          static_cast<int>(at));
        };
        LACUNA_TRY_STATUS(back(exact));
        for (Reader& one : others) LACUNA_TRY_STATUS(back(one));
        return {};
    }
};

PrecisionRun::PrecisionRun(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
PrecisionRun::PrecisionRun(PrecisionRun&&) noexcept = default;
PrecisionRun::~PrecisionRun() = default;

Result<PrecisionRun> PrecisionRun::create(PrecisionMeasuring dependencies) {
    auto impl = std::make_unique<Impl>(std::move(dependencies));
    const ModelSpec& spec = impl->dependencies.model.spec;
    LACUNA_TRY(impl->tokens, tokensOf(impl->dependencies.model, impl->dependencies.cancelled));
    const auto vocabulary = static_cast<std::size_t>(std::max(spec.vocabulary, 1));
    impl->block = std::clamp<std::size_t>(kMostLogits / vocabulary, 16, 64);
    LACUNA_TRY(impl->exact, readerOf(impl->dependencies, Precision::Exact, impl->block));
    for (const Precision precision : {Precision::Fast, Precision::TwoTerms}) {
        LACUNA_TRY(Reader reader, readerOf(impl->dependencies, precision, impl->block));
        impl->others.push_back(std::move(reader));
    }
    return PrecisionRun(std::move(impl));
}

Status PrecisionRun::step() {
    if (done()) return {};
    std::vector<std::pair<double, std::int64_t>> before;
    for (const Reader& one : impl_->others) before.emplace_back(one.kl, one.sameTop);
    const std::size_t count = std::min(impl_->block, impl_->tokens.size() - impl_->at);
    const Status read = impl_->readBlock(count);
    if (read) {
        impl_->at += count;
        return {};
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        std::tie(impl_->others[i].kl, impl_->others[i].sameTop) = before[i];
    LACUNA_TRY_STATUS(impl_->rewind());
    return read;
}

double PrecisionRun::share() const {
    return static_cast<double>(impl_->at) / static_cast<double>(impl_->tokens.size());
}

bool PrecisionRun::done() const {
    return impl_->at == impl_->tokens.size();
}

PrecisionMeasurement PrecisionRun::measurement() const {
    const ModelSpec& spec = impl_->dependencies.model.spec;
    PrecisionMeasurement measurement{.model = spec.name,
                                     .fingerprint = spec.fingerprint,
                                     .kernels = std::string(bestKernels().name),
                                     .positions = static_cast<std::int64_t>(impl_->tokens.size())};
    const auto all = static_cast<double>(impl_->tokens.size());
    for (const Reader& one : impl_->others)
        measurement.measured.push_back(
            {one.precision, one.kl / all, static_cast<double>(one.sameTop) / all});
    return measurement;
}

std::int64_t precisionCacheBytes(const ModelSpec& spec) {
    constexpr std::int64_t kReaders = 3;
    return kReaders * elementsPerToken(plainShapeOf(spec)) *
           static_cast<std::int64_t>(kMostTokens * sizeof(std::uint16_t));
}

Result<PrecisionMeasurement> measurePrecision(const PrecisionMeasuring& dependencies) {
    LACUNA_TRY(PrecisionRun run, PrecisionRun::create(dependencies));
    while (!run.done()) LACUNA_TRY_STATUS(run.step());
    return run.measurement();
}

OrderedJson precisionJson(const PrecisionMeasurement& measurement) {
    OrderedJson measured = OrderedJson::array();
    for (const MeasuredPrecision& one : measurement.measured)
        measured.push_back(OrderedJson{
            {"precision", keyOf(one.precision)}, {"kl_mean", one.klMean}, {"top1", one.top1}});
    return {{"format", kFormat},
            {"model", measurement.model},
            {"fingerprint", measurement.fingerprint},
            {"kernels", measurement.kernels},
            {"positions", measurement.positions},
            {"measured", measured}};
}

Result<PrecisionMeasurement> precisionFromJson(const Json& json) {
    JsonReading reading;
    PrecisionMeasurement measurement;
    {
        ObjectReader reader({json, {}, {}, reading});
        const LocatedValue kind = reader.member("format");
        if (!reading.error() && kind.text() != kFormat)
            kind.wrong(format("'{}'; expected '{}'", kind.text(), kFormat));
        measurement.model = reader.member("model").text();
        measurement.fingerprint = reader.member("fingerprint").text();
        measurement.kernels = reader.member("kernels").text();
        measurement.positions = reader.member("positions").count();
        readItems(reader.member("measured"), [&](const LocatedValue& item) {
            ObjectReader one(item);
            const LocatedValue name = one.member("precision");
            const auto precision = valueOfKey<Precision>(name.text());
            if (!precision || *precision == Precision::Exact)
                return name.wrong(format("'{}', which is not a measured precision", name.text()));
            const double kl = one.member("kl_mean").amount();
            const LocatedValue share = one.member("top1");
            if (share.amount() > 1) share.wrong(format("{}; expected 0 to 1", share.amount()));
            measurement.measured.push_back({*precision, kl, share.amount()});
        });
    }
    LACUNA_TRY_STATUS(reading.status());
    if (measurement.measured.empty())
        return fail(ErrorCode::Config, "measured is empty; expected at least one measurement");
    return measurement;
}

std::filesystem::path precisionPath(const std::filesystem::path& folder,
                                    const PrecisionSubject& subject) {
    std::string name = format("{}-{}", subject.fingerprint, subject.kernels);
    for (char& c : name)
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-') c = '_';
    return folder / (name + ".precision.json");
}

std::filesystem::path shippedPrecisionPath(const std::filesystem::path& model) {
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored)) return model / "model.precision.json";
    std::filesystem::path path = model;
    return path.replace_extension(".precision.json");
}

namespace {

/// Returns nullopt if there is no file. Errors: Json, Config, with the file name.
Result<std::optional<PrecisionMeasurement>> readPrecision(const std::filesystem::path& path) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::optional<PrecisionMeasurement>();
    LACUNA_TRY(const std::string text, readFile(path, kFileLimit));
    auto kept = [&]() -> Result<PrecisionMeasurement> {
        LACUNA_TRY(const Json json, parseJson(text));
        return precisionFromJson(json);
    }();
    if (!kept) return tl::unexpected<Error>(withPrefix(kept.error(), path.string()));
    return std::optional<PrecisionMeasurement>(std::move(*kept));
}

}  // namespace

Result<std::optional<PrecisionMeasurement>> shippedPrecision(const std::filesystem::path& model,
                                                             const std::string& fingerprint) {
    const std::filesystem::path path = shippedPrecisionPath(model);
    LACUNA_TRY(auto shipped, readPrecision(path));
    if (shipped && shipped->fingerprint != fingerprint)
        return fail(ErrorCode::Incompatible,
                    format("{}: measured on another model (fingerprint {}; expected {})",
                           path.string(), shipped->fingerprint, fingerprint));
    return shipped;
}

Result<std::optional<PrecisionMeasurement>> storedPrecision(const std::filesystem::path& folder,
                                                            const PrecisionSubject& subject) {
    if (folder.empty()) return std::optional<PrecisionMeasurement>();
    const std::filesystem::path path = precisionPath(folder, subject);
    LACUNA_TRY(auto kept, readPrecision(path));
    if (!kept) return kept;
    if (kept->fingerprint != subject.fingerprint || kept->kernels != subject.kernels)
        return fail(ErrorCode::Incompatible,
                    format("{}: measured on another model or processor (fingerprint {}, {} "
                           "kernels; expected {}, {})",
                           path.string(), kept->fingerprint, kept->kernels, subject.fingerprint,
                           subject.kernels));
    return kept;
}

Status writePrecision(const std::filesystem::path& file, const PrecisionMeasurement& measurement) {
    return writeFileInFolder(file, dumpJson(precisionJson(measurement), 1) + "\n");
}

Status storePrecision(const std::filesystem::path& folder,
                      const PrecisionMeasurement& measurement) {
    return writePrecision(precisionPath(folder, {measurement.fingerprint, measurement.kernels}),
                          measurement);
}

}  // namespace lacuna
