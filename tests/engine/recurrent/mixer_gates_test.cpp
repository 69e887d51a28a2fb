#include "engine/recurrent/mixer_gates.h"

#include <gtest/gtest.h>

#include "mixer_fixture.h"

namespace lacuna::test {
namespace {

TEST(MixerGates, deltaNetGates_areADecayAndASigmoid) {
    const MixerShape shape{.kind = MixerKind::DeltaNet,
                           .kernel = 4,
                           .keyHeads = 1,
                           .valueHeads = 2,
                           .keyDim = 4,
                           .valueDim = 4};
    const Numbers a{0.5F, 30.0F};
    const Numbers b{0.0F, 2.0F};
    const Numbers rate{-0.3F, -0.01F};
    const Numbers bias{0.1F, 0.2F};
    Numbers gates(4);
    deltaGates(bestKernels(), shape, a.data(), b.data(), rate.data(), bias.data(), gates.data());
    EXPECT_NEAR(gates[0], std::exp(-0.3 * std::log1p(std::exp(0.6))), 1e-6);
    EXPECT_NEAR(gates[1], std::exp(-0.01 * 30.2), 1e-6);
    EXPECT_NEAR(gates[2], 0.5, 1e-6);
    EXPECT_NEAR(gates[3], 1.0 / (1.0 + std::exp(-2.0)), 1e-6);
}

TEST(MixerGates, kimiDelta_hasADecayForEachKeyElement) {
    const MixerShape shape{.kind = MixerKind::KimiDelta,
                           .kernel = 4,
                           .keyHeads = 2,
                           .valueHeads = 2,
                           .keyDim = 2,
                           .valueDim = 4};
    const Numbers a{0.0F, 1.0F, 0.0F, 1.0F};
    const Numbers b{0.0F, 0.0F};
    const Numbers rate{-1.0F, -2.0F};
    const Numbers bias(4);
    Numbers gates(static_cast<std::size_t>(shape.gates()));
    ASSERT_EQ(gates.size(), 6U);
    deltaGates(bestKernels(), shape, a.data(), b.data(), rate.data(), bias.data(), gates.data());
    EXPECT_NEAR(gates[1], std::exp(-std::log1p(std::exp(1.0))), 1e-6);
    EXPECT_NEAR(gates[3], std::exp(-2.0 * std::log1p(std::exp(1.0))), 1e-6);
}

TEST(MixerGates, mambaSteps_areClampedBeforeTheDecay) {
    const MixerShape shape{.kind = MixerKind::Mamba2,
                           .kernel = 4,
                           .keyHeads = 1,
                           .valueHeads = 2,
                           .keyDim = 4,
                           .valueDim = 4};
    const Numbers dt{0.0F, 5.0F};
    const Numbers rate{-1.0F, -0.5F};
    const Numbers bias(2);
    Numbers gates(4);
    mambaGates(shape, dt.data(), rate.data(), bias.data(), {.least = 0.9F, .most = 2.0F},
               gates.data());
    EXPECT_NEAR(gates[2], 0.9, 1e-6);
    EXPECT_NEAR(gates[3], 2.0, 1e-6);
    EXPECT_NEAR(gates[0], std::exp(-0.9), 1e-6);
    EXPECT_NEAR(gates[1], std::exp(-1.0), 1e-6);
}

TEST(MixerGates, gate_appliesBeforeOrAfterTheNormOfEachPart) {
    const Numbers y{1.0F, -2.0F, 3.0F, 0.5F};
    const Numbers gate{0.3F, -0.7F, 1.5F, 2.0F};
    const Numbers gain{1.1F, 0.9F};
    const Numbers wide{1.1F, 0.9F, 2.0F, 3.0F};
    const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
    const auto check = [&](OutputGate kind, const Numbers& gains) {
        Numbers out = y;
        Numbers overwritten = gate;
        gateOutput(bestKernels(), out, overwritten.data(), gains, 2, 1e-5F, kind);
        for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t first = i / 2 * 2;
            const auto gated = [&](std::size_t j) {
                const double z = static_cast<double>(gate[j]);
                return static_cast<double>(y[j]) *
                       (kind == OutputGate::SiluBeforeNorm ? z * sigmoid(z) : 1.0);
            };
            const double mean =
                (gated(first) * gated(first) + gated(first + 1) * gated(first + 1)) / 2;
            const double z = static_cast<double>(gate[i]);
            double expected = gated(i) / std::sqrt(mean + 1e-5) *
                              static_cast<double>(gains[gains.size() == 2 ? i % 2 : i]);
            if (kind == OutputGate::SiluAfterNorm) expected *= z * sigmoid(z);
            if (kind == OutputGate::SigmoidAfterNorm) expected *= sigmoid(z);
            if (kind == OutputGate::SiluOnly) expected = static_cast<double>(y[i]) * z * sigmoid(z);
            EXPECT_NEAR(out[i], expected, 1e-5);
        }
    };
    for (const OutputGate kind : {OutputGate::SiluAfterNorm, OutputGate::SigmoidAfterNorm,
                                  OutputGate::SiluBeforeNorm, OutputGate::SiluOnly}) {
        check(kind, gain);
        check(kind, wide);
    }
}

}  // namespace
}  // namespace lacuna::test
