#pragma once
/// \file
/// This program once more, as a process of its own: for what only a new process can show.

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::cli {

/// Starts this program with these arguments, waits for its end and gives what it printed; what it
/// says on standard error stands on this one's. A stop ends it. Errors: Cancelled, Internal (it
/// could not be started, was ended, or its exit status was not 0).
[[nodiscard]] Result<std::string> runOnceMore(const std::vector<std::string>& arguments,
                                              const std::stop_token& stop);

}  // namespace lacuna::cli
