#pragma once
/// \file
/// Access control: which Host names a request may carry, which web origins may call the API from a
/// browser, and which API keys are valid. Pure functions. docs/server.md, "Trust".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/http_message.h"

namespace lacuna::app {

/// SHA-256 of a key. Keys are compared by digest and not stored in any other form.
struct KeyDigest {
    std::string bytes;  ///< 32 bytes
};
[[nodiscard]] KeyDigest digestOf(std::string_view key);

struct AccessRules {
    std::uint16_t port = 0;
    /// True if only this machine can connect. Host is then checked so that no web page can reach
    /// the server under a name of its own (DNS rebinding).
    bool loopback = true;
    std::vector<std::string> addresses = {};  ///< listening addresses; Host may be one of them with
                                              ///< the server's port
    std::vector<std::string> hosts = {};      ///< further accepted host names, without a port
    std::vector<std::string> origins = {};    ///< web origins that may call the API, such as
                                              ///< "https://example.org"
    std::vector<KeyDigest> keys = {};         ///< valid keys; empty if no key is required
};

/// Returns 403 for a Host that is not one of the server's names and 400 for a malformed one.
[[nodiscard]] std::optional<HttpFault> checkHost(const AccessRules& rules, std::string_view host);
/// Returns 403 for an origin that is not listed. A request without Origin comes from a program and
/// passes.
[[nodiscard]] std::optional<HttpFault> checkOrigin(const AccessRules& rules,
                                                   const std::string* origin);
/// Returns 401 unless Authorization, or X-Api-Key if Authorization is absent, holds one of the
/// keys. Takes the same time for every key.
[[nodiscard]] std::optional<HttpFault> checkKey(const AccessRules& rules,
                                                const std::string* authorization,
                                                const std::string* apiKey = nullptr);
/// True for "127.0.0.1", "::1", "localhost" and the like.
[[nodiscard]] bool isLoopbackName(std::string_view host);

}  // namespace lacuna::app
