#pragma once
/// \file
/// File operations of the fault loop and the kill loop, and their checks. Every function runs in a
/// process of its own.

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "tests/faults/fault_points.h"

namespace lacuna::fault {

using Folder = std::filesystem::path;

inline constexpr unsigned kDied = 1U << 31U;

/// An operation of the program under a fault. `folder` belongs to it and is prepared again for each
/// run.
struct Scenario {
    std::string name;
    bool memoryOnly = false;  ///< writes no files
    /// Prepares the files from before the operation, and the expected ones for comparison.
    std::function<void(const Folder&)> prepare;
    /// Arms `plan`, acts and disarms. Returns the acknowledged steps, one bit each, or a problem
    /// that no fault excuses.
    struct Done {
        unsigned acknowledged = 0;
        long calls = 0;       ///< number of calls of the plan's kind
        std::string problem;  ///< empty = none
    };
    std::function<Done(const Folder&, const Plan& plan)> act;
    /// Checks the files without faults. Returns an empty string if they are valid. kDied among the
    /// acknowledged steps: memory was exhausted where nothing may throw, and the program's last
    /// catch ended it.
    std::function<std::string(const Folder&, unsigned acknowledged)> check;
};

[[nodiscard]] std::span<const Scenario> scenarios();

/// A writer that is killed. It writes version after version and calls `acknowledge` with each
/// number after the call that wrote it has returned.
struct Writer {
    std::string name;
    std::function<void(const Folder&, const std::function<void(int)>& acknowledge)> write;
    /// Returns the faults of the files if version `newest` was acknowledged (0 = none).
    std::function<std::string(const Folder&, int newest)> check;
};

[[nodiscard]] std::span<const Writer> writers();

}  // namespace lacuna::fault
