#pragma once
/// \file
/// Facts of a loaded model and of this machine, for checks, screens and reports.

#include "engine/format/load_model.h"
#include "engine/settings/facts.h"

namespace lacuna {

[[nodiscard]] ModelFacts factsOf(const LoadedModel& model, const std::filesystem::path& kept = {});
/// Read from /proc and /sys at every call.
[[nodiscard]] MachineFacts machineFacts();

}  // namespace lacuna
