// Runs the fuzz targets without a fuzzer: every seed unchanged, truncated and damaged, with the
// same random numbers on every machine. A test passes if its target returns. The runner starts each
// test in a process of its own with a time limit.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/random.h"

// The entry point of each target, renamed when it is compiled.
extern "C" {
int gguf_fuzz(const std::uint8_t*, std::size_t);
int safetensors_fuzz(const std::uint8_t*, std::size_t);
int tokenizer_json_fuzz(const std::uint8_t*, std::size_t);
int template_fuzz(const std::uint8_t*, std::size_t);
int encode_fuzz(const std::uint8_t*, std::size_t);
int grammar_fuzz(const std::uint8_t*, std::size_t);
int schema_fuzz(const std::uint8_t*, std::size_t);
int cache_fuzz(const std::uint8_t*, std::size_t);
int page_fuzz(const std::uint8_t*, std::size_t);
int transform_fuzz(const std::uint8_t*, std::size_t);
int settings_fuzz(const std::uint8_t*, std::size_t);
int report_fuzz(const std::uint8_t*, std::size_t);
#ifdef LACUNA_WITH_SERVER
int http_fuzz(const std::uint8_t*, std::size_t);
#endif
}

namespace lacuna::test {
namespace {

namespace fs = std::filesystem;

struct Target {
    const char* name;
    int (*run)(const std::uint8_t*, std::size_t);
    std::vector<std::string_view> seeds;  ///< name endings of its seeds
};

/// Prints the name of the target as the test parameter.
void PrintTo(const Target& target, std::ostream* out) {
    *out << target.name;
}

const Target kTargets[] = {
    {"gguf", gguf_fuzz, {".gguf"}},
    {"safetensors", safetensors_fuzz, {".safetensors", "config.json"}},
    {"tokenizerJson", tokenizer_json_fuzz, {"tokenizer.json", "tokenizer.model"}},
    {"chatTemplate", template_fuzz, {".jinja"}},
    {"encode", encode_fuzz, {".inp", ".md"}},
    {"grammar", grammar_fuzz, {".gbnf"}},
    {"schema", schema_fuzz, {".schema.json"}},
    {"cache", cache_fuzz, {".cache"}},
    {"page", page_fuzz, {".page"}},
    {"transform", transform_fuzz, {".transform", ".page"}},
    {"settings", settings_fuzz, {"config.json", ".settings.json"}},
    {"report", report_fuzz, {"sample.json"}},
#ifdef LACUNA_WITH_SERVER
    {"http", http_fuzz, {".http"}},
#endif
};

constexpr std::uintmax_t kMaxSeedBytes = 96 << 10;
constexpr std::size_t kMaxSeeds = 24;
constexpr std::size_t kCuts = 16;
constexpr int kDamaged = 24;

/// Returns the smallest seeds of a target, in an order independent of the folder's.
std::vector<fs::path> seedsOf(const Target& target) {
    std::vector<std::pair<std::uintmax_t, fs::path>> found;
    for (const char* folder : {LACUNA_GOLDEN_DIR, LACUNA_SOURCE_DIR "/tests/fuzz/seeds"})
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (!entry.is_regular_file() || entry.file_size() > kMaxSeedBytes) continue;
            const std::string name = entry.path().filename().string();
            if (std::ranges::any_of(target.seeds, [&](auto end) { return name.ends_with(end); }))
                found.emplace_back(entry.file_size(), entry.path());
        }
    std::ranges::sort(found);
    if (found.size() > kMaxSeeds) found.resize(kMaxSeeds);
    std::vector<fs::path> paths;
    for (auto& [size, path] : found) paths.push_back(std::move(path));
    return paths;
}

std::string readBytes(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// Makes one to four changes: a flipped bit, a byte replaced by one that is special in formats, a
/// range removed or doubled.
std::string damaged(std::string bytes, RandomStream& random) {
    constexpr std::string_view kMeaning("\0\xFF\x7F\x80\"\\{}[]<>|*+?(),:\n\xC3\xE2", 23);
    for (auto changes = 1 + random.below(4); changes > 0 && !bytes.empty(); --changes) {
        const std::size_t at = random.below(bytes.size());
        const std::size_t length = 1 + random.below(std::min<std::size_t>(64, bytes.size() - at));
        switch (random.below(4)) {
            case 0:
                bytes[at] = static_cast<char>(bytes[at] ^ (1 << random.below(8)));
                break;
            case 1:
                bytes[at] = kMeaning[random.below(kMeaning.size())];
                break;
            case 2:
                bytes.erase(at, length);
                break;
            default:
                bytes.insert(at, bytes.substr(at, length));
                break;
        }
    }
    return bytes;
}

class FuzzReplay : public testing::TestWithParam<Target> {};

TEST_P(FuzzReplay, intactTruncatedAndDamagedSeeds_return) {
    const auto give = [&](std::string_view bytes) {
        // An exact-size copy lets a memory checker detect any read past the end.
        const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
        EXPECT_EQ(GetParam().run(input.data(), input.size()), 0);
    };
    const auto seeds = seedsOf(GetParam());
    ASSERT_FALSE(seeds.empty());
    for (std::size_t seed = 0; seed < seeds.size(); ++seed) {
        const std::string whole = readBytes(seeds[seed]);
        give(whole);
        for (std::size_t cut = 0; cut < kCuts; ++cut)
            give(std::string_view(whole).substr(0, whole.size() * cut / kCuts));
        RandomStream random(1, seed);
        for (int i = 0; i < kDamaged; ++i) give(damaged(whole, random));
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzReplay, testing::ValuesIn(kTargets),
                         [](const auto& target) { return std::string(target.param.name); });

}  // namespace
}  // namespace lacuna::test
