#include "engine/values/compaction_sentences.h"

#include <array>
#include <cmath>
#include <cstddef>

#include "engine/base/string_format.h"

// Defines the translation context for lupdate, which runs with this macro as an alias of
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
    {NoBudget, "no_budget", LACUNA_TEXT("Engine", "no budget is set, so nothing is evicted")},
    {RatioOne, "ratio_one",
     LACUNA_TEXT("Engine", "an AM ratio of 1 keeps every token and no budget is set")},
    {ShortText, "short_text",
     LACUNA_TEXT("Engine", "this conversation has %1 tokens and is not compacted below %2")},
    {NothingToGain, "nothing_to_gain",
     LACUNA_TEXT("Engine", "nothing to gain: %1 slots, the target is %2")},
    {NothingOverTarget, "nothing_over_target",
     LACUNA_TEXT("Engine", "no head has more slots than the target")},
    {AlreadyRunning, "already_running",
     LACUNA_TEXT("Engine", "a compaction is already running in the background")},
    {FollowsAnswer, "follows_answer",
     LACUNA_TEXT("Engine", "it follows after this answer, once its loss is measured")},
    {LossNotMeasured, "loss_not_measured",
     LACUNA_TEXT("Engine", "its loss could not be measured: %1")},
    {LimitNotReached, "limit_not_kept",
     LACUNA_TEXT("Engine",
                 "no ratio keeps loss_limit=%1: even at %2x only %3 % of the text's information "
                 "would be kept, and %4 % of the weakest passage; the cache is unchanged")},
    {MeasuredAfterwards, "measured_afterwards",
     LACUNA_TEXT("Engine", "only the loss of the current cache was measured")},
    {CodesExceedLimit, "codes_exceed_limit",
     LACUNA_TEXT("Engine",
                 "the number format alone loses more than loss_limit=%1 allows; use more bits for "
                 "keys and values")},
    {Failed, "failed", "%1"},
    {CacheUnchanged, "cache_unchanged", LACUNA_TEXT("Engine", "the cache is unchanged")},
    {QueriesCancelled, "queries_cancelled",
     LACUNA_TEXT("Engine",
                 "reading the text for its queries was cancelled; the cache is unchanged")},
    {ReadingCancelled, "reading_cancelled",
     LACUNA_TEXT("Engine", "reading its text was cancelled")},
    {MeasuringCancelled, "measuring_cancelled",
     LACUNA_TEXT("Engine", "measuring its loss was cancelled")},
    {OtherCompaction, "other_compaction",
     LACUNA_TEXT("Engine", "another compaction was requested")},
    {CompactionReason::SettingsChanged, "settings_changed",
     LACUNA_TEXT("Engine", "the settings were changed")},
    {ConversationContinued, "conversation_continued",
     LACUNA_TEXT("Engine", "the conversation continued")},
    {ConversationRolledBack, "conversation_went_back",
     LACUNA_TEXT("Engine", "the conversation was rolled back into the tokens being compacted")},
    {ConversationReread, "conversation_read_anew",
     LACUNA_TEXT("Engine", "the conversation is read again")},
    {ConversationDropped, "conversation_dropped",
     LACUNA_TEXT("Engine", "the conversation was closed")},
    {LossAfterAnswer, "answer_measures_later",
     LACUNA_TEXT("Engine", "a question was sent; the loss is measured after its answer")},
    {ReadingAfterAnswer, "answer_reads_later",
     LACUNA_TEXT("Engine", "a question was sent; the text is read again after its answer")},
    {AnswerFromStorage, "answer_from_storage",
     LACUNA_TEXT("Engine", "the answer starts from a prefix entry")},
    {AnswerStopped, "answer_stopped", LACUNA_TEXT("Engine", "the answer was stopped")},
    {MemoryRanOut, "memory_ran_out", LACUNA_TEXT("Engine", "memory ran out")},
    {OtherWordsPinned, "other_words_pinned", LACUNA_TEXT("Engine", "other words are pinned now")},
    {ThreadsReplaced, "threads_replaced", LACUNA_TEXT("Engine", "the threads were replaced")},
    {ModelReleased, "model_released", LACUNA_TEXT("Engine", "the model was unloaded")},
    {Stopped, "stopped", LACUNA_TEXT("Engine", "it was stopped")},
    {StoppedInRecording, "stopped_in_recording", LACUNA_TEXT("Engine", "it was cancelled here")},
    {MeasuredFirst, "measured_first", LACUNA_TEXT("Engine", "its loss is measured first")},
    {ReadFirst, "read_first", LACUNA_TEXT("Engine", "its text is read again first")},
    {LimitedByLoss, "limited_by_loss",
     LACUNA_TEXT(
         "Engine",
         "%1x of the requested %2x: a higher ratio would lose more than loss_limit=%3 allows")},
    {LimitedByProtected, "limited_by_protected",
     LACUNA_TEXT("Engine", "%1x of the requested %2x, because %3 tokens are protected")},
    {CacheLimitReached, "cache_limit_reached",
     LACUNA_TEXT("Engine", "the caches reached the limit of %1")},
    {QuestionCompacted, "question_compacted",
     LACUNA_TEXT("Engine", "the question had to be compacted too")},
    {CacheLimitIgnoresLoss, "cache_limit_ignores_loss",
     LACUNA_TEXT("Engine", "the cache limit ignores loss_limit")},
    {SpansEvicted, "spans_forgotten",
     LACUNA_TEXT("Engine", "%1 restored or pinned tokens no longer fit and may be evicted")},
    {CapturedFewQueries, "captured_few_queries",
     LACUNA_TEXT("Engine", "queries of %1 of %2 tokens were captured")},
    {QueriesFromReading, "judged_by_reading",
     LACUNA_TEXT("Engine", "judged by queries from reading the text again, %1 tokens")},
    {QueriesFromRepetition, "judged_by_repetition",
     LACUNA_TEXT("Engine", "judged by queries from repeating the text, %1 tokens")},
    {NoQueriesByReading, "no_queries_by_reading",
     LACUNA_TEXT("Engine", "no queries from reading the text again: %1")},
    {NoQueriesByRepetition, "no_queries_by_repetition",
     LACUNA_TEXT("Engine", "no queries from repeating the text: %1")},
    {QueriesFromCapture, "judged_by_its_queries", LACUNA_TEXT("Engine", "judged by its queries")},
    {QueriesFromNewestTurn, "judged_by_newest_turn",
     LACUNA_TEXT("Engine", "judged by the queries of the newest turn")},
    {NewestTurnTooShort, "newest_turn_too_short",
     LACUNA_TEXT("Engine",
                 "the newest turn has queries of %1 tokens, but at least %2 are needed: earlier "
                 "ones were used too")},
    {QueriesFromRandom, "judged_by_random_queries",
     LACUNA_TEXT("Engine", "judged by random queries")},
    {TooFewQueriesToMatch, "too_few_queries_to_match",
     LACUNA_TEXT("Engine",
                 "queries of %1 tokens were captured, but at least %2 are needed: KeyDiff chose "
                 "the keys, and values are unchanged")},
    {ScoredByRepetition, "scored_by_repetition",
     LACUNA_TEXT("Engine", "scored by repeating the text, %1 tokens in %2 pieces")},
    {NoRepetitionScores, "no_repetition_scores",
     LACUNA_TEXT("Engine", "no scores from repeating the text: %1")},
    {NoScoresGathered, "no_scores_gathered",
     LACUNA_TEXT("Engine", "no scores from repeating the text: none were collected")},
    {ScoresPredicted, "scores_predicted",
     LACUNA_TEXT("Engine", "scores predicted by the surrogate")},
    {ScoresPredictedAgain, "scores_predicted_again",
     LACUNA_TEXT("Engine", "scores predicted by the surrogate, which read %1 tokens again")},
    {SurrogateBehind, "surrogate_behind",
     LACUNA_TEXT("Engine",
                 "the surrogate has seen only %1 of %2 tokens, and the rest were not read again")},
    {SurrogateReadingFailed, "surrogate_reading_failed",
     LACUNA_TEXT(
         "Engine",
         "the surrogate has seen only %1 of %2 tokens, and the rest were not read again: %3")},
    {NormsConstant, "norms_constant",
     LACUNA_TEXT(
         "Engine",
         "key norms of this model are nearly constant (spread %1 %), so KeyDiff was used instead")},
    {QueriesUnpredictable, "queries_unpredictable",
     LACUNA_TEXT("Engine",
                 "the rotation of this model's queries depends on the length of the text, so "
                 "future queries cannot be predicted: KeyDiff was used instead")},
    {FewQueriesSeen, "few_queries_seen",
     LACUNA_TEXT(
         "Engine",
         "queries of %1 tokens were seen, but at least %2 are needed: KeyDiff was used instead")},
    {CentresNotCalibrated, "centres_not_calibrated",
     LACUNA_TEXT("Engine",
                 "the model's query centres are not calibrated, so those of this conversation were "
                 "used")},
    {KeyDiffInstead, "keydiff_instead", LACUNA_TEXT("Engine", "KeyDiff was used instead")},
    {EqualSlots, "equal_slots",
     LACUNA_TEXT("Engine",
                 "its scores are not comparable across layers, so all heads kept the same number "
                 "of slots")},
    {DividedByCoverage, "divided_by_coverage",
     LACUNA_TEXT("Engine", "slots were divided by coverage")},
    {DividedByTaskFree, "divided_by_task_free",
     LACUNA_TEXT("Engine", "slots were divided by task_free")},
    {DividedByCopyScores, "divided_by_copy_scores",
     LACUNA_TEXT("Engine", "slots were divided by copy scores")},
    {UnmeasuredByCopyScores, "unmeasured_by_copy_scores",
     LACUNA_TEXT("Engine",
                 "the model's heads are not measured yet, so slots were divided by copy scores")},
    {UnmeasuredByCoverage, "unmeasured_by_coverage",
     LACUNA_TEXT("Engine",
                 "the model's heads are not measured yet, so slots were divided by coverage")},
    {ProfileMissing, "profile_missing", "%1"},
    {TextUnknown, "text_unknown",
     LACUNA_TEXT("Engine", "the text is not known here, so demote_structure had no effect")},
    {BadKeys, "bad_keys",
     LACUNA_TEXT("Engine", "%1 slots with non-finite keys were evicted first")},
    {HeadsChoseAlone, "heads_chose_alone",
     LACUNA_TEXT(
         "Engine",
         "%1 heads hold different tokens since an earlier compaction, so they chose separately")},
    {NoSnapshots, "no_snapshots",
     LACUNA_TEXT("Engine",
                 "this kind of cache has no snapshots, so it was compacted in the foreground")},
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

