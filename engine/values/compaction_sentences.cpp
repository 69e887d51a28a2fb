#include "engine/values/compaction_sentences.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "engine/base/string_format.h"

// Names the context of the translations for lupdate, which is run with this macro as an alias of
// QT_TRANSLATE_NOOP (packaging/translations).
#define LACUNA_TEXT(context, text) text

namespace lacuna {
namespace {

struct ReasonText {
    CompactionReason reason;
    std::string_view key;
    const char* text;
};

using enum CompactionReason;
constexpr ReasonText kReasons[] = {
    {Recorded, "recorded", "%1"},
    {NoModel, "no_model", LACUNA_TEXT("Engine", "no model is loaded")},
    {NoCache, "no_cache", LACUNA_TEXT("Engine", "this conversation has no cache yet")},
    {NoMethod, "no_method", LACUNA_TEXT("Engine", "no method is chosen")},
    {NoBudget, "no_budget", LACUNA_TEXT("Engine", "no budget is set, so nothing is ever evicted")},
    {RatioOne, "ratio_one",
     LACUNA_TEXT("Engine", "an AM ratio of 1 keeps every token and no budget is set")},
    {ShortText, "short_text",
     LACUNA_TEXT("Engine", "this conversation has %1 tokens, and below %2 it is not compacted")},
    {NothingToGain, "nothing_to_gain",
     LACUNA_TEXT("Engine", "nothing to gain: %1 slots, the target is %2")},
    {NothingOverTarget, "nothing_over_target",
     LACUNA_TEXT("Engine", "no head has more slots than the target")},
    {AlreadyRunning, "already_running",
     LACUNA_TEXT("Engine", "a compaction is running in the background already")},
    {FollowsAnswer, "follows_answer",
     LACUNA_TEXT("Engine",
                 "its loss is measured first, when this answer has ended; it follows then")},
    {LossNotMeasured, "loss_not_measured",
     LACUNA_TEXT("Engine", "its loss could not be measured: %1")},
    {LimitNotKept, "limit_not_kept",
     LACUNA_TEXT("Engine",
                 "no ratio keeps loss_limit=%1: already at %2x only %3 % of the text's information "
                 "would be kept, and %4 % of the weakest passage; the cache stays as it is")},
    {MeasuredAfterwards, "measured_afterwards",
     LACUNA_TEXT("Engine", "the cache was measured as it is")},
    {CodesExceedLimit, "codes_exceed_limit",
     LACUNA_TEXT("Engine",
                 "its number format alone loses more than loss_limit=%1 allows; more bits for keys "
                 "and values keep more")},
    {Failed, "failed", "%1"},
    {CacheUnchanged, "cache_unchanged", LACUNA_TEXT("Engine", "the cache is as it was before")},
    {QueriesCancelled, "queries_cancelled",
     LACUNA_TEXT("Engine",
                 "the pass for its queries was broken off; the cache is as it was before")},
    {ReadingCancelled, "reading_cancelled",
     LACUNA_TEXT("Engine", "the reading of its text was broken off")},
    {MeasuringCancelled, "measuring_cancelled",
     LACUNA_TEXT("Engine", "the measuring of its loss was cancelled")},
    {OtherCompaction, "other_compaction",
     LACUNA_TEXT("Engine", "another compaction was asked for")},
    {CompactionReason::SettingsChanged, "settings_changed",
     LACUNA_TEXT("Engine", "the settings were changed")},
    {ConversationContinued, "conversation_continued",
     LACUNA_TEXT("Engine", "the conversation went on")},
    {ConversationWentBack, "conversation_went_back",
     LACUNA_TEXT("Engine", "the conversation went back into the tokens being compacted")},
    {ConversationReadAnew, "conversation_read_anew",
     LACUNA_TEXT("Engine", "the conversation is read anew")},
    {ConversationDropped, "conversation_dropped",
     LACUNA_TEXT("Engine", "the conversation was given up")},
    {AnswerMeasuresLater, "answer_measures_later",
     LACUNA_TEXT("Engine", "an answer was asked for; its loss is measured after it")},
    {AnswerReadsLater, "answer_reads_later",
     LACUNA_TEXT("Engine", "an answer was asked for; its text is read again after it")},
    {AnswerFromStorage, "answer_from_storage",
     LACUNA_TEXT("Engine", "the answer begins from what is stored")},
    {AnswerStopped, "answer_stopped", LACUNA_TEXT("Engine", "the answer was stopped")},
    {MemoryRanOut, "memory_ran_out", LACUNA_TEXT("Engine", "memory ran out")},
    {OtherWordsPinned, "other_words_pinned", LACUNA_TEXT("Engine", "other words are pinned now")},
    {ThreadsReplaced, "threads_replaced", LACUNA_TEXT("Engine", "the threads were replaced")},
    {ModelReleased, "model_released", LACUNA_TEXT("Engine", "the model was given back")},
    {Stopped, "stopped", LACUNA_TEXT("Engine", "it was stopped")},
    {StoppedInRecording, "stopped_in_recording", LACUNA_TEXT("Engine", "it was broken off here")},
    {MeasuredFirst, "measured_first", LACUNA_TEXT("Engine", "its loss is measured first")},
    {ReadFirst, "read_first", LACUNA_TEXT("Engine", "its text is read again first")},
    {LimitedByLoss, "limited_by_loss",
     LACUNA_TEXT("Engine",
                 "%1x of the %2x asked: at more the text would lose more than loss_limit=%3 "
                 "allows")},
    {LimitedByProtected, "limited_by_protected",
     LACUNA_TEXT("Engine", "%1x of the %2x asked, because %3 tokens are protected")},
    {CacheLimitReached, "cache_limit_reached",
     LACUNA_TEXT("Engine", "the caches reached the limit of %1")},
    {QuestionCompacted, "question_compacted",
     LACUNA_TEXT("Engine", "the question could not be left as it is")},
    {CacheLimitIgnoresLoss, "cache_limit_ignores_loss",
     LACUNA_TEXT("Engine", "the cache limit does not wait for loss_limit")},
    {SpansForgotten, "spans_forgotten",
     LACUNA_TEXT("Engine",
                 "%1 of the tokens that were brought back or pinned no longer fit and are "
                 "forgotten like others")},
    {CapturedFewQueries, "captured_few_queries",
     LACUNA_TEXT("Engine", "queries of %1 of %2 tokens were captured")},
    {JudgedByReading, "judged_by_reading",
     LACUNA_TEXT("Engine", "judged by the queries of the text, read again, %1 tokens of it")},
    {JudgedByRepetition, "judged_by_repetition",
     LACUNA_TEXT("Engine", "judged by the queries of a repetition of the text, %1 tokens of it")},
    {NoQueriesByReading, "no_queries_by_reading",
     LACUNA_TEXT("Engine", "there are no queries of the text, read again: %1")},
    {NoQueriesByRepetition, "no_queries_by_repetition",
     LACUNA_TEXT("Engine", "there are no queries of a repetition of the text: %1")},
    {JudgedByItsQueries, "judged_by_its_queries", LACUNA_TEXT("Engine", "judged by its queries")},
    {JudgedByNewestTurn, "judged_by_newest_turn",
     LACUNA_TEXT("Engine", "judged by the queries of the newest turn")},
    {NewestTurnTooShort, "newest_turn_too_short",
     LACUNA_TEXT("Engine",
                 "the newest turn asked queries of %1 tokens, at least %2 are needed: those before "
                 "it count as well")},
    {JudgedByRandomQueries, "judged_by_random_queries",
     LACUNA_TEXT("Engine", "judged by random queries")},
    {TooFewQueriesToMatch, "too_few_queries_to_match",
     LACUNA_TEXT("Engine",
                 "queries of %1 tokens were captured, at least %2 are needed: KeyDiff chose the "
                 "keys and values stay as they were")},
    {ScoredByRepetition, "scored_by_repetition",
     LACUNA_TEXT("Engine", "scored by a repetition of the text, %1 tokens in %2 pieces")},
    {NoRepetitionScores, "no_repetition_scores",
     LACUNA_TEXT("Engine", "there are no scores of a repetition of the text: %1")},
    {NoScoresGathered, "no_scores_gathered",
     LACUNA_TEXT("Engine", "there are no scores of a repetition of the text: none were gathered")},
    {ScoresPredicted, "scores_predicted",
     LACUNA_TEXT("Engine", "scores foretold by the surrogate")},
    {ScoresPredictedAgain, "scores_predicted_again",
     LACUNA_TEXT("Engine", "scores foretold by the surrogate, which read %1 tokens again")},
    {SurrogateBehind, "surrogate_behind",
     LACUNA_TEXT("Engine", "the surrogate has seen %1 of %2 tokens, and they were not read again")},
    {SurrogateReadingFailed, "surrogate_reading_failed",
     LACUNA_TEXT("Engine",
                 "the surrogate has seen %1 of %2 tokens, and they were not read again: %3")},
    {NormsConstant, "norms_constant",
     LACUNA_TEXT("Engine",
                 "key norms of this model are nearly constant (spread %1 %), KeyDiff chose "
                 "instead")},
    {QueriesUnpredictable, "queries_unpredictable",
     LACUNA_TEXT("Engine",
                 "how queries of this model turn depends on the length of the text, so that those "
                 "to come cannot be foretold: KeyDiff chose instead")},
    {FewQueriesSeen, "few_queries_seen",
     LACUNA_TEXT("Engine",
                 "queries of %1 tokens were seen, at least %2 are needed: KeyDiff chose instead")},
    {CentresNotCalibrated, "centres_not_calibrated",
     LACUNA_TEXT("Engine",
                 "the model's query centres are not calibrated, so those of this conversation were "
                 "used")},
    {KeyDiffInstead, "keydiff_instead", LACUNA_TEXT("Engine", "KeyDiff chose instead")},
    {EqualSlots, "equal_slots",
     LACUNA_TEXT("Engine",
                 "its scores cannot be compared between layers, so every head kept the same")},
    {DividedByCoverage, "divided_by_coverage", LACUNA_TEXT("Engine", "coverage divided the slots")},
    {DividedByTaskFree, "divided_by_task_free",
     LACUNA_TEXT("Engine", "task_free divided the slots")},
    {DividedByCopyScores, "divided_by_copy_scores",
     LACUNA_TEXT("Engine", "copy scores divided the slots")},
    {UnmeasuredByCopyScores, "unmeasured_by_copy_scores",
     LACUNA_TEXT("Engine",
                 "the model's heads are not measured yet, so their copy scores divided the slots")},
    {UnmeasuredByCoverage, "unmeasured_by_coverage",
     LACUNA_TEXT("Engine",
                 "the model's heads are not measured yet, so coverage divided the slots")},
    {ProfileMissing, "profile_missing", "%1"},
    {TextUnknown, "text_unknown",
     LACUNA_TEXT("Engine", "the text is not known here, so that none of it was demoted")},
    {BadKeys, "bad_keys",
     LACUNA_TEXT("Engine", "%1 slots with keys that are not finite went first")},
    {HeadsChoseAlone, "heads_chose_alone",
     LACUNA_TEXT("Engine",
                 "%1 heads hold different tokens since an earlier compaction and chose on their "
                 "own")},
    {NoSnapshots, "no_snapshots",
     LACUNA_TEXT("Engine", "this kind of cache has no snapshots, so it was compacted at once")},
};

consteval bool inOrder() {
    for (std::size_t i = 0; i < std::size(kReasons); ++i)
        if (static_cast<std::size_t>(kReasons[i].reason) != i) return false;
    return std::size(kReasons) == static_cast<std::size_t>(NoSnapshots) + 1;
}
static_assert(inOrder(), "every reason has its row");

const ReasonText& rowOf(CompactionReason reason) {
    return kReasons[static_cast<std::size_t>(reason)];
}

const char* textOf(CompactionStanding standing) {
    switch (standing) {
        case CompactionStanding::Unknown:
            return "";
        case CompactionStanding::SettingsChanged:
            return LACUNA_TEXT("Engine", "idle: the next token decides by the new settings");
        case CompactionStanding::NoMethod:
            return LACUNA_TEXT("Engine", "off: no method chosen");
        case CompactionStanding::NoBudget:
            return LACUNA_TEXT("Engine", "idle: no budget is set, so nothing is ever evicted");
        case CompactionStanding::RatioOne:
            return LACUNA_TEXT("Engine",
                               "idle: an AM ratio of 1 keeps every token and no budget is set");
        case CompactionStanding::LayersSkipped:
            return LACUNA_TEXT(
                "Engine",
                "idle: every layer is listed in skip_layers or keeps a window of its own");
        case CompactionStanding::Waiting:
            return LACUNA_TEXT(
                "Engine", "idle: %1 of %2 slots per head; compaction starts after %3 more tokens");
        case CompactionStanding::NotInSight:
            return LACUNA_TEXT("Engine",
                               "idle: %1 slots per head, no compaction in sight at this ratio");
        case CompactionStanding::ShortText:
            return LACUNA_TEXT(
                "Engine", "idle: %1 of %2 tokens, below which a conversation is not compacted");
        case CompactionStanding::NextTurnDecides:
            return LACUNA_TEXT(
                "Engine",
                "idle: %1 slots per head, the end of the next turn decides on a compaction");
        case CompactionStanding::FirstTurnOpen:
            return LACUNA_TEXT("Engine",
                               "idle: %1 slots per head, the first turn stays whole until the next "
                               "one has ended");
        case CompactionStanding::TurnOpen:
            return LACUNA_TEXT("Engine",
                               "idle: %1 slots per head, waits for the end of this turn to compact "
                               "the %2 tokens before it");
        case CompactionStanding::Due:
            return LACUNA_TEXT("Engine", "due: %1 slots per head, compacting to %2");
        case CompactionStanding::MeasuredAfterThisAnswer:
            return LACUNA_TEXT("Engine",
                               "due: %1 slots per head, its loss is measured first, when this "
                               "answer has ended");
        case CompactionStanding::MeasuredAfterNextAnswer:
            return LACUNA_TEXT("Engine",
                               "due: %1 slots per head, its loss is measured first, when the next "
                               "answer has ended");
        case CompactionStanding::ReadAfterThisAnswer:
            return LACUNA_TEXT("Engine",
                               "due: %1 slots per head, its text is read again first, when this "
                               "answer has ended");
        case CompactionStanding::ReadAfterNextAnswer:
            return LACUNA_TEXT("Engine",
                               "due: %1 slots per head, its text is read again first, when the "
                               "next answer has ended");
        case CompactionStanding::Compacting:
            return LACUNA_TEXT("Engine", "compacting in the background, %1 %");
        case CompactionStanding::Reading:
            return LACUNA_TEXT("Engine", "reading the text again, %1 %");
        case CompactionStanding::Measuring:
            return LACUNA_TEXT("Engine", "measuring the loss, %1 %");
    }
    return "";
}

std::string english(const NoteValue& value) {
    if (const auto* count = std::get_if<std::int64_t>(&value)) return grouped(*count);
    if (const auto* figure = std::get_if<double>(&value)) return format("{:.3g}", *figure);
    return std::get<std::string>(value);
}

std::string english(const Phrase& phrase) {
    std::string text;
    const std::string_view form = phrase.text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool place =
            form[i] == '%' && i + 1 < form.size() && form[i + 1] >= '1' && form[i + 1] <= '9';
        const auto index = place ? static_cast<std::size_t>(form[i + 1] - '1') : 0;
        if (place && index < phrase.values.size()) {
            text += english(phrase.values[index]);
            ++i;
        } else {
            text += form[i];
        }
    }
    return text;
}

std::string english(const std::vector<Phrase>& phrases) {
    std::string text;
    for (const Phrase& phrase : phrases) {
        if (!text.empty()) text += "; ";
        text += english(phrase);
    }
    return text;
}

}  // namespace

