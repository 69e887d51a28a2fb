#pragma once
/// \file
/// What may be a row of a batch. Private to this room. Pure functions.

#include <optional>

#include "engine/base/result.h"
#include "engine/kv/kv_cache.h"
#include "engine/kv/token_window.h"

namespace lacuna {

/// Whether rows of a batch may keep this window. Errors: InvalidArgument, Unsupported (chunks, kept
/// first tokens), saying what to do instead.
[[nodiscard]] Status checkBatchWindow(const std::optional<WindowRule>& window);
/// The window of a cache as a row; nothing when it keeps every token. Errors: Unsupported.
[[nodiscard]] Result<std::optional<WindowRule>> rowWindow(const KvCache& cache);

}  // namespace lacuna
