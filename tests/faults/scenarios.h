#pragma once
/// \file
/// What the fault loop and the kill loop do to files, and how they look at them afterwards. Every
/// function runs in a process of its own.

#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "tests/faults/fault_points.h"

namespace lacuna::fault {

using Folder = std::filesystem::path;

inline constexpr unsigned kDied = 1U << 31U;

/// Something the program does under a fault. `folder` is its own, prepared again for each run.
struct Scenario {
    std::string name;
    bool memoryOnly = false;  ///< writes no files
    /// What lies there before; and what it would be afterwards, for comparison.
    std::function<void(const Folder&)> prepare;
    /// Arms `plan`, acts and disarms. Returns the steps that were acknowledged, one bit each, or
    /// what went wrong without any fault being an excuse.
    struct Done {
        unsigned acknowledged = 0;
        long calls = 0;       ///< of the plan's kind
        std::string problem;  ///< empty: none
    };
    std::function<Done(const Folder&, const Plan& plan)> act;
    /// Looks at what is there, without faults. Empty: as it must be. kDied among the acknowledged:
    /// memory ran out where nothing may be thrown, and the program's last catch ended it.
    std::function<std::string(const Folder&, unsigned acknowledged)> check;
};

[[nodiscard]] std::span<const Scenario> scenarios();

/// A writer that is killed. It writes version after version and calls `acknowledge` with each
/// number once the call that wrote it has returned.
struct Writer {
    std::string name;
    std::function<void(const Folder&, const std::function<void(int)>& acknowledge)> write;
    /// What is wrong with what is there, when version `newest` was acknowledged (0: none was).
    std::function<std::string(const Folder&, int newest)> check;
};

[[nodiscard]] std::span<const Writer> writers();

}  // namespace lacuna::fault
