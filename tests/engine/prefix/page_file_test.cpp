// A page as bytes: every flipped byte, every truncation and every unexpected field is detected.

#include "engine/prefix/page_file.h"

#include <gtest/gtest.h>

#include <functional>

#include "engine/base/hash.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;

PageSecret secret(int salt = 0) {
    PageSecret made;
    for (std::size_t i = 0; i < made.bytes.size(); ++i)
        made.bytes[i] = static_cast<std::byte>(randomBits(9, static_cast<std::uint64_t>(salt), i));
    return made;
}

struct Sample {
    std::vector<TokenId> tokens = text(16);
    std::vector<std::byte> rows;
    PageHeader header;
    PageQuery request;
    PageKey key;
};

Sample sample() {
    Sample made;
    made.rows.assign(40, std::byte{0x5A});
    made.request.kind = PageKind::Run;
    made.request.parent = {.high = 3, .low = 4};
    made.request.space = tierSpace();
    made.request.first = 32;
    made.request.tokens = made.tokens;
    made.request.layout = cacheLayoutOf({.shape = tierShape(), .window = {}, .layers = {}});
    made.key = pageKey(secret(), spaceKey(secret(), tierSpace()), made.request.parent,
                       PageKind::Run, made.tokens);
    made.header = {.kind = PageKind::Run,
                   .key = made.key,
                   .parent = made.request.parent,
                   .space = tierSpace(),
                   .codec = "rows",
                   .codecIdentity = 7,
                   .run = {32, 16},
                   .layout = made.request.layout,
                   .stateBytes = 0};
    return made;
}

TEST(PageFile, writtenPage_isReadBack_andMatchesItsQuery) {
    const Sample made = sample();
    const auto bytes = writePage(made.header, made.tokens, made.rows);
    const auto page = parsePage(bytes);
    ASSERT_TRUE(page);
    EXPECT_EQ(page->header, made.header);
    EXPECT_EQ(page->tokens, made.tokens);
    EXPECT_TRUE(std::ranges::equal(page->rows, made.rows));
    PageQuery request = made.request;
    request.tokens = made.tokens;
    EXPECT_TRUE(checkPage(*page, request, made.key));
    const auto needed = pageHeadBytes(bytes, bytes.size());
    ASSERT_TRUE(needed);
    const auto head =
        parsePageHead(std::span(bytes).first(static_cast<std::size_t>(*needed)), bytes.size());
    ASSERT_TRUE(head);
    EXPECT_EQ(head->header, made.header);
    EXPECT_TRUE(head->rows.empty());
}

TEST(PageFile, C01_everyFlippedBit_isRefused) {
    const Sample made = sample();
    const auto bytes = writePage(made.header, made.tokens, made.rows);
    for (std::size_t at = 0; at < bytes.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            auto flipped = bytes;
            flipped[at] ^= static_cast<std::byte>(1 << bit);
            const auto page = parsePage(flipped);
            ASSERT_FALSE(page) << "byte " << at << " bit " << bit;
            ASSERT_TRUE(isDamage(page.error().fault));
        }
}

TEST(PageFile, truncatedOrExtendedFile_isRefused) {
    const Sample made = sample();
    auto bytes = writePage(made.header, made.tokens, made.rows);
    for (std::size_t length = 0; length < bytes.size(); ++length) {
        const auto page = parsePage(std::span(bytes).first(length));
        ASSERT_FALSE(page) << length;
        ASSERT_EQ(page.error().fault, PageFault::Length) << length;
    }
    bytes.push_back(std::byte{0});
    EXPECT_FALSE(parsePage(bytes));
    for (const std::byte fill : {std::byte{0}, std::byte{0xFF}})
        EXPECT_FALSE(parsePage(std::vector<std::byte>(bytes.size(), fill)));
}

