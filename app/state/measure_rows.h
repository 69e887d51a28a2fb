#pragma once
/// \file
/// Answers of the engine to measurements, as view values. Pure functions, used inside app/state
/// only.

#include "app/state/measure_views.h"
#include "engine/session/event.h"

namespace lacuna::app {

[[nodiscard]] PreviewView viewOf(const CompactionPreviewed& event);
[[nodiscard]] PreviewView::Outcome outcomeOf(const PreviewOutcome& event);
[[nodiscard]] ComparisonView viewOf(const SettingsCompared& event);
/// Without the values that bring it into force.
[[nodiscard]] SweptSetting rowOf(const GridRow& row);

}  // namespace lacuna::app
