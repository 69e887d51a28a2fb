// Streaming an answer: bytes to events, events to values, values to the text of the chat.

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "app/remote/chat_chunk.h"
#include "app/remote/event_stream.h"
#include "engine/base/json.h"

namespace lacuna::app {
namespace {

std::vector<std::string> dataOf(const std::vector<std::string>& pieces) {
    EventStreamReader reader;
    std::vector<std::string> data;
    for (const std::string& piece : pieces)
        for (const StreamEvent& event : reader.take(piece)) data.push_back(event.data);
    return data;
}

TEST(EventStream, lineEndingsAndFields_areParsedIntoEvents) {
    EXPECT_EQ(dataOf({"data: one\n\ndata:two\r\n\r\ndata: three\r\r"}),
              (std::vector<std::string>{"one", "two", "three"}));
    EXPECT_EQ(dataOf({"data: a\ndata: b\nid: 7\nretry: 5\n\n"}), std::vector<std::string>{"a\nb"});
    EXPECT_EQ(dataOf({"\xEF\xBB\xBF"
                      "data: x\n\n"}),
              std::vector<std::string>{"x"});
    EXPECT_EQ(dataOf({"data\n\n"}), std::vector<std::string>{""});
    EXPECT_EQ(dataOf({"event: ping\n\ndata: unfinished\n"}), std::vector<std::string>{});
}

TEST(EventStream, comments_areCountedAndGiveNoEvent) {
    EventStreamReader reader;
    EXPECT_TRUE(reader.take(": keep-alive 3/10\n\n: OLLAMA\n\n").empty());
    EXPECT_EQ(reader.comments(), 2U);
    EXPECT_EQ(reader.take("event: x\ndata: y\n\n").front().type, "x");
}

TEST(EventStream, splitInput_givesTheSameEvents) {
    const std::string stream =
        "data: {\"t\":\"gr\xC3\xBC\xC3\x9F \xE2\x82\xAC \xF0\x9F\x98\x80\"}\r\n\r\n: c\r\n"
        "data: a\rdata: b\r\rdata: [DONE]\n\n";
    const std::vector<std::string> whole = dataOf({stream});
    ASSERT_EQ(whole.size(), 3U);
    EXPECT_EQ(whole[1], "a\nb");
    std::vector<std::string> bytes;
    for (const char c : stream) bytes.emplace_back(1, c);
    EXPECT_EQ(dataOf(bytes), whole);
    std::mt19937 random(20);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> pieces;
        for (std::size_t at = 0; at < stream.size();) {
            const std::size_t length = 1 + random() % 9;
            pieces.push_back(stream.substr(at, length));
            at += length;
        }
        ASSERT_EQ(dataOf(pieces), whole);
    }
}

TEST(EventStream, oversizedEvent_isRejected) {
    EventStreamReader reader;
    EXPECT_TRUE(reader.take("data: " + std::string(EventStreamReader::kMaxEvent, 'x')).empty());
    EXPECT_TRUE(reader.broken());
    EXPECT_TRUE(reader.take("\n\ndata: y\n\n").empty());
}

// ---------------------------------------------------------------- chunks

ChatChunk chunkOf(const std::string& json) {
    const auto chunk = readChatChunk(json);
    EXPECT_TRUE(chunk.has_value()) << (chunk ? "" : chunk.error().what);
    return chunk.value_or(ChatChunk{});
}

TEST(ChatChunk, deltas_giveTextReasoningAndFinishReason) {
    EXPECT_EQ(chunkOf(R"({"choices":[{"delta":{"role":"assistant","content":""}}]})").text, "");
    EXPECT_EQ(chunkOf(R"({"choices":[{"delta":{"content":"Hi"},"finish_reason":null}]})").text,
              "Hi");
    EXPECT_EQ(chunkOf(R"({"choices":[{"delta":{"reasoning_content":"Hm"}}]})").thought, "Hm");
    EXPECT_EQ(chunkOf(R"({"choices":[{"delta":{"reasoning":"Hm"}}]})").thought, "Hm");
    EXPECT_EQ(chunkOf(R"({"choices":[{"delta":{},"finish_reason":"length"}]})").finish, "length");
    EXPECT_EQ(chunkOf(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},
                      {"type":"text","text":"b"}]}}]})")
                  .text,
              "ab");
}

