#include "app/state/settings/setting_help.h"

#include <QCoreApplication>

namespace lacuna::app {

namespace {

struct Row {
    std::string_view key;
    const char* text;
};

constexpr Row kRows[] = {
    {"method", QT_TRANSLATE_NOOP(
                   "SettingHelp",
                   "None: nothing is lost, but memory grows with every token. Evict tokens: frees "
                   "memory at once, but evicted tokens are lost; attention matching: loses far "
                   "less at the same size, but takes seconds of work in the background. (Eviction, "
                   "arXiv 2406.11430; attention matching, arXiv 2602.16284.)")},
    {"am_ratio",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "A higher ratio: less memory and faster answers in long conversations; a lower one: more "
         "is kept exactly. Up to about 4, most texts lose little. (arXiv 2602.16284.)")},
    {"budget",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "Slots each head keeps after a compaction, however long the text: fewer "
                       "save memory, more lose less. At least sinks + keep recent + 1, at most the "
                       "context; between two compactions the cache may pass it by the margin.")},
    {"compact_when",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "At the budget: memory stays close to it, but what the next question needs "
                       "may be evicted. One turn late: the newest queries judge the text before "
                       "them, so more of what is asked next is kept, but the cache may exceed the "
                       "budget by one turn. (Delayed compaction, arXiv 2608.00902.)")},
    {"keep_recent", QT_TRANSLATE_NOOP("SettingHelp",
                                      "The newest tokens, which no compaction touches. More: "
                                      "recent text stays exact; less: more room for older text.")},
    {"compaction_floor",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "Conversations with fewer tokens are not compacted; 0 compacts any conversation. More: "
         "short conversations lose nothing; less: memory is saved earlier.")},
    {"loss_limit",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "The most that a compaction may lose, measured before it is carried out; a ratio that "
         "loses more is lowered, and the lower one is shown. strict: loses almost nothing but "
         "saves less memory; off: the chosen ratio is used whatever it loses.")},
    {"n_sink",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "The first tokens, which no compaction touches: without them answers "
                       "degrade, but more than a few only cost memory. Coded caches keep them in "
                       "16 bits. (Attention sinks, arXiv 2309.17453.)")},
    {"margin", QT_TRANSLATE_NOOP("SettingHelp",
                                 "How far the cache may exceed its target before it is compacted. "
                                 "More: fewer pauses; less: memory stays closer to the target; "
                                 "off: an eighth of the target, between 16 and 256.")},
    {"norm_policy",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "Which tokens an eviction keeps: by attention, more of what is asked later is kept, but "
         "scoring takes time; by keys alone (norms, KeyDiff) costs nothing, but facts are lost "
         "sooner. Distance and query centres suit long answers; newest only and random are for "
         "comparison. (Key norms, arXiv 2406.11430; KeyDiff, 2504.15364; SnapKV, 2404.14469; H2O, "
         "2306.14048; KVzip, 2505.23416; Expected Attention, 2510.00636; TriAttention, "
         "2604.04921.)")},
    {"coherence",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "Each head alone: each keeps what it needs, so more is kept. Together: all "
                       "heads hold the same tokens, so it is clear what was evicted.")},
    {"eviction_budgets",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "How an eviction divides its slots among heads. By score: heads that attend far back keep "
         "more, so less is lost; equal for all heads: simple, and no head exceeds the budget. "
         "(Ada-KV, arXiv 2407.11550; KVzip, arXiv 2505.23416.)")},
    {"head_budgets",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "How attention matching divides its slots among heads. Measured heads: those that "
         "retrieve distant text keep more, so facts survive, but each model is measured once while "
         "idle; equal for all heads: needs no measuring but loses more.")},
    {"score_source",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "How the attention of a repetition of the text is determined. By "
                       "repetition: exact, but reads the text up to three times; by surrogate: "
                       "nothing waits, slightly less exact, and needs one fit per model.")},
    {"demote_structure",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "On: punctuation and blanks count as a fifth when an eviction chooses by attention, which "
         "leaves more slots for words. Off: they count like other tokens.")},
    {"kv_type", QT_TRANSLATE_NOOP(
                    "SettingHelp",
                    "Fewer bits: a fraction of the memory, every token stays, and long "
                    "conversations answer faster, but too few ruin some models without warning, so "
                    "measure first (Tools menu, Cache formats of this model). t8 to t1 are rotated "
                    "codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, f16 is 16 bits; "
                    "rounded-away bits cannot be restored. (Rotated codes, arXiv 2504.19874.)")},
    {"v_type",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "Bits of the values, if they differ from those of the keys. Values tolerate fewer bits "
         "than keys: 8 for keys and 4 for values costs most models almost nothing.")},
    {"exact_window",
     QT_TRANSLATE_NOOP("SettingHelp",
                       "Number of newest tokens that are also kept in 16 bits. More: recent text "
                       "is read exactly; less: saves their memory; 0 keeps codes only. (KIVI, "
                       "arXiv 2402.02750, keeps 128.)")},
    {"kv_rotation",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "Rotation of the numbers before they are coded. Calibrated: loses less at few bits, after "
         "minutes of measuring once per model; Hadamard: needs no measuring. (arXiv 2605.17757.)")},
    {"extra_bits",
     QT_TRANSLATE_NOOP(
         "SettingHelp",
         "Additional bits per number, on average, for the layers where they help most: much of the "
         "gain of a full bit for part of its memory. Needs minutes of measuring once per model.")},
    {"window", QT_TRANSLATE_NOOP(
                   "SettingHelp",
                   "Memory never grows: every layer keeps only the first and the newest tokens, "
                   "this many in all, and everything in between is dropped permanently. Not "
                   "together with a method or a budget. (arXiv 2309.17453.)")}};

}  // namespace

QString settingHelp(std::string_view key) {
    for (const Row& row : kRows)
        if (row.key == key) return QCoreApplication::translate("SettingHelp", row.text);
    return {};
}

}  // namespace lacuna::app
