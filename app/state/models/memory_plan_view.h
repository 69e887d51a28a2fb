#pragma once
/// \file
/// Memory of a model on this machine in parts that add up: as planned by the engine before loading,
/// and as measured for the loaded model. Plain values; sentences and rows are pure functions of
/// them.

#include <QString>
#include <QVector>
#include <array>
#include <optional>

namespace lacuna::app {

enum class MemoryPart {
    Weights,
    Live,         ///< keys and values of the live tokens
    States,       ///< states of recurrent layers
    Checkpoints,  ///< checkpoints of these states
    Slack,        ///< reserved cache space
    Activations,  ///< activations of one step
    Shadow,       ///< uncompressed cache used by live quality monitoring
    Kept,         ///< prefix cache
    Passing,      ///< temporary copies and buffers of compactions
    Rest,         ///< measured only: the remaining memory of the process
};
inline constexpr int kMemoryParts = 10;

struct MemoryBar {
    /// Bytes of each part, indexed by MemoryPart; negative if unknown.
    std::array<qint64, kMemoryParts> bytes{};
    [[nodiscard]] qint64 of(MemoryPart part) const { return bytes[static_cast<std::size_t>(part)]; }
    void set(MemoryPart part, qint64 value) { bytes[static_cast<std::size_t>(part)] = value; }
    [[nodiscard]] qint64 total() const;
    friend bool operator==(const MemoryBar&, const MemoryBar&) = default;
};

struct MemoryPlanView {
    QString model;
    MemoryBar planned;  ///< at the trained context length, with the active settings
    std::optional<MemoryBar> measured = std::nullopt;  ///< current figures of the loaded model
    qint64 limit = 0;          ///< bytes available on this machine; 0 if unknown
    qint64 context = 0;        ///< context length of the plan in tokens
    qint64 largest = 0;        ///< largest context length that fits, in tokens
    QString cacheType;         ///< "F16"
    qint64 oneCheckpoint = 0;  ///< bytes of one checkpoint of recurrent states; 0: there are none
    bool fits = false;
    QString verdict;  ///< one-sentence summary
    friend bool operator==(const MemoryPlanView&, const MemoryPlanView&) = default;
};

/// Returns the name of a part, such as "Weights".
[[nodiscard]] QString partName(MemoryPart part);
/// Describes a part in one sentence.
[[nodiscard]] QString partHelp(MemoryPart part);
/// Describes the plan in one sentence, for screen readers.
[[nodiscard]] QString planText(const MemoryPlanView& plan);
/// A table row of the plan.
struct PlanRow {
    QString part, planned, measured;
};
[[nodiscard]] QVector<PlanRow> planRows(const MemoryPlanView& plan);

}  // namespace lacuna::app