/// Updates the checksums, as a forger who knows the format could.
void reseal(std::vector<std::byte>& bytes) {
    std::uint32_t header = 0;
    std::memcpy(&header, bytes.data() + 16, sizeof(header));
    const std::uint64_t sum = hash64(std::span(bytes).first(header - 8));
    std::memcpy(bytes.data() + header - 8, &sum, sizeof(sum));
}

TEST(PageFile, invalidHeaderValues_withValidChecksum_areRefusedByName) {
    struct Forged {
        std::size_t at;
        std::uint64_t value;
        std::size_t bytes;
        PageFault fault;
    };
    const std::vector<Forged> forged{
        {0, 0x4C4C4C4C, 4, PageFault::Magic},
        {8, 0, 4, PageFault::Version},
        {8, kPageVersion + 1, 4, PageFault::Version},
        {12, 0x04030201, 4, PageFault::Endianness},
        {20, 3, 4, PageFault::Layout},                       // kind
        {24, std::uint64_t{1} << 63, 8, PageFault::Run},     // first token
        {32, 0, 8, PageFault::Run},                          // no tokens
        {32, std::uint64_t{1} << 63, 8, PageFault::Run},     // tokens
        {32, 17, 8, PageFault::Length},                      // one token more
        {40, std::uint64_t{1} << 63, 8, PageFault::Length},  // rows
        {40, std::numeric_limits<std::uint64_t>::max(), 8, PageFault::Length}};
    const Sample made = sample();
    for (const Forged& one : forged) {
        auto bytes = writePage(made.header, made.tokens, made.rows);
        std::memcpy(bytes.data() + one.at, &one.value, one.bytes);
        reseal(bytes);
        const auto page = parsePage(bytes);
        ASSERT_FALSE(page) << one.at;
        EXPECT_EQ(page.error().fault, one.fault) << one.at << ": " << page.error().what;
    }
}

