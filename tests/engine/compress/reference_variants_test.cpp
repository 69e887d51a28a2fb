// The published reference's own variants, reproduced on its golden head: they are what ours is
// compared with.

#include <gtest/gtest.h>

#include <algorithm>

#include "attention_fixture.h"
#include "engine/base/json.h"
#include "engine/compress/attention_matching.h"
#include "npy_fixture.h"

namespace lacuna::test {
namespace {

struct Variant {
    std::string method;  ///< start of its name in the reference's table
    MatchingOptions options;
};

std::vector<Variant> variants() {
    const ValueFitOptions least{.fit = ValueFit::LeastSquares};
    return {{"evict", {KeySelector::HighestRms, MassFit::None, {ValueFit::Direct}}},
            {"highest-attention", {KeySelector::HighestRms, MassFit::Nnls, least}},
            {"orthogonal matching pursuit (",
             {KeySelector::MatchingPursuit, MassFit::Nnls, least, kPursuitBounds}},
            {"orthogonal matching pursuit, 4",
             {KeySelector::FastMatchingPursuit, MassFit::Nnls, least, kPursuitBounds}}};
}

class GoldenHead : public ::testing::Test {
  protected:
    GoldenHead() : keys_(readNpy("keys.npy")), values_(readNpy("values.npy")) {
        head_ = {.keys = keys_.numbers,
                 .values = values_.numbers,
                 .bias = std::vector<float>(static_cast<std::size_t>(keys_.rows), 0.0F),
                 .keyDim = 64,
                 .valueDim = 64};
        span_.head.type = DType::F32;
        span_.head.keys = reinterpret_cast<const std::byte*>(head_.keys.data());
        span_.head.values = reinterpret_cast<const std::byte*>(head_.values.data());
        span_.head.slots = static_cast<int>(keys_.rows);
        span_.keyDim = 64;
        span_.valueDim = 64;
        span_.last = span_.head.slots;
        span_.scale = 0.125F;
        span_.queries = {fit_.numbers.data(), {fit_.rows, fit_.columns}};
    }
    [[nodiscard]] Fidelity after(int kept, const MatchingOptions& options,
                                 const Matrix& queries) const {
        const auto matched = matchHead(span_, kept, options);
        EXPECT_TRUE(matched);
        PlainHead out{.keys = {},
                      .values = matched->values,
                      .bias = matched->bias,
                      .keyDim = 64,
                      .valueDim = 64};
        for (const std::int32_t slot : matched->keep)
            out.keys.insert(out.keys.end(), head_.keys.begin() + slot * 64,
                            head_.keys.begin() + (slot + 1) * 64);
        return compare(head_, out, queries.numbers, 0.125);
    }

    Matrix keys_, values_, fit_ = readNpy("queries_fit.npy"), unseen_ = readNpy("queries_test.npy");
    PlainHead head_;
    HeadSpan span_;
};

TEST_F(GoldenHead, everyVariantOfTheReference_isReproducedWithinFivePercent) {
    const auto reference =
        parseJson(readFile(LACUNA_GOLDEN_DIR "/attention-matching/reference.json", 1 << 20).value())
            .value();
    for (const Variant& variant : variants()) {
        for (const Json& row : reference["rows"]) {
            if (!row["method"].get<std::string>().starts_with(variant.method)) continue;
            const int kept = row["kept"].get<int>();
            const Fidelity found = after(kept, variant.options, unseen_);
            const double output = row["relative_output_error_test"].get<double>();
            const double mass = row["mean_abs_log_mass_error_test"].get<double>();
            std::printf("%-32s %3d: output error %.4f (reference %.4f), mass error %.4f (%.4f)\n",
                        variant.method.c_str(), kept, found.outputError, output, found.logMassError,
                        mass);
            EXPECT_NEAR(found.outputError, output, 0.05 * output) << variant.method << kept;
            EXPECT_NEAR(found.logMassError, mass, 0.05 * mass) << variant.method << kept;
        }
    }
}

}  // namespace
}  // namespace lacuna::test
