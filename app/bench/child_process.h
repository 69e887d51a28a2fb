#pragma once
/// \file
/// Restarts this program as a child process, for measurements that need a new process.

#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::cli {

/// Starts this program with these arguments, waits for its end and returns its standard output;
/// standard error is inherited. A stop request terminates the child. Errors: Cancelled, Internal
/// (could not be started, was killed, or returned a nonzero exit status).
[[nodiscard]] Result<std::string> runSelf(const std::vector<std::string>& arguments,
                                          const std::stop_token& stop);

}  // namespace lacuna::cli
