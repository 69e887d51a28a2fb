// libFuzzer target: arbitrary bytes as a transform bundle and as a page of a stored cache, also
// with corrected checksums, so that the content they cover is parsed.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "engine/base/hash.h"
#include "engine/kv/slot/slot_cache.h"
#include "engine/prefix/transform_page_codec.h"
#include "tests/support/sample_transform.h"

namespace {

constexpr std::int64_t kTokens = 40;
constexpr std::size_t kChecksummed = 16;  // start of the part of a page that its checksum covers
constexpr std::size_t kBundleStart = 12;  // magic and version

template <class T>
void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

/// Decodes a page's bytes into an empty cache.
void decode(const std::shared_ptr<const lacuna::TransformCodec>& codec, std::string_view page) {
    const auto& id = codec->bundle().identity;
    auto cache = lacuna::makeSlotCache(
        {.layers = id.layers, .kvHeads = id.kvHeads, .keyDim = id.keyDim, .valueDim = id.valueDim});
    const lacuna::TransformPageCodec pages(codec, {});
    static_cast<void>(
        pages.decode(std::as_bytes(std::span(page.data(), page.size())), {0, kTokens}, **cache));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const auto codec = *lacuna::TransformCodec::make(
        lacuna::test::sampleTransform({.layers = 2, .kvHeads = 1, .dim = 8, .rank = 6}));
    const std::string_view given(reinterpret_cast<const char*>(data), size);
    static_cast<void>(lacuna::transformFromBytes(given));
    if (size > kBundleStart) {
        std::string bundle(given.substr(0, kBundleStart));
        const std::string_view head = given.substr(kBundleStart);
        put(bundle, static_cast<std::uint64_t>(head.size()));
        bundle += head;
        put(bundle, lacuna::hash64(head));
        static_cast<void>(lacuna::transformFromBytes(bundle));
    }
    decode(codec, given);
    if (size > kChecksummed) {
        std::string page(given);
        const std::uint64_t sum = lacuna::hash64(given.substr(kChecksummed));
        std::memcpy(page.data() + kChecksummed - sizeof(sum), &sum, sizeof(sum));
        decode(codec, page);
    }
    return 0;
}
