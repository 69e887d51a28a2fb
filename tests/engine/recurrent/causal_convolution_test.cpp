#include "engine/recurrent/causal_convolution.h"

#include <gtest/gtest.h>

#include "mixer_fixture.h"

namespace lacuna::test {
namespace {

TEST(CausalConvolution, token_seesItsHistoryAndNoLaterToken) {
    // One channel, kernel 1 10 100: each output shows which inputs it read.
    const Numbers kernel{1.0F, 10.0F, 100.0F};
    const Numbers history{1.0F, 2.0F};
    const Numbers inputs{3.0F, 4.0F, 5.0F};
    Numbers out(3);
    CausalConvolution job;
    job.kernelWidth = 3;
    job.channels = 1;
    job.kernel = kernel.data();
    job.history = history.data();
    job.inputs = inputs.data();
    job.out = out.data();
    convolveCausally(job, 0, 1, 0, 3);
    EXPECT_EQ(out, (Numbers{321.0F, 432.0F, 543.0F}));
    Numbers last(1);
    job.out = last.data();
    convolveCausally(job, 0, 1, 2, 1);
    EXPECT_EQ(last, Numbers{543.0F});
}

TEST(CausalConvolution, silu_isExactToSevenDigits_forAnySize) {
    const Numbers kernel(1, 1.0F);
    Numbers inputs;
    for (float x = -100.0F; x < 100.0F; x += 0.37F) inputs.push_back(x);
    const auto tokens = static_cast<std::int64_t>(inputs.size());
    Numbers out(inputs.size());
    CausalConvolution job;
    job.kernelWidth = 1;
    job.channels = 1;
    job.kernel = kernel.data();
    job.inputs = inputs.data();
    job.out = out.data();
    job.output = ConvolutionOutput::Silu;
    convolveCausally(job, 0, 1, 0, tokens);
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double x = static_cast<double>(inputs[i]);
        const double expected = x / (1.0 + std::exp(-x));
        EXPECT_NEAR(out[i], expected, 4e-7 * std::abs(expected) + 1e-30) << x;
    }
}

}  // namespace
}  // namespace lacuna::test
