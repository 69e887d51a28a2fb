#pragma once
/// \file
/// `lacuna serve` as a whole: the event loop, the listening socket, the engine. Runs on the calling
/// thread until it is stopped.

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
    std::vector<std::string> hosts{"127.0.0.1"};  ///< addresses, one at least
    std::uint16_t port = 8080;                    ///< 0: a free one
    /// Nothing: with a key, unless other machines can ask.
    std::optional<MetricsAccess> metrics = std::nullopt;
    std::size_t bodyBytes = HttpLimits{}.bodyBytes;  ///< most of a request's body
    AccessRules access;  ///< its port and whether it is this machine alone are filled in
    /// Told once the model is loaded: "http://127.0.0.1:8080", of the first.
    std::function<void(const std::string& address)> ready;
    std::function<void(const std::string& sentence)> noted;  ///< optional; notices of the engine
};

/// "http://127.0.0.1:8080", "http://[::1]:8080".
[[nodiscard]] std::string addressOf(const std::string& host, std::uint16_t port);

/// Returns when `stop` is asked for. Errors: those of loading the model and of listening;
/// InvalidArgument (another address than this machine's without a key).
[[nodiscard]] Status runServe(int argc, char** argv, ServeProgram program, std::stop_token stop);

}  // namespace lacuna::app
