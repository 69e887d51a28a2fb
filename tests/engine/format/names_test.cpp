#include <gtest/gtest.h>

#include "engine/format/architectures.h"
#include "engine/format/printable.h"
#include "engine/format/tensor_names.h"

namespace lacuna {
namespace {

TEST(TensorNames, everyName_roundTripsInBothContainers) {
    for (const Architecture& architecture : architectures())
        for (const Container container : {Container::Gguf, Container::HuggingFace}) {
            const TensorNames names(container, architecture);
            for (int i = 0; i <= static_cast<int>(TensorRole::RecurrentOutput); ++i)
                for (const std::string& name : names.all(static_cast<TensorRole>(i), 12, 7)) {
                    const auto back = names.roleOf(name);
                    ASSERT_TRUE(back.has_value()) << architecture.name << " " << name;
                    EXPECT_EQ(static_cast<int>(back->role), i) << architecture.name << " " << name;
                    EXPECT_EQ(back->layer.value_or(12), 12) << name;
                    EXPECT_EQ(back->number.value_or(7), 7) << name;
                }
        }
}

TEST(TensorNames, sameName_hasTheRoleOfItsFamily) {
    const auto role = [](const char* family, Container container, const char* name) {
        return TensorNames(container, **findArchitecture(family)).roleOf(name)->role;
    };
    const char* norm = "model.layers.3.post_attention_layernorm.weight";
    EXPECT_EQ(role("llama", Container::HuggingFace, norm), TensorRole::FeedForwardNorm);
    EXPECT_EQ(role("gemma2", Container::HuggingFace, norm), TensorRole::PostAttentionNorm);
    EXPECT_EQ(role("olmo2", Container::HuggingFace, norm), TensorRole::PostAttentionNorm);
    EXPECT_EQ(role("phi3", Container::Gguf, "blk.3.ffn_up.weight"), TensorRole::GateUp);
    EXPECT_EQ(role("llama", Container::Gguf, "blk.3.ffn_up.weight"), TensorRole::Up);
    const char* second = "model.layers.3.block_sparse_moe.experts.11.w3.weight";
    EXPECT_EQ(role("mixtral", Container::HuggingFace, second), TensorRole::ExpertUp);
    EXPECT_EQ(role("llama", Container::Gguf, "blk.3.ffn_down.11.weight"), TensorRole::ExpertDown);
}

TEST(TensorNames, unknownNames_haveNoRole) {
    const Architecture& llama = **findArchitecture("llama");
    const TensorNames gguf(Container::Gguf, llama);
    for (const char* name :
         {"", "blk.", "blk.0", "blk.0.", "blk.-1.attn_q.weight", "blk.99999999999.attn_q.weight",
          "blk.x.attn_q.weight", "attn_q.weight", "blk.0.token_embd.weight", "output",
          "blk.0.attn_q_norm.weight", "blk.0.ffn_gate.x.weight", "blk.0.ffn_gate..weight",
          "blk.0.ffn_gate.-1.weight"})
        EXPECT_FALSE(gguf.roleOf(name).has_value()) << name;
    const TensorNames folder(Container::HuggingFace, llama);
    for (const char* name : {"", "model.layers.0.", "vision_tower.x", "embed_tokens.weight"})
        EXPECT_FALSE(folder.roleOf(name).has_value()) << name;
}

TEST(Printable, controlBytesAndInvalidUtf8_areEscaped) {
    EXPECT_EQ(printable("plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
              "plain \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    EXPECT_EQ(printable(std::string_view("a\0\n\x1b[31m\x7f", 9)), "a\\x00\\x0a\\x1b[31m\\x7f");
    EXPECT_EQ(printable("\"\\"), "\\x22\\x5c");
    EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // a control character in two bytes
    EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
    EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(Printable, bidirectionalAndLineMarks_areEscaped) {
    for (const char* mark : {"\u200e", "\u200f", "\u061c", "\u202a", "\u202e", "\u2066", "\u2069",
                             "\u2028", "\u2029", "\u0085", "\u009b"}) {
        EXPECT_TRUE(printable(mark).starts_with("\\x")) << mark;
        EXPECT_TRUE(forTerminal(mark).starts_with("\\x")) << mark;
        EXPECT_TRUE(lineForTerminal(mark).starts_with("\\x")) << mark;
    }
    for (const char* text : {"\u05d0\u05d1", "\u0627", "e\u0301", "\U0001f468\u200d\U0001f469",
                             "\u2027", "\u202f", "\u00a0"})
        EXPECT_EQ(printable(text), text);
}

TEST(ForTerminal, linesAndTabs_areKept_controlSequencesEscaped) {
    EXPECT_EQ(forTerminal("a \"b\" \\ c\td\ne"), "a \"b\" \\ c\td\ne");
    EXPECT_EQ(forTerminal("\x1b]8;;x\x07\r\b\x7f\xc2\x9b\xff"),
              "\\x1b]8;;x\\x07\\x0d\\x08\\x7f\\xc2\\x9b\\xff");
    EXPECT_EQ(forTerminal(std::string(5000, 'a')), std::string(5000, 'a'));
}

TEST(LineForTerminal, longText_becomesOneLine_withBothEndsKept) {
    EXPECT_EQ(lineForTerminal("a\nlacuna: b\tc"), "a\\x0alacuna: b\\x09c");
    EXPECT_EQ(lineForTerminal(std::string(1000, 'a')), std::string(1000, 'a'));
    std::string text = "begin ";
    for (int i = 0; i < 500; ++i) text += "\u20ac";
    const std::string line = lineForTerminal(text + " end");
    EXPECT_TRUE(line.starts_with("begin ") && line.ends_with(" end")) << line;
    EXPECT_TRUE(isUtf8(line));
    EXPECT_EQ(line.find("\\x"), std::string::npos) << "no character is cut";
    EXPECT_NE(line.find(" bytes ...] "), std::string::npos);
    EXPECT_LT(line.size(), 1100U);
}

TEST(Printable, longText_isCutBetweenCharacters) {
    EXPECT_EQ(printable("abcdef", 3), "abc...");
    EXPECT_EQ(printable("abc", 3), "abc");
    EXPECT_EQ(printable("\xc3\xa9\xc3\xa9", 1), "\xc3\xa9...");
}

TEST(Printable, utf8_isRecognised) {
    EXPECT_TRUE(isUtf8("\xf4\x8f\xbf\xbf"));
    EXPECT_FALSE(isUtf8("\xf4\x90\x80\x80"));
    EXPECT_FALSE(isUtf8("\xe2\x82"));
    EXPECT_FALSE(isUtf8("\x80"));
}

}  // namespace
}  // namespace lacuna
