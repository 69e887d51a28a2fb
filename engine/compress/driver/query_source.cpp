#include "engine/compress/driver/query_source.h"

#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_report.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kRandomStream = 0x72616e6471;  // "randq": separates this use of the seed
                                                       // from all others

FoundQueries capturedQueries(const QueryRequest& request, const ReferenceQueries& captured,
                             CompactionNotes notes) {
    FoundQueries found{.queries = captured.snapshot(), .notes = std::move(notes)};
    if (request.turn.value == 0) return found;
    ReferenceQueries turn = captured.since(request.turn);
    if (turn.tokens() >= kMinQueryTokens) {
        found.queries = std::move(turn);
        found.notes.push_back({CompactionReason::QueriesFromNewestTurn});
    } else if (found.queries.tokens() >= kMinQueryTokens) {
        found.notes.push_back(
            noteOf(CompactionReason::NewestTurnTooShort, turn.tokens(), kMinQueryTokens));
    }
    return found;
}

/// Number of first tokens of the text that need scores.
std::int64_t scoredTokens(const QueryRequest& request) {
    return request.turn.value > 0 ? request.turn.value : request.end.value;
}

/// Runs one pass and measures its time.
Result<FoundQueries> readQueries(QueryRequest request, QuerySource source,
                                 const QueryReader& reader, const Clock& clock) {
    if (!reader) return fail(ErrorCode::Unsupported, "no forward pass is possible now");
    request.source = source;
    const std::int64_t start = clock.nowNs();
    LACUNA_TRY(TextReading reading, reader(request));
    const int tokens = reading.queries.tokens();
    if (tokens < kMinQueryTokens)
        return fail(ErrorCode::Unsupported,
                    format("it gave queries of {} tokens, at least {} are needed", tokens,
                           kMinQueryTokens));
    return FoundQueries{
        .queries = std::move(reading.queries),
        .notes = {noteOf(source == QuerySource::Repeat ? CompactionReason::QueriesFromRepetition
                                                       : CompactionReason::QueriesFromReading,
                         tokens)},
        .ms = millisecondsSince(clock, start),
        .predicted = std::move(reading.predicted)};
}

/// Predicted scores of the first `tokens` tokens.
FoundScores predictedBy(const PredictedScores& predicted, std::int64_t tokens, bool again) {
    return {.scores = std::make_shared<const ReconstructionScores>(predicted.scores(tokens)),
            .notes = {again ? noteOf(CompactionReason::ScoresPredictedAgain, tokens)
                            : CompactionNote{CompactionReason::ScoresPredicted}}};
}

}  // namespace

bool usesReconstruction(const KvOptions& options) {
    return (options.method == CompactionMethod::Eviction &&
            options.evictionPolicy == EvictionPolicy::Reconstruct) ||
           (options.method == CompactionMethod::AttentionMatching &&
            options.headBudgets == HeadBudgets::Reconstruction);
}

bool readsAgain(const KvOptions& options) {
    // Auto may resolve to reconstruction.
    const bool mayReconstruct = (options.method == CompactionMethod::Eviction &&
                                 options.evictionPolicy == EvictionPolicy::Auto) ||
                                (options.method == CompactionMethod::AttentionMatching &&
                                 options.headBudgets == HeadBudgets::Auto);
    return usesReconstruction(options) || mayReconstruct ||
           (options.method == CompactionMethod::AttentionMatching &&
            options.querySource != QuerySource::Random);
}

FoundScores predictedSoFar(const QueryRequest& request, const PredictedScores* predicted,
                           bool again) {
    const std::int64_t tokens = scoredTokens(request);
    const std::int64_t seen = predicted != nullptr ? predicted->tokens() : 0;
    if (seen >= tokens) return predictedBy(*predicted, tokens, again);
    FoundScores found;
    found.notes = {noteOf(CompactionReason::SurrogateBehind, seen, tokens)};
    return found;
}

