#include "engine/compress/query_source.h"

#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/compress/compaction_report.h"

namespace lacuna {
namespace {

constexpr std::uint64_t kRandomStream = 0x72616e6471;  // "randq": separates this use of the seed
                                                       // from all others

FoundQueries capturedQueries(const QueryWish& wish, const ReferenceQueries& captured,
                             CompactionNotes notes) {
    FoundQueries found{.queries = captured.snapshot(), .notes = std::move(notes)};
    if (wish.turn.value == 0) return found;
    ReferenceQueries turn = captured.since(wish.turn);
    if (turn.tokens() >= kMinQueryTokens) {
        found.queries = std::move(turn);
        found.notes.push_back({CompactionReason::JudgedByNewestTurn});
    } else if (found.queries.tokens() >= kMinQueryTokens) {
        found.notes.push_back(
            noteOf(CompactionReason::NewestTurnTooShort, turn.tokens(), kMinQueryTokens));
    }
    return found;
}

/// Number of first tokens of the text that need scores.
std::int64_t scoredTokens(const QueryWish& wish) {
    return wish.turn.value > 0 ? wish.turn.value : wish.end.value;
}

/// Runs one pass and measures its time.
Result<FoundQueries> readQueries(QueryWish wish, QuerySource source, const QueryReader& reader,
                                 const Clock& clock) {
    if (!reader) return fail(ErrorCode::Unsupported, "no forward pass is possible now");
    wish.source = source;
    const std::int64_t start = clock.nowNs();
    LACUNA_TRY(TextReading reading, reader(wish));
    const int tokens = reading.queries.tokens();
    if (tokens < kMinQueryTokens)
        return fail(ErrorCode::Unsupported,
                    format("it gave queries of {} tokens, at least {} are needed", tokens,
                           kMinQueryTokens));
    return FoundQueries{
        .queries = std::move(reading.queries),
        .notes = {noteOf(source == QuerySource::Repeat ? CompactionReason::JudgedByRepetition
                                                       : CompactionReason::JudgedByReading,
                         tokens)},
        .ms = millisecondsSince(clock, start),
        .foretold = std::move(reading.foretold)};
}

/// Predicted scores of the first `tokens` tokens.
FoundScores foretoldBy(const ForetoldScores& foretold, std::int64_t tokens, bool again) {
    return {.scores = std::make_shared<const ReconstructionScores>(foretold.scores(tokens)),
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
            options.fitQueries != QuerySource::Random);
}

FoundScores foretoldSoFar(const QueryWish& wish, const ForetoldScores* foretold, bool again) {
    const std::int64_t tokens = scoredTokens(wish);
    const std::int64_t seen = foretold != nullptr ? foretold->tokens() : 0;
    if (seen >= tokens) return foretoldBy(*foretold, tokens, again);
    FoundScores found;
    found.notes = {noteOf(CompactionReason::SurrogateBehind, seen, tokens)};
    return found;
}

Result<FoundScores> foretellScores(const QueryWish& wish, const ForetoldScores& foretold,
                                   const QueryReader& reader, const Clock& clock) {
    FoundScores found = foretoldSoFar(wish, &foretold);
    if (found.scores != nullptr) return found;
    const std::int64_t tokens = scoredTokens(wish);
    const std::int64_t start = clock.nowNs();
    QueryWish once = wish;
    once.source = QuerySource::Context;
    once.scoredOn = nullptr;
    once.foretoldBy = foretold.surrogate();
    Result<TextReading> reading =
        reader
            ? reader(once)
            : Result<TextReading>(fail(ErrorCode::Unsupported, "no forward pass is possible now"));
    found.ms = millisecondsSince(clock, start);
    if (!reading && reading.error().code == ErrorCode::Cancelled)
        return tl::unexpected<Error>(reading.error());
    if (!reading || !reading->foretold || reading->foretold->tokens() < tokens) {
        if (!reading) {
            CompactionNote& note = found.notes.front();
            note.reason = CompactionReason::SurrogateReadingFailed;
            note.values.emplace_back(reading.error().what);
            note.error = reading.error().code;
        }
        return found;
    }
    FoundScores again = foretoldBy(*reading->foretold, tokens, true);
    again.ms = found.ms;
    return again;
}

Result<FoundScores> findScores(const QueryWish& wish, const QueryReader& reader,
                               const Clock& clock) {
    FoundScores found;
    const std::int64_t start = clock.nowNs();
    Result<TextReading> reading =
        reader
            ? reader(wish)
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
    std::vector<float> rows(static_cast<std::size_t>(tokens) *
                            static_cast<std::size_t>(shape.heads) *
                            static_cast<std::size_t>(shape.keyDim));
    for (int layer = 0; layer < shape.layers; ++layer) {
        RandomStream random(seed, kRandomStream + static_cast<std::uint64_t>(layer));
        for (float& x : rows) x = static_cast<float>(random.normal());
        queries.observeQueries(LayerIndex(layer),
                               {rows.data(), {tokens, shape.heads, shape.keyDim}}, Position(0));
    }
    return queries;
}

Result<FoundQueries> findQueries(const QueryWish& wish, const ReferenceQueries& captured,
                                 const QueryReader& reader, const Clock& clock) {
    if (wish.source == QuerySource::Random)
        return FoundQueries{.queries = randomQueries(wish.shape, wish.seed),
                            .notes = {{CompactionReason::JudgedByRandomQueries}}};
    CompactionNotes notes;
    const std::int64_t start = clock.nowNs();
    const bool few = wish.source == QuerySource::Captured && !captured.enoughFor(wish.end);
    if (few)
        notes.push_back(
            noteOf(CompactionReason::CapturedFewQueries, captured.tokens(), wish.end.value));
    for (const QuerySource source : {QuerySource::Repeat, QuerySource::Context}) {
        if (wish.source == QuerySource::Captured && !few) break;
        if (source == QuerySource::Repeat && wish.source != source) continue;
        auto found = readQueries(wish, source, reader, clock);
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
    FoundQueries found = capturedQueries(wish, captured, std::move(notes));
    if (wish.source != QuerySource::Captured || few) found.ms = millisecondsSince(clock, start);
    return found;
}

}  // namespace lacuna
