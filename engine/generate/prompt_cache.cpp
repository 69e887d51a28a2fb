#include "engine/generate/prompt_cache.h"

#include <cstring>

#include "engine/base/byte_reader.h"
#include "engine/base/byte_writer.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {
namespace {

constexpr std::string_view kMagic = "LACUNAPC";
constexpr std::string_view kProgram = "Lacuna 0.1";
constexpr std::uint32_t kMaxTextLength = 4096;

void putText(std::string& out, std::string_view text) {
    putWord(out, static_cast<std::uint32_t>(text.size()));
    out += text;
}

tl::unexpected<Error> corrupt(std::string_view what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, format("saved prompt: {}", what), __FILE__, line);
}

/// The checksum of everything read so far, which stands next.
Status checkSum(ByteReader& reader, std::span<const std::byte> all, std::string_view part) {
    const std::uint64_t expected = hash64(all.first(reader.offset()));
    const auto found = reader.read<std::uint64_t>();
    if (!found) return corrupt(format("it ends inside its {}", part));
    if (*found != expected) return corrupt(format("its {} does not match its checksum", part));
    return {};
}

Result<std::string_view> readText(ByteReader& reader) {
    const auto length = reader.read<std::uint32_t>();
    if (!length || *length > kMaxTextLength) return corrupt("a text of its header is too long");
    const auto text = reader.takeText(*length);
    if (!text) return corrupt("it ends inside its header");
    return *text;
}

Status readHeader(ByteReader& reader, std::span<const std::byte> all,
                  std::string_view fingerprint) {
    const auto magic = reader.takeText(kMagic.size());
    if (!magic || *magic != kMagic) return corrupt("it is no file of this kind");
    const auto version = reader.read<std::uint32_t>();
    if (!version) return corrupt("it ends inside its header");
    if (*version != kPromptCacheVersion)
        return fail(ErrorCode::Incompatible,
                    format("saved prompt: version {}; this program reads version {}", *version,
                           kPromptCacheVersion));
    LACUNA_TRY([[maybe_unused]] const auto program, readText(reader));
    LACUNA_TRY(const std::string_view model, readText(reader));
    LACUNA_TRY_STATUS(checkSum(reader, all, "header"));
    if (model == fingerprint) return {};
    return fail(ErrorCode::Incompatible,
                format("saved prompt: made with the model of fingerprint {}; this one has {}",
                       model, fingerprint));
}

Result<std::vector<TokenId>> readTokens(ByteReader& reader, std::span<const std::byte> all) {
    const auto count = reader.read<std::uint64_t>();
    if (!count || *count > reader.remaining() / sizeof(TokenId))
        return corrupt("it ends inside its tokens");
    std::vector<TokenId> tokens(static_cast<std::size_t>(*count));
    const auto bytes = reader.take(*count * sizeof(TokenId));
    if (!tokens.empty()) std::memcpy(tokens.data(), bytes->data(), bytes->size());
    LACUNA_TRY_STATUS(checkSum(reader, all, "tokens"));
    return tokens;
}

Result<PromptCache> readAll(std::span<const std::byte> all, std::string_view fingerprint,
                            const KvChoice& choice) {
    ByteReader reader(all);
    LACUNA_TRY_STATUS(readHeader(reader, all, fingerprint));
    PromptCache loaded;
    LACUNA_TRY(loaded.tokens, readTokens(reader, all));
    const auto length = reader.read<std::uint64_t>();
    const auto state = length ? reader.takeText(*length) : std::nullopt;
    if (!state) return corrupt("it ends inside its cache");
    LACUNA_TRY_STATUS(checkSum(reader, all, "cache"));
    if (reader.remaining() > 0) return corrupt("bytes stand behind its end");
    LACUNA_TRY(loaded.cache, loadCacheFor(*state, choice));
    if (loaded.cache->offset().value != static_cast<std::int64_t>(loaded.tokens.size()))
        return corrupt(format("{} tokens beside a cache of {}", loaded.tokens.size(),
                              loaded.cache->offset().value));
    return loaded;
}

}  // namespace

Status savePromptCache(const std::filesystem::path& path, const Sequence& sequence,
                       std::string_view fingerprint) {
    if (sequence.shifted())
        return fail(ErrorCode::Unsupported,
                    "a cache whose context was shifted is the start of no text and is not saved");
    LACUNA_TRY(const std::string state, sequence.cache().save());
    std::string out(kMagic);
    putWord(out, kPromptCacheVersion);
    putText(out, kProgram);
    putText(out, fingerprint);
    putWord(out, hash64(out));
    putWord(out, static_cast<std::uint64_t>(sequence.tokens().size()));
    for (const TokenId token : sequence.tokens()) putWord(out, token);
    putWord(out, hash64(out));
    putWord(out, static_cast<std::uint64_t>(state.size()));
    out += state;
    putWord(out, hash64(out));
    return writeFileAtomically(path, out, FileAccess::OwnerOnly);
}

Result<PromptCache> loadPromptCache(const std::filesystem::path& path, std::string_view fingerprint,
                                    const KvChoice& choice) {
    LACUNA_TRY(const MappedFile file, MappedFile::open(path));
    auto loaded = readAll(file.bytes(), fingerprint, choice);
    if (!loaded) return tl::unexpected<Error>(withPrefix(std::move(loaded).error(), path.string()));
    return loaded;
}

}  // namespace lacuna