TEST(ChatChunk, usage_withoutChoicesOrCachedTokens_isParsed) {
    const ChatChunk with = chunkOf(
        R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,"total_tokens":13,
            "prompt_tokens_details":{"cached_tokens":8}}})");
    ASSERT_TRUE(with.usage.has_value());
    EXPECT_EQ(with.usage->promptTokens, 9);
    EXPECT_EQ(with.usage->answerTokens, 4);
    EXPECT_EQ(with.usage->cachedTokens, 8);
    const ChatChunk without = chunkOf(
        R"({"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":4,
            "prompt_tokens_details":null}})");
    EXPECT_EQ(without.usage->cachedTokens, std::nullopt);
    EXPECT_EQ(chunkOf(R"({"choices":[],"usage":null})").usage, std::nullopt);
    EXPECT_EQ(chunkOf(R"({"choices":[],"usage":{"prompt_tokens":"9"}})").usage, std::nullopt);
}

TEST(ChatChunk, errors_ofEveryForm_areParsed) {
    EXPECT_EQ(chunkOf(R"({"error":{"message":"no room","type":"x","code":400}})").error, "no room");
    EXPECT_EQ(chunkOf(R"({"error":"no room"})").error, "no room");
    EXPECT_EQ(chunkOf(R"({"object":"error","message":"no room"})").error, "no room");
    EXPECT_FALSE(chunkOf(R"({"error":{}})").error.empty());
}

TEST(ChatChunk, invalidChunk_isRejected) {
    for (const char* text : {"", "[]", "7", "<html>", "{}", R"({"choices":{}})", "{\"choices\":[}"})
        EXPECT_FALSE(readChatChunk(text).has_value()) << text;
    EXPECT_TRUE(readChatChunk(R"({"choices":[7]})").has_value()) << "an odd choice says nothing";
}

TEST(ThoughtJoiner, reasoning_precedesTheAnswerInThinkTags) {
    ThoughtJoiner joiner;
    EXPECT_EQ(joiner.join({"", "Let ", "", {}, ""}), "<think>\nLet ");
    EXPECT_EQ(joiner.join({"", "me see", "", {}, ""}), "me see");
    EXPECT_EQ(joiner.join({"Yes", "", "", {}, ""}), "\n</think>\n\nYes");
    EXPECT_EQ(joiner.join({".", "", "", {}, ""}), ".");
    EXPECT_EQ(joiner.end(), "");
    ThoughtJoiner cut;
    (void)cut.join({"", "Let", "", {}, ""});
    EXPECT_EQ(cut.end(), "\n</think>\n\n");
}

// ---------------------------------------------------------------- request

Submit submitted() {
    Submit submit;
    submit.messages = {{"system", "Be brief."},
                       {"user", "One?"},
                       {"assistant", "<think>\nhm\n</think>\n\nYes."},
                       {"user", "Two?"}};
    submit.sampling = SamplingOptions{};
    submit.sampling->temperature = 0.5;
    submit.sampling->topK = 0;
    submit.sampling->repeatPenalty = 1.1;
    submit.maxTokens = 64;
    return submit;
}

Json requestFor(EngineFamily family) {
    return parseJson(chatRequest(submitted(), "m", family)).value_or(Json());
}

TEST(ChatRequest, request_asksForStreamAndUsage_omitsEarlierReasoning) {
    const Json body = requestFor(EngineFamily::Unknown);
    EXPECT_EQ(body["model"], "m");
    EXPECT_EQ(body["stream"], true);
    EXPECT_EQ(body["stream_options"]["include_usage"], true);
    ASSERT_EQ(body["messages"].size(), 4U);
    EXPECT_EQ(body["messages"][0]["role"], "system");
    EXPECT_EQ(body["messages"][2]["content"], "Yes.");
    EXPECT_EQ(body["temperature"], 0.5);
    EXPECT_EQ(body["max_tokens"], 64);
    EXPECT_FALSE(body.contains("seed"));
}

TEST(ChatRequest, nonStandardMembers_areSentToSupportingEnginesOnly) {
    const Json unknown = requestFor(EngineFamily::Unknown);
    for (const char* key : {"top_k", "min_p", "repeat_penalty", "repetition_penalty"})
        EXPECT_FALSE(unknown.contains(key)) << key;
    const Json vllm = requestFor(EngineFamily::Vllm);
    EXPECT_EQ(vllm["top_k"], -1);
    EXPECT_EQ(vllm["repetition_penalty"], 1.1);
    const Json llama = requestFor(EngineFamily::LlamaServer);
    EXPECT_EQ(llama["top_k"], 0);
    EXPECT_EQ(llama["repeat_penalty"], 1.1);
    EXPECT_TRUE(isForwarded("temperature", EngineFamily::Unknown));
    EXPECT_FALSE(isForwarded("top_k", EngineFamily::Unknown));
    EXPECT_TRUE(isForwarded("top_k", EngineFamily::Sglang));
    EXPECT_FALSE(isForwarded("budget", EngineFamily::Lacuna));
}

}  // namespace
}  // namespace lacuna::app
