#pragma once
/// \file
/// Implements `lacuna download`, the command-line counterpart of the download page. Runs its own
/// event loop.

#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/error_codes.h"

namespace lacuna::app {

struct HubProgram {
    std::string what;  ///< OWNER/NAME, optionally with a file, or a URL
    std::string file;  ///< file of the repository; empty if named in `what` or if there is only one
                       ///< model
    std::string folder;      ///< created if missing
    std::string sha256;      ///< expected digest, 64 digits; empty to use the hub's
    std::string hub;         ///< address of the hub; empty for kDefaultHub
    std::string token;       ///< sent only to the hub; empty if none
    bool plainHttp = false;  ///< allows http to other machines
    bool listOnly = false;
    /// Reports progress as a line that replaces the previous one, and the share in 0..1 (negative
    /// if unknown).
    std::function<void(const std::string& line, double share)> progress = {};
};

struct HubOutcome {
    std::string text;      ///< for standard output
    std::string problem;   ///< "DL_HASH: sentence"; empty on success
    ErrorClass kind = {};  ///< error class of the problem
};

[[nodiscard]] HubOutcome runDownload(int argc, char** argv, const HubProgram& program,
                                     const std::stop_token& stop);

}  // namespace lacuna::app
