#pragma once
/// \file
/// Predicts what a ratio of attention matching would save and cost, as shown under its slider. A
/// value and pure functions.

#include <QString>
#include <optional>

#include "app/state/experiments/measure_views.h"
#include "app/state/telemetry/memory_verdict.h"

namespace lacuna::app {

struct PredictedMemory {
    qint64 bytes = 0;            ///< size of the cache at this ratio; 0 if nothing is cached
    std::optional<double> kept;  ///< share (0..1) of the text's information, if measured
    AnswerEffect effect = AnswerEffect::NotMeasured;  ///< next to the loss limit
};

[[nodiscard]] PredictedMemory predictedMemory(const EngineView& engine,
                                              const PredictedLossView& losses, double ratio,
                                              const EngineConfig& config);
/// "Predicted 21.0 MiB, 93 % of the text kept"
[[nodiscard]] QString predictedText(const PredictedMemory& predicted);

}  // namespace lacuna::app
