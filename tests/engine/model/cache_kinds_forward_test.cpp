// The forward pass over every kind of cache: a cache may drop only rows that no query sees, and its
// rounding may move the logits only by as much.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/model/model_cache.h"
#include "engine/model/transformer.h"
#include "tests/support/random_model.h"

namespace lacuna::test {
namespace {

constexpr int kTokens = 90;

std::vector<TokenId> someTokens(int n) {
    std::vector<TokenId> ids;
    for (int i = 0; i < n; ++i) ids.push_back((11 + 53 * i) % 259);
    return ids;
}

/// Every second layer has a window.
ModelSpec hybridSpec(int window) {
    ModelSpec spec = smallSpec();
    spec.window = window;
    spec.layerSpecs.resize(static_cast<std::size_t>(spec.layers));
    for (std::size_t i = 0; i < spec.layerSpecs.size(); i += 2) spec.layerSpecs[i].sliding = true;
    return spec;
}

KvOptions floats() {
    KvOptions options;
    options.type = DType::F32;
    return options;
}

/// A model, its cache and its prompts.
class Forward {
  public:
    explicit Forward(const ModelSpec& spec)
        : spec_(spec),
          pool_(2),
          transformer_(Transformer::create(makeRandomModel(spec, DType::F32).value(), pool_,
                                           {.precision = Precision::Exact})
                           .value()) {}

    [[nodiscard]] std::unique_ptr<KvCache> cache(const KvOptions& options) const {
        return makeCacheFor(cacheModelOf(spec_), options).value();
    }
    /// Returns the logits of all tokens, read in consecutive chunks.
    [[nodiscard]] std::vector<float> read(KvCache& cache, std::span<const TokenId> tokens,
                                          std::size_t chunk) {
        std::vector<float> all;
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = LogitsFor::AllTokens};
            const auto rows = transformer_->forward({&run, 1}, {});
            EXPECT_TRUE(rows.has_value()) << (rows ? "" : describe(rows.error()));
            if (rows) all.insert(all.end(), rows->data(), rows->data() + rows->size());
        }
        return all;
    }

  private:
    ModelSpec spec_;
    ThreadPool pool_;
    std::unique_ptr<Transformer> transformer_;
};

double worstDifference(const std::vector<float>& a, const std::vector<float>& b) {
    EXPECT_EQ(a.size(), b.size());
    double worst = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        worst = std::max(worst, std::fabs(double{a[i]} - double{b[i]}));
    return worst;
}

TEST(ForwardCacheKinds, rotatingWindowOfAllTokens_equalsDenseBitForBit) {
    Forward forward(smallSpec());
    const auto tokens = someTokens(kTokens);
    for (const KvQuant quant : {KvQuant{}, KvQuant{8, 32}, KvQuant{4, 32}, KvQuant{3, 0}})
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{7}, std::size_t{90}}) {
            KvOptions options;
            options.quant = quant;
            const auto dense = forward.cache(options);
            options.exactWindow = 16;
            const auto dense16 = forward.cache(options);
            options.window = kTokens;
            const auto rotating16 = forward.cache(options);
            options.exactWindow = 128;
            const auto rotating = forward.cache(options);
            ASSERT_EQ(rotating->capabilities().kind, KvKind::Rotating);
            EXPECT_EQ(forward.read(*dense, tokens, chunk), forward.read(*rotating, tokens, chunk));
            EXPECT_EQ(forward.read(*dense16, tokens, chunk),
                      forward.read(*rotating16, tokens, chunk));
        }
}

// Every query sees nearby tokens in 16 bits, however the text was split into chunks. The more
// tokens are held in 16 bits, the closer the logits are to those of a full cache.
TEST(ForwardCacheKinds, exactWindow_isTheSameForEveryChunk_andLosesLess) {
    Forward forward(smallSpec());
    const auto tokens = someTokens(kTokens);
    const auto whole = forward.read(*forward.cache(floats()), tokens, kTokens);
    double before = std::numeric_limits<double>::infinity();
    for (const int newest : {0, 16, 64, 1024}) {
        KvOptions options;
        options.quant = {2, 0};
        options.exactWindow = newest;
        const auto at = [&](std::size_t chunk) {
            return forward.read(*forward.cache(options), tokens, chunk);
        };
        const auto once = at(kTokens);
        // Sums in another order may round to a different 16-bit number.
        EXPECT_LT(worstDifference(at(1), once), 2e-3) << newest;
        EXPECT_LT(worstDifference(at(13), once), 2e-3) << newest;
        double square = 0;
        for (std::size_t i = 0; i < once.size(); ++i)
            square += std::pow(double{once[i]} - double{whole[i]}, 2);
        EXPECT_LT(square, before) << newest;
        before = square;
    }
    EXPECT_LT(before, 1e-2) << "rounding to 16 bits alone";
}

