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

/// Reads a checksum and compares it with that of everything before it.
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

/// Returns the version of the file.
Result<std::uint32_t> readHeader(ByteReader& reader, std::span<const std::byte> all,
                                 std::string_view fingerprint) {
    const auto magic = reader.takeText(kMagic.size());
    if (!magic || *magic != kMagic) return corrupt("it is not a file of this kind");
    const auto version = reader.read<std::uint32_t>();
    if (!version) return corrupt("it ends inside its header");
    if (*version != kPromptCacheVersion && *version != kCheckpointVersion)
        return fail(ErrorCode::Incompatible,
                    format("saved prompt: version {}; this program reads version {} or version {}",
                           *version, kPromptCacheVersion, kCheckpointVersion));
    LACUNA_TRY([[maybe_unused]] const auto program, readText(reader));
    LACUNA_TRY(const std::string_view model, readText(reader));
    LACUNA_TRY_STATUS(checkSum(reader, all, "header"));
    if (model == fingerprint) return *version;
    return fail(ErrorCode::Incompatible,
                format("saved prompt: made with another model (fingerprint {}; this one has {})",
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

Result<std::string_view> readState(ByteReader& reader) {
    const auto length = reader.read<std::uint64_t>();
    const auto state = length ? reader.takeText(*length) : std::nullopt;
    if (!state) return corrupt("it ends inside its cache");
    return *state;
}

/// Returns the states of all checkpoints without decoding them.
Result<std::vector<std::string_view>> readCheckpoints(ByteReader& reader,
                                                      std::span<const std::byte> all) {
    const auto count = reader.read<std::uint32_t>();
    if (!count || *count > kMaxCheckpoints)
        return corrupt(format("more than {} checkpoints, or none", kMaxCheckpoints));
    std::vector<std::string_view> states(*count);
    for (std::string_view& state : states) {
        LACUNA_TRY(state, readState(reader));
    }
    LACUNA_TRY_STATUS(checkSum(reader, all, "checkpoints"));
    return states;
}

Result<PromptCache> readAll(std::span<const std::byte> all, std::string_view fingerprint,
                            const KvChoice& choice) {
    ByteReader reader(all);
    LACUNA_TRY(const std::uint32_t version, readHeader(reader, all, fingerprint));
    PromptCache loaded;
    LACUNA_TRY(loaded.tokens, readTokens(reader, all));
    LACUNA_TRY(const std::string_view state, readState(reader));
    LACUNA_TRY_STATUS(checkSum(reader, all, "cache"));
    std::vector<std::string_view> checkpoints;
    if (version == kCheckpointVersion) {
        LACUNA_TRY(checkpoints, readCheckpoints(reader, all));
    }
    if (reader.remaining() > 0) return corrupt("there is data after its end");
    LACUNA_TRY(loaded.cache, loadCacheFor(state, choice));
    const std::int64_t covered = loaded.cache->offset().value;
    if (covered != static_cast<std::int64_t>(loaded.tokens.size()))
        return corrupt(format("it has {} tokens but a cache of {}", loaded.tokens.size(), covered));
    std::int64_t longer = covered;
    for (const std::string_view one : checkpoints) {
        LACUNA_TRY(auto checkpoint, loadCacheFor(one, choice));
        const std::int64_t tokens = checkpoint->offset().value;
        if (tokens <= 0 || tokens >= longer)
            return corrupt(format("a checkpoint of {} tokens after one of {}", tokens, longer));
        longer = tokens;
        loaded.checkpoints.push_back(std::move(checkpoint));
    }
    return loaded;
}

}  // namespace

Status savePromptCache(const std::filesystem::path& path, const Sequence& sequence,
                       std::string_view fingerprint, std::span<const KvCache* const> checkpoints) {
    if (sequence.shifted())
        return fail(ErrorCode::Unsupported,
                    "a cache whose context was shifted cannot be saved, because it no longer "
                    "matches its text");
    LACUNA_TRY(const std::string state, sequence.cache().save());
    std::string out(kMagic);
    putWord(out, checkpoints.empty() ? kPromptCacheVersion : kCheckpointVersion);
    putText(out, kProgram);
    putText(out, fingerprint);
    putWord(out, hash64(out));
    putWord(out, static_cast<std::uint64_t>(sequence.tokens().size()));
    for (const TokenId token : sequence.tokens()) putWord(out, token);
    putWord(out, hash64(out));
    putWord(out, static_cast<std::uint64_t>(state.size()));
    out += state;
    putWord(out, hash64(out));
    if (!checkpoints.empty()) {
        putWord(out, static_cast<std::uint32_t>(checkpoints.size()));
        for (const KvCache* one : checkpoints) {
            LACUNA_TRY(const std::string bytes, one->save());
            putWord(out, static_cast<std::uint64_t>(bytes.size()));
            out += bytes;
        }
        putWord(out, hash64(out));
    }
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
