#pragma once
/// \file
/// Who may ask: which names of this machine a request may give as its Host, which web pages may ask
/// through a browser, and the keys. Pure functions of a value. docs/server.md, "Trust".

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/serve/http_message.h"

namespace lacuna::app {

/// SHA-256 of a key. Keys are compared by these, and kept in no other form.
struct KeyDigest {
    std::string bytes;  ///< 32
};
[[nodiscard]] KeyDigest digestOf(std::string_view key);

struct AccessRules {
    std::uint16_t port = 0;
    /// Nobody but this machine can connect: Host is judged, so that no page of the web reaches us
    /// under a name of its own (DNS rebinding).
    bool loopback = true;
    std::vector<std::string> addresses = {};  ///< listened at; a Host may be one, with our port
    std::vector<std::string> hosts = {};      ///< further names, without a port
    std::vector<std::string> origins = {};    ///< pages that may ask, such as "https://example.org"
    std::vector<KeyDigest> keys = {};         ///< none: nobody needs one
};

/// 403 for a Host that is none of ours; 400 for one that is no host at all.
[[nodiscard]] std::optional<HttpFault> judgeHost(const AccessRules& rules, std::string_view host);
/// 403 for a page that is not listed; no Origin is that of a program.
[[nodiscard]] std::optional<HttpFault> judgeOrigin(const AccessRules& rules,
                                                   const std::string* origin);
/// 401 unless the field Authorization, or X-Api-Key where there is none, holds one of the keys.
/// Takes the same time for all.
[[nodiscard]] std::optional<HttpFault> judgeKey(const AccessRules& rules,
                                                const std::string* authorization,
                                                const std::string* apiKey = nullptr);
/// "127.0.0.1", "::1", "localhost" and the like.
[[nodiscard]] bool isLoopbackName(std::string_view host);

}  // namespace lacuna::app
