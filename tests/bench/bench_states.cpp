// Error of checkpoints of recurrent states in 8 bits: a text is read, rolled back to a checkpoint
// in float32 and to one in 8 bits, and continued from both. One line of JSON.
//   bench_states MODEL [tokens] [checkpoint] [next] [seed]
// The text is random tokens. The logits after each of the `next` tokens after the checkpoint are
// compared; then both continue greedily from the last of them.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kv/state/state_store.h"
#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"

namespace lacuna {
namespace {

constexpr std::size_t kChunk = 128;

struct Continued {
    std::vector<std::vector<float>> logits;
    std::vector<TokenId> greedy;
    std::int64_t bytes = 0;  ///< of the checkpoint
};

std::size_t best(const std::vector<float>& logits) {
    return static_cast<std::size_t>(std::ranges::max_element(logits) - logits.begin());
}

Result<std::vector<float>> feed(Transformer& transformer, KvCache& cache,
                                std::span<const TokenId> tokens) {
    const BatchRun run{tokens, &cache, LogitsFor::LastToken, nullptr};
    LACUNA_TRY(const auto out, transformer.forward({&run, 1}, {}));
    return std::vector<float>(out.data(), out.data() + out.size());
}

Result<Continued> continued(const LoadedModel& model, Transformer& transformer,
                            std::span<const TokenId> text, std::int64_t at, std::int64_t next,
                            StateType type) {
    LACUNA_TRY(const auto cache, makeModelCache(model, {}));
    StateStore* const states = cache->states();
    if (states == nullptr) return fail(ErrorCode::Unsupported, "the model has no recurrent layers");
    states->limitCheckpoints({.bytes = std::int64_t{1} << 40, .type = type});
    LACUNA_TRY_STATUS(states->requestCheckpoint(at));
    for (std::size_t done = 0; done < text.size(); done += kChunk) {
        const auto chunk = text.subspan(done, std::min(kChunk, text.size() - done));
        LACUNA_TRY([[maybe_unused]] const auto read, feed(transformer, *cache, chunk));
    }
    Continued result;
    result.bytes = cache->stats().checkpointBytes;
    LACUNA_TRY_STATUS(cache->rollback(static_cast<int>(std::ssize(text) - at)));
    for (std::int64_t i = 0; i < next; ++i) {
        LACUNA_TRY(auto logits,
                   feed(transformer, *cache, text.subspan(static_cast<std::size_t>(at + i), 1)));
        result.logits.push_back(std::move(logits));
    }
    TokenId token = static_cast<TokenId>(best(result.logits.back()));
    for (std::int64_t i = 0; i < next; ++i) {
        result.greedy.push_back(token);
        LACUNA_TRY(const auto logits, feed(transformer, *cache, {&token, 1}));
        token = static_cast<TokenId>(best(logits));
    }
    return result;
}

/// Divergence of the distribution of b from that of a, in nats.
double divergence(const std::vector<float>& a, const std::vector<float>& b) {
    const auto logSum = [](const std::vector<float>& logits) {
        const double most = *std::ranges::max_element(logits);
        double sum = 0;
        for (const double x : logits) sum += std::exp(x - most);
        return most + std::log(sum);
    };
    const double sumA = logSum(a);
    const double sumB = logSum(b);
    double kl = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        kl += std::exp(double{a[i]} - sumA) * ((double{a[i]} - sumA) - (double{b[i]} - sumB));
    return kl;
}

Status run(const char* path, std::int64_t tokens, std::int64_t at, std::int64_t next,
           std::uint64_t seed) {
    LACUNA_TRY(const auto model, loadModel(path));
    ThreadPool pool(2);
    LACUNA_TRY(const auto transformer,
               Transformer::create(
                   model, pool,
                   {.precision = Precision::TwoTerms, .maxTokens = static_cast<int>(kChunk)}));
    RandomStream random(seed, 1);
    std::vector<TokenId> text;
    for (std::int64_t i = 0; i < tokens; ++i)
        text.push_back(
            static_cast<TokenId>(random.below(static_cast<std::uint64_t>(model->spec.vocabulary))));
    LACUNA_TRY(const auto exact,
               continued(*model, *transformer, text, at, next, StateType::Float32));
    LACUNA_TRY(const auto coded, continued(*model, *transformer, text, at, next, StateType::Int8));
    double largest = 0;
    double spread = 0;
    double kl = 0;
    std::int64_t same = 0;
    for (std::size_t i = 0; i < exact.logits.size(); ++i) {
        const auto [low, high] = std::ranges::minmax(exact.logits[i]);
        spread = std::max(spread, static_cast<double>(high - low));
        for (std::size_t j = 0; j < exact.logits[i].size(); ++j)
            largest = std::max(largest,
                               std::fabs(double{exact.logits[i][j]} - double{coded.logits[i][j]}));
        kl += divergence(exact.logits[i], coded.logits[i]);
        same += best(exact.logits[i]) == best(coded.logits[i]) ? 1 : 0;
    }
    const auto diverged = std::ranges::mismatch(exact.greedy, coded.greedy).in1;
    std::printf("%s\n",
                format("{{\"model\": \"{}\", \"tokens\": {}, \"checkpoint\": {}, \"next\": {}, "
                       "\"bytes_f32\": {}, \"bytes_int8\": {}, \"largest_logit_difference\": "
                       "{:.6f}, \"spread_of_logits\": {:.3f}, \"mean_kl\": {:.3e}, "
                       "\"same_likeliest\": {}, \"greedy_tokens_alike\": {}}}",
                       path, tokens, at, next, exact.bytes, coded.bytes, largest, spread,
                       kl / static_cast<double>(next), same, diverged - exact.greedy.begin())
                    .c_str());
    return {};
}

}  // namespace
}  // namespace lacuna

int main(int count, char** arguments) {
    if (count < 2) {
        std::fprintf(stderr, "bench_states MODEL [tokens] [checkpoint] [next] [seed]\n");
        return 2;
    }
    const auto number = [&](int index, std::int64_t otherwise) {
        return count > index ? std::atoll(arguments[index]) : otherwise;
    };
    const std::int64_t tokens = number(2, 512);
    const auto done = lacuna::run(arguments[1], tokens, number(3, tokens / 2), number(4, 64),
                                  static_cast<std::uint64_t>(number(5, 1)));
    if (done) return 0;
    std::fprintf(stderr, "%s\n", lacuna::describe(done.error()).c_str());
    return 1;
}
