#include <gtest/gtest.h>

#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

TEST(TensorNames, every_role_reads_back_in_both_containers) {
    for (std::size_t i = 0; i < kTensorRoles; ++i)
        for (const Container container : {Container::Gguf, Container::HuggingFace}) {
            const auto role = static_cast<TensorRole>(i);
            const std::string name = tensorName(container, role, 12);
            if (name.empty()) {
                EXPECT_EQ(role, TensorRole::RopeFactors);
                continue;
            }
            const auto back = roleOfTensor(container, name);
            ASSERT_TRUE(back.has_value()) << name;
            EXPECT_EQ(back->role, role) << name;
            EXPECT_EQ(back->layer.has_value(), isLayerRole(role)) << name;
            EXPECT_EQ(back->layer.value_or(12), 12);
        }
}

TEST(TensorNames, strangers_have_no_role) {
    for (const char* name :
         {"", "blk.", "blk.0", "blk.0.", "blk.-1.attn_q.weight", "blk.99999999999.attn_q.weight",
          "blk.x.attn_q.weight", "attn_q.weight", "blk.0.token_embd.weight", "output"})
        EXPECT_FALSE(roleOfTensor(Container::Gguf, name).has_value()) << name;
    EXPECT_FALSE(roleOfTensor(Container::HuggingFace, "").has_value());
    EXPECT_FALSE(roleOfTensor(Container::HuggingFace, "model.layers.0.").has_value());
}

TEST(Printable, control_bytes_and_broken_utf8_are_escaped) {
    EXPECT_EQ(printable("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
              "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(printable(std::string_view("a\0\n\x1b[31m\x7f", 9)), "a\\x00\\x0a\\x1b[31m\\x7f");
    EXPECT_EQ(printable("\"\\"), "\\x22\\x5c");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character in two bytes
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Printable, long_text_is_cut_between_characters) {
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("\xc3\xa9\xc3\xa9", 1), "\xc3\xa9...");
}

TEST(Printable, utf8_is_recognised) {
    EXPECT_TRUE(isUtf8("\xf4\x8f\xbf\xbf"));
    EXPECT_FALSE(isUtf8("\xf4\x90\x80\x80"));
    EXPECT_FALSE(isUtf8("\xe2\x82"));
    EXPECT_FALSE(isUtf8("\x80"));
}

}  // namespace
}  // namespace lacuna
