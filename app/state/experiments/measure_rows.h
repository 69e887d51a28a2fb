#pragma once
/// \file
/// Converts between user input and measured settings, and between measurement results and view
/// values. Pure functions, internal to app/state.

#include <QString>
#include <QVector>
#include <vector>

#include "app/state/experiments/measure_views.h"
#include "engine/base/result.h"
#include "engine/session/event.h"
#include "engine/session/measured_settings.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna::app {

[[nodiscard]] PreviewView viewOf(const CompactionPreviewed& event);
[[nodiscard]] std::optional<PreviewView::Kept> keptOf(const std::optional<KeptInformation>& kept);
[[nodiscard]] PreviewView::Outcome outcomeOf(const PreviewOutcome& event);
[[nodiscard]] ComparisonView viewOf(const SettingsCompared& event);
/// Leaves `values` empty.
[[nodiscard]] SweptSetting rowOf(const GridRow& row);

/// A parsed sweep: the sizes, and the settings of every method at every size.
struct SweepPlan {
    std::vector<GridSetting> settings;
    QVector<SweptSetting> rows;  ///< parallel to the settings; only names and values are filled
};

/// Creates the plan of a sweep. `inEffect` supplies all parameters not set by method and size.
/// `contextTokens` of the conversation converts a ratio to a budget for evicting methods; 0 if
/// unknown. Errors: InvalidArgument (a size that is not a number), those of methodsNamed and
/// gridSettings.
[[nodiscard]] Result<SweepPlan> sweepPlan(const SweepAsk& ask, const EngineConfig& inEffect,
                                          const ModelFacts& facts, const MachineFacts& machine,
                                          qint64 contextTokens);

}  // namespace lacuna::app
