#pragma once
/// \file
/// One prompt answered under two settings, one after the other with the same weights, threads and
/// seed: both texts, where they part, and what each cost and lost. Divergence is that of each run
/// from an uncompressed cache that is fed the run's own tokens; it is left out where nothing was
/// evicted. Runs on the calling thread.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/generate/generation.h"
#include "engine/quality/divergence.h"
#include "engine/quality/quality_values.h"

namespace lacuna {

struct ComparisonOptions {
    std::uint64_t seed = 0;  ///< of both answers
    std::vector<std::string> stopStrings;
    std::optional<std::int64_t> question = std::nullopt;  ///< as GenerationRequest::question
    HeadProfiles profiles = {};                           ///< of the model's heads
    /// `run` 0 or 1; `done` tokens of prompt and answer.
    std::function<void(int run, std::int64_t done, std::int64_t total)> progress;
    /// Whole characters that an answer has grown by, as its tokens come; together they are its
    /// text.
    std::function<void(int run, std::string_view piece)> wrote;
    std::function<bool()> cancelled;
};

/// The comparison a step of generation at a time, for callers that do something else in between.
class ComparisonRun {
  public:
    /// `sides` are the settings of A and B, chunks at most what the transformer allows. `model` and
    /// `pool` must outlive the run.
    ComparisonRun(Transformer& model, ThreadPool& pool, std::vector<TokenId> prompt,
                  const std::array<GenerationSettings, 2>& sides, ComparisonOptions options);
    ~ComparisonRun();

    [[nodiscard]] bool done() const;
    /// Feeds the next chunk of the prompt, or draws a token. An error ends the run. Errors:
    /// Unsupported (a compaction failed), Cancelled, as Generation::start and step. @pre not done
    [[nodiscard]] Status step();
    /// @pre done
    [[nodiscard]] Comparison take();

  private:
    class Side;
    Transformer& model_;
    ThreadPool& pool_;
    const std::vector<TokenId> prompt_;
    const std::array<GenerationSettings, 2> sides_;
    const ComparisonOptions options_;
    std::unique_ptr<Side> side_;  ///< that is being answered; null between two
    std::size_t number_ = 0;      ///< of it
    Comparison found_;
};

/// A comparison at once. Errors: as ComparisonRun::step.
[[nodiscard]] Result<Comparison> compareSettings(Transformer& model, ThreadPool& pool,
                                                 const std::vector<TokenId>& prompt,
                                                 const std::array<GenerationSettings, 2>& sides,
                                                 const ComparisonOptions& options);

[[nodiscard]] OrderedJson comparisonJson(const Comparison& comparison);
/// metric | A | B | B - A, as a GitHub table.
[[nodiscard]] std::string comparisonMarkdown(const Comparison& comparison);

}  // namespace lacuna
