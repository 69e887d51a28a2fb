#pragma once
/// \file
/// A conversation's cache as a file: read once, a long prompt need not be computed again. One file,
/// little-endian: "LACUNAPC", u32 version, program version and model fingerprint (u32 length and
/// text each), u64 checksum of that; u64 count of tokens, i32 tokens, u64 checksum; u64 length of
/// the cache state, the state (kv/slot/slot_state.h, with its kind, types, positions and scalars),
/// u64 checksum of all before. Version 2 has then u32 count of checkpoints, for each u64 length and
/// state, longest first, and u64 checksum of all before: a cache with sliding windows cannot be cut
/// back, and another ending of the same prompt begins with one of them. Files without checkpoints
/// have version 1. Checksums are XXH3. Reading checks all of it before anything is
/// made; no number is believed beyond the bytes that are there. What a compactor has observed is
/// not saved: am compactions after a load begin to observe again; nor where turns began: what is
/// loaded counts as one turn of the past. The content can be read by whoever reads the file, so it
/// is for its owner only. Contract: PF-1 to PF-6.

#include <filesystem>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/generate/sequence.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {

inline constexpr std::uint32_t kPromptCacheVersion = 1;
inline constexpr std::uint32_t kCheckpointVersion = 2;
/// Most checkpoints of a file: before the newest answer, and before its question.
inline constexpr std::size_t kMaxCheckpoints = 2;

struct PromptCache {
    std::vector<TokenId> tokens;  ///< what the cache covers
    std::unique_ptr<KvCache> cache;
    Checkpoints checkpoints;
};

/// Writes atomically, readable by the owner only; on failure the old file stays. Errors: Write,
/// Unsupported (a cache that cannot be saved, or whose context was shifted). @pre `checkpoints`
/// cover starts of the sequence's tokens, longest first, kMaxCheckpoints at most
[[nodiscard]] Status savePromptCache(const std::filesystem::path& path, const Sequence& sequence,
                                     std::string_view fingerprint,
                                     std::span<const KvCache* const> checkpoints = {});
/// A cache of any kind, as `choice` would make it. Errors: NotFound and the others of opening,
/// Corrupt (truncated or altered), Incompatible (another version, model, cache type or windows;
/// both are named), NoMemory. Prefixed with the file's name.
[[nodiscard]] Result<PromptCache> loadPromptCache(const std::filesystem::path& path,
                                                  std::string_view fingerprint,
                                                  const KvChoice& choice);

}  // namespace lacuna
