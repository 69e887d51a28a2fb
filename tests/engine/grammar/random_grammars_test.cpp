// Masks of random grammars over random vocabularies, against reading each token separately.

#include <gtest/gtest.h>

#include "tests/support/grammar_vocabulary.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kSeed = 20261122;

/// Returns ranges, of which only some keep the letters together.
std::vector<CharRange> randomRanges(RandomStream& random) {
    switch (random.below(7)) {
        case 0:
            return otherChars({{0, 31}, {'"', '"'}, {'\\', '\\'}});
        case 1:
            return otherChars({{'a', 'a'}, {'"', '"'}});
        case 2:
            return {{'a', 'z'}};
        case 3:
            return {{'a', 'z'}, {'A', 'Z'}, {'0', '9'}};
        case 4:
            return {{'0', '9'}, {'a', 'f'}};
        case 5:
            return {{0xE0, 0x4E2D}};
        default: {
            const auto first = static_cast<std::uint32_t>(' ' + random.below(90));
            return {{first, first + static_cast<std::uint32_t>(random.below(30))}};
        }
    }
}

std::string randomLetters(RandomStream& random, std::size_t most) {
    static constexpr std::string_view kLetters = "abcAZ09 \",:{}\\\xC3\xA9\xE4\xB8\xAD";
    std::string text;
    for (std::size_t n = 1 + random.below(most); n > 0; --n)
        text += kLetters[random.below(kLetters.size())];
    return text;
}

/// Rules are referenced only after a letter, so that none is left-recursive.
GrammarNode randomNode(RandomStream& random, int depth) {
    switch (random.below(depth > 0 ? 7 : 2)) {
        case 0:
            return literalNode(randomLetters(random, 3));
        case 1:
            return charsNode(randomRanges(random));
        case 2:
            return sequenceNode({literalNode("["), ruleNode(random.below(3)), literalNode("]")});
        case 3:
            return choiceNode({randomNode(random, depth - 1), randomNode(random, depth - 1)});
        case 4: {
            const int least = static_cast<int>(random.below(3));
            const bool open = random.below(2) == 0;
            return repeatNode(
                randomNode(random, depth - 1), least,
                open ? GrammarNode::kUnbounded : least + static_cast<int>(random.below(12)));
        }
        default:
            return sequenceNode({randomNode(random, depth - 1), randomNode(random, depth - 1)});
    }
}

std::shared_ptr<const Pushdown> randomGrammar(RandomStream& random) {
    GrammarTree tree;
    for (int rule = 0; rule < 3; ++rule)
        tree.rules.push_back({"rule-" + std::to_string(rule), randomNode(random, 4)});
    auto states = Pushdown::compile(tree);
    return states ? *states : nullptr;  // some match no text at all
}

Tokenizer randomVocabulary(RandomStream& random) {
    std::vector<std::string> texts;
    for (int byte = 0; byte < 256; ++byte) texts.emplace_back(1, static_cast<char>(byte));
    for (int token = 0; token < 600; ++token) texts.push_back(randomLetters(random, 6));
    return test::tokenizerOf(texts);
}

/// Follows one random answer and compares the mask at every step.
void expectMasksOfOneAnswer(const std::shared_ptr<const Pushdown>& grammar,
                            const VocabularyTries& tries, TokenMask& mask, RandomStream& random) {
    GrammarReader reader(grammar);
    auto place = reader.start();
    const auto end = static_cast<TokenId>(tries.inside().vocabulary() - 1);
    for (int step = 0; step < 10; ++step) {
        const auto allowed = mask.allowed();
        std::vector<TokenId> may;
        for (TokenId id = 0; id <= end; ++id) {
            const bool fits =
                id == end ? reader.mayEnd(place)
                          : reader.next(place, tries.inside().text(id)) != GrammarReader::kNowhere;
            if (fits) may.push_back(id);
            if (!allowed) continue;
            ASSERT_EQ(((*allowed)[static_cast<std::size_t>(id) / 64] >> (id % 64) & 1U) != 0, fits)
                << "step " << step << " token " << tries.inside().text(id);
        }
        ASSERT_EQ(allowed.has_value(), !may.empty());
        if (may.empty()) return;
        const TokenId chosen = may[random.below(may.size())];
        ASSERT_TRUE(mask.accept(chosen));
        if (chosen == end) return;
        place = reader.next(place, tries.inside().text(chosen));
    }
}

TEST(RandomGrammars, maskOfAnyStep_equalsTestingEveryToken) {
    MaskWalks walks;
    int grammars = 0;
    for (std::uint64_t round = 0; round < 400; ++round) {
        SCOPED_TRACE(testing::Message() << "seed " << kSeed << " stream " << round);
        RandomStream random(kSeed, round);
        const auto grammar = randomGrammar(random);
        if (grammar == nullptr) continue;
        ++grammars;
        const Tokenizer tokenizer = randomVocabulary(random);
        const auto tries = VocabularyTries::create(tokenizer);
        ASSERT_TRUE(tries);
        const auto vocabulary = std::make_shared<const ClassedVocabulary>(grammar, *tries);
        for (int answer = 0; answer < 4; ++answer) {
            TokenMask mask(vocabulary);
            ASSERT_NO_FATAL_FAILURE(expectMasksOfOneAnswer(grammar, **tries, mask, random));
            walks.broad += mask.walks().broad;
            walks.fine += mask.walks().fine;
        }
    }
    // Both ways to compute a mask were compared often.
    EXPECT_GT(grammars, 300);
    EXPECT_GT(walks.broad, 300U);
    EXPECT_GT(walks.fine, 300U);
}

// Characters that no state distinguishes form one class, and broad classes are unions of fine ones.
// A class that no kind of state splits leads to a single state.
TEST(RandomGrammars, byteClasses_distinguishBytesAsTheStatesDo) {
    for (std::uint64_t round = 0; round < 200; ++round) {
        RandomStream random(kSeed, 1000 + round);
        const auto grammar = randomGrammar(random);
        if (grammar == nullptr) continue;
        const ByteClasses& fine = grammar->classes();
        const ByteClasses& broad = grammar->broadClasses();
        EXPECT_LE(broad.count, fine.count);
        for (std::size_t a = 0; a < 256; ++a) {
            EXPECT_EQ(broad.of[a], broad.of[fine.representatives[fine.of[a]]]);
            for (std::uint32_t s = 0; s < grammar->states(); ++s) {
                const auto targets = [&](std::size_t byte) {
                    std::vector<std::uint32_t> out;
                    for (const ByteEdge& edge : grammar->state(s).bytes)
                        if (byte >= edge.first && byte <= edge.last) out.push_back(edge.target);
                    return out;
                };
                ASSERT_EQ(targets(a), targets(fine.representatives[fine.of[a]]));
                if (!grammar->parts(grammar->state(s).shape, broad.of[a])) {
                    ASSERT_EQ(targets(a), targets(broad.representatives[broad.of[a]]));
                }
            }
        }
    }
}

}  // namespace
}  // namespace lacuna
