// Masks over a vocabulary: against reading each token separately, and their cost.

#include "engine/grammar/token_mask.h"

#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "engine/format/load_model.h"
#include "engine/grammar/grammar_parser.h"
#include "engine/grammar/json_schema.h"
#include "tests/support/grammar_vocabulary.h"

namespace lacuna {
namespace {

std::shared_ptr<const Pushdown> grammarOf(std::string_view text) {
    const auto tree = parseGrammar(text);
    EXPECT_TRUE(tree) << (tree ? "" : tree.error().what);
    auto states = Pushdown::compile(*tree);
    EXPECT_TRUE(states) << (states ? "" : states.error().what);
    return *states;
}

bool bit(std::span<const std::uint64_t> mask, TokenId token) {
    return ((mask[static_cast<std::size_t>(token) / 64] >> (token % 64)) & 1U) != 0;
}

struct Vocabulary258 {
    Tokenizer tokenizer = test::tokenizerOf(test::jsonTexts());
    std::shared_ptr<const VocabularyTries> tries = *VocabularyTries::create(tokenizer);
    TokenId end = *tokenizer.data().eos;
};

TEST(TokenMask, mask_equalsTestingEachToken) {
    const Vocabulary258 v;
    for (const char* text :
         {"root ::= \"{\\\"\" [a-z]+ \"\\\": \" (\"true\" | \"null\" | [0-9]{1,4}) \"}\"",
          "root ::= \"(\" root* \")\" | [a-d\\u00e9]+ | \"[\" root (\",\" root)* \"]\"",
          "root ::= .{0,6}", "root ::= (\"ab\" | \"a\" \"bc\"?)+ \"!\"?"}) {
        const auto grammar = grammarOf(text);
        RandomStream random(7, 1);
        for (int run = 0; run < 20; ++run) {
            TokenMask mask(grammar, v.tries);
            GrammarReader reader(grammar);
            auto place = reader.start();
            for (int step = 0; step < 12; ++step) {
                const auto allowed = mask.allowed();
                ASSERT_TRUE(allowed);
                std::vector<TokenId> may;
                for (TokenId id = 0; id <= v.end; ++id) {
                    const std::string_view bytes = v.tries->inside().text(id);
                    const bool fits = id == v.end
                                          ? reader.mayEnd(place)
                                          : reader.next(place, bytes) != GrammarReader::kNowhere;
                    ASSERT_EQ(bit(*allowed, id), fits) << text << " token " << id;
                    if (fits) may.push_back(id);
                }
                ASSERT_FALSE(may.empty());
                const TokenId chosen = may[random.below(may.size())];
                ASSERT_TRUE(mask.accept(chosen));
                if (chosen == v.end) break;
                place = reader.next(place, v.tries->inside().text(chosen));
            }
        }
    }
}

TEST(TokenMask, endToken_isAllowedOnlyWhereTheGrammarMayEnd) {
    const Vocabulary258 v;
    TokenMask mask(grammarOf("root ::= \"ab\" \"c\"?"), v.tries);
    EXPECT_FALSE(bit(*mask.allowed(), v.end));
    ASSERT_TRUE(mask.accept('a'));
    EXPECT_FALSE(bit(*mask.allowed(), v.end));
    EXPECT_FALSE(mask.accept(v.end)) << "too early";
    ASSERT_TRUE(mask.accept('b'));
    EXPECT_TRUE(bit(*mask.allowed(), v.end));
    ASSERT_TRUE(mask.accept('c'));
    const auto last = mask.allowed();
    for (TokenId id = 0; id < v.end; ++id) EXPECT_FALSE(bit(*last, id));
    EXPECT_TRUE(mask.accept(v.end));
    EXPECT_EQ(mask.allowed().error().code, ErrorCode::Unsupported);
}

TEST(TokenMask, noMatchingToken_isReportedWithTheReason) {
    const auto tokenizer = test::tokenizerOf({"a", "b"});
    const auto tries = VocabularyTries::create(tokenizer);
    ASSERT_TRUE(tries);
    TokenMask mask(grammarOf("root ::= \"ac\""), *tries);
    ASSERT_TRUE(mask.accept(0));
    const auto allowed = mask.allowed();
    ASSERT_FALSE(allowed);
    EXPECT_NE(allowed.error().what.find("no token of the vocabulary fits"), std::string::npos);
}

TEST(TokenMask, tooCostlyGrammar_endsTheAnswerWithTheReason) {
    std::vector<std::string> texts;
    for (std::size_t i = 1; i <= 200; ++i) texts.emplace_back(i, 'a');
    const Tokenizer tokenizer = test::tokenizerOf(texts);
    const auto tries = VocabularyTries::create(tokenizer);
    ASSERT_TRUE(tries);
    TokenMask mask(grammarOf("root ::= (\"a\"?){15000}"), *tries);
    const auto allowed = mask.allowed();
    ASSERT_FALSE(allowed);
    EXPECT_EQ(allowed.error().code, ErrorCode::Unsupported);
    EXPECT_NE(allowed.error().what.find("too complex"), std::string::npos) << allowed.error().what;
}

TEST(TokenMask, stopRequest_endsBuildingTheTries) {
    const Vocabulary258 v;
    EXPECT_EQ(VocabularyTries::create(v.tokenizer, [] { return true; }).error().code,
              ErrorCode::Cancelled);
    EXPECT_EQ(ClassedVocabulary::create(grammarOf("root ::= \"a\""), v.tries, [] { return true; })
                  .error()
                  .code,
              ErrorCode::Cancelled);
}

TEST(TokenMask, acceptedTokens_areCountedUpToTheFirstMismatch) {
    const Vocabulary258 v;
    TokenMask mask(grammarOf("root ::= \"abc\""), v.tries);
    EXPECT_EQ(mask.fitting(std::vector<TokenId>{'a', 'b', 'c', v.end}), 4U);
    EXPECT_EQ(mask.fitting(std::vector<TokenId>{'a', v.end}), 1U);
    EXPECT_EQ(mask.fitting(std::vector<TokenId>{'x'}), 0U);
    EXPECT_EQ(mask.fitting({}), 0U);
    EXPECT_TRUE(bit(*mask.allowed(), 'a')) << "nothing has moved";
}

TEST(TokenMask, longAnswers_dropStates_andStayCorrect) {
    const Vocabulary258 v;
    TokenMask mask(grammarOf("root ::= [a-c]{90000} \"!\""), v.tries);
    for (int i = 0; i < 90'000; ++i) {
        if (i % 997 == 0) {
            const auto allowed = mask.allowed();
            ASSERT_TRUE(allowed);
            EXPECT_TRUE(bit(*allowed, 'a'));
            EXPECT_FALSE(bit(*allowed, '!'));
        }
        ASSERT_TRUE(mask.accept('a' + i % 3));
    }
    EXPECT_TRUE(bit(*mask.allowed(), '!'));
    EXPECT_FALSE(bit(*mask.allowed(), 'a'));
}

TEST(TokenMask, sentencePiece_omitsTheSpaceBeforeTheFirstWord) {
    const auto tokenizer = loadTokenizer(LACUNA_GOLDEN_DIR "/tokenizers/ggml-vocab-llama-spm.gguf");
    ASSERT_TRUE(tokenizer) << tokenizer.error().what;
    const auto tries = VocabularyTries::create(*tokenizer);
    ASSERT_TRUE(tries);
    const auto word = tokenizer->find("\xE2\x96\x81the");
    ASSERT_TRUE(word);
    TokenMask mask(grammarOf("root ::= \"the\" \" the\""), *tries);
    EXPECT_TRUE(bit(*mask.allowed(), *word));
    ASSERT_TRUE(mask.accept(*word));
    EXPECT_TRUE(bit(*mask.allowed(), *word));
    ASSERT_TRUE(mask.accept(*word));
    EXPECT_TRUE(mask.mayEnd());
}

using Milliseconds = std::chrono::duration<double, std::milli>;

/// Returns the processor time of this thread, which excludes other load.
double threadMilliseconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

/// Returns the cost of every step of an answer whose tokens must match the grammar.
std::vector<double> stepCosts(TokenMask& mask, std::span<const TokenId> ids) {
    std::vector<double> times;
    for (const TokenId id : ids) {
        const double begin = threadMilliseconds();
        const bool fits = mask.allowed() && mask.accept(id);
        times.push_back(threadMilliseconds() - begin);
        EXPECT_TRUE(fits) << "token " << id;
    }
    std::ranges::sort(times);
    return times;
}

void printCosts(const char* what, std::span<const double> sorted, const MaskWalks& walks) {
    const auto below = [&](double share) {
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    };
    double sum = 0;
    for (const double one : sorted) sum += one;
    std::printf(
        "32,000 tokens, %s: %zu steps, processor time mean %.3f ms, p50 %.3f, p99 %.3f, max %.3f; "
        "%zu masks along "
        "the small tree, %zu along the large one\n",
        what, sorted.size(), sum / static_cast<double>(sorted.size()), below(0.5), below(0.99),
        sorted.back(), walks.broad, walks.fine);
    EXPECT_LT(below(0.5), 50.0);
}

/// Prints the cost of a step over 32,000 tokens and checks only a wide bound.
TEST(TokenMask, costOfAStep_isFarBelowADecodeStep) {
    const auto tokenizer = loadTokenizer(LACUNA_GOLDEN_DIR "/tokenizers/ggml-vocab-llama-spm.gguf");
    ASSERT_TRUE(tokenizer);
    ASSERT_EQ(tokenizer->vocabularySize(), 32'000);
    const auto began = std::chrono::steady_clock::now();
    const auto tries = VocabularyTries::create(*tokenizer);
    ASSERT_TRUE(tries);
    const auto tree = schemaGrammar(R"({"type":"object","properties":{
        "name":{"type":"string","maxLength":200},"age":{"type":"integer","minimum":0,"maximum":150},
        "tags":{"type":"array","items":{"type":"string"}},"note":{"type":"string"}},
        "required":["name","age","tags","note"]})");
    ASSERT_TRUE(tree);
    const auto grammar = Pushdown::compile(*tree);
    ASSERT_TRUE(grammar);
    const double made = Milliseconds(std::chrono::steady_clock::now() - began).count();
    const auto ids = tokenizer->encode(
        R"({"name": "Ada Lovelace of Ockham Park, Surrey", "age": 36, "tags": ["mathematics", "engines",)"
        R"( "poetry of numbers"], "note": "She wrote the first published program for a machine."})");
    ASSERT_TRUE(ids);
    const auto classing = std::chrono::steady_clock::now();
    const auto vocabulary = std::make_shared<const ClassedVocabulary>(*grammar, *tries);
    const double classed = Milliseconds(std::chrono::steady_clock::now() - classing).count();
    std::printf(
        "tree of bytes: %zu nodes, of %d classes: %zu, of %d broad ones: %zu, made in %.1f ms; "
        "tries and grammar in %.0f ms\n",
        (*tries)->inside().nodes().size(), (*grammar)->classes().count,
        vocabulary->inside().nodes().size(), (*grammar)->broadClasses().count,
        vocabulary->broad().nodes().size(), classed, made);
    EXPECT_LT(vocabulary->inside().nodes().size(), (*tries)->inside().nodes().size());
    EXPECT_LT(vocabulary->broad().nodes().size(), vocabulary->inside().nodes().size() / 8);
    for (const char* round : {"first answer", "next answer"}) {
        TokenMask mask(vocabulary);
        const std::vector<double> times = stepCosts(mask, *ids);
        EXPECT_TRUE(mask.mayEnd());
        EXPECT_GT(mask.walks().broad, 0U);
        printCosts(round, times, mask.walks());
    }
}

/// The same for an answer that never revisits a state.
TEST(TokenMask, costOfALongAnswer_isLinearInItsSteps) {
    const auto tokenizer = loadTokenizer(LACUNA_GOLDEN_DIR "/tokenizers/ggml-vocab-llama-spm.gguf");
    ASSERT_TRUE(tokenizer);
    const auto tries = VocabularyTries::create(*tokenizer);
    ASSERT_TRUE(tries);
    const auto tree = schemaGrammar(
        R"({"type":"object","properties":{"text":{"type":"string","maxLength":19000}},"required":["text"]})");
    ASSERT_TRUE(tree) << tree.error().what;
    const auto grammar = Pushdown::compile(*tree);
    ASSERT_TRUE(grammar) << grammar.error().what;
    std::string text = R"({"text": ")";
    for (int i = 0; i < 400; ++i) text += "She wrote the first published program of its kind. ";
    text.resize(18'000);
    const auto ids = tokenizer->encode(text + R"("})");
    ASSERT_TRUE(ids);
    TokenMask mask(std::make_shared<const ClassedVocabulary>(*grammar, *tries));
    const std::vector<double> times = stepCosts(mask, *ids);
    EXPECT_TRUE(mask.mayEnd());
    printCosts("a text of 18,000 letters", times, mask.walks());
}

}  // namespace
}  // namespace lacuna
