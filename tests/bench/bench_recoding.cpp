// Cost of changing the number format of a cache in use, as one line of JSON for each change.
// Informative only.
//   bench_recoding TOKENS THREADS FROM TO [FROM TO ...]
// FROM and TO are cache types, such as f16 or t4, or KEYS/VALUES. The cache is that of a
// Qwen3-0.6B: 28 layers, 8 KV heads of 128 numbers, random normal rows, a window of 128 in 16 bits.
// A token is appended after each slice, as in an answer.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_recoding.h"
#include "engine/kv/slot/slot_cache.h"

namespace lacuna::test {
namespace {

// As in engine/session/jobs/cache_format_migrations.cpp.
constexpr std::int64_t kNumbersOfSlice = std::int64_t{1} << 20;

KvShape shapeOf(const std::string& types) {
    const std::size_t cut = types.find('/');
    const KvRowType keys = kvTypeFromName(types.substr(0, cut)).value();
    const KvRowType values =
        cut == std::string::npos ? keys : kvTypeFromName(types.substr(cut + 1)).value();
    KvShape shape{.layers = 28, .kvHeads = 8, .keyDim = 128, .valueDim = 128};
    shape.type = keys.quant.plain() ? keys.type : values.type;
    shape.keyQuant = keys.quant;
    shape.valueQuant = values.quant;
    if (shape.rotated()) shape.exact = {128, 4};
    return shape;
}

void append(KvCache& cache, int tokens, const std::vector<float>& rows) {
    const KvShape& shape = cache.shape();
    if (!cache.beginAppend(tokens)) std::abort();
    for (int layer = 0; layer < shape.layers; ++layer) {
        const float* const from = rows.data() + (layer * 977 + cache.offset().value * 13) % 4096;
        cache.writeLayer(LayerIndex(layer), {from, {tokens, shape.kvHeads, shape.keyDim}},
                         {from + 7, {tokens, shape.kvHeads, shape.valueDim}});
    }
    cache.commitAppend();
}

/// Returns the processor time of all threads of this process.
double processorMs() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

void measure(const std::string& from, const std::string& to, int tokens, ThreadPool& pool) {
    constexpr int kChunk = 64;
    const SteadyClock clock;
    RandomStream random(3, 1);
    std::vector<float> rows(std::size_t{kChunk} * 8 * 128 + 8192);
    for (float& x : rows) x = static_cast<float>(random.normal());
    auto cache = makeSlotCache(shapeOf(from)).value();
    for (int token = 0; token < tokens; token += kChunk)
        append(*cache, std::min(kChunk, tokens - token), rows);
    const KvChoice wanted = withRowsOf(*cache, {.shape = shapeOf(to), .window = {}, .layers = {}});
    auto recoding = RowRecoding::begin(*cache, wanted, {}).value();
    const std::int64_t most = kNumbersOfSlice / (128 + 128);
    std::vector<double> slices;
    std::vector<double> processor;
    for (bool done = false; !done;) {
        const double processorBegin = processorMs();
        const std::int64_t begin = clock.nowNs();
        done =
            recoding->advance(*cache, {.rows = most, .kept = cache->offset().value}, pool).value();
        slices.push_back(millisecondsSince(clock, begin));
        processor.push_back(processorMs() - processorBegin);
        if (!done) append(*cache, 1, rows);
    }
    const std::int64_t before = cache->stats().liveBytes;
    const std::int64_t taking = clock.nowNs();
    auto made = recoding->take(*cache).value();
    const double takeMs = millisecondsSince(clock, taking);
    cache.reset();
    double dropMs = 0;
    for (bool more = true; more;) {
        const std::int64_t dropping = clock.nowNs();
        more = recoding->release(std::int64_t{16} << 20);
        dropMs = std::max(dropMs, millisecondsSince(clock, dropping));
    }
    double all = 0;
    for (const double ms : slices) all += ms;
    std::ranges::sort(slices);
    std::ranges::sort(processor);
    std::printf(
        "%s\n",
        format("{{\"from\": \"{}\", \"to\": \"{}\", \"tokens\": {}, \"threads\": {}, "
               "\"slices\": {}, \"slice_ms_median\": {:.2f}, \"slice_ms_p95\": {:.2f}, "
               "\"slice_ms_most\": {:.2f}, \"slice_processor_ms_median\": {:.2f}, "
               "\"exchange_ms\": {:.2f}, \"drop_ms_most\": {:.2f}, "
               "\"all_ms\": {:.0f}, \"mib_before\": {:.1f}, \"mib_after\": {:.1f}}}",
               from, to, tokens, pool.threads(), slices.size(), slices[slices.size() / 2],
               slices[slices.size() * 95 / 100], slices.back(), processor[processor.size() / 2],
               takeMs, dropMs, all, static_cast<double>(before) / (1 << 20),
               static_cast<double>(made->stats().liveBytes) / (1 << 20))
            .c_str());
    std::fflush(stdout);
}

}  // namespace
}  // namespace lacuna::test

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    lacuna::ThreadPool pool(std::atoi(argv[2]));
    for (int i = 3; i + 1 < argc; i += 2)
        lacuna::test::measure(argv[i], argv[i + 1], std::atoi(argv[1]), pool);
    return 0;
}
