#pragma once
/// \file
/// Facts about a loaded model and about this machine, for checks, displays and reports.

#include "engine/format/load_model.h"
#include "engine/settings/facts.h"

namespace lacuna {

[[nodiscard]] ModelFacts factsOf(const LoadedModel& model, const std::filesystem::path& kept = {});
/// Reads /proc and /sys on every call.
[[nodiscard]] MachineFacts machineFacts();

}  // namespace lacuna
