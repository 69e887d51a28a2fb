#pragma once
/// \file
/// Assesses the memory of a conversation: what it costs, whether its compactions worked and whether
/// they hurt the answers. Also the parts of the process memory, which add up to it. Values and pure
/// functions.

#include <QString>
#include <optional>
#include <vector>

#include "app/state/telemetry/metrics_store.h"
#include "app/state/view_types.h"

namespace lacuna {
struct EngineConfig;
}

namespace lacuna::app {

/// Effect of the compactions on the answers of a conversation.
enum class AnswerEffect {
    Full,         ///< the cache is not compacted
    NotMeasured,  ///< compacted, but what is kept was not measured
    Within,       ///< the loss is well below the limit
    Near,         ///< the loss is close to the limit
    Exceeded,     ///< the loss is above the limit
};

/// `usedShare` is the used share of the permitted loss.
[[nodiscard]] AnswerEffect effectOf(double usedShare);
/// "99.8 %": shares close to 1 differ in the first decimal place, and only a full cache keeps 100
/// %.
[[nodiscard]] QString keptText(double share);

struct MemoryVerdict {
    qint64 liveBytes = 0;
    qint64 fullBytes = 0;    ///< size of an uncompressed cache with the same tokens
    qint64 compactions = 0;  ///< done, limited ones included
    qint64 limited = 0, skipped = 0, failed = 0;
    std::optional<double> pauseMs;  ///< of the latest compaction
    AnswerEffect effect = AnswerEffect::Full;
    std::optional<double> kept;   ///< share (0..1) of the text's information
    std::optional<double> worst;  ///< of the weakest passage
    qint64 measuredNs = 0;

    /// 1 if nothing is cached.
    [[nodiscard]] double ratio() const;
    friend bool operator==(const MemoryVerdict&, const MemoryVerdict&) = default;
};

/// `engine` and `marks` describe the conversation up to `untilNs`; nullopt: until now.
[[nodiscard]] MemoryVerdict verdictOf(const EngineView& engine,
                                      const std::vector<CompactionMark>& marks, qint64 conversation,
                                      const EngineConfig& config,
                                      std::optional<qint64> untilNs = std::nullopt);
/// "Memory 10.2 MiB instead of 132 MiB (12.9x smaller)"
[[nodiscard]] QString memoryText(const MemoryVerdict& verdict);
/// "3 compactions, 0 failed, 1 limited"
[[nodiscard]] QString compactionsText(const MemoryVerdict& verdict);
/// "pause 0.61 ms"; empty without a compaction.
[[nodiscard]] QString pauseText(const MemoryVerdict& verdict);
/// "answers: likely unchanged (97 % of the text's information kept, measured 12 s ago)"; `brief`
/// omits the parentheses.
[[nodiscard]] QString answersText(const MemoryVerdict& verdict, qint64 nowNs, bool brief = false);

/// Parts of the resident memory of the process; their sum is `resident`.
struct ProcessMemory {
    qint64 model = 0, caches = 0, prefixes = 0, other = 0, resident = 0;
    friend bool operator==(const ProcessMemory&, const ProcessMemory&) = default;
};

/// Divides the resident memory. Weights are mapped from their file, so that less than their size
/// may be resident.
[[nodiscard]] ProcessMemory divideMemory(qint64 resident, qint64 weights, qint64 caches,
                                         qint64 prefixes);
/// "1.4 GiB = model 1.0 GiB + caches 30.0 MiB + stored 200 MiB + other 140 MiB"; `brief`: the sum.
[[nodiscard]] QString processMemoryText(const ProcessMemory& memory, bool brief = false);

}  // namespace lacuna::app
