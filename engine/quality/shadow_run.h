#pragma once
/// \file
/// Reads a text once with an uncompressed cache, the shadow, and measures compacted copies of it,
/// or caches of coded rows, against it. Both are fed the same tokens after the compaction, and
/// every figure is the difference between them. The context is compacted before the question
/// (docs/quality.md, "Protocols"). Fails if nothing was evicted. Runs on the calling thread.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/driver/compactor.h"
#include "engine/compress/head_profile.h"
#include "engine/kv/kv_options.h"
#include "engine/model/transformer.h"
#include "engine/quality/quality_record.h"
#include "engine/quality/quality_values.h"
#include "engine/quality/trial_cache.h"

namespace lacuna {

struct ShadowText {
    std::vector<TokenId> context;       ///< read before the compaction
    std::vector<TokenId> continuation;  ///< fed to both caches after it
    /// Then both answer greedily with at most this many tokens; 0 for no answer. The full cache's
    /// answer is fed to the compacted one, so that divergence covers it.
    int answerTokens = 0;
};

struct ShadowOptions {
    DType type = DType::F16;  ///< number type of both caches
    int chunk = 256;          ///< tokens per forward pass, at most the transformer's limit
    int headTokens = 16;      ///< tokens whose queries are used to compare heads; 0 compares none
    std::uint64_t seed = 0;   ///< seed for random sampling in compactions
    HeadProfiles profiles = {};       ///< head profiles of the model
    std::function<bool()> cancelled;  ///< polled within forward passes; true cancels
};

/// Converts the options for a text that is read into a cache specific to a setting.
[[nodiscard]] inline TrialDependencies trialDependencies(Transformer& model, ThreadPool& pool,
                                                         const ShadowOptions& options) {
    return {.model = model,
            .pool = pool,
            .type = options.type,
            .chunk = options.chunk,
            .seed = options.seed,
            .profiles = options.profiles,
            .cancelled = options.cancelled};
}

class ShadowRun {
  public:
    /// Reads the text with the full cache. Errors: InvalidArgument (empty context, fewer than two
    /// tokens after it), ContextFull, Range (the stored logits exceed 512 MiB), Cancelled, as
    /// Transformer::forward. `model` and `pool` must outlive the run.
    [[nodiscard]] static Result<std::unique_ptr<ShadowRun>> read(Transformer& model,
                                                                 ThreadPool& pool, ShadowText text,
                                                                 const ShadowOptions& options);

    /// Compacts a copy and measures it. Costs a copy of the cache, a compaction, the tokens after
    /// it, and those of an answer that differs. If the setting codes rows, such a cache reads the
    /// text again (trial_cache.h). Errors: Conflict (nothing was evicted or coded), Unsupported
    /// (the compaction failed; a window), Range (budget share), NoMemory, Cancelled, as
    /// Transformer::forward.
    [[nodiscard]] Result<QualityRecord> measure(const ShadowSetting& setting);

    [[nodiscard]] const ShadowText& text() const { return text_; }
    [[nodiscard]] const std::vector<TokenId>& fullAnswer() const { return answer_; }

  private:
    ShadowRun(Transformer& model, ThreadPool& pool, ShadowText text, const ShadowOptions& options);
    [[nodiscard]] Status checkText() const;
    [[nodiscard]] Result<View<const float, 2>> forward(KvCache& cache,
                                                       std::span<const TokenId> tokens,
                                                       LogitsFor logits, QueryObserver* observer);
    [[nodiscard]] Status readContext();
    [[nodiscard]] Status answerFull();
    [[nodiscard]] Status keepFullCache();
    [[nodiscard]] Status backToContext();
    /// Decodes greedily, starting with `fed`, until an end token or `most` tokens.
    [[nodiscard]] Result<std::vector<TokenId>> decode(KvCache& cache, TokenId fed, int most);
    [[nodiscard]] Result<TrialCache> trial(const ShadowSetting& setting);
    [[nodiscard]] Result<CompactionReport> compact(KvCache& cache, const ShadowSetting& setting);
    [[nodiscard]] Result<TextReading> readingFor(const QueryRequest& request);
    [[nodiscard]] Result<std::vector<TokenId>> follow(KvCache& cache, QualityRecord& record);
    [[nodiscard]] Result<GreedyAgreement> answerCompacted(KvCache& cache,
                                                          const std::vector<TokenId>& tops);
    [[nodiscard]] Result<std::string> textOf(std::span<const TokenId> tokens) const;

    Transformer& model_;
    ThreadPool& pool_;
    const ShadowText text_;
    const ShadowOptions options_;
    const SteadyClock clock_;
    std::unique_ptr<KvCache> full_;         ///< covers the context
    std::unique_ptr<Compactor> compactor_;  ///< has observed the queries of the context
    /// Result and duration of a query pass, shared by settings with the same PassKind.
    struct Passed {
        TextReading reading;
        double ms = 0;
    };
    using PassKind = std::tuple<QuerySource, bool, bool>;  ///< query source; whether scores, and
                                                           ///< whether predicted scores, are
                                                           ///< requested
    static PassKind kindOf(const QueryRequest& request) {
        return {request.source, request.scoredOn != nullptr, request.predictedBy != nullptr};
    }
    std::map<PassKind, Passed> passed_;
    std::vector<TokenId> answer_;    ///< greedy answer of the full cache
    std::vector<TokenId> followed_;  ///< continuation and answer; all but the last token are fed
    std::vector<float> logits_;      ///< [followed - 1, vocabulary] of the full cache
    std::optional<HeadReference> heads_;
};

}  // namespace lacuna
