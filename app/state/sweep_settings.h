#pragma once
/// \file
/// From what a person writes to the settings a sweep tries, and from one of them back to values
/// that bring it into force. Pure functions, used inside app/state only.

#include <QString>
#include <QVector>
#include <vector>

#include "app/state/measure_views.h"
#include "engine/base/result.h"
#include "engine/session/measured_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

/// Sizes as written, and the settings of every method at every one of them.
struct SweepPlan {
    std::vector<GridSetting> settings;
    QVector<SweptSetting> rows;  ///< of the same order; names and values only
};

/// `inForce` fills what a method and its size leave open. `contextTokens` of the conversation turn
/// a ratio of an evicting method into a budget; 0: not known. Errors: InvalidArgument (a size that
/// is no number), those of methodsNamed and gridSettings.
[[nodiscard]] Result<SweepPlan> sweepPlan(const SweepAsk& ask, const EngineConfig& inForce,
                                          const ModelFacts& facts, const MachineFacts& machine,
                                          qint64 contextTokens);

}  // namespace lacuna::app
