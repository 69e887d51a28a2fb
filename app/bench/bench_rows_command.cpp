// bench rows: speed of attention's products on cache rows of each format, without a model: dot
// products with keys, weighted sums of values. Rows are outside the CPU caches and read in blocks
// as in attention; memory bandwidth is measured right before and after.

#include <algorithm>
#include <cstring>
#include <functional>
#include <string_view>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "engine/base/clock.h"
#include "engine/base/half.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_pool.h"
#include "engine/base/units.h"
#include "engine/kernels/coded_rows.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/rotated_rows.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"
#include "engine/tensor/buffer.h"
#include "engine/tensor/rotated_codes.h"

namespace lacuna::cli {
namespace {

constexpr std::int64_t kBlockRows = 128;  // block size used by attention
constexpr std::int64_t kPatternRows = 4096;
constexpr int kDims[] = {64, 128};
constexpr int kGroups[] = {1, 2, 4};

enum class Layout { Plain, Group, Rotated };

struct Format {
    std::string_view name;
    Layout layout;
    int bits;
    bool fast = false;  ///< use the products of Precision::Fast

    [[nodiscard]] std::int64_t rowBytes(int dim) const {
        switch (layout) {
            case Layout::Plain:
                return 2 * dim;
            case Layout::Group:
                return dim * bits / 8 + dim / 32 * 4;
            case Layout::Rotated:
                break;
        }
        return static_cast<std::int64_t>(rotatedRowBytes(bits, dim));
    }
};

constexpr Format kFormats[] = {{"f16", Layout::Plain, 16},       {"q8_0", Layout::Group, 8},
                               {"q4_0", Layout::Group, 4},       {"t2", Layout::Rotated, 2},
                               {"t3", Layout::Rotated, 3},       {"t4", Layout::Rotated, 4},
                               {"t8", Layout::Rotated, 8},       {"t2", Layout::Rotated, 2, true},
                               {"t3", Layout::Rotated, 3, true}, {"t4", Layout::Rotated, 4, true},
                               {"t8", Layout::Rotated, 8, true}};

/// Returns a few thousand rows of random codes with scales of normal size.
std::vector<std::byte> patternOf(const Format& format, int dim) {
    const auto bytes = static_cast<std::size_t>(format.rowBytes(dim));
    std::vector<std::byte> rows(bytes * kPatternRows);
    RandomStream random(1, 0);
    for (std::size_t at = 0; at + 8 <= rows.size(); at += 8) {
        const std::uint64_t word = random.bits();
        std::memcpy(rows.data() + at, &word, sizeof(word));
    }
    const auto putHalves = [&](std::byte* at, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint16_t half = floatToHalf(static_cast<float>(random.normal()));
            std::memcpy(at + 2 * i, &half, sizeof(half));
        }
    };
    for (std::size_t r = 0; r < kPatternRows; ++r) {
        std::byte* row = rows.data() + r * bytes;
        const auto n = static_cast<std::size_t>(dim);
        if (format.layout == Layout::Plain) putHalves(row, n);
        if (format.layout == Layout::Group) putHalves(row + bytes - n / 32 * 4, n / 32 * 2);
        if (format.layout == Layout::Rotated) putHalves(row + bytes - 2, 1);
    }
    return rows;
}

/// Computes the products of a block of rows with the queries of a group.
void products(const KernelTable& kernels, const Format& format, bool dot, const std::byte* rows,
              std::int64_t count, int dim, const QueryRows& q) {
    const std::int64_t stride = format.rowBytes(dim);
    if (format.layout == Layout::Plain) {
        const std::size_t type = kernelIndex(DType::F16);
        const RowBlock block{rows, stride, count, dim};
        (dot ? kernels.dotManyQueries[type] : kernels.addManyQueries[type])(block, q);
    } else if (format.layout == Layout::Group) {
        const CodedRows block{rows, stride, count, dim, format.bits, 32};
        (dot ? kernels.dotManyCoded : kernels.addManyCoded)(block, q);
    } else {
        const RotatedRows block{rows, stride, count, dim, format.bits};
        if (format.fast) {
            (dot ? kernels.dotManyRotatedFast : kernels.addManyRotatedFast)(block, q);
        } else {
            (dot ? kernels.dotManyRotated : kernels.addManyRotated)(block, q);
        }
    }
}

class RowsBench {
  public:
    RowsBench(const BenchRowsArguments& arguments, int threads)
        : arguments_(arguments), pool_(threads) {}

    [[nodiscard]] Result<OrderedJson> run() {
        LACUNA_TRY(ReadBandwidth bandwidth, ReadBandwidth::create(pool_));
        OrderedJson lines = OrderedJson::array();
        for (const int dim : kDims) {
            for (const Format& format : kFormats) {
                line_.show(lacuna::format("{} threads, {} of {} numbers", pool_.threads(),
                                          format.name, dim));
                LACUNA_TRY(const LargePages rows, rowsOf(format, dim));
                const double before = bandwidth.measure();
                OrderedJson line = measure(format, dim, rows);
                line["read_gigabytes_per_second"] = std::max(before, bandwidth.measure()) * 1e-9;
                lines.push_back(std::move(line));
            }
        }
        return OrderedJson{{"threads", pool_.threads()}, {"formats", std::move(lines)}};
    }

