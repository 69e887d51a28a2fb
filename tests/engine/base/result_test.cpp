#include "engine/base/result.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lacuna {
namespace {

Result<int> half(int x) {
    if (x % 2 != 0) return fail(ErrorCode::InvalidArgument, "odd");
    return x / 2;
}

Result<int> quarter(int x) {
    LACUNA_TRY(const int h, half(x));
    return half(h);
}

TEST(Result, tryMacro_passesValueAndError) {
    EXPECT_EQ(quarter(8).value(), 2);
    ASSERT_FALSE(quarter(6));
    EXPECT_EQ(quarter(6).error().what, "odd");
    EXPECT_GT(quarter(6).error().at.line, 0);
}

TEST(ErrorCodes, names_areUniqueAndStable) {
    std::set<std::string> names;
#define LACUNA_X(name, text, cls)                   \
    EXPECT_TRUE(names.insert(text).second) << text; \
    EXPECT_EQ(errorName(ErrorCode::name), text);    \
    EXPECT_EQ(errorClass(ErrorCode::name), ErrorClass::cls);
    LACUNA_ERROR_CODES(LACUNA_X)
#undef LACUNA_X
    EXPECT_EQ(describe(Error{ErrorCode::GgufTruncated, "0 bytes", {}}), "GGUF_TRUNCATED: 0 bytes");
    EXPECT_EQ(withPrefix(Error{ErrorCode::Range, "no", {}}, "x.gguf").what, "x.gguf: no");
}

}  // namespace
}  // namespace lacuna
