// Speed of the forward pass on random weights of a given shape, as one line of JSON. Informative
// only.
//   bench_forward [pilot|qwen3-0.6b|llama-1b] [f32|f16|bf16|q8_0] [prefill] [decode] [threads]
//   [fast|two_terms|exact] [kernels]
// After the prefill of one prompt, `decode` single tokens follow on the same cache.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

struct Shape {
    int layers, hidden, heads, kvHeads, headDim, feedForward, vocabulary;
};

ModelSpec specOf(const std::string& name) {
    const Shape shape = name == "pilot"      ? Shape{8, 512, 8, 4, 64, 1536, 8192}
                        : name == "llama-1b" ? Shape{16, 2048, 32, 8, 64, 8192, 128256}
                                             : Shape{28, 1024, 16, 8, 128, 3072, 151936};
    ModelSpec spec;
    spec.architecture = "llama";
    spec.layers = shape.layers;
    spec.hidden = shape.hidden;
    spec.heads = shape.heads;
    spec.kvHeads = shape.kvHeads;
    spec.headDim = shape.headDim;
    spec.feedForward = shape.feedForward;
    spec.vocabulary = shape.vocabulary;
    spec.context = 32768;
    spec.rope.dim = spec.headDim;
    spec.tiedEmbeddings = true;
    spec.qkNorm = name == "qwen3-0.6b" ? QkNorm::PerHead : QkNorm::None;
    return spec;
}

std::uint64_t bytesOf(const WeightMatrix& w) {
    return static_cast<std::uint64_t>(w.rows) *
           rowBytes(w.type, static_cast<std::uint64_t>(w.columns));
}

// Returns the bytes of weights that one decoded token reads.
std::uint64_t bytesPerToken(const Weights& weights) {
    std::uint64_t bytes = bytesOf(weights.output);
    for (const LayerWeights& l : weights.layers)
        for (const WeightMatrix* w :
             {&l.query, &l.key, &l.value, &l.output, &l.gate, &l.up, &l.down})
            bytes += bytesOf(*w);
    return bytes;
}

struct Timing {
    double prefillSeconds = 0;
    double decodeSeconds = 0;
};

Result<Timing> measure(Transformer& transformer, KvCache& cache, int prefill, int decode) {
    const SteadyClock clock;
    const int vocabulary = transformer.model().spec.vocabulary;
    std::vector<TokenId> prompt;
    for (int i = 0; i < prefill; ++i) prompt.push_back(i * 37 % vocabulary);
    Timing timing;
    std::int64_t start = clock.nowNs();
    for (std::size_t at = 0; at < prompt.size(); at += 256) {
        const std::size_t count = std::min<std::size_t>(256, prompt.size() - at);
        const BatchRun run{std::span(prompt).subspan(at, count), &cache,
                           at + count == prompt.size() ? LogitsFor::LastToken : LogitsFor::None,
                           nullptr};
        LACUNA_TRY([[maybe_unused]] const auto logits, transformer.forward({&run, 1}, {}));
    }
    timing.prefillSeconds = static_cast<double>(clock.nowNs() - start) * 1e-9;
    start = clock.nowNs();
    for (int i = 0; i < decode; ++i) {
        const TokenId id = i * 41 % vocabulary;
        const BatchRun run{{&id, 1}, &cache, LogitsFor::LastToken, nullptr};
        LACUNA_TRY([[maybe_unused]] const auto logits, transformer.forward({&run, 1}, {}));
    }
    timing.decodeSeconds = static_cast<double>(clock.nowNs() - start) * 1e-9;
    return timing;
}

Result<std::string> run(const std::vector<std::string>& words) {
    const auto word = [&](std::size_t i, const char* otherwise) {
        return i < words.size() ? words[i] : otherwise;
    };
    const auto number = [&](std::size_t i, const char* otherwise) {
        return std::atoi(word(i, otherwise).c_str());
    };
    const std::string shape = word(0, "qwen3-0.6b");
    const DType type = dtypeFromName(word(1, "q8_0")).value_or(DType::Q8_0);
    const int prefill = number(2, "512");
    const int decode = number(3, "64");
    ThreadPool pool(number(4, "2"));
    const Precision precision = valueOfKey<Precision>(word(5, "fast")).value_or(Precision::Fast);
    const KernelTable* kernels = findKernels(word(6, ""));
    LACUNA_TRY(const auto model, makeRandomModel(specOf(shape), type));
    LACUNA_TRY(const auto transformer,
               Transformer::create(model, pool, {.precision = precision, .kernels = kernels}));
    const ModelSpec& spec = model->spec;
    const KvShape kv{spec.layers, spec.kvHeads, spec.headDim, spec.headDim, DType::F16};
    LACUNA_TRY(const auto warm, makeSlotCache(kv));
    LACUNA_TRY([[maybe_unused]] const Timing unused, measure(*transformer, *warm, 16, 2));
    LACUNA_TRY(const auto cache, makeSlotCache(kv));
    LACUNA_TRY(const Timing timing, measure(*transformer, *cache, prefill, decode));
    const double bytes = static_cast<double>(bytesPerToken(model->weights));
    return format(
        "{{\"shape\": \"{}\", \"type\": \"{}\", \"kernels\": \"{}\", \"threads\": {}, \"prefill\": "
        "{}, "
        "\"prefill_tokens_per_second\": {:.1f}, \"decode\": {}, \"decode_tokens_per_second\": "
        "{:.2f}, "
        "\"weight_gigabytes_per_second\": {:.1f}}}",
        shape, info(type).name, kernels != nullptr ? kernels->name : bestKernels().name,
        pool.threads(), prefill, prefill / timing.prefillSeconds, decode,
        decode / timing.decodeSeconds, bytes * decode / timing.decodeSeconds * 1e-9);
}

}  // namespace
}  // namespace lacuna::test

int main(int count, char** words) {
    const auto line = lacuna::test::run({words + 1, words + count});
    std::puts(line ? line->c_str() : lacuna::describe(line.error()).c_str());
    return line ? 0 : 1;
}
