#include "app/serve/access_rules.h"

#include <QByteArray>
#include <QCryptographicHash>
#include <QHostAddress>
#include <QString>
#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return result;
}

struct HostAndPort {
    std::string host;  ///< without brackets
    std::optional<int> port;
};

std::optional<int> portOf(std::string_view text) {
    if (text.empty() || text.size() > 5) return std::nullopt;
    int port = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        port = 10 * port + (c - '0');
    }
    return port;
}

/// Returns nullopt for a malformed host: user names, spaces, two ports.
std::optional<HostAndPort> split(std::string_view text) {
    const bool strange = std::ranges::any_of(text, [](char c) {
        return c <= ' ' || c > '~' || c == '@' || c == '/' || c == '\\' || c == ',';
    });
    if (text.empty() || strange) return std::nullopt;
    HostAndPort parts;
    std::size_t end = text.find(':');
    if (text.starts_with('[')) {
        const std::size_t close = text.find(']');
        if (close == std::string_view::npos) return std::nullopt;
        parts.host = lower(text.substr(1, close - 1));
        end = close + 1;
        if (end == text.size()) return parts;
        if (text[end] != ':') return std::nullopt;
    } else {
        parts.host = lower(text.substr(0, end));
    }
    if (parts.host.empty()) return std::nullopt;
    if (end == std::string_view::npos) return parts;
    parts.port = portOf(text.substr(end + 1));
    if (!parts.port) return std::nullopt;
    return parts;
}

constexpr int kPlainPort = 80;

/// Compares all bytes even after a mismatch.
bool equalInConstantTime(const std::string& a, const std::string& b) {
    if (a.size() != b.size()) return false;
    unsigned different = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        different |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return different == 0;
}

}  // namespace

KeyDigest digestOf(std::string_view key) {
    const auto hash = QCryptographicHash::hash(
        QByteArrayView(key.data(), static_cast<qsizetype>(key.size())), QCryptographicHash::Sha256);
    return {std::string(hash.constData(), static_cast<std::size_t>(hash.size()))};
}

bool isLoopbackName(std::string_view host) {
    const std::string name = lower(host);
    if (name == "localhost") return true;
    QHostAddress address;
    return address.setAddress(
               QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()))) &&
           address.isLoopback();
}

std::optional<HttpFault> checkHost(const AccessRules& rules, std::string_view host) {
    const auto parts = split(host);
    if (!parts) return HttpFault{400, "the Host field is not a valid host name"};
    if (!rules.loopback) return std::nullopt;
    const auto is = [&](const std::string& one) { return lower(one) == parts->host; };
    const bool local = parts->host == "localhost" || parts->host == "127.0.0.1" ||
                       parts->host == "::1" || std::ranges::any_of(rules.addresses, is);
    const bool ours = local && parts->port.value_or(kPlainPort) == rules.port;
    const bool listed = std::ranges::any_of(rules.hosts, is);
    if (ours || listed) return std::nullopt;
    return HttpFault{403, "this server does not accept that Host; allow it with --allow-host"};
}

std::optional<HttpFault> checkOrigin(const AccessRules& rules, const std::string* origin) {
    if (origin == nullptr) return std::nullopt;
    const auto is = [&](const std::string& one) { return lower(one) == lower(*origin); };
    const bool own = rules.loopback && (is(format("http://127.0.0.1:{}", rules.port)) ||
                                        is(format("http://localhost:{}", rules.port)) ||
                                        is(format("http://[::1]:{}", rules.port)));
    if (own || std::ranges::any_of(rules.origins, is)) return std::nullopt;
    return HttpFault{403,
                     "requests from that origin are not allowed; allow them with --allow-origin"};
}

std::optional<HttpFault> checkKey(const AccessRules& rules, const std::string* authorization,
                                  const std::string* apiKey) {
    if (rules.keys.empty()) return std::nullopt;
    constexpr std::string_view kScheme = "bearer ";
    std::string_view given = authorization == nullptr ? std::string_view() : *authorization;
    bool scheme = lower(given.substr(0, kScheme.size())) == kScheme;
    given = scheme ? given.substr(kScheme.size()) : std::string_view();
    if (authorization == nullptr && apiKey != nullptr) {
        scheme = true;
        given = *apiKey;
    }
    const KeyDigest digest = digestOf(given);
    unsigned matches = 0;
    for (const KeyDigest& key : rules.keys)
        matches |= equalInConstantTime(digest.bytes, key.bytes) ? 1U : 0U;
    if (scheme && matches != 0) return std::nullopt;
    return HttpFault{401, "an API key is required: Authorization: Bearer KEY"};
}

}  // namespace lacuna::app
