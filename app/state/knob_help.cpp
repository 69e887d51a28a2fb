#include "app/state/knob_help.h"

#include <QCoreApplication>

namespace lacuna::app {

namespace {

struct Row {
    std::string_view key;
    const char* text;
};

constexpr Row kRows[] = {
    {"method",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "How the cache is made smaller. None: nothing is lost, and memory grows with every token. "
         "Evict tokens: frees memory at once and costs next to no time; what was evicted is "
         "forgotten. Attention matching: forgets far less at the same size; takes seconds of work, "
         "most of it in the background. (Eviction: arXiv 2406.11430. Attention matching: arXiv "
         "2602.16284.)")},
    {"am_ratio",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "How many times smaller attention matching makes the cache. More: less memory and faster "
         "answers in long conversations. Less: more is remembered exactly; up to about 4 little is "
         "lost on most texts. Sinks and recent tokens count in, and take at most an eighth. A "
         "text that is too short for its ratio is left as it is, and you are told which one would "
         "do. (arXiv 2602.16284.)")},
    {"budget",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "So many tokens each head keeps after a compaction, however long the text. Less: memory "
         "stays small. More: more is remembered. At least sinks + keep recent + 1, at most the "
         "context; between two compactions the cache may pass it by the margin.")},
    {"compact_when",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "When the cache is compacted. At the budget: memory stays close to it; what the next "
         "question needs may be gone. One turn late: more of what is asked next is remembered, "
         "since the newest queries judge what stood before them; the cache may grow by a whole "
         "turn beyond the budget. The cache limit and compacting by hand act at once all the "
         "same. (Delayed compaction, arXiv 2608.00902.)")},
    {"keep_recent",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "The newest tokens, which no compaction touches. More: what was just said stays exact. "
         "Less: more room for what stands further back.")},
    {"compaction_floor",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "A conversation of fewer tokens is not compacted. More: short conversations answer as "
         "without compression. Less: memory is saved earlier. 0 compacts any conversation.")},
    {"loss_limit",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "What a compaction may lose, measured before it is carried out. Where the ratio asked for "
         "loses more, a smaller one is used, and shown. strict: nearly nothing, less memory is "
         "saved. off: the ratio is carried out whatever it loses.")},
    {"n_sink",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "The first tokens, which no compaction touches. Models look at them all the time: without "
         "them answers fall apart; more than a few cost memory and gain nothing. Coded caches keep "
         "them in 16 bits. (Attention sinks, arXiv 2309.17453.)")},
    {"margin",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "How far the cache may grow past its target before it is compacted. More: fewer pauses. "
         "Less: memory stays closer to the target. Off is an eighth of the target, between 16 and "
         "256.")},
    {"norm_policy",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "Which tokens an eviction keeps. By attention (seen by queries, expected to be seen): "
         "remembers more of what is asked for later; costs time to find out, and seeing a "
         "repetition reads the text up to three times. By distance and query centres: for long "
         "answers; costs little. By keys alone (norms, KeyDiff): costs nothing; facts get lost "
         "sooner. Newest only and random are there to compare with. (Key norms arXiv 2406.11430, "
         "KeyDiff 2504.15364, SnapKV 2404.14469, H2O 2306.14048, KVzip 2505.23416, Expected "
         "Attention 2510.00636, TriAttention 2604.04921.)")},
    {"coherence",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "Whether each head chooses for itself what an eviction keeps. Alone: each "
                       "keeps what it needs, and more is remembered. Together: the same tokens are "
                       "held everywhere, so that it is plain what was forgotten.")},
    {"eviction_budgets",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "How an eviction shares its room out among heads; the total is the same. By score: heads "
         "that look far back keep more, and more is remembered. The same for all: simple, and the "
         "largest head needs no more than the budget. (Ada-KV, arXiv 2407.11550; KVzip, arXiv "
         "2505.23416.)")},
    {"head_budgets",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "How attention matching shares its room out among heads; the total is the same. Measured "
         "heads: those that fetch what stands far back keep more, and facts survive; the measuring "
         "is done once for each model, while nothing is asked. The same for all: needs no "
         "measuring, and loses more.")},
    {"score_source",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "How it is found out what a repetition of the text would look at. By "
                       "repeating: exact; reads the text up to three times. Foretold: nothing "
                       "waits; a little less exact, and a model must have been fitted once.")},
    {"demote_structure",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "On: punctuation and blanks count a fifth when an eviction chooses by "
                       "attention, which leaves more room for words. Off: they count like all "
                       "else.")},
    {"kv_type",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "Bits of each number in the cache. Fewer: a fraction of the memory, every token stays, "
         "and long conversations answer faster. Too few ruin some models without a sign: measure "
         "first (Tools menu, Cache formats of this model). What fewer bits have rounded away "
         "stays lost. t8 to t1 are rotated codes of 8 to 1 bits, q8_0 and q4_0 codes in groups, "
         "f16 is 16 bits. (Rotated codes: arXiv 2504.19874.)")},
    {"v_type",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "Bits of the values where they differ from those of the keys. Values bear "
                       "fewer bits than keys: 8 for keys and 4 for values costs most models next "
                       "to nothing.")},
    {"exact_window",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "So many newest tokens keep 16 bits beside their codes. More: what was just said is read "
         "exactly. Less: saves the bytes of so many tokens. 0 keeps codes alone. (KIVI, arXiv "
         "2402.02750, keeps 128.)")},
    {"kv_rotation",
     QT_TRANSLATE_NOOP(
         "KnobHelp",
         "What spreads numbers before they are coded. Calibrated: fewer bits lose less, after "
         "minutes of measuring, once for each model. Hadamard: needs none. (arXiv 2605.17757.)")},
    {"extra_bits",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "So many bits a number more on average, in the layers where they save this "
                       "model most: most of the gain of a whole bit for a part of its bytes. Needs "
                       "minutes of measuring, once for each model.")},
    {"window",
     QT_TRANSLATE_NOOP("KnobHelp",
                       "Every layer keeps only the first and the newest tokens, so many in all: "
                       "memory never grows. Everything in between is forgotten for good. Not "
                       "together with a method or a budget. (arXiv 2309.17453.)")}};

}  // namespace

QString knobHelp(std::string_view key) {
    for (const Row& row : kRows)
        if (row.key == key) return QCoreApplication::translate("KnobHelp", row.text);
    return {};
}

}  // namespace lacuna::app