TEST(ForwardCacheKinds, rotatingWindow_equalsAModelWindowOfThatLength) {
    constexpr int kWindow = 16;
    ModelSpec spec = smallSpec();
    ModelSpec sliding = spec;
    sliding.window = kWindow;
    sliding.layerSpecs.assign(static_cast<std::size_t>(spec.layers), {.sliding = true});
    Forward plain(spec);
    Forward windowed(sliding);
    const auto tokens = someTokens(kTokens);
    KvOptions options = floats();
    options.layerCaches = LayerCaches::Uniform;
    for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}}) {
        const auto dense = windowed.cache(options);
        KvOptions bounded = options;
        bounded.window = kWindow;
        bounded.nSink = 0;
        const auto rotating = plain.cache(bounded);
        const auto expected = windowed.read(*dense, tokens, chunk);
        const auto found = plain.read(*rotating, tokens, chunk);
        EXPECT_LT(worstDifference(found, expected), 5e-5);
        EXPECT_LE(rotating->size(), kWindow + static_cast<int>(chunk));
        EXPECT_LT(rotating->stats().liveBytes, dense->stats().liveBytes / 2);
    }
}

TEST(ForwardCacheKinds, HE_04_listPerLayer_equalsDenseWithMask_inFewerBytes) {
    for (const int window : {2, 16, 60}) {
        Forward forward(hybridSpec(window));
        const auto tokens = someTokens(kTokens);
        for (const std::size_t chunk : {std::size_t{1}, std::size_t{13}, std::size_t{90}}) {
            KvOptions options = floats();
            const auto list = forward.cache(options);
            options.layerCaches = LayerCaches::Uniform;
            const auto dense = forward.cache(options);
            ASSERT_EQ(list->capabilities().kind, KvKind::List);
            ASSERT_EQ(dense->capabilities().kind, KvKind::Dense);
            const auto expected = forward.read(*dense, tokens, chunk);
            const auto found = forward.read(*list, tokens, chunk);
            EXPECT_LT(worstDifference(found, expected), 5e-5) << window << " " << chunk;
            static_cast<void>(forward.read(*list, someTokens(1), 1));  // drops the tokens before
                                                                       // this chunk's window
            EXPECT_LT(list->stats().liveBytes, dense->stats().liveBytes);
        }
    }
}

// The difference to unquantised rows falls with the bits, and neither cache is silently
// unquantised.
TEST(ForwardCacheKinds, quantisedRows_changeLogitsLittle_inFewerBytes) {
    Forward forward(smallSpec());
    const auto tokens = someTokens(kTokens);
    KvOptions options;
    const auto plain = forward.cache(options);
    const auto expected = forward.read(*plain, tokens, 13);
    double largest = 0;
    for (const float x : expected) largest = std::max(largest, std::fabs(double{x}));
    double previous = 0;
    for (const int bits : {8, 4}) {
        options.quant = {bits, 32};
        const auto coded = forward.cache(options);
        const double gap = worstDifference(forward.read(*coded, tokens, 13), expected);
        EXPECT_LT(gap, largest * (bits == 8 ? 0.02 : 0.4)) << bits;
        EXPECT_GT(gap, previous) << bits;
        previous = gap;
        const KvStats stats = coded->stats();
        EXPECT_EQ(stats.logicalBytes, plain->stats().liveBytes);
        EXPECT_EQ(stats.liveBytes * 64, plain->stats().liveBytes * (bits == 8 ? 36 : 20));
    }
}

TEST(ForwardCacheKinds, rotatedCodes_changeLogitsAccordingToTheirBits) {
    Forward forward(smallSpec());
    const auto tokens = someTokens(kTokens);
    KvOptions options;
    options.exactWindow = 0;
    const auto plain = forward.cache(options);
    const auto expected = forward.read(*plain, tokens, 13);
    double largest = 0;
    for (const float x : expected) largest = std::max(largest, std::fabs(double{x}));
    double previous = 0;
    for (const int bits : {8, 6, 4, 2}) {
        options.quant = {bits, 0};
        const auto coded = forward.cache(options);
        const auto found = forward.read(*coded, tokens, 13);
        const double gap = worstDifference(found, expected);
        EXPECT_LT(gap, largest * (bits == 8 ? 0.02 : 0.8)) << bits;
        EXPECT_GT(gap, previous) << bits;
        previous = gap;
        EXPECT_EQ(coded->stats().liveBytes * 64, plain->stats().liveBytes * (bits * 4 + 2));
    }
}

}  // namespace
}  // namespace lacuna::test