TEST(PageFile, C07_SD14_invalidHeaderLengths_areRefused) {
    const Sample made = sample();
    for (const std::uint32_t length : {0U, 55U, 60U, 100U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        auto bytes = writePage(made.header, made.tokens, made.rows);
        std::memcpy(bytes.data() + 16, &length, sizeof(length));
        EXPECT_FALSE(parsePage(bytes)) << length;
    }
    for (const std::uint32_t length : {129U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
        auto bytes = writePage(made.header, made.tokens, made.rows);
        std::memcpy(bytes.data() + 56 + 48, &length, sizeof(length));  // length of the model's name
        reseal(bytes);
        EXPECT_FALSE(parsePage(bytes)) << length;
    }
}

TEST(PageFile, everyMismatchedField_isAMissWithItsReason) {
    struct Change {
        PageFault fault;
        std::function<void(PageHeader&, std::vector<TokenId>&)> make;
    };
    std::vector<Change> changes{
        {PageFault::Space, [](PageHeader& h, auto&) { h.space.model[0] = 'f'; }},
        {PageFault::Space, [](PageHeader& h, auto&) { ++h.space.settings; }},
        {PageFault::Key, [](PageHeader& h, auto&) { ++h.key.low; }},
        {PageFault::Key, [](PageHeader& h, auto&) { ++h.key.high; }},
        {PageFault::Parent, [](PageHeader& h, auto&) { ++h.parent.low; }},
        {PageFault::Layout, [](PageHeader& h, auto&) { h.kind = PageKind::Whole; }},
        {PageFault::Run, [](PageHeader& h, auto&) { h.run.first = 16; }},
        {PageFault::Run,
         [](PageHeader& h, auto& tokens) {
             h.run.count = 15;
             tokens.pop_back();
         }},
        {PageFault::Tokens, [](PageHeader&, auto& tokens) { ++tokens[7]; }},
        {PageFault::Length, [](PageHeader& h, auto&) { h.stateBytes = 1; }},
        {PageFault::Layout, [](PageHeader& h, auto&) { h.layout.pop_back(); }}};
    const std::size_t words = sample().header.layout.size();
    ASSERT_EQ(words, 11U + 2 * 6);
    for (std::size_t word = 0; word < words; ++word)
        changes.push_back({PageFault::Layout, [word](PageHeader& h, auto&) { ++h.layout[word]; }});
    for (const Change& change : changes) {
        const Sample made = sample();
        PageHeader header = made.header;
        std::vector<TokenId> tokens = made.tokens;
        change.make(header, tokens);
        const auto bytes = writePage(header, tokens, made.rows);
        const auto page = parsePage(bytes);
        ASSERT_TRUE(page);
        PageQuery request = made.request;
        request.tokens = made.tokens;
        const auto fits = checkPage(*page, request, made.key);
        ASSERT_FALSE(fits);
        EXPECT_EQ(fits.error().fault, change.fault) << fits.error().what;
        EXPECT_FALSE(fits.error().what.empty());
    }
}

TEST(PageKey, everyIdentifyingField_changesTheKey) {
    const auto tokens = text(16);
    const PageKey space = spaceKey(secret(), tierSpace());
    const PageKey key = pageKey(secret(), space, {}, PageKind::Run, tokens);
    EXPECT_EQ(key.hex().size(), 32U);
    EXPECT_EQ(pageKey(secret(), space, {}, PageKind::Run, tokens), key);
    auto other = tokens;
    ++other.back();
    std::vector<PageKey> keys{
        key,
        pageKey(secret(), space, {}, PageKind::Run, other),
        pageKey(secret(), space, {}, PageKind::Run, std::span(tokens).first(15)),
        pageKey(secret(), space, {.high = 0, .low = 1}, PageKind::Run, tokens),
        pageKey(secret(), space, {}, PageKind::Whole, tokens),
        pageKey(secret(1), space, {}, PageKind::Run, tokens),
        pageKey(secret(), spaceKey(secret(), {.model = "m", .settings = 42}), {}, PageKind::Run,
                tokens),
        pageKey(secret(), spaceKey(secret(), {.model = tierSpace().model, .settings = 43}), {},
                PageKind::Run, tokens)};
    for (std::size_t i = 0; i < keys.size(); ++i)
        for (std::size_t j = i + 1; j < keys.size(); ++j) EXPECT_NE(keys[i], keys[j]) << i << j;
}

TEST(PageFile, C07_SD14_savedCacheWithImpossibleSize_isRefused) {
    Sample made = sample();
    made.header.kind = made.request.kind = PageKind::Whole;
    made.header.run.first = made.request.first = 0;
    for (const std::uint64_t claimed :
         {maxStateBytes(made.request.layout, 16) + 1, std::uint64_t{1} << 40,
          std::numeric_limits<std::uint64_t>::max()}) {
        made.header.stateBytes = claimed;
        const auto bytes = writePage(made.header, made.tokens, made.rows);
        const auto page = parsePage(bytes);
        ASSERT_TRUE(page);
        PageQuery request = made.request;
        request.tokens = made.tokens;
        const auto fits = checkPage(*page, request, made.key);
        ASSERT_FALSE(fits);
        EXPECT_EQ(fits.error().fault, PageFault::Length);
    }
}

TEST(PageFile, savedCacheSizeBound_holdsForEveryFormat) {
    for (const KvQuant quant : {KvQuant{}, KvQuant{8, 32}, KvQuant{4, 32}, KvQuant{8, 0}}) {
        KvShape shape = tierShape(quant.plain() ? DType::F32 : DType::F16);
        shape.keyQuant = shape.valueQuant = quant;
        if (quant.rotated()) shape.exact = {256, 4};
        const KvChoice choice{.shape = shape, .window = {}, .layers = {}};
        for (const int tokens : {1, 100}) {
            const auto cache = cacheOver(text(tokens), choice);
            EXPECT_LT(cache->save().value().size(),
                      maxStateBytes(cacheLayoutOf(choice), static_cast<std::uint64_t>(tokens)));
        }
    }
}

}  // namespace
}  // namespace lacuna
