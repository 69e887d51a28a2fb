#pragma once
/// \file
/// When a cache may be compacted while a prompt goes in. Plain data.
/// docs/eviction.md, "When a compaction fires".

namespace lacuna {

enum class PrefillPolicy {
    AfterPrefill,  ///< compact once when the prompt is in: best quality, memory peaks at the prompt
    PerChunk,      ///< compact between prefill chunks: memory stays bounded
};

}  // namespace lacuna
