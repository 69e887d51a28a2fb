// The bundled texts as commands use them: a text used for measuring is never used for calibration.

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "app/main/cli_support.h"

namespace lacuna::cli {
namespace {

std::vector<std::string> paragraphsOf(const std::string& text) {
    std::vector<std::string> all;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = text.find('\n', at);
        if (end == std::string::npos) end = text.size();
        if (end - at >= 40) all.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return all;
}

TEST(BundledTexts, calibrationText_isLongAndDisjointFromTheMeasuredTexts) {
    const auto calibration = bundledCalibrationText();
    const auto facts = bundledText();
    const auto story = bundledBook();
    ASSERT_TRUE(calibration && facts && story);
    // Calibration reads 30,000 tokens, half from the text and half from synthetic text made of its
    // words.
    EXPECT_GT(calibration->size(), 100'000U);
    const auto paragraphs = paragraphsOf(*calibration);
    EXPECT_GT(paragraphs.size(), 500U);
    for (const std::string& one : paragraphs) {
        const std::string_view middle = std::string_view(one).substr(one.size() / 2 - 20, 40);
        for (const std::string* other : {&*facts, &*story})
            EXPECT_EQ(other->find(middle), std::string::npos) << middle;
    }
    for (const char byte : *calibration)
        ASSERT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~')) << int{byte};
}

}  // namespace
}  // namespace lacuna::cli
