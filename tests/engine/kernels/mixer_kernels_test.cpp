// Recurrent mixers: every table against the equations in float64, and runs divided in any way.

#include "engine/kernels/mixer_rows.h"

#include "tests/engine/kernels/kernel_fixtures.h"

namespace lacuna::test {
namespace {

using Numbers = std::vector<float>;

class MixerKernels : public EveryKernelTable {
  protected:
    [[nodiscard]] Numbers convolved(CausalConvolution job) const {
        Numbers out(static_cast<std::size_t>(job.tokens * job.channels));
        job.out = out.data();
        kernels().convolve(job);
        return out;
    }
};

TEST_P(MixerKernels, convolve_aToken_seesItsHistoryAndNoLaterToken) {
    // One channel, kernel 1 10 100: each output shows which inputs it read.
    const Numbers kernel{1.0F, 10.0F, 100.0F};
    const Numbers history{1.0F, 2.0F};
    const Numbers inputs{3.0F, 4.0F, 5.0F};
    CausalConvolution job;
    job.kernelWidth = 3;
    job.channels = 1;
    job.kernel = kernel.data();
    job.history = history.data();
    job.inputs = inputs.data();
    job.count = 1;
    job.tokens = 3;
    EXPECT_EQ(convolved(job), (Numbers{321.0F, 432.0F, 543.0F}));
    job.from = 2;
    job.tokens = 1;
    EXPECT_EQ(convolved(job), Numbers{543.0F});
}

TEST_P(MixerKernels, convolve_silu_isExactToSevenDigits) {
    const Numbers kernel(1, 1.0F);
    Numbers inputs;
    for (float x = -100.0F; x < 100.0F; x += 0.37F) inputs.push_back(x);
    CausalConvolution job;
    job.kernelWidth = 1;
    job.channels = 1;
    job.kernel = kernel.data();
    job.inputs = inputs.data();
    job.output = ConvolutionOutput::Silu;
    job.count = 1;
    job.tokens = std::ssize(inputs);
    const Numbers out = convolved(job);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double x = double{inputs[i]};
        const double expected = x / (1.0 + std::exp(-x));
        EXPECT_NEAR(out[i], expected, 4e-7 * std::abs(expected) + 1e-30) << x;
    }
}

TEST_P(MixerKernels, convolve_anyDivisionOfChannels_givesTheSameBits) {
    constexpr std::int64_t kChannels = 77;
    const Numbers kernel = randomFloats(4 * kChannels, 1);
    const Numbers bias = randomFloats(kChannels, 2);
    const Numbers history = randomFloats(3 * kChannels, 3);
    const Numbers inputs = randomFloats(5 * kChannels, 4);
    CausalConvolution job;
    job.kernelWidth = 4;
    job.channels = kChannels;
    job.kernel = kernel.data();
    job.bias = bias.data();
    job.history = history.data();
    job.inputs = inputs.data();
    job.output = ConvolutionOutput::Silu;
    job.count = kChannels;
    job.tokens = 5;
    const Numbers whole = convolved(job);
    Numbers pieces(whole.size());
    job.out = pieces.data();
    for (std::int64_t first = 0; first < kChannels; first += 13) {
        job.first = first;
        job.count = std::min<std::int64_t>(13, kChannels - first);
        kernels().convolve(job);
    }
    EXPECT_EQ(pieces, whole);
}

TEST_P(MixerKernels, decays_anySize_areExactToSixDigits) {
    for (const std::size_t n : {1U, 5U, 16U, 33U}) {
        const Numbers steps = randomFloats(n, n, 15.0);
        const Numbers bias = randomFloats(n, n + 1);
        Numbers out(n);
        kernels().decays(steps.data(), bias.data(), -0.05F, out.data(),
                         static_cast<std::int64_t>(n));
        for (std::size_t i = 0; i < n; ++i) {
            const double x = double{steps[i] + bias[i]};
            EXPECT_NEAR(out[i], std::exp(double{-0.05F} * std::log1p(std::exp(x))), 1e-6) << x;
        }
    }
}

/// A head with random inputs.
class Head {
  public:
    Head(UpdateRule rule, int keyDim, int valueDim, std::int64_t tokens) {
        run_.rule = rule;
        run_.keyDim = keyDim;
        run_.valueDim = valueDim;
        run_.stride = 2 * keyDim + valueDim;
        run_.gateStride = keyDim + 1;
        run_.outStride = valueDim + 3;
        run_.skip = 0.7F;
        run_.tokens = tokens;
        const auto count = static_cast<std::size_t>(tokens);
        // Keys and queries have a length of about 1.
        rows_ = randomFloats(count * static_cast<std::size_t>(run_.stride), 1);
        for (std::size_t i = 0; i < rows_.size(); ++i)
            if (static_cast<int>(i) % run_.stride < 2 * keyDim)
                rows_[i] /= std::sqrt(static_cast<float>(keyDim));
        RandomStream random(5, 5);
        gates_.resize(count * static_cast<std::size_t>(run_.gateStride));
        for (float& x : gates_) x = static_cast<float>(0.1 + 0.9 * random.uniform());
        start_ =
            randomFloats(static_cast<std::size_t>(keyDim) * static_cast<std::size_t>(valueDim), 3);
    }

