#pragma once
/// \file
/// Quality tables with made-up figures for tests and pictures of the window, because measuring one
/// takes minutes. Pure data.

#include <cstdint>

#include "engine/quality/table_values.h"

namespace lacuna::test {

/// Returns a method at a ratio with `hits` of 29 dialogues and an equal share of RULER.
inline TableRow madeUpRow(const char* method, double ratio, std::int64_t hits, double kl) {
    TableRow one;
    one.method = method;
    one.ratio = ratio;
    one.items = 20;
    one.answerable = 29;
    one.hits = hits;
    one.questions = 13;
    one.rulerFull = 60;
    one.ruler = 60.0 * static_cast<double>(hits) / 29;
    one.positions = 2048;
    one.klMean = kl;
    one.klP99 = 10 * kl;
    one.top1 = 0.971;
    one.perplexity = 21.5;
    one.logicalBytes = 8 << 20;
    one.liveBytes = one.logicalBytes / ratio;
    one.seconds = 0.25 * ratio;
    return one;
}

/// Returns a format of the cache in bits per number of the full cache; a method at a ratio divides
/// them.
inline TableRow madeUpFormatRow(const char* format, double bits, double kl, double ratio = 1) {
    TableRow one = madeUpRow(format, ratio, 28, kl);
    one.questions = 0;  // formats have no RULER questions
    one.ruler = one.rulerFull = 0;
    one.liveBytes = one.logicalBytes * bits / 16;
    one.bitsPerNumber = bits;
    one.bytesPerToken = 1440 * bits;
    one.allocatedPerToken = 1500 * bits;
    one.speed = DecodeSpeed{.tokensPerSecond = 31, .fullTokensPerSecond = 25, .ofFull = 1.24};
    return one;
}

inline TableRow refusedRow(const char* method, double ratio, const char* why) {
    TableRow one;
    one.method = method;
    one.ratio = ratio;
    one.refused = why;
    return one;
}

/// Returns a finished table of 60 steps: the full cache and some rows of formats.
inline QualityTable madeUpTable(TableSize size) {
    QualityTable made;
    made.size = size;
    made.date = "2026-11-23";
    made.machine = "elsewhere";
    made.program = "made up";
    made.precision = "two_terms";
    made.conditions = "compacted before the question; 30 dialogues";
    made.autoBudgets = "am coverage";
    made.autoPolicy = "keydiff";
    made.done = made.total = 60;
    made.full = madeUpRow("full cache", 1, 29, 0);
    if (size != TableSize::Formats) return made;
    made.full = madeUpFormatRow("full cache", 16, 0);
    made.rows = {
        madeUpFormatRow("t8/t4", 6.25, 0.001),     madeUpFormatRow("t8/t4 l2", 3.1, 0.2, 2),
        madeUpFormatRow("t8/t4 am", 1.6, 0.03, 4), madeUpFormatRow("t5/t4", 4.75, 0.004),
        madeUpFormatRow("t4", 4.25, 0.02),         madeUpFormatRow("q4_0", 5, 0.03)};
    return made;
}

}  // namespace lacuna::test
