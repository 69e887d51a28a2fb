// fit-head: attention matching of one head from NumPy files, for comparison with other programs.

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/bench/slow_fit.h"
#include "app/main/cli_support.h"
#include "engine/base/file.h"
#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/query_source.h"
#include "engine/compress/matching/attention_matching.h"
#include "engine/quality/head_fidelity.h"
#include "engine/tensor/view.h"

namespace lacuna::cli {
namespace {

/// Float32 matrix from a NumPy file (format 1.0, numpy.lib.format).
struct NpyMatrix {
    std::vector<float> numbers;  ///< [rows, columns]
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    [[nodiscard]] View<const float, 2> view() const { return {numbers.data(), {rows, columns}}; }
};

constexpr std::size_t kFixedHeader = 10;
constexpr std::size_t kLimit = std::size_t{4} << 30;

Error corrupt(const std::filesystem::path& path, std::string_view what) {
    return fail(ErrorCode::Corrupt, format("{}: {}", path.string(), what)).value();
}

/// Errors: as readFile; Corrupt, with the file name: wrong format, element type other than float32,
/// not two axes, or a length that does not match.
Result<NpyMatrix> readNpyMatrix(const std::filesystem::path& path) {
    LACUNA_TRY(const std::string bytes, readFile(path, kLimit));
    std::array<unsigned char, kFixedHeader> fixed{};
    if (bytes.size() >= kFixedHeader) std::memcpy(fixed.data(), bytes.data(), kFixedHeader);
    if (std::memcmp(fixed.data(), "\x93NUMPY\x01", 7) != 0)
        return tl::unexpected<Error>(corrupt(path, "not a NumPy file of version 1"));
    const std::size_t headerSize = fixed[8] + 256U * fixed[9];
    if (bytes.size() < kFixedHeader + headerSize)
        return tl::unexpected<Error>(corrupt(path, "ends within its header"));
    const std::string header = bytes.substr(kFixedHeader, headerSize);
    const std::size_t shape = header.find("'shape': (");
    long long rows = 0;
    long long columns = 0;
    int used = 0;
    if (header.find("'<f4'") == std::string::npos ||
        header.find("'fortran_order': False") == std::string::npos || shape == std::string::npos ||
        std::sscanf(header.c_str() + shape, "'shape': (%lld, %lld)%n", &rows, &columns, &used) !=
            2 ||
        used == 0 || rows < 1 || columns < 1 || rows > (1LL << 31) || columns > (1LL << 31))
        return tl::unexpected<Error>(
            corrupt(path, "expected a non-empty float32 matrix in C order"));
    const std::size_t size = bytes.size() - kFixedHeader - headerSize;
    if (size / sizeof(float) / static_cast<std::size_t>(columns) !=
            static_cast<std::size_t>(rows) ||
        size != static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns) * sizeof(float))
        return tl::unexpected<Error>(corrupt(
            path, format("{} bytes of numbers do not make {} rows of {}", size, rows, columns)));
    NpyMatrix out{
        .numbers = std::vector<float>(size / sizeof(float)), .rows = rows, .columns = columns};
    std::memcpy(out.numbers.data(), bytes.data() + kFixedHeader + headerSize, size);
    return out;
}

template <class Enum>
using Names = std::vector<std::pair<std::string_view, Enum>>;

/// A selector, or the keys per step of a matching pursuit.
struct Selector {
    KeySelector keys = KeySelector::Auto;
    int pursuit = 0;
};

const Names<Selector>& selectors() {
    static const Names<Selector> names{
        {"auto", {KeySelector::Auto}},         {"answers", {KeySelector::Answers}},
        {"coverage", {KeySelector::Coverage}}, {"distinct", {KeySelector::DistinctCoverage}},
        {"rms", {KeySelector::HighestRms}},    {"max", {KeySelector::HighestMax}},
        {"mean", {KeySelector::HighestMean}},  {"omp", {KeySelector::Auto, 1}},
        {"omp_fast", {KeySelector::Auto, 4}}};
    return names;
}

/// nullopt: bounded least squares.
const Names<std::optional<MassFit>>& massFits() {
    static const Names<std::optional<MassFit>> names{{"none", MassFit::None},
                                                     {"shift", MassFit::Shift},
                                                     {"redistribute", MassFit::Redistribute},
                                                     {"cluster", MassFit::Cluster},
                                                     {"nnls", std::nullopt}};
    return names;
}

const Names<ValueFit>& valueFits() {
    static const Names<ValueFit> names{{"direct", ValueFit::Direct},
                                       {"ols", ValueFit::LeastSquares},
                                       {"ridge_orig", ValueFit::RidgeOriginal},
                                       {"ridge_cluster", ValueFit::RidgeCluster}};
    return names;
}

template <class Enum>
Status setName(std::string_view key, std::string_view value, const Names<Enum>& names, Enum& out) {
    std::string known;
    for (const auto& [name, meant] : names) {
        if (name == value) {
            out = meant;
            return {};
        }
        known += format("{}{}", known.empty() ? "" : ", ", name);
    }
    return fail(ErrorCode::Config, format("{} is '{}'; choices are {}", key, value, known));
}

Status setNumber(std::string_view key, std::string_view value, float& out) {
    float number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() ||
        !(number >= 0 && number <= 10))
        return fail(ErrorCode::Range, format("{} is '{}'; allowed is 0 to 10", key, value));
    out = number;
    return {};
}

