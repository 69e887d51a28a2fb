#pragma once
/// \file
/// `lacuna download`: what the window's page does, without one. Runs an event loop of its own.

#include <functional>
#include <stop_token>
#include <string>

#include "engine/base/error_codes.h"

namespace lacuna::app {

struct HubProgram {
    std::string what;    ///< OWNER/NAME, with a file or without, or an address
    std::string file;    ///< of the repository; empty: named in `what`, or the only model there is
    std::string folder;  ///< made where it is not there
    std::string sha256;  ///< 64 digits; empty: as the hub says
    std::string hub;     ///< its address; empty: kDefaultHub
    std::string token;   ///< for the hub alone; empty: none
    bool plainHttp = false;  ///< also from other machines
    bool listOnly = false;
    /// One line that is rewritten, with the share that is there (0..1; below 0: not known).
    std::function<void(const std::string& line, double share)> progress = {};
};

struct HubOutcome {
    std::string text;      ///< for standard output
    std::string problem;   ///< "DL_HASH: sentence"; empty: all went well
    ErrorClass kind = {};  ///< of the problem
};

[[nodiscard]] HubOutcome runDownload(int argc, char** argv, const HubProgram& program,
                                     const std::stop_token& stop);

}  // namespace lacuna::app
