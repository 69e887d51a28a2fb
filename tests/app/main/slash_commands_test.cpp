// Parsing of input lines of `lacuna chat` and of word positions; then the commands with a model.

#include "app/main/slash_commands.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/bundled_models.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::cli {
namespace {

TEST(SlashCommandLine, slashCommands_areParsed_otherLinesAreMessages) {
    const auto isSaid = [](const char* line, const char* message) {
        const ChatLine read = chatLineIn(line);
        EXPECT_EQ(read.order, SlashCommand::Send) << line;
        EXPECT_EQ(read.text, message);
    };
    isSaid("Hello.", "Hello.");
    isSaid("//help me", "/help me");
    isSaid("/etc/hosts is what?", "/etc/hosts is what?");
    isSaid("/", "/");
    isSaid("/ compact", "/ compact");
    isSaid(" /compact", " /compact");
    EXPECT_EQ(chatLineIn("/compact").order, SlashCommand::Compact);
    EXPECT_EQ(chatLineIn("/pin  the pass key ").order, SlashCommand::Pin);
    EXPECT_EQ(chatLineIn("/pin  the pass key ").text, "the pass key");
    EXPECT_EQ(chatLineIn("/set\tam_ratio=4").text, "am_ratio=4");
    EXPECT_EQ(chatLineIn("/nothing of that").order, SlashCommand::Unknown);
    EXPECT_EQ(chatLineIn("/nothing of that").text, "nothing");
}

TEST(SlashCommandLine, help_listsEveryCommand) {
    const std::string help = slashCommandsHelp();
    for (const char* word : {"/again", "/continue", "/edit TEXT", "/attach FILE", "/compact",
                             "/whole", "/held", "/pin WORDS", "/unpin", "/back WORDS",
                             "/set KEY=VALUE", "/save FILE", "/load FILE", "/help"})
        EXPECT_NE(help.find(std::string(word) + " "), std::string::npos) << word;
}

TEST(PhraseLookup, phrase_isFoundAtItsLastOccurrence) {
    const std::vector<ChatMessage> messages{
        {"user", "The key is 7. The key."}, {"assistant", "Noted."}, {"user", "No key here."}};
    EXPECT_EQ(pinOf(messages, "The key"), (TextPin{.message = 0, .first = 14, .last = 21}));
    EXPECT_EQ(pinOf(messages, "key"), (TextPin{.message = 2, .first = 3, .last = 6}));
    EXPECT_FALSE(pinOf(messages, "door"));
    EXPECT_FALSE(pinOf(messages, ""));
    const std::vector<std::string> pieces{"<user>", "The", " pass", " key", " is", " 7", "."};
    EXPECT_EQ(spanOf(pieces, "pass key"), (TokenSpan{.first = 2, .last = 4}));
    EXPECT_EQ(spanOf(pieces, "ass k"), (TokenSpan{.first = 2, .last = 4}));
    EXPECT_EQ(spanOf(pieces, "."), (TokenSpan{.first = 6, .last = 7}));
    EXPECT_EQ(spanOf(pieces, "The"), (TokenSpan{.first = 1, .last = 2}));
    EXPECT_FALSE(spanOf(pieces, "door"));
    EXPECT_EQ(heldText(pieces, std::vector<float>{1, 0, 0, 0.5F, 1, 1, 0}),
              "<user>[The pass] key is 7[.]");
    EXPECT_EQ(heldText(pieces, {}), "<user>The pass key is 7.");
}

/// Runs `lacuna chat` with the test model on these lines; returns the output of both streams.
std::string chat(const std::string& lines, const std::string& settings) {
    const test::TemporaryFolder folder;
    const std::string input = (folder.path() / "lines").string();
    std::ofstream(input) << lines;
    const std::string command = std::string(LACUNA_PROGRAM) + " chat " +
                                test::pilotModel().string() +
                                " --set temperature=0 --set max_tokens=8 --set threads=1 " +
                                settings + " <" + input + " 2>&1";
    std::string said;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return said;
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
        said.append(part.data(), n);
    EXPECT_EQ(::pclose(pipe), 0) << said;
    return said;
}

TEST(ChatCommand, terminalChat_supportsTheCommandsOfTheWindow) {
    const test::TemporaryFolder folder;
    const std::string text = (folder.path() / "notes.txt").string();
    {
        std::ofstream notes(text);
        for (int i = 0; i < 20; ++i) notes << "Gate " << i << " is painted grey and opens late.\n";
    }
    const std::string cache = (folder.path() / "c.kvcache").string();
    const std::string said = chat(
        "/continue\n"
        "/attach " +
            text +
            "\n"
            "What is grey?\n"
            "/pin Gate 3 is\n"
            "/set budget=96\n"
            "/compact\n"
            "/held\n"
            "/back Gate 7 is painted\n"
            "/continue\n"
            "/again\n"
            "/edit And late?\n"
            "/save " +
            cache +
            "\n"
            "/nonsense\n"
            "/pin a word that nobody said\n"
            "/unpin\n"
            "/whole\n",
        "--set method=l2 --set budget=900 --set norm_policy=keydiff --set compaction_floor=0 --set "
        "loss_limit=off");
    const auto says = [&](const char* words) { return said.find(words) != std::string::npos; };
    EXPECT_TRUE(says("there is no answer yet")) << said;
    EXPECT_TRUE(says("bytes are attached to the next message")) << said;
    EXPECT_TRUE(says("tokens are pinned")) << said;
    EXPECT_TRUE(says("applied")) << said;
    EXPECT_TRUE(says("compaction 1 done")) << said;
    EXPECT_TRUE(says("[")) << said;
    EXPECT_TRUE(says("Gate 3 is")) << "what is pinned is held: " << said;
    EXPECT_TRUE(says("tokens were restored")) << said;
    EXPECT_TRUE(says("tokens saved to")) << said;
    EXPECT_TRUE(std::filesystem::exists(cache));
    EXPECT_TRUE(says("unknown command /nonsense")) << said;
    EXPECT_TRUE(says("does not occur in any message")) << said;
    EXPECT_TRUE(says("0 tokens are pinned")) << said;
    EXPECT_TRUE(says("compression is off")) << said;
}

}  // namespace
}  // namespace lacuna::cli
