#pragma once
/// \file
/// Reads a text into its own cache, compacts it and asks about it; shared by recall and RULER
/// (docs/quality.md, "Protocols"). Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/generate/generation.h"
#include "engine/generate/generation_options.h"
#include "engine/kv/kv_options.h"
#include "engine/kv/kv_values.h"
#include "engine/model/transformer.h"

namespace lacuna {

struct CaseOptions {
    KvOptions kv;
    HeadProfiles profiles = {};  ///< profiles of the model's heads
    SamplingOptions sampling{.temperature = 0, .seed = 0};
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    int prefillChunk = 256;  ///< tokens per forward pass, at most the transformer's maximum
    int maxTokens = 28;      ///< maximum tokens of an answer
    int context = 0;         ///< tokens; 0 = the model's trained context
    /// Share of each text's tokens to keep, in (0, 1]. Includes the first and the newest tokens,
    /// which are reduced for small shares (keepingShare, compaction_trigger.h).
    std::optional<double> budgetShare;
    std::stop_token stop;
};
/// Errors: Range (budget share).
[[nodiscard]] Status checkCaseOptions(const CaseOptions& options);

/// Returns live bytes over logical bytes; 1 for an empty cache.
[[nodiscard]] double liveOfLogical(const KvStats& stats);
/// Returns live bits per stored number of keys and values, including everything a slot needs:
/// scales, positions, biases, key lengths. 0 for an empty cache.
[[nodiscard]] double bitsPerNumber(const KvStats& stats);

class CaseRunner {
  public:
    /// All arguments must outlive this object.
    CaseRunner(Transformer& model, ThreadPool& pool, const CaseOptions& options)
        : model_(model), pool_(pool), options_(options) {}

    /// Returns the settings for an answer about a text of this many tokens.
    [[nodiscard]] GenerationSettings settingsFor(std::size_t textTokens) const;
    /// Returns an empty cache with a compactor. Errors: as makeModelCache.
    [[nodiscard]] Result<std::unique_ptr<Sequence>> newSequence() const;
    /// Feeds the text in chunks without compacting. Errors: as Transformer::forward.
    [[nodiscard]] Status read(Sequence& sequence, std::span<const TokenId> text,
                              const GenerationSettings& settings) const;
    /// Compacts once, within the loss limit. A failed compaction is an error, because the result
    /// would belong to another setting.
    [[nodiscard]] Result<CompactionReport> compact(Sequence& sequence,
                                                   const GenerationSettings& settings) const;
    using OnCompaction = std::function<void(const CompactionReport&)>;
    /// Generates the answer to `prompt` up to its end. Errors: as Generation.
    [[nodiscard]] Result<std::unique_ptr<Generation>> answer(Sequence& sequence,
                                                             std::vector<TokenId> prompt,
                                                             const GenerationSettings& settings,
                                                             const OnCompaction& compacted) const;
    [[nodiscard]] StopRequested stopRequested() const {
        return [stop = options_.stop] { return stop.stop_requested(); };
    }

  private:
    Transformer& model_;
    ThreadPool& pool_;
    const CaseOptions& options_;
    const SteadyClock clock_;
};

}  // namespace lacuna
