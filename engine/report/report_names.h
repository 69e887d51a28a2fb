#pragma once
/// \file
/// Names of our enumerations as reports and the command line write and read them. Pure functions.

#include <optional>
#include <string_view>

#include "engine/compress/compactor.h"
#include "engine/generate/finish_reason.h"
#include "engine/kv/kv_options.h"
#include "engine/session/event.h"

namespace lacuna {

[[nodiscard]] std::string_view reportName(FinishReason reason);
[[nodiscard]] std::string_view reportName(EngineState state);
[[nodiscard]] std::string_view reportName(CompactionCause cause);
[[nodiscard]] std::string_view reportName(CompactionResult result);
[[nodiscard]] std::string_view reportName(CompactionMethod method);
[[nodiscard]] std::string_view reportName(Precision precision);

/// The enumerator of a name; nothing when there is none.
[[nodiscard]] std::optional<FinishReason> finishReasonNamed(std::string_view name);
[[nodiscard]] std::optional<EngineState> engineStateNamed(std::string_view name);
[[nodiscard]] std::optional<CompactionCause> compactionCauseNamed(std::string_view name);
[[nodiscard]] std::optional<CompactionResult> compactionResultNamed(std::string_view name);
[[nodiscard]] std::optional<CompactionMethod> compactionMethodNamed(std::string_view name);
[[nodiscard]] std::optional<Precision> precisionNamed(std::string_view name);

}  // namespace lacuna