template <>
std::string_view keyOf(CompactionReason reason) {
    return rowOf(reason).key;
}

template <>
std::optional<CompactionReason> valueOfKey(std::string_view key) {
    for (const ReasonText& row : kReasons)
        if (row.key == key) return row.reason;
    return std::nullopt;
}

std::vector<Phrase> phrasesOf(const CompactionNotes& notes) {
    std::vector<Phrase> phrases;
    for (const CompactionNote& note : notes) {
        phrases.push_back({rowOf(note.reason).text, note.values});
        if (note.reason == ScoredByRepetition && note.values.back() == NoteValue(std::int64_t{1}))
            phrases.back().text =
                LACUNA_TEXT("Engine", "scored by a repetition of the text, %1 tokens in one piece");
    }
    return phrases;
}

std::vector<Phrase> phrasesOf(const CompactionState& state) {
    using enum CompactionStanding;
    if (state.standing == Unknown) return {};
    Phrase phrase{textOf(state.standing)};
    const NoteValue slots = noteValue(state.slots);
    switch (state.standing) {
        case Unknown:
        case CompactionStanding::SettingsChanged:
        case CompactionStanding::NoMethod:
        case CompactionStanding::NoBudget:
        case CompactionStanding::RatioOne:
        case LayersSkipped:
            break;
        case Waiting: {
            const int more = state.trigger - state.slots;
            phrase.values = {slots, noteValue(state.trigger), noteValue(more)};
            if (more == 1)
                phrase = {
                    LACUNA_TEXT(
                        "Engine",
                        "idle: %1 of %2 slots per head; compaction starts after 1 more token"),
                    {slots, noteValue(state.trigger)}};
            break;
        }
        case CompactionStanding::ShortText:
            phrase.values = {noteValue(state.tokens), noteValue(state.floor)};
            break;
        case TurnOpen:
            phrase.values = {slots, noteValue(state.tokens)};
            break;
        case Due:
            phrase.values = {slots, noteValue(state.target)};
            break;
        case Compacting:
        case Reading:
        case Measuring:
            phrase.values = {noteValue(static_cast<int>(std::floor(state.progress * 100)))};
            break;
        default:
            phrase.values = {slots};
            break;
    }
    std::vector<Phrase> phrases{std::move(phrase)};
    if (state.limit && (state.standing == Due || state.standing == Waiting))
        phrases.push_back(
            {rowOf(LimitedByProtected).text,
             {state.limit->possible, state.limit->asked, state.limit->protectedTokens}});
    return phrases;
}

std::string sentenceOf(const CompactionNotes& notes) {
    return english(phrasesOf(notes));
}

std::string sentenceOf(const CompactionState& state) {
    return english(phrasesOf(state));
}

}  // namespace lacuna