  private:
    [[nodiscard]] std::int64_t rowCount(const Format& format, int dim) const {
        const std::int64_t bytes = std::int64_t{arguments_.mebibytes} << 20;
        return bytes / format.rowBytes(dim) / kBlockRows * kBlockRows;
    }

    [[nodiscard]] Result<LargePages> rowsOf(const Format& format, int dim) const {
        const auto bytes = static_cast<std::size_t>(rowCount(format, dim) * format.rowBytes(dim));
        LACUNA_TRY(LargePages rows, LargePages::allocate(bytes));
        const std::vector<std::byte> pattern = patternOf(format, dim);
        for (std::size_t at = 0; at < bytes; at += pattern.size())
            std::memcpy(rows.data() + at, pattern.data(), std::min(pattern.size(), bytes - at));
        rows.joinPages();
        rows.waitUntilJoined();
        return rows;
    }

    /// Returns the seconds of one pass of all threads over all rows.
    [[nodiscard]] double passOver(const Format& format, int dim, int group, bool dot,
                                  const LargePages& rows) {
        const std::int64_t blocks = rowCount(format, dim) / kBlockRows;
        const int threads = pool_.threads();
        const std::int64_t start = clock_.nowNs();
        pool_.parallelFor(threads, [&](int share) {
            const auto width = static_cast<std::size_t>(dim);
            const auto queries = static_cast<std::size_t>(group);
            std::vector<float> x(queries * width, 0.5F);
            std::vector<float> weights(queries * kBlockRows, 0.01F);
            std::vector<float> sums(queries * width, 0.0F);
            const QueryRows q{.queries = x.data(),
                              .queryStride = dim,
                              .weights = weights.data(),
                              .weightStride = kBlockRows,
                              .sums = sums.data(),
                              .sumStride = dim,
                              .count = group};
            for (std::int64_t b = blocks * share / threads; b < blocks * (share + 1) / threads; ++b)
                products(bestKernels(), format, dot,
                         rows.data() + b * kBlockRows * format.rowBytes(dim), kBlockRows, dim, q);
        });
        return secondsSince(clock_, start);
    }

    [[nodiscard]] OrderedJson measure(const Format& format, int dim, const LargePages& rows) {
        const auto count = static_cast<double>(rowCount(format, dim));
        OrderedJson groups = OrderedJson::array();
        for (const int group : kGroups) {
            OrderedJson line{{"queries", group}};
            for (const bool dot : {true, false}) {
                std::vector<double> rates;
                for (int i = 0; i < arguments_.repeat; ++i)
                    rates.push_back(count / passOver(format, dim, group, dot, rows));
                const Spread rate = spreadOf(std::move(rates));
                const std::string_view name = dot ? "dot" : "add";
                line[std::string(name)] = {
                    {"million_rows_per_second", rate.median * 1e-6},
                    {"gigabytes_per_second",
                     rate.median * static_cast<double>(format.rowBytes(dim)) * 1e-9},
                    {"highest_gigabytes_per_second",
                     rate.highest * static_cast<double>(format.rowBytes(dim)) * 1e-9}};
            }
            groups.push_back(std::move(line));
        }
        return {{"format", format.name},
                {"precision", format.fast ? "fast" : "exact"},
                {"dim", dim},
                {"row_bytes", format.rowBytes(dim)},
                {"groups", std::move(groups)}};
    }

    BenchRowsArguments arguments_;
    ThreadPool pool_;
    SteadyClock clock_;
    ProgressLine line_;
};

}  // namespace

int benchRows(const BenchRowsArguments& arguments) {
    const MachineFacts machine = machineFacts();
    if (const Status fits = checkFitsMemory("--mebibytes", arguments.mebibytes * kMiB); !fits)
        return report(fits.error());
    std::vector<int> counts{arguments.threads};
    if (arguments.threads == 0) counts = machine.cores > 1 ? std::vector{1, 2} : std::vector{1};
    OrderedJson runs = OrderedJson::array();
    for (const int threads : counts) {
        auto run = RowsBench(arguments, threads).run();
        if (!run) return report(run.error());
        runs.push_back(std::move(*run));
    }
    return printJson({{"block_rows", kBlockRows},
                      {"mebibytes", arguments.mebibytes},
                      {"repeat", arguments.repeat},
                      {"runs", std::move(runs)},
                      {"machine",
                       {{"cpu", machine.cpu},
                        {"isa", machine.isa},
                        {"kernels", bestKernels().name},
                        {"cores", machine.cores}}}});
}

}  // namespace lacuna::cli
