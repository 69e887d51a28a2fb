#pragma once
/// \file
/// The queries of one compaction by attention matching: those the model asked, or others that are
/// made for it. A forward pass is the business of whoever runs the model; here it is only asked
/// for. What cannot be had is replaced by the next best, and a note says so. Caller's thread.
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
#include "engine/compress/reference_queries.h"
#include "engine/kv/eviction/reconstruction_scores.h"
#include "engine/kv/eviction/reconstruction_surrogate.h"
#include "engine/kv/kv_options.h"

namespace lacuna {

/// Queries of fewer tokens say too little about the keys to merge them.
constexpr int kMinQueryTokens = 16;

struct QueryWish {
    QuerySource source = QuerySource::Captured;
    QueryShape shape;
    std::uint64_t seed = 0;  ///< of samples
    Position end{};          ///< one past the newest token that the cache covers
    /// Where the newest turn began, whose queries alone count, and which is not repeated; 0: the
    /// text is one.
    Position turn{};
    /// With Repeat: the text is repeated in pieces, each after the whole of it, and what these look
    /// at is gathered on this pool as well. Null: queries alone are wanted.
    ThreadPool* scoredOn = nullptr;
    /// With a reading: what foretells scores of every token from what the layers read; or null.
    std::shared_ptr<const ReconstructionSurrogate> foretoldBy = nullptr;
};

/// What came of a pass over a conversation.
struct TextReading {
    TextReading() = default;  ///< of nothing
    // NOLINTNEXTLINE(google-explicit-constructor): a pass for queries is a reading like any other.
    TextReading(ReferenceQueries asked) : queries(std::move(asked)) {}
    ReferenceQueries queries{QueryShape{}, 0, 0};
    std::shared_ptr<const ReconstructionScores> scores = nullptr;  ///< where the wish wants them
    std::optional<ForetoldScores> foretold = std::nullopt;         ///< likewise
};

/// Makes the queries of a wish for Context or Repeat with a forward pass over the conversation; the
/// conversation's cache stays as it is. Errors: Cancelled, and whatever kept it from the pass.
using QueryReader = std::function<Result<TextReading>(const QueryWish&)>;

/// Whether a compaction with these options may read the conversation once more, if only because
/// too few queries were captured.
[[nodiscard]] bool readsAgain(const KvOptions& options);
/// Whether it is judged by reconstruction scores, by the name of its policy or head budgets.
[[nodiscard]] bool usesReconstruction(const KvOptions& options);

struct FoundQueries {
    ReferenceQueries queries;
    CompactionNotes notes = {};  ///< whose they are where that is not the plain case, and why
    double ms = 0;               ///< wall time of passes
    bool read = false;           ///< they are those of the text, read again at its own places
    std::optional<ForetoldScores> foretold = std::nullopt;  ///< where the wish wanted it on the way
};

/// What `wish` asks for, else the next of repeat, context, captured. Where too few were captured
/// (ReferenceQueries::enoughFor), the text is read again as for Context. `reader` may be empty:
/// then nobody can make a pass. Errors: Cancelled.
[[nodiscard]] Result<FoundQueries> findQueries(const QueryWish& wish,
                                               const ReferenceQueries& captured,
                                               const QueryReader& reader, const Clock& clock);

struct FoundScores {
    /// Null: there are none, as the notes say.
    std::shared_ptr<const ReconstructionScores> scores = nullptr;
    ReferenceQueries queries{QueryShape{}, 0, 0};  ///< of the same pass
    CompactionNotes notes = {};
    double ms = 0;
    bool repeated = false;  ///< they came from a repetition, whose queries these are
};

/// What `foretold` knows of the first tokens of the text, up to where `wish` ends or its turn
/// began. Where it has not seen all of them, they are read once more, which the notes say. Errors:
/// Cancelled.
[[nodiscard]] Result<FoundScores> foretellScores(const QueryWish& wish,
                                                 const ForetoldScores& foretold,
                                                 const QueryReader& reader, const Clock& clock);
/// The same without a pass: null scores where `foretold`, which may be null, has not seen all of
/// these tokens. `again`: it saw them in a pass that was made for their queries.
[[nodiscard]] FoundScores foretoldSoFar(const QueryWish& wish, const ForetoldScores* foretold,
                                        bool again = false);

/// What a repetition of the text looks at, in pieces, or why there is none. Errors: Cancelled.
/// @pre wish.scoredOn
[[nodiscard]] Result<FoundScores> findScores(const QueryWish& wish, const QueryReader& reader,
                                             const Clock& clock);

/// As many normal queries as are of use, of unit size in every direction: the size that a
/// normalised query has.
[[nodiscard]] ReferenceQueries randomQueries(const QueryShape& shape, std::uint64_t seed);

}  // namespace lacuna
