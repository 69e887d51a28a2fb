// Speed of recurrent mixers on one thread, for a prefill and for single tokens, with every kernel
// table of this machine in turn: medians of processor time. Informative only.
//   bench_mixer [repetitions]
// GFlop/s count the update of the states only: 7 operations for each number of a state and token,
// 5 with Mamba-2. A single token reads and writes the states of 18 layers in turn.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/random.h"
#include "engine/recurrent/mixer.h"

namespace lacuna::test {
namespace {

struct Named {
    const char* name;
    MixerShape shape;
};

std::vector<Named> shapes() {
    const auto delta = [](MixerKind kind, int keyHeads, int valueHeads) {
        return MixerShape{.kind = kind,
                          .kernel = 4,
                          .keyHeads = keyHeads,
                          .valueHeads = valueHeads,
                          .keyDim = 128,
                          .valueDim = 128};
    };
    return {{"qwen3.5-0.8b", delta(MixerKind::DeltaNet, 16, 16)},
            {"qwen3-next", delta(MixerKind::DeltaNet, 16, 32)},
            {"kimi-linear", delta(MixerKind::KimiDelta, 32, 32)},
            {"granite-4-h-tiny",
             {.kind = MixerKind::Mamba2,
              .kernel = 4,
              .keyHeads = 1,
              .valueHeads = 48,
              .keyDim = 128,
              .valueDim = 64}},
            {"lfm2-1.2b", {.kind = MixerKind::ShortConvolution, .kernel = 3, .width = 2048}}};
}

std::vector<float> randomNumbers(std::int64_t count, double size) {
    RandomStream random(1, 1);
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& x : numbers) x = static_cast<float>(random.uniform() * size);
    return numbers;
}

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Seconds of one run of `tokens` in each of `layers`.
double seconds(const MixerWeights& weights, const KernelTable& kernels, std::int64_t tokens,
               int layers) {
    const MixerShape& s = weights.shape;
    static std::vector<float> states;
    states.resize(static_cast<std::size_t>(s.matrixNumbers() * layers));
    const std::vector<float> columns = randomNumbers(s.channels() * (tokens + s.kernel), 0.1);
    const std::vector<float> gates = randomNumbers(s.gates() * tokens, 0.9);
    std::vector<float> out(static_cast<std::size_t>(s.outputs() * tokens));
    std::vector<float> scratch(static_cast<std::size_t>(mixerScratch(s, tokens)));
    const double start = processorSeconds();
    for (int layer = 0; layer < layers; ++layer)
        runMixer(weights,
                 {.history = columns.data(),
                  .columns = columns.data() + s.historyNumbers(),
                  .gates = gates.data(),
                  .matrix = states.data() + layer * s.matrixNumbers(),
                  .out = out.data(),
                  .tokens = tokens,
                  .kernels = kernels},
                 scratch, nullptr);
    return processorSeconds() - start;
}

void measure(const Named& named, int repetitions) {
    MixerWeights weights;
    weights.shape = named.shape;
    weights.kernel = randomNumbers(named.shape.kernel * named.shape.channels(), 0.5);
    if (named.shape.kind == MixerKind::Mamba2)
        weights.skip = randomNumbers(named.shape.valueHeads, 1.0);
    const double each = named.shape.kind == MixerKind::Mamba2 ? 5.0 : 7.0;
    for (const auto& [tokens, layers] : {std::pair<std::int64_t, int>{256, 1}, {1, 18}}) {
        const std::span<const KernelTable> tables = availableKernels();
        std::vector<std::vector<double>> times(tables.size());
        for (int i = 0; i < repetitions; ++i)
            for (std::size_t k = 0; k < tables.size(); ++k)
                times[k].push_back(seconds(weights, tables[k], tokens, layers));
        for (std::size_t k = 0; k < tables.size(); ++k) {
            std::ranges::sort(times[k]);
            const double median = times[k][times[k].size() / 2];
            const auto work = static_cast<double>(tokens * layers);
            std::printf(
                "%-18s %3d tokens  %-18s %8.2f us per token and layer  %6.1f GFlop/s\n", named.name,
                static_cast<int>(tokens), std::string(tables[k].name).c_str(), median / work * 1e6,
                each * static_cast<double>(named.shape.matrixNumbers()) * work / median * 1e-9);
        }
    }
}

}  // namespace
}  // namespace lacuna::test

int main(int argc, char** argv) {
    const int repetitions = argc > 1 ? std::max(std::atoi(argv[1]), 1) : 9;
    for (const auto& named : lacuna::test::shapes()) lacuna::test::measure(named, repetitions);
    return 0;
}
