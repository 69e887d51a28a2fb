#pragma once
/// \file
/// A text read into a cache of its own, compacted, and then asked about: what recall and RULER have
/// in common (docs/quality.md, "Protocols"). Runs on the calling thread.

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

struct AskingOptions {
    KvOptions kv;
    HeadProfiles profiles = {};  ///< of the model's heads
    SamplingOptions sampling{.temperature = 0, .seed = 0};
    PrefillPolicy prefillPolicy = PrefillPolicy::AfterPrefill;
    int prefillChunk = 256;  ///< tokens, at most those the transformer was made for
    int maxTokens = 28;      ///< most tokens of an answer
    int context = 0;         ///< tokens; 0 = the model's trained context
    /// What is kept of each text as a share of its tokens, in (0, 1], first and newest ones
    /// included, of which there are fewer at a small share (keepingShare, compaction_trigger.h).
    std::optional<double> budgetShare;
    std::stop_token stop;
};
/// Errors: Range (budget share).
[[nodiscard]] Status checkAsking(const AskingOptions& options);

/// Live bytes over logical ones; 1 for an empty cache.
[[nodiscard]] double liveOfLogical(const KvStats& stats);
/// Live bits for each number of keys and values that is held, everything a slot needs counted:
/// scales, positions, biases, lengths of keys; 0 for an empty cache.
[[nodiscard]] double bitsPerNumber(const KvStats& stats);

class TextAsker {
  public:
    /// Everything must outlive it.
    TextAsker(Transformer& model, ThreadPool& pool, const AskingOptions& options)
        : model_(model), pool_(pool), options_(options) {}

    /// Of an answer about a text of so many tokens.
    [[nodiscard]] GenerationSettings settingsFor(std::size_t textTokens) const;
    /// An empty cache with a compactor. Errors: as makeModelCache.
    [[nodiscard]] Result<std::unique_ptr<Sequence>> newSequence() const;
    /// Feeds the text in chunks; compacts nothing. Errors: as Transformer::forward.
    [[nodiscard]] Status read(Sequence& sequence, std::span<const TokenId> text,
                              const GenerationSettings& settings) const;
    /// Compacts once, within the limit on the loss. One that fails is an error: a rate would be of
    /// another setting.
    [[nodiscard]] Result<CompactionReport> compact(Sequence& sequence,
                                                   const GenerationSettings& settings) const;
    using OnCompaction = std::function<void(const CompactionReport&)>;
    /// The answer to `prompt`, from its first step to its end. Errors: as Generation.
    [[nodiscard]] Result<std::unique_ptr<Generation>> answer(Sequence& sequence,
                                                             std::vector<TokenId> prompt,
                                                             const GenerationSettings& settings,
                                                             const OnCompaction& compacted) const;
    [[nodiscard]] StopAsked stopAsked() const {
        return [stop = options_.stop] { return stop.stop_requested(); };
    }

  private:
    Transformer& model_;
    ThreadPool& pool_;
    const AskingOptions& options_;
    const SteadyClock clock_;
};

}  // namespace lacuna