struct FitSettings {
    SlowFitOptions fit;
    QuerySource queries = QuerySource::Captured;
};

Status setSelector(std::string_view key, std::string_view value, SlowFitOptions& fit) {
    Selector selector;
    LACUNA_TRY_STATUS(setName(key, value, selectors(), selector));
    fit.matching.selector = selector.keys;
    fit.pursuit = selector.pursuit;
    return {};
}

Status setMass(std::string_view key, std::string_view value, SlowFitOptions& fit) {
    std::optional<MassFit> mass;
    LACUNA_TRY_STATUS(setName(key, value, massFits(), mass));
    fit.matching.mass = mass.value_or(MassFit::Cluster);
    fit.bounded = mass ? std::nullopt : std::optional(MassBounds{});
    return {};
}

Status setQueries(std::string_view value, QuerySource& out) {
    if (value == "context" || value == "repeat")
        return fail(ErrorCode::Unsupported,
                    format("query_source is '{}', which needs a model to read the text; a head "
                           "from files supports only captured (queries_fit.npy) and random",
                           value));
    const Names<QuerySource> names{{"captured", QuerySource::Captured},
                                   {"random", QuerySource::Random}};
    return setName("query_source", value, names, out);
}

Status setEffort(std::string_view key, std::string_view value, FitEffort& effort) {
    const Names<FitEffort> names{
        {"moved", FitEffort::Moved}, {"thorough", FitEffort::Thorough}, {"live", FitEffort::Live}};
    return setName(key, value, names, effort);
}

Status setOption(std::string_view assignment, FitSettings& settings) {
    const std::size_t sign = assignment.find('=');
    if (sign == std::string_view::npos)
        return fail(ErrorCode::Config, format("'{}' is not key=value", assignment));
    const std::string_view key = assignment.substr(0, sign);
    const std::string_view value = assignment.substr(sign + 1);
    MatchingOptions& options = settings.fit.matching;
    if (key == "selector") return setSelector(key, value, settings.fit);
    if (key == "mass") return setMass(key, value, settings.fit);
    if (key == "values") return setName(key, value, valueFits(), options.values.fit);
    if (key == "lambda") return setNumber(key, value, options.values.lambda.emplace());
    if (key == "effort") return setEffort(key, value, settings.fit.effort);
    if (key == "query_source") return setQueries(value, settings.queries);
    if (key == "anchor") return setNumber(key, value, options.values.anchor);
    return fail(
        ErrorCode::UnknownKey,
        format(
            "'{}' is not a setting of a fit; settings are selector, mass, values, lambda, anchor, "
            "effort, query_source",
            key));
}

struct HeadFiles {
    NpyMatrix keys, values, fit, test;
};

Result<HeadFiles> readHead(const std::filesystem::path& folder) {
    HeadFiles head;
    LACUNA_TRY(head.keys, readNpyMatrix(folder / "keys.npy"));
    LACUNA_TRY(head.values, readNpyMatrix(folder / "values.npy"));
    LACUNA_TRY(head.fit, readNpyMatrix(folder / "queries_fit.npy"));
    LACUNA_TRY(head.test, readNpyMatrix(folder / "queries_test.npy"));
    if (head.values.rows != head.keys.rows)
        return fail(ErrorCode::Corrupt,
                    format("{} keys and {} values", head.keys.rows, head.values.rows));
    if (head.fit.columns != head.keys.columns || head.test.columns != head.keys.columns)
        return fail(ErrorCode::Corrupt,
                    format("keys have {} columns, queries {} and {}", head.keys.columns,
                           head.fit.columns, head.test.columns));
    if (head.keys.rows > (std::int64_t{1} << 24) || head.keys.columns > 4096 ||
        head.values.columns > 4096)
        return fail(ErrorCode::Range, "more than 2^24 keys or 4,096 columns");
    return head;
}

