// The stored texts with the longest common prefix, against a linear search.

#include "engine/prefix/prefix_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "engine/base/random.h"

namespace lacuna {
namespace {

using Tokens = std::vector<TokenId>;

TEST(PrefixIndex, divergingTexts_shareANode_PB8) {
    PrefixIndex index;
    ASSERT_TRUE(index.insert(Tokens{1, 2, 3, 4}, 0, 1));
    ASSERT_TRUE(index.insert(Tokens{1, 2, 5}, 0, 2));
    index.checkInvariants();
    EXPECT_EQ(index.find(Tokens{1, 2, 3, 4}), PrefixId{1});
    EXPECT_EQ(index.find(Tokens{1, 2, 5}), PrefixId{2});
    EXPECT_EQ(index.find(Tokens{1, 2}), std::nullopt) << "nothing was stored that ends there";
    EXPECT_EQ(index.common(Tokens{1, 2, 9}), 2);
    EXPECT_EQ(index.longest(Tokens{1, 2, 9}, 2)->usable, 2);
    EXPECT_TRUE(index.erase(Tokens{1, 2, 3, 4}));
    index.checkInvariants();
    EXPECT_EQ(index.find(Tokens{1, 2, 5}), PrefixId{2});
    EXPECT_FALSE(index.erase(Tokens{1, 2, 3, 4}));
}

TEST(PrefixIndex, equalTokens_areStoredOnce) {
    PrefixIndex index;
    ASSERT_TRUE(index.insert(Tokens{7, 8}, 0, 1));
    EXPECT_FALSE(index.insert(Tokens{7, 8}, 0, 2));
    EXPECT_EQ(index.find(Tokens{7, 8}), PrefixId{1});
    EXPECT_EQ(index.size(), 1);
}

/// One stored text of the linear search.
struct Stored {
    Tokens tokens;
    std::int64_t shortest = 0;
    PrefixId id = 0;
};

std::int64_t commonTokens(const Tokens& a, const Tokens& b) {
    const auto [end, other] = std::ranges::mismatch(a, b);
    return end - a.begin();
}

class NaiveIndex {
  public:
    void insert(Stored stored) { all_.push_back(std::move(stored)); }
    void erase(const Tokens& tokens) {
        std::erase_if(all_, [&](const Stored& one) { return one.tokens == tokens; });
    }
    [[nodiscard]] const Stored* find(const Tokens& tokens) const {
        const auto at = std::ranges::find(all_, tokens, &Stored::tokens);
        return at == all_.end() ? nullptr : &*at;
    }
    /// Returns the tokens that the best match gives and the shortest length of the texts that give
    /// them.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> longest(const Tokens& asked,
                                                                std::int64_t most) const {
        std::int64_t usable = 0;
        std::int64_t length = 0;
        for (const Stored& one : all_) {
            const std::int64_t gives = std::min(commonTokens(one.tokens, asked), most);
            if (gives < 1 || gives < one.shortest) continue;
            const auto size = static_cast<std::int64_t>(one.tokens.size());
            if (gives < usable || (gives == usable && size >= length)) continue;
            usable = gives;
            length = size;
        }
        return {usable, length};
    }
    [[nodiscard]] std::vector<PrefixId> startsOf(const Tokens& asked) const {
        std::map<std::size_t, PrefixId> found;
        for (const Stored& one : all_)
            if (one.tokens.size() < asked.size() &&
                commonTokens(one.tokens, asked) == static_cast<std::int64_t>(one.tokens.size()))
                found[one.tokens.size()] = one.id;
        std::vector<PrefixId> ids;
        for (const auto& [length, id] : found) ids.push_back(id);
        return ids;
    }
    [[nodiscard]] std::int64_t common(const Tokens& asked) const {
        std::int64_t most = 0;
        for (const Stored& one : all_) most = std::max(most, commonTokens(one.tokens, asked));
        return most;
    }
    [[nodiscard]] const std::vector<Stored>& all() const { return all_; }

  private:
    std::vector<Stored> all_;
};

Tokens anyTokens(RandomStream& random) {
    Tokens tokens(1 + random.below(9));
    for (TokenId& token : tokens) token = static_cast<TokenId>(random.below(3));
    return tokens;
}

TEST(PrefixIndex, randomOperations_matchAPlainList) {
    constexpr int kSequences = 2500;
    constexpr int kOperations = 60;
    std::int64_t hits = 0;
    std::int64_t cut = 0;
    for (int sequence = 0; sequence < kSequences; ++sequence) {
        RandomStream random(31, static_cast<std::uint64_t>(sequence));
        PrefixIndex index;
        NaiveIndex list;
        PrefixId next = 1;
        for (int i = 0; i < kOperations; ++i) {
            const Tokens tokens = anyTokens(random);
            if (random.below(3) == 0) {
                ASSERT_EQ(index.erase(tokens), list.find(tokens) != nullptr) << sequence;
                list.erase(tokens);
            } else {
                const std::uint64_t kind = random.below(3);
                std::int64_t shortest = 0;
                if (kind == 1) shortest = static_cast<std::int64_t>(tokens.size());
                if (kind == 2)
                    shortest = static_cast<std::int64_t>(random.below(tokens.size() + 1));
                const bool made = index.insert(tokens, shortest, next);
                ASSERT_EQ(made, list.find(tokens) == nullptr) << sequence;
                if (made) list.insert({tokens, shortest, next++});
            }
            const Tokens asked = anyTokens(random);
            const auto size = static_cast<std::int64_t>(asked.size());
            const std::int64_t most =
                random.below(4) == 0 ? static_cast<std::int64_t>(random.below(10)) : size - 1;
            const auto [usable, length] = list.longest(asked, most);
            const auto hit = index.longest(asked, most);
            ASSERT_EQ(hit ? hit->usable : 0, usable) << sequence;
            if (hit) {
                ++hits;
                cut += hit->length > hit->usable ? 1 : 0;
                ASSERT_EQ(hit->length, length) << sequence;
                const auto one = std::ranges::find(list.all(), hit->id, &Stored::id);
                ASSERT_NE(one, list.all().end());
                ASSERT_EQ(static_cast<std::int64_t>(one->tokens.size()), hit->length);
                ASSERT_GE(std::min(commonTokens(one->tokens, asked), most), hit->usable);
            }
            ASSERT_EQ(index.common(asked), list.common(asked)) << sequence;
            ASSERT_EQ(index.startsOf(asked), list.startsOf(asked)) << sequence;
            const Stored* const exact = list.find(asked);
            ASSERT_EQ(index.find(asked), exact ? std::optional(exact->id) : std::nullopt);
            const auto nearest = index.nearest(asked);
            ASSERT_EQ(nearest.has_value(), list.common(asked) > 0);
            if (nearest) {
                const auto one = std::ranges::find(list.all(), *nearest, &Stored::id);
                ASSERT_EQ(commonTokens(one->tokens, asked), list.common(asked));
            }
        }
        ASSERT_EQ(index.size(), list.all().size());
        index.checkInvariants();
        for (const Stored& one : std::vector<Stored>(list.all()))
            ASSERT_TRUE(index.erase(one.tokens)) << sequence;
        index.checkInvariants();
        ASSERT_EQ(index.bytes(), 0) << sequence;
    }
    EXPECT_GT(hits, 10'000);
    EXPECT_GT(cut, 1000);
}

}  // namespace
}  // namespace lacuna
