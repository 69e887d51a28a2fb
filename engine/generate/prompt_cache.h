#pragma once
/// \file
/// Saves a conversation's cache to a file, so that a long prompt need not be computed again. The
/// file is readable by its owner only, since it contains the text. Contract: PF-1 to PF-6.
///
/// Format, little-endian: "LACUNAPC", u32 version, program version and model fingerprint (u32
/// length and text each), u64 checksum of that; u64 count of tokens, i32 tokens, u64 checksum; u64
/// length of the cache state, the state (kv/slot/slot_state.h, with its kind, types, positions and
/// scalars), u64 checksum of all before. Version 2 continues with u32 count of checkpoints, u64
/// length and state of each, longest first, and u64 checksum of all before. Caches with sliding
/// windows cannot be rolled back, so another continuation of the same prompt starts from a
/// checkpoint. Files without checkpoints have version 1. Checksums are XXH3.
///
/// Everything is checked before anything is created, and no number is trusted beyond the available
/// bytes. Observations of the compactor are not saved, so attention matching begins to observe
/// again; neither are turn starts, so the loaded text counts as one past turn.

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
/// Maximum number of checkpoints in a file: before the newest answer, and before its question.
inline constexpr std::size_t kMaxCheckpoints = 2;

struct PromptCache {
    std::vector<TokenId> tokens;  ///< tokens that the cache covers
    std::unique_ptr<KvCache> cache;
    Checkpoints checkpoints;
};

/// Writes atomically; on failure the old file is kept. Errors: Write, Unsupported (the cache cannot
/// be saved, or its context was shifted). @pre `checkpoints` cover prefixes of the sequence's
/// tokens, longest first, at most kMaxCheckpoints
[[nodiscard]] Status savePromptCache(const std::filesystem::path& path, const Sequence& sequence,
                                     std::string_view fingerprint,
                                     std::span<const KvCache* const> checkpoints = {});
/// Loads a cache of any kind that `choice` could make. Errors: NotFound and others of opening,
/// Corrupt (truncated or altered), Incompatible (another version, model, cache type or windows;
/// both values are named), NoMemory. Messages are prefixed with the file name.
[[nodiscard]] Result<PromptCache> loadPromptCache(const std::filesystem::path& path,
                                                  std::string_view fingerprint,
                                                  const KvChoice& choice);

}  // namespace lacuna
