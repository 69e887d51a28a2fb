#pragma once
/// \file
/// Small caches over texts, spaces and stores for the tests of the disk tier. The rows of a token
/// are a function of its id and position, so the content of a cache over a text is known.

#include <cstring>
#include <memory>
#include <vector>

#include "../../support/temporary_folder.h"
#include "engine/base/random.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/prefix/disk_tier.h"
#include "engine/prefix/row_codecs.h"

namespace lacuna::test {

inline KvShape tierShape(DType type = DType::F16) {
    return {.layers = 2, .kvHeads = 2, .keyDim = 32, .valueDim = 64, .type = type};
}

inline std::vector<TokenId> text(std::int64_t tokens, std::uint64_t seed = 1) {
    std::vector<TokenId> ids;
    for (std::int64_t i = 0; i < tokens; ++i)
        ids.push_back(
            static_cast<TokenId>(randomBits(seed, 5, static_cast<std::uint64_t>(i)) % 50'000));
    return ids;
}

/// Appends tokens [cache.offset(), tokens.size()).
inline void evaluate(KvCache& cache, std::span<const TokenId> tokens) {
    const KvShape& shape = cache.shape();
    const int first = cache.offset().value;
    const int count = static_cast<int>(tokens.size()) - first;
    const auto rows = [&](int layer, int columns, std::uint64_t salt) {
        std::vector<float> numbers;
        for (int i = 0; i < count; ++i) {
            const auto id = static_cast<std::uint64_t>(tokens[static_cast<std::size_t>(first + i)]);
            RandomStream random(salt + id,
                                static_cast<std::uint64_t>(layer * 1'000'000 + first + i));
            for (int n = 0; n < columns; ++n)
                numbers.push_back(static_cast<float>(random.uniform() - 0.5) * 4);
        }
        return numbers;
    };
    if (!cache.beginAppend(count)) return;
    for (int layer = 0; layer < shape.layers; ++layer) {
        const KvExtent extent = shape.extent(LayerIndex(layer));
        if (extent.heads == 0) continue;
        const auto keys = rows(layer, extent.heads * extent.keyDim, 1'000'000'000);
        const auto values = rows(layer, extent.heads * extent.valueDim, 2'000'000'000);
        cache.writeLayer(LayerIndex(layer), {keys.data(), {count, extent.heads, extent.keyDim}},
                         {values.data(), {count, extent.heads, extent.valueDim}});
    }
    cache.commitAppend();
}

inline std::unique_ptr<KvCache> cacheOver(std::span<const TokenId> tokens, const KvChoice& choice) {
    auto cache = makeCache(choice).value();
    evaluate(*cache, tokens);
    return cache;
}
inline std::unique_ptr<KvCache> cacheOver(std::span<const TokenId> tokens,
                                          const KvShape& shape = tierShape()) {
    return cacheOver(tokens, KvChoice{.shape = shape, .window = {}, .layers = {}});
}

/// Returns whether the first `tokens` tokens have the same bytes in both.
inline bool sameRows(const KvCache& a, const KvCache& b, std::int64_t tokens) {
    const KvShape& shape = a.shape();
    for (int layer = 0; layer < shape.layers; ++layer)
        for (int head = 0; head < shape.kvHeads; ++head) {
            const KvHeadView x = a.head(LayerIndex(layer), HeadIndex(head));
            const KvHeadView y = b.head(LayerIndex(layer), HeadIndex(head));
            if (x.slots < tokens || y.slots < tokens) return false;
            const auto many = static_cast<std::size_t>(tokens);
            if (std::memcmp(x.keys, y.keys, many * formatBytes(keyFormat(shape))) != 0 ||
                std::memcmp(x.values, y.values, many * formatBytes(valueFormat(shape))) != 0)
                return false;
        }
    return true;
}

inline PageSpace tierSpace() {
    return {.model = "0123456789abcdef0123456789abcdef", .settings = 42};
}

inline PageStoreOptions tierOptions(const std::filesystem::path& folder) {
    PageStoreOptions options;
    options.folder = folder;
    options.limitBytes = 256 << 20;
    options.minFree = 0;
    return options;
}

inline std::vector<std::unique_ptr<PageCodec>> exactCodecs() {
    std::vector<std::unique_ptr<PageCodec>> codecs;
    codecs.push_back(makeRowsCodec());
    return codecs;
}

/// A store in a folder with a tier; both can be reopened as by a restart.
struct TierOnDisk {
    explicit TierOnDisk(const PageStoreOptions& with) : options(with) { start(); }
    void start() {
        tier.reset();
        store.reset();
        store = PageStore::open(options);
        store->drain();
        tier = std::make_unique<DiskTier>(*store, exactCodecs());
    }
    /// Stores the text and waits for it.
    bool keep(std::span<const TokenId> tokens, KvCache& cache,
              const PageSpace& space = tierSpace()) const {
        const bool queued = tier->store(space, tokens, cache);
        store->drain();
        return queued;
    }
    [[nodiscard]] std::int64_t found(std::span<const TokenId> tokens,
                                     const PageSpace& space = tierSpace()) const {
        return tier
            ->find(space, tokens, static_cast<std::int64_t>(tokens.size()) - 1,
                   {.shape = tierShape(), .window = {}, .layers = {}})
            .tokens;
    }
    PageStoreOptions options;
    std::unique_ptr<PageStore> store;
    std::unique_ptr<DiskTier> tier;
};

/// Returns all pages of this version below a folder.
inline std::vector<std::filesystem::path> pagesIn(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> pages;
    const auto version = folder / std::to_string(kPageVersion);
    if (!std::filesystem::exists(version)) return pages;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(version))
        if (entry.path().extension() == ".kv") pages.push_back(entry.path());
    return pages;
}

inline std::vector<std::byte> bytesOf(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::vector<char> content((std::istreambuf_iterator<char>(file)), {});
    const auto bytes = std::as_bytes(std::span(content));
    return {bytes.begin(), bytes.end()};
}

inline void overwrite(const std::filesystem::path& path, std::span<const std::byte> bytes) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

}  // namespace lacuna::test