const char* textOf(CompactionPhase phase) {
    switch (phase) {
        case CompactionPhase::Unknown:
            return "";
        case CompactionPhase::SettingsChanged:
            return LACUNA_TEXT("Engine", "idle: the new settings apply at the next token");
        case CompactionPhase::NoMethod:
            return LACUNA_TEXT("Engine", "off: no method is chosen");
        case CompactionPhase::NoBudget:
            return LACUNA_TEXT("Engine", "idle: no budget is set, so nothing is evicted");
        case CompactionPhase::RatioOne:
            return LACUNA_TEXT("Engine",
                               "idle: an AM ratio of 1 keeps every token and no budget is set");
        case CompactionPhase::LayersSkipped:
            return LACUNA_TEXT("Engine",
                               "idle: every layer is listed in skip_layers or has its own window");
        case CompactionPhase::Waiting:
            return LACUNA_TEXT(
                "Engine", "idle: %1 of %2 slots per head; compaction starts after %3 more tokens");
        case CompactionPhase::NotNear:
            return LACUNA_TEXT("Engine",
                               "idle: %1 slots per head, no compaction expected at this ratio");
        case CompactionPhase::ShortText:
            return LACUNA_TEXT("Engine", "idle: %1 of %2 tokens, the minimum for a compaction");
        case CompactionPhase::NextTurnDecides:
            return LACUNA_TEXT(
                "Engine", "idle: %1 slots per head, checked again at the end of the next turn");
        case CompactionPhase::FirstTurnOpen:
            return LACUNA_TEXT("Engine",
                               "idle: %1 slots per head, the first turn is kept uncompressed until "
                               "the next one has ended");
        case CompactionPhase::TurnOpen:
            return LACUNA_TEXT(
                "Engine",
                "idle: %1 slots per head, compacts the %2 tokens before this turn when it ends");
        case CompactionPhase::Due:
            return LACUNA_TEXT("Engine", "due: %1 slots per head, compacting to %2");
        case CompactionPhase::MeasuredAfterThisAnswer:
            return LACUNA_TEXT(
                "Engine", "due: %1 slots per head; the loss is measured first, after this answer");
        case CompactionPhase::MeasuredAfterNextAnswer:
            return LACUNA_TEXT(
                "Engine",
                "due: %1 slots per head; the loss is measured first, after the next answer");
        case CompactionPhase::ReadAfterThisAnswer:
            return LACUNA_TEXT(
                "Engine",
                "due: %1 slots per head; the text is read again first, after this answer");
        case CompactionPhase::ReadAfterNextAnswer:
            return LACUNA_TEXT(
                "Engine",
                "due: %1 slots per head; the text is read again first, after the next answer");
        case CompactionPhase::Compacting:
            return LACUNA_TEXT("Engine", "compacting in the background, %1 %");
        case CompactionPhase::Reading:
            return LACUNA_TEXT("Engine", "reading the text again, %1 %");
        case CompactionPhase::Measuring:
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
                LACUNA_TEXT("Engine", "scored by repeating the text, %1 tokens in one piece");
    }
    return phrases;
}

std::vector<Phrase> phrasesOf(const CompactionState& state) {
    using enum CompactionPhase;
    if (state.phase == Unknown) return {};
    Phrase phrase{textOf(state.phase)};
    const NoteValue slots = noteValue(state.slots);
    switch (state.phase) {
        case Unknown:
        case CompactionPhase::SettingsChanged:
        case CompactionPhase::NoMethod:
        case CompactionPhase::NoBudget:
        case CompactionPhase::RatioOne:
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
        case CompactionPhase::ShortText:
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
    if (state.limit && (state.phase == Due || state.phase == Waiting))
        phrases.push_back(
            {rowOf(LimitedByProtected).text,
             {state.limit->possible, state.limit->asked, state.limit->protectedTokens}});
    return phrases;
}

std::string exclusionText(const CompactionNotes& notes) {
    return english(phrasesOf(notes));
}

std::string exclusionText(const CompactionState& state) {
    return english(phrasesOf(state));
}

}  // namespace lacuna
