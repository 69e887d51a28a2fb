#include "engine/prefix/page_file.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/check.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kv/state/state_store.h"

namespace lacuna {
namespace {

constexpr std::string_view kMagic = "LACUNAPG";
constexpr std::uint32_t kByteOrder = 0x01020304;
constexpr std::uint32_t kMostText = 128;
constexpr std::size_t kLayoutStart = 11;  ///< words of the cache, followed by those of its layers
constexpr std::size_t kLayerWords = 6;
constexpr std::size_t kExtentWords = 3;  ///< of each layer, after all others, if the layers differ
/// After the extents, if the model has recurrent layers: bytes of their states with the inputs of
/// the newest kStateTokens tokens, the higher word first.
constexpr std::size_t kStateWords = 2;
constexpr std::int64_t kStateTokens = 64;
constexpr std::uint32_t kMostLayoutWords =
    kLayoutStart + (kLayerWords + kExtentWords) * 4096 + kStateWords;
constexpr std::array<std::string_view, kLayoutStart> kCacheWords{
    "layers",      "KV heads",          "key length",      "value length",
    "number type", "bits of keys",      "key group",       "value bits",
    "value group", "newest in 16 bits", "first in 16 bits"};
constexpr std::array<std::string_view, kLayerWords> kLayerNames{
    "window", "kept tokens", "bits of keys", "key group", "value bits", "value group"};
constexpr std::array<std::string_view, kExtentWords> kExtentNames{"KV heads", "key length",
                                                                  "value length"};

void putText(std::vector<std::byte>& out, std::string_view text) {
    putWord(out, static_cast<std::uint32_t>(text.size()));
    const auto bytes = std::as_bytes(std::span(text));
    out.insert(out.end(), bytes.begin(), bytes.end());
}

void putKey(std::vector<std::byte>& out, const PageKey& key) {
    putWord(out, key.high);
    putWord(out, key.low);
}

PageKey hashOf(const PageSecret& secret, std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits_withSecret(bytes.data(), bytes.size(),
                                                       secret.bytes.data(), secret.bytes.size());
    return {.high = hash.high64, .low = hash.low64};
}

tl::unexpected<PageRefusal> refuse(PageFault fault, std::string what) {
    return tl::unexpected<PageRefusal>(PageRefusal{fault, std::move(what)});
}

std::uint64_t wordOf(const std::vector<std::uint32_t>& layout, std::size_t word) {
    return word < layout.size() ? layout[word] : 0;
}

/// Index of the words of the recurrent layers, or the number of words.
std::size_t statesAt(const std::vector<std::uint32_t>& layout) {
    const std::size_t extents = kLayoutStart + kLayerWords * wordOf(layout, 0);
    const bool any = layout.size() > extents && (layout.size() - extents) % kExtentWords != 0;
    return layout.size() - (any ? kStateWords : 0);
}

}  // namespace

std::string PageKey::hex() const {
    return format("{:016x}{:016x}", high, low);
}

PageKey spaceKey(const PageSecret& secret, const PageSpace& space) {
    std::vector<std::byte> bytes;
    putText(bytes, "space");
    putText(bytes, space.model);
    putWord(bytes, space.settings);
    return hashOf(secret, bytes);
}

PageKey pageKey(const PageSecret& secret, const PageKey& space, const PageKey& parent,
                PageKind kind, std::span<const TokenId> tokens) {
    std::vector<std::byte> bytes;
    putKey(bytes, space);
    putKey(bytes, parent);
    putWord(bytes, static_cast<std::uint32_t>(kind));
    putWord(bytes, static_cast<std::uint64_t>(tokens.size()));
    const auto ids = std::as_bytes(tokens);
    bytes.insert(bytes.end(), ids.begin(), ids.end());
    return hashOf(secret, bytes);
}

KvChoice choiceOfCache(const KvCache& cache) {
    KvChoice choice{.shape = cache.shape(), .window = {}, .layers = {}};
    const KvCapabilities able = cache.capabilities();
    if (const auto* plans = cache.layerPlans())
        choice.layers = *plans;
    else if (able.windowSize > 0)
        choice.window = WindowRule{able.windowSize, able.windowKeep};
    return choice;
}

std::vector<std::uint32_t> cacheLayoutOf(const KvChoice& choice) {
    const KvShape& shape = choice.shape;
    std::vector<std::uint32_t> layout;
    const auto add = [&layout](int value) { layout.push_back(static_cast<std::uint32_t>(value)); };
    for (const int value :
         {shape.layers, shape.kvHeads, shape.keyDim, shape.valueDim, static_cast<int>(shape.type),
          shape.keyQuant.bits, shape.keyQuant.group, shape.valueQuant.bits, shape.valueQuant.group,
          shape.exact.newest, shape.exact.first})
        add(value);
    for (int layer = 0; layer < shape.layers; ++layer) {
        LayerPlan plan{
            .window = choice.window, .keyQuant = shape.keyQuant, .valueQuant = shape.valueQuant};
        if (!choice.layers.empty()) plan = choice.layers[static_cast<std::size_t>(layer)];
        for (const int value :
             {plan.window ? plan.window->size : 0, plan.window ? plan.window->keep : 0,
              plan.keyQuant.bits, plan.keyQuant.group, plan.valueQuant.bits, plan.valueQuant.group})
            add(value);
    }
    for (const KvExtent& one : shape.extents)
        for (const int value : {one.heads, one.keyDim, one.elements() - one.keyDim}) add(value);
    if (shape.states != nullptr) {
        const auto bytes =
            static_cast<std::uint64_t>(StateStore::estimateBytes(*shape.states, {}, kStateTokens));
        layout.push_back(static_cast<std::uint32_t>(bytes >> 32));
        layout.push_back(static_cast<std::uint32_t>(bytes));
    }
    return layout;
}

std::uint64_t maxStateBytes(const std::vector<std::uint32_t>& layout, std::uint64_t tokens) {
    // Codes with their scales are no larger than 32-bit numbers. A slot may also have a 16-bit copy
    // of its row, its index, position and bias.
    std::uint64_t allHeads = 0;
    std::optional<std::uint64_t> bytes = 0;
    const auto add = [&](std::uint64_t heads, std::uint64_t numbers) {
        const std::uint64_t slot = numbers * (sizeof(float) + sizeof(std::uint16_t)) + 64;
        const auto slots = checkedMultiply(heads, tokens);
        const auto own = slots ? checkedMultiply(*slots, slot) : std::nullopt;
        bytes = own && bytes ? checkedAdd(*bytes, *own) : std::nullopt;
        allHeads += heads;
    };
    const std::size_t extents = kLayoutStart + kLayerWords * wordOf(layout, 0);
    const std::size_t states = statesAt(layout);
    if (states > extents) {
        for (std::size_t at = extents; at < states; at += kExtentWords)
            add(wordOf(layout, at), wordOf(layout, at + 1) + wordOf(layout, at + 2));
    } else {
        add(wordOf(layout, 0) * wordOf(layout, 1), wordOf(layout, 2) + wordOf(layout, 3));
    }
    // States with their newest inputs, and at most one checkpoint, which is smaller, for each
    // token.
    if (states < layout.size()) {
        const std::uint64_t one =
            std::uint64_t{layout[states]} << 32 | std::uint64_t{layout[states + 1]};
        const auto own = checkedMultiply(tokens + 1, one);
        bytes = own && bytes ? checkedAdd(*bytes, *own) : std::nullopt;
    }
    const auto all =
        bytes ? checkedAdd(*bytes, allHeads * 64 + layout.size() * 64 + 65536) : std::nullopt;
    return std::min(all.value_or(kMaxPageBytes), kMaxPageBytes);
}

std::string_view pageFaultName(PageFault fault) {
    switch (fault) {
        case PageFault::Missing:
            return "missing";
        case PageFault::Unreadable:
            return "unreadable";
        case PageFault::Length:
            return "length";
        case PageFault::Magic:
            return "magic";
        case PageFault::Endianness:
            return "endianness";
        case PageFault::Version:
            return "version";
        case PageFault::Checksum:
            return "checksum";
        case PageFault::Key:
            return "key";
        case PageFault::Space:
            return "space";
        case PageFault::Parent:
            return "parent";
        case PageFault::Run:
            return "run";
        case PageFault::Tokens:
            return "tokens";
        case PageFault::Layout:
            return "layout";
        case PageFault::Codec:
            return "codec";
        case PageFault::Content:
            return "content";
    }
    return "unknown";
}

bool isDamage(PageFault fault) {
    return fault != PageFault::Missing && fault != PageFault::Unreadable &&
           fault != PageFault::Layout && fault != PageFault::Codec;
}

std::vector<std::byte> writePage(const PageHeader& header, std::span<const TokenId> tokens,
                                 std::span<const std::byte> rows) {
    LACUNA_REQUIRE(static_cast<std::int64_t>(tokens.size()) == header.run.count,
                   "a page has the tokens of its run");
    std::vector<std::byte> out;
    const auto magic = std::as_bytes(std::span(kMagic));
    out.insert(out.end(), magic.begin(), magic.end());
    putWord(out, kPageVersion);
    putWord(out, kByteOrder);
    const std::size_t lengthAt = out.size();
    putWord(out, std::uint32_t{0});
    putWord(out, static_cast<std::uint32_t>(header.kind));
    putWord(out, static_cast<std::uint64_t>(header.run.first));
    putWord(out, static_cast<std::uint64_t>(header.run.count));
    putWord(out, static_cast<std::uint64_t>(rows.size()));
    putWord(out, header.stateBytes);
    putKey(out, header.key);
    putKey(out, header.parent);
    putWord(out, header.space.settings);
    putWord(out, header.codecIdentity);
    putText(out, header.space.model);
    putText(out, header.codec);
    putWord(out, static_cast<std::uint32_t>(header.layout.size()));
    for (const std::uint32_t word : header.layout) putWord(out, word);
    putWord(out, hash64(std::as_bytes(tokens)));
    putWord(out, hash64(rows));
    const auto length = static_cast<std::uint32_t>(out.size() + sizeof(std::uint64_t));
    std::memcpy(out.data() + lengthAt, &length, sizeof(length));
    putWord(out, hash64(std::span<const std::byte>(out)));
    const auto ids = std::as_bytes(tokens);
    out.insert(out.end(), ids.begin(), ids.end());
    out.insert(out.end(), rows.begin(), rows.end());
    return out;
}

namespace {

struct PageStart {
    std::uint32_t headerBytes = 0;
    std::uint32_t kind = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    std::uint64_t rowBytes = 0;
    std::uint64_t stateBytes = 0;
};

/// Upper bound of the header size.
constexpr std::uint32_t kMostHeaderBytes = 4096 + 2 * kMostText + 4 * kMostLayoutWords;

PageResult<PageStart> readStart(ByteReader& reader, std::uint64_t fileBytes) {
    const auto magic = reader.takeText(kMagic.size());
    if (!magic) return refuse(PageFault::Length, "it ends within its first bytes");
    if (*magic != kMagic) return refuse(PageFault::Magic, "it is not a page");
    const auto version = reader.read<std::uint32_t>();
    const auto order = reader.read<std::uint32_t>();
    if (!version || !order) return refuse(PageFault::Length, "it ends within its first bytes");
    if (*order != kByteOrder)
        return refuse(PageFault::Endianness, "it was written with another byte order");
    if (*version != kPageVersion)
        return refuse(PageFault::Version,
                      format("it has version {}, this program reads {}", *version, kPageVersion));
    PageStart start;
    const auto header = reader.read<std::uint32_t>();
    const auto kind = reader.read<std::uint32_t>();
    for (std::uint64_t* field : {&start.first, &start.count, &start.rowBytes, &start.stateBytes}) {
        const auto value = reader.read<std::uint64_t>();
        if (!value) return refuse(PageFault::Length, "it ends within its first bytes");
        *field = *value;
    }
    start.headerBytes = header.value_or(0);
    start.kind = kind.value_or(0);
    if (start.headerBytes < kPageStartBytes || start.headerBytes > kMostHeaderBytes)
        return refuse(PageFault::Length, format("its header has {} bytes", start.headerBytes));
    constexpr auto kMostTokens =
        static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
    if (start.count == 0 || start.count > kMostTokens || start.first > kMostTokens - start.count)
        return refuse(PageFault::Run, format("{} tokens from token {}", start.count, start.first));
    const auto tokens = start.count * sizeof(TokenId);
    const auto all = checkedAdd(start.headerBytes + tokens, start.rowBytes);
    if (!all || *all != fileBytes || fileBytes > kMaxPageBytes)
        return refuse(PageFault::Length,
                      format("its {} bytes do not match the sizes in its header", fileBytes));
    return start;
}

PageResult<std::string> readText(ByteReader& reader) {
    const auto length = reader.read<std::uint32_t>();
    if (!length || *length > kMostText)
        return refuse(PageFault::Length, "a text of its header is too long");
    const auto text = reader.takeText(*length);
    if (!text) return refuse(PageFault::Length, "it ends within a text of its header");
    return std::string(*text);
}

/// Reads the header after its first bytes.
PageResult<ParsedPage> readRest(ByteReader& reader, const PageStart& start) {
    ParsedPage page;
    PageHeader& header = page.header;
    if (start.kind != static_cast<std::uint32_t>(PageKind::Run) &&
        start.kind != static_cast<std::uint32_t>(PageKind::Whole))
        return refuse(PageFault::Layout, format("it is of kind {}", start.kind));
    header.kind = static_cast<PageKind>(start.kind);
    header.run = {static_cast<std::int64_t>(start.first), static_cast<std::int64_t>(start.count)};
    header.stateBytes = start.stateBytes;
    for (std::uint64_t* field :
         {&header.key.high, &header.key.low, &header.parent.high, &header.parent.low,
          &header.space.settings, &header.codecIdentity}) {
        const auto value = reader.read<std::uint64_t>();
        if (!value) return refuse(PageFault::Length, "it ends within its header");
        *field = *value;
    }
    auto model = readText(reader);
    if (!model) return tl::unexpected<PageRefusal>(std::move(model).error());
    header.space.model = std::move(*model);
    auto codec = readText(reader);
    if (!codec) return tl::unexpected<PageRefusal>(std::move(codec).error());
    header.codec = std::move(*codec);
    const auto words = reader.read<std::uint32_t>();
    if (!words || *words > kMostLayoutWords ||
        std::uint64_t{*words} * sizeof(std::uint32_t) > reader.remaining())
        return refuse(PageFault::Length, "its layout is longer than its header");
    header.layout.resize(*words);
    for (std::uint32_t& word : header.layout) word = reader.read<std::uint32_t>().value_or(0);
    return page;
}

PageResult<ParsedPage> parse(std::span<const std::byte> bytes, std::uint64_t fileBytes,
                             bool withRows) {
    ByteReader reader(bytes);
    const auto start = readStart(reader, fileBytes);
    if (!start) return tl::unexpected<PageRefusal>(start.error());
    const std::size_t header = start->headerBytes;
    const std::uint64_t tokenBytes = start->count * sizeof(TokenId);
    if (bytes.size() < header + tokenBytes)
        return refuse(PageFault::Length, "it ends before its rows");
    std::uint64_t stated = 0;
    const auto sealed = bytes.first(header - sizeof(stated));
    std::memcpy(&stated, bytes.data() + sealed.size(), sizeof(stated));
    if (hash64(sealed) != stated)
        return refuse(PageFault::Checksum, "its header does not match its checksum");
    ByteReader rest(sealed.subspan(kPageStartBytes));
    auto page = readRest(rest, *start);
    if (!page) return page;
    const auto tokenSum = rest.read<std::uint64_t>();
    const auto rowSum = rest.read<std::uint64_t>();
    if (!tokenSum || !rowSum || rest.remaining() > 0)
        return refuse(PageFault::Length, "its header does not have the length it states");
    const auto ids = bytes.subspan(header, static_cast<std::size_t>(tokenBytes));
    if (hash64(ids) != *tokenSum)
        return refuse(PageFault::Checksum, "its tokens do not match their checksum");
    page->tokens.resize(static_cast<std::size_t>(start->count));
    std::memcpy(page->tokens.data(), ids.data(), ids.size());
    if (!withRows) return page;
    page->rows = bytes.subspan(header + static_cast<std::size_t>(tokenBytes));
    if (hash64(page->rows) != *rowSum)
        return refuse(PageFault::Checksum, "its rows do not match their checksum");
    return page;
}

}  // namespace

PageResult<std::uint64_t> pageHeadBytes(std::span<const std::byte> start, std::uint64_t fileBytes) {
    ByteReader reader(start);
    const auto read = readStart(reader, fileBytes);
    if (!read) return tl::unexpected<PageRefusal>(read.error());
    return read->headerBytes + read->count * sizeof(TokenId);
}

PageResult<ParsedPage> parsePageHead(std::span<const std::byte> start, std::uint64_t fileBytes) {
    return parse(start, fileBytes, false);
}

PageResult<ParsedPage> parsePage(std::span<const std::byte> bytes) {
    return parse(bytes, bytes.size(), true);
}

namespace {

/// Describes the first difference between two layouts.
std::string layoutDifference(const std::vector<std::uint32_t>& found,
                             const std::vector<std::uint32_t>& wanted) {
    if (found.size() != wanted.size())
        return format("it describes its cache in {} numbers, not {}", found.size(), wanted.size());
    const auto [a, b] = std::ranges::mismatch(found, wanted);
    const auto at = static_cast<std::size_t>(a - found.begin());
    if (at < kLayoutStart) return format("its {} is {}, expected {}", kCacheWords[at], *a, *b);
    // The number of layers is equal, so the extents start at the same index.
    const std::size_t extents = kLayoutStart + kLayerWords * found.front();
    if (at >= statesAt(found)) return "its recurrent layers have states of another size";
    if (at >= extents)
        return format("the {} of its layer {} is {}, expected {}",
                      kExtentNames[(at - extents) % kExtentWords], (at - extents) / kExtentWords,
                      *a, *b);
    return format("the {} of its layer {} is {}, expected {}",
                  kLayerNames[(at - kLayoutStart) % kLayerWords], (at - kLayoutStart) / kLayerWords,
                  *a, *b);
}

}  // namespace

PageResult<void> checkPage(const ParsedPage& page, const PageQuery& request, const PageKey& key) {
    const PageHeader& header = page.header;
    if (!(header.space == request.space))
        return refuse(PageFault::Space, "it belongs to another model or to other settings");
    if (!(header.key == key)) return refuse(PageFault::Key, "it is stored under another key");
    if (header.kind != request.kind) return refuse(PageFault::Layout, "it is of another kind");
    if (!(header.parent == request.parent))
        return refuse(PageFault::Parent, "it follows another page");
    if (header.run.first != request.first ||
        header.run.count != static_cast<std::int64_t>(request.tokens.size()))
        return refuse(PageFault::Run, format("it holds {} tokens from token {}", header.run.count,
                                             header.run.first));
    if (!std::ranges::equal(page.tokens, request.tokens))
        return refuse(PageFault::Tokens, "it holds other tokens");
    if (header.layout != request.layout)
        return refuse(PageFault::Layout, layoutDifference(header.layout, request.layout));
    if (header.kind == PageKind::Run
            ? header.stateBytes != 0
            : header.stateBytes > maxStateBytes(request.layout, request.tokens.size()))
        return refuse(PageFault::Length,
                      format("it states an impossible length of {} bytes", header.stateBytes));
    return {};
}

}  // namespace lacuna
