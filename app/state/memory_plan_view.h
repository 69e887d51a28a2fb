#pragma once
/// \file
/// What a model takes of this machine's memory, in parts that add up: as the engine plans it before
/// anything is loaded, and as it was measured of the model in use. Plain values; the sentences and
/// rows are pure functions of them.

#include <QString>
#include <QVector>
#include <array>
#include <optional>

namespace lacuna::app {

enum class MemoryPart {
    Weights,
    Live,         ///< keys and values of the tokens that are held
    Slack,        ///< reserved ahead of them
    Activations,  ///< of one step
    Shadow,       ///< the uncompressed cache that live quality compares with
    Kept,         ///< of texts that were read, for others
    Passing,      ///< second copies and readings of compactions
    Rest,         ///< measured: all of the process that is none of the others
};
inline constexpr int kMemoryParts = 8;

struct MemoryBar {
    /// Bytes of each part, in the order of MemoryPart; below 0: not known.
    std::array<qint64, kMemoryParts> bytes{};
    [[nodiscard]] qint64 of(MemoryPart part) const { return bytes[static_cast<std::size_t>(part)]; }
    void set(MemoryPart part, qint64 value) { bytes[static_cast<std::size_t>(part)] = value; }
    [[nodiscard]] qint64 total() const;
    friend bool operator==(const MemoryBar&, const MemoryBar&) = default;
};

struct MemoryPlanView {
    QString model;
    MemoryBar planned;  ///< at the trained context, with the settings in force
    std::optional<MemoryBar> measured = std::nullopt;  ///< of the model in use, now
    qint64 limit = 0;    ///< bytes that this machine has free for it; 0: not known
    qint64 context = 0;  ///< tokens of the plan
    qint64 largest = 0;  ///< tokens that fit
    QString cacheType;   ///< "F16"
    bool fits = false;
    QString verdict;  ///< a sentence
    friend bool operator==(const MemoryPlanView&, const MemoryPlanView&) = default;
};

/// "Weights".
[[nodiscard]] QString partName(MemoryPart part);
/// What a part is, a sentence.
[[nodiscard]] QString partHelp(MemoryPart part);
/// All of it in one sentence, for those who do not see the chart.
[[nodiscard]] QString planSentence(const MemoryPlanView& plan);
/// The same as rows: part, planned, measured.
struct PlanRow {
    QString part, planned, measured;
};
[[nodiscard]] QVector<PlanRow> planRows(const MemoryPlanView& plan);

}  // namespace lacuna::app