    struct Text {
        Numbers matrix;
        Numbers out;
        bool operator==(const Text&) const = default;
    };

    [[nodiscard]] Text run(const KernelTable& kernels, std::int64_t each) const {
        Text text{start_, Numbers(static_cast<std::size_t>(run_.outStride * run_.tokens))};
        for (std::int64_t t = 0; t < run_.tokens; t += each) {
            MatrixRun piece = run_;
            piece.queries = rows_.data() + t * run_.stride;
            piece.keys = piece.queries + run_.keyDim;
            piece.values = piece.keys + run_.keyDim;
            piece.decays = gates_.data() + t * run_.gateStride;
            piece.strengths = piece.decays + run_.keyDim;
            piece.matrix = text.matrix.data();
            piece.out = text.out.data() + t * run_.outStride;
            piece.tokens = std::min(each, run_.tokens - t);
            kernels.updateMatrix(piece);
        }
        return text;
    }

    struct Exact {
        std::vector<double> matrix;
        std::vector<double> out;
    };

    [[nodiscard]] Exact exact() const {
        const auto number = [](const Numbers& from, std::int64_t at) {
            return double{from[static_cast<std::size_t>(at)]};
        };
        Exact text{{start_.begin(), start_.end()},
                   std::vector<double>(static_cast<std::size_t>(run_.outStride * run_.tokens))};
        for (std::int64_t t = 0; t < run_.tokens; ++t) {
            const std::int64_t query = t * run_.stride;
            const std::int64_t key = query + run_.keyDim;
            const std::int64_t gate = t * run_.gateStride;
            for (int column = 0; column < run_.valueDim; ++column) {
                const auto cell = [&](int i) -> double& {
                    return text.matrix[static_cast<std::size_t>(i * run_.valueDim + column)];
                };
                const double value = number(rows_, key + run_.keyDim + column);
                double held = 0.0;
                for (int i = 0; i < run_.keyDim; ++i) {
                    cell(i) *= number(gates_, gate + (run_.rule == UpdateRule::DeltaByKey ? i : 0));
                    held += cell(i) * number(rows_, key + i);
                }
                const bool outer = run_.rule == UpdateRule::Outer;
                const double added =
                    number(gates_, gate + run_.keyDim) * (outer ? value : value - held);
                double sum = outer ? double{run_.skip} * value : 0.0;
                for (int i = 0; i < run_.keyDim; ++i) {
                    cell(i) += number(rows_, key + i) * added;
                    sum += cell(i) * number(rows_, query + i);
                }
                text.out[static_cast<std::size_t>(t * run_.outStride + column)] = sum;
            }
        }
        return text;
    }

  private:
    MatrixRun run_;
    Numbers rows_;
    Numbers gates_;
    Numbers start_;
};

constexpr std::int64_t kTokens = 11;

/// Calls check(head, name) for sizes with whole and partial tiles, copied and in place.
template <class Check>
void forEachHead(const Check& check) {
    for (const UpdateRule rule : {UpdateRule::Delta, UpdateRule::DeltaByKey, UpdateRule::Outer})
        for (const auto& [keyDim, valueDim] :
             {std::pair{128, 128}, {128, 64}, {7, 1}, {16, 19}, {64, 100}, {300, 80}, {600, 33}})
            check(Head(rule, keyDim, valueDim, kTokens), std::to_string(static_cast<int>(rule)) +
                                                             ": " + std::to_string(keyDim) + " x " +
                                                             std::to_string(valueDim));
}

TEST_P(MixerKernels, updateMatrix_everyRuleAndSize_agreesWithTheEquations) {
    forEachHead([&](const Head& head, const std::string& name) {
        SCOPED_TRACE(name);
        const Head::Text text = head.run(kernels(), kTokens);
        const Head::Exact exact = head.exact();
        expectNear(text.matrix, exact.matrix, 3e-6);
        expectNear(text.out, exact.out, 3e-6);
    });
}

TEST_P(MixerKernels, updateMatrix_anyDivisionIntoRuns_givesTheSameBits) {
    forEachHead([&](const Head& head, const std::string& name) {
        const Head::Text whole = head.run(kernels(), kTokens);
        for (const std::int64_t each : {1, 3, 4})
            EXPECT_EQ(head.run(kernels(), each), whole) << name << ", runs of " << each;
    });
}

INSTANTIATE_TEST_SUITE_P(Tables, MixerKernels, ::testing::ValuesIn(tableNames()), tableTestName);

}  // namespace
}  // namespace lacuna::test
