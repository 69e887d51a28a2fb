// libFuzzer target: arbitrary bytes as a page of the disk tier, unchanged and with matching
// checksums, so that the content between them is parsed. The rows of a valid page are decoded.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "engine/base/hash.h"
#include "engine/kv/kv_factory.h"
#include "engine/prefix/page_file.h"
#include "engine/prefix/row_codecs.h"

namespace {

using namespace lacuna;

void decode(const ParsedPage& page) {
    const KvShape shape{.layers = 2, .kvHeads = 1, .keyDim = 32, .valueDim = 32};
    if (page.header.run.count > 64) return;
    for (const auto& codec : {makeRowsCodec(), makeEightBitCodec()}) {
        const auto cache = makeCache({.shape = shape, .window = {}, .layers = {}});
        if (!cache) return;
        static_cast<void>(
            codec->decode(page.rows, {.first = 0, .count = page.header.run.count}, **cache));
    }
}

/// Corrects the checksums of header, tokens and rows where the header's length allows it.
void seal(std::vector<std::byte>& bytes) {
    constexpr std::size_t kSums = 3 * sizeof(std::uint64_t);
    std::uint32_t header = 0;
    std::uint64_t tokens = 0;
    if (bytes.size() < kPageStartBytes) return;
    std::memcpy(&header, bytes.data() + 16, sizeof(header));
    std::memcpy(&tokens, bytes.data() + 32, sizeof(tokens));
    if (header < kPageStartBytes + kSums || header > bytes.size()) return;
    const auto rest = std::span(bytes).subspan(header);
    if (tokens > rest.size() / sizeof(TokenId)) return;
    const auto ids = rest.first(static_cast<std::size_t>(tokens) * sizeof(TokenId));
    const auto put = [&](std::size_t before, std::uint64_t sum) {
        std::memcpy(bytes.data() + header - before, &sum, sizeof(sum));
    };
    put(24, hash64(ids));
    put(16, hash64(rest.subspan(ids.size())));
    put(8, hash64(std::span<const std::byte>(bytes).first(header - 8)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto given = std::as_bytes(std::span(data, size));
    static_cast<void>(parsePage(given));
    std::vector<std::byte> bytes(given.begin(), given.end());
    seal(bytes);
    if (const auto page = parsePage(bytes)) decode(*page);
    return 0;
}
