#pragma once
/// \file
/// Supplies the queries of one attention matching: those captured so far, or others made for the
/// purpose. A forward pass is only requested here; the owner of the model runs it. Unavailable
/// queries are replaced by the next best ones, with a note. Caller's thread.
/// docs/attention-matching.md, "Reference queries".

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/matching/reference_queries.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Minimum number of tokens whose queries tell enough about the keys to merge them.
constexpr int kMinQueryTokens = 16;

struct QueryRequest {
    QuerySource source = QuerySource::Captured;
    QueryShape shape;
    std::uint64_t seed = 0;  ///< seed of the samples
    Position end{};          ///< one past the newest token that the cache covers
    /// Start of the newest turn, which is excluded from a repetition and whose queries alone count;
    /// 0 if the text is not divided.
    Position turn{};
    /// With Repeat: pool that gathers reconstruction scores while the text is repeated in pieces,
    /// each following the full text. Null if only queries are needed.
    ThreadPool* scoredOn = nullptr;
    /// With a reading: predicts scores of every token from the inputs of the layers; or null.
    std::shared_ptr<const ReconstructionSurrogate> predictedBy = nullptr;
};

/// Result of a pass over a conversation.
struct TextReading {
    TextReading() = default;  ///< Empty reading.
    // NOLINTNEXTLINE(google-explicit-constructor): a pass for queries only is also a reading.
    TextReading(ReferenceQueries asked) : queries(std::move(asked)) {}
    ReferenceQueries queries{QueryShape{}, 0, 0};
    std::shared_ptr<const ReconstructionScores> scores = nullptr;  ///< set if requested
    std::optional<PredictedScores> predicted = std::nullopt;       ///< set if requested
};

/// Makes the queries of a request for Context or Repeat with a forward pass over the conversation,
/// whose cache stays unchanged. Errors: Cancelled, or the error that prevented the pass.
using QueryReader = std::function<Result<TextReading>(const QueryRequest&)>;

/// Returns true if a compaction with these options may read the conversation again, if only because
/// too few queries were captured.
[[nodiscard]] bool readsAgain(const KvOptions& options);
/// Returns true if it uses reconstruction scores, according to its policy or head budgets.
[[nodiscard]] bool usesReconstruction(const KvOptions& options);

struct FoundQueries {
    ReferenceQueries queries;
    CompactionNotes notes = {};  ///< origin of the queries if it differs from the request, with the
                                 ///< reason
    double ms = 0;               ///< wall time of the passes
    bool read = false;  ///< the queries come from reading the text again at its own positions
    std::optional<PredictedScores> predicted = std::nullopt;  ///< set if requested
};

/// Returns the requested queries, otherwise the next best of repeat, context and captured. If too
/// few were captured (ReferenceQueries::enoughFor), the text is reread as for Context. `reader` may
/// be empty, in which case no pass is made. Errors: Cancelled.
[[nodiscard]] Result<FoundQueries> findQueries(const QueryRequest& request,
                                               const ReferenceQueries& captured,
                                               const QueryReader& reader, const Clock& clock);

struct FoundScores {
    /// Null if unavailable, with the reason in the notes.
    std::shared_ptr<const ReconstructionScores> scores = nullptr;
    ReferenceQueries queries{QueryShape{}, 0, 0};  ///< queries of the same pass
    CompactionNotes notes = {};
    double ms = 0;
    bool repeated = false;  ///< the scores come from a repetition, as do the queries
};

/// Returns predicted scores of the first tokens of the text, up to the end of the request or the
/// start of its turn. Tokens that the predictor has not seen are reread, which the notes report.
/// Errors: Cancelled.
[[nodiscard]] Result<FoundScores> predictScores(const QueryRequest& request,
                                                const PredictedScores& predicted,
                                                const QueryReader& reader, const Clock& clock);
/// The same without a pass: the scores are null if the predictor is null or has not seen all of
/// these tokens. `again`: it saw them in a pass that was made for their queries.
[[nodiscard]] FoundScores predictedSoFar(const QueryRequest& request,
                                         const PredictedScores* predicted, bool again = false);

/// Returns the reconstruction scores of a repetition of the text in pieces, or the reason why there
/// are none. Errors: Cancelled. @pre scoredOn is set
[[nodiscard]] Result<FoundScores> findScores(const QueryRequest& request, const QueryReader& reader,
                                             const Clock& clock);

/// Returns as many Gaussian queries as a fit can use, with unit variance in every direction, which
/// is the size of a normalised query.
[[nodiscard]] ReferenceQueries randomQueries(const QueryShape& shape, std::uint64_t seed);

}  // namespace lacuna
