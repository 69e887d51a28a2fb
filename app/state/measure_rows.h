#pragma once
/// \file
/// Measurements between person and engine: from what is asked to the settings that are tried, and
/// from answers to view values. Pure functions, used inside app/state only.

#include <QString>
#include <QVector>
#include <vector>

#include "app/state/measure_views.h"
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
/// Without the values that bring it into force.
[[nodiscard]] SweptSetting rowOf(const GridRow& row);

/// What a person wrote for a sweep: sizes as written, and the settings of every method at every one
/// of them.
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