/// Replaces the queries by the same number of random ones.
void askRandomly(NpyMatrix& queries) {
    const QueryShape shape{
        .layers = 1, .heads = 1, .kvHeads = 1, .keyDim = static_cast<int>(queries.columns)};
    queries.numbers =
        randomQueries(shape, 0).gather(LayerIndex(0), HeadIndex(0), static_cast<int>(queries.rows));
    queries.rows = static_cast<std::int64_t>(queries.numbers.size()) / queries.columns;
}

HeadSpan spanOf(const HeadFiles& head) {
    HeadSpan span;
    span.head.type = DType::F32;
    span.head.keys = reinterpret_cast<const std::byte*>(head.keys.numbers.data());
    span.head.values = reinterpret_cast<const std::byte*>(head.values.numbers.data());
    span.head.slots = static_cast<int>(head.keys.rows);
    span.keyDim = static_cast<int>(head.keys.columns);
    span.valueDim = static_cast<int>(head.values.columns);
    span.last = span.head.slots;
    span.scale = 1.0F / std::sqrt(static_cast<float>(head.keys.columns));
    span.queries = head.fit.view();
    return span;
}

void addFidelity(const HeadFiles& head, const MatchedHead& matched, const NpyMatrix& queries,
                 std::string_view suffix, OrderedJson& json) {
    std::vector<float> keys = matched.keys;
    std::vector<float> values = matched.values;
    const auto take = [](const NpyMatrix& from, std::int32_t slot, std::vector<float>& to) {
        const auto row = from.view().row(slot);
        to.insert(to.end(), row.begin(), row.end());
    };
    for (const std::int32_t slot : matched.keep) {
        if (matched.keys.empty()) take(head.keys, slot, keys);
        if (matched.values.empty()) take(head.values, slot, values);
    }
    const auto kept = static_cast<std::int64_t>(matched.keep.size());
    const AttendedHead whole{.keys = head.keys.view(), .values = head.values.view(), .bias = {}};
    const AttendedHead ours{.keys = {keys.data(), {kept, head.keys.columns}},
                            .values = {values.data(), {kept, head.values.columns}},
                            .bias = matched.bias};
    const double scale = 1.0 / std::sqrt(static_cast<double>(head.keys.columns));
    const HeadFidelity found = headFidelity(whole, ours, queries.view(), scale);
    json[format("relative_output_error_{}", suffix)] = found.outputError;
    json[format("mean_abs_log_mass_error_{}", suffix)] = found.logMassError;
    json[format("cosine_{}", suffix)] = found.cosine;
}

Result<OrderedJson> fitOrError(const FitHeadArguments& a) {
    FitSettings settings;
    settings.fit.effort = FitEffort::Moved;  // a single head, so the duration does not matter
    for (const std::string& assignment : a.settings)
        LACUNA_TRY_STATUS(setOption(assignment, settings));
    if (settings.fit.pursuit > 0 && settings.fit.bounded) settings.fit.bounded = kPursuitBounds;
    LACUNA_TRY(HeadFiles head, readHead(a.folder));
    if (settings.queries == QuerySource::Random) askRandomly(head.fit);
    LACUNA_TRY(const MatchedHead matched, matchHeadSlowly(spanOf(head), a.keep, settings.fit));
    OrderedJson json{{"kept", matched.keep.size()}, {"asked", a.keep}};
    addFidelity(head, matched, head.fit, "fit", json);
    addFidelity(head, matched, head.test, "test", json);
    json["fit_used"] = matched.fitUsed;
    json["keys_moved"] = !matched.keys.empty();
    json["seconds"] = {{"select", matched.selectMs * 1e-3},
                       {"fit", matched.fitMs * 1e-3},
                       {"total", (matched.selectMs + matched.fitMs) * 1e-3}};
    return json;
}

}  // namespace

int fitHead(const FitHeadArguments& arguments) {
    const auto outcome = fitOrError(arguments);
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
