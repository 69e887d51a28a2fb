#pragma once
/// \file
/// Main function of `lacuna serve`: event loop, listening sockets, engine. Runs on the calling
/// thread until stopped.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/serve/access_rules.h"
#include "app/serve/api_server.h"
#include "engine/base/result.h"

namespace lacuna::app {

struct ServeProgram {
    ServeOptions serve;
    std::vector<std::string> hosts{"127.0.0.1"};  ///< listening addresses, at least one
    std::uint16_t port = 8080;                    ///< 0: any free port
    /// nullopt: WithKey if only this machine can connect, otherwise Off.
    std::optional<MetricsAccess> metrics = std::nullopt;
    std::size_t bodyBytes = HttpLimits{}.bodyBytes;  ///< limit of a request body
    AccessRules access;  ///< port and loopback flag are filled in by runServe()
    /// Called once the model is loaded, with the URL of the first address: "http://127.0.0.1:8080".
    std::function<void(const std::string& address)> ready;
    std::function<void(const std::string& sentence)> noted;  ///< optional hook for notices of the
                                                             ///< engine
};

/// Returns "http://127.0.0.1:8080", "http://[::1]:8080".
[[nodiscard]] std::string addressOf(const std::string& host, std::uint16_t port);

/// Returns after `stop` is requested. Errors: those of loading the model and of listening;
/// InvalidArgument for a non-loopback address without a key.
[[nodiscard]] Status runServe(int argc, char** argv, ServeProgram program, std::stop_token stop);

}  // namespace lacuna::app
