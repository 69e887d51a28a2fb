#pragma once
/// \file
/// Answers one prompt under two settings, one after the other, with the same weights, threads and
/// seed. Reports both texts, where they diverge, and the cost and loss of each. The divergence of a
/// run is measured against an uncompressed cache that is fed the run's tokens; it is omitted if
/// nothing was evicted. Runs on the calling thread.

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
    std::uint64_t seed = 0;  ///< shared by both answers
    std::vector<std::string> stopStrings;
    std::optional<std::int64_t> question = std::nullopt;  ///< same as GenerationRequest::question
    HeadProfiles profiles = {};                           ///< head profiles of the model
    /// `run` is 0 or 1; `done` counts tokens of prompt and answer.
    std::function<void(int run, std::int64_t done, std::int64_t total)> progress;
    /// Called with the complete characters that an answer grew by; concatenated they are its text.
    std::function<void(int run, std::string_view piece)> wrote;
    std::function<bool()> cancelled;
};

/// Runs the comparison one generation step at a time, so that other work can run in between.
class ComparisonRun {
  public:
    /// `sides` are the settings of A and B, with chunks no larger than the transformer allows.
    /// `model` and `pool` must outlive the run.
    ComparisonRun(Transformer& model, ThreadPool& pool, std::vector<TokenId> prompt,
                  const std::array<GenerationSettings, 2>& sides, ComparisonOptions options);
    ~ComparisonRun();

    [[nodiscard]] bool done() const;
    /// Reads the next chunk of the prompt or samples a token. An error ends the run. Errors:
    /// Unsupported (a compaction failed), Cancelled, as Generation::start and step. @pre !done()
    [[nodiscard]] Status step();
    /// @pre done()
    [[nodiscard]] Comparison take();

  private:
    class Side;
    Transformer& model_;
    ThreadPool& pool_;
    const std::vector<TokenId> prompt_;
    const std::array<GenerationSettings, 2> sides_;
    const ComparisonOptions options_;
    std::unique_ptr<Side> side_;  ///< the side being answered; null between the two
    std::size_t number_ = 0;      ///< its index
    Comparison found_;
};

/// Runs a complete comparison. Errors: as ComparisonRun::step.
[[nodiscard]] Result<Comparison> compareSettings(Transformer& model, ThreadPool& pool,
                                                 const std::vector<TokenId>& prompt,
                                                 const std::array<GenerationSettings, 2>& sides,
                                                 const ComparisonOptions& options);

[[nodiscard]] OrderedJson comparisonJson(const Comparison& comparison);
/// metric | A | B | B - A, as a GitHub table.
[[nodiscard]] std::string comparisonMarkdown(const Comparison& comparison);

}  // namespace lacuna