Result<FoundScores> predictScores(const QueryRequest& request, const PredictedScores& predicted,
                                  const QueryReader& reader, const Clock& clock) {
    FoundScores found = predictedSoFar(request, &predicted);
    if (found.scores != nullptr) return found;
    const std::int64_t tokens = scoredTokens(request);
    const std::int64_t start = clock.nowNs();
    QueryRequest once = request;
    once.source = QuerySource::Context;
    once.scoredOn = nullptr;
    once.predictedBy = predicted.surrogate();
    Result<TextReading> reading =
        reader
            ? reader(once)
            : Result<TextReading>(fail(ErrorCode::Unsupported, "no forward pass is possible now"));
    found.ms = millisecondsSince(clock, start);
    if (!reading && reading.error().code == ErrorCode::Cancelled)
        return tl::unexpected<Error>(reading.error());
    if (!reading || !reading->predicted || reading->predicted->tokens() < tokens) {
        if (!reading) {
            CompactionNote& note = found.notes.front();
            note.reason = CompactionReason::SurrogateReadingFailed;
            note.values.emplace_back(reading.error().what);
            note.error = reading.error().code;
        }
        return found;
    }
    FoundScores again = predictedBy(*reading->predicted, tokens, true);
    again.ms = found.ms;
    return again;
}

Result<FoundScores> findScores(const QueryRequest& request, const QueryReader& reader,
                               const Clock& clock) {
    FoundScores found;
    const std::int64_t start = clock.nowNs();
    Result<TextReading> reading =
        reader
            ? reader(request)
            : Result<TextReading>(fail(ErrorCode::Unsupported, "no forward pass is possible now"));
    found.ms = millisecondsSince(clock, start);
    if (!reading) {
        if (reading.error().code == ErrorCode::Cancelled)
            return tl::unexpected<Error>(reading.error());
        found.notes = {noteOf(CompactionReason::NoRepetitionScores, reading.error())};
        return found;
    }
    if (reading->scores == nullptr) {
        found.notes = {{CompactionReason::NoScoresGathered}};
        return found;
    }
    found.scores = reading->scores;
    found.queries = std::move(reading->queries);
    found.repeated = true;
    found.notes = {
        noteOf(CompactionReason::ScoredByRepetition, found.scores->tokens, found.scores->pieces)};
    return found;
}

ReferenceQueries randomQueries(const QueryShape& shape, std::uint64_t seed) {
    ReferenceQueries queries(shape, seed, 0);
    const int tokens = queries.capacityTokens();
    for (int layer = 0; layer < shape.layers; ++layer) {
        const KvExtent extent = shape.extent(LayerIndex(layer));
        if (extent.heads == 0) continue;
        std::vector<float> rows(static_cast<std::size_t>(tokens) *
                                static_cast<std::size_t>(shape.heads) *
                                static_cast<std::size_t>(extent.keyDim));
        RandomStream random(seed, kRandomStream + static_cast<std::uint64_t>(layer));
        for (float& x : rows) x = static_cast<float>(random.normal());
        queries.observeQueries(LayerIndex(layer),
                               {rows.data(), {tokens, shape.heads, extent.keyDim}}, Position(0));
    }
    return queries;
}

Result<FoundQueries> findQueries(const QueryRequest& request, const ReferenceQueries& captured,
                                 const QueryReader& reader, const Clock& clock) {
    if (request.source == QuerySource::Random)
        return FoundQueries{.queries = randomQueries(request.shape, request.seed),
                            .notes = {{CompactionReason::QueriesFromRandom}}};
    CompactionNotes notes;
    const std::int64_t start = clock.nowNs();
    const bool few = request.source == QuerySource::Captured && !captured.enoughFor(request.end);
    if (few)
        notes.push_back(
            noteOf(CompactionReason::CapturedFewQueries, captured.tokens(), request.end.value));
    for (const QuerySource source : {QuerySource::Repeat, QuerySource::Context}) {
        if (request.source == QuerySource::Captured && !few) break;
        if (source == QuerySource::Repeat && request.source != source) continue;
        auto found = readQueries(request, source, reader, clock);
        if (found) {
            notes.insert(notes.end(), found->notes.begin(), found->notes.end());
            found->notes = std::move(notes);
            found->ms = millisecondsSince(clock, start);
            found->read = source == QuerySource::Context;
            return found;
        }
        if (found.error().code == ErrorCode::Cancelled) return found;
        notes.push_back(noteOf(source == QuerySource::Repeat
                                   ? CompactionReason::NoQueriesByRepetition
                                   : CompactionReason::NoQueriesByReading,
                               found.error()));
    }
    FoundQueries found = capturedQueries(request, captured, std::move(notes));
    if (request.source != QuerySource::Captured || few) found.ms = millisecondsSince(clock, start);
    return found;
}

}  // namespace lacuna
