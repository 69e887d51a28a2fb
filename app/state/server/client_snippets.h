#pragma once
/// \file
/// Example requests to our server for several clients, as text to copy. Pure functions.

#include <QString>

namespace lacuna::app {

enum class ClientKind { Curl, Python, Node, Vercel };

struct SnippetOptions {
    QString address;  ///< "http://127.0.0.1:8080"
    QString model;    ///< model name as reported by the server
    bool needsKey = false;
    /// If empty, the snippet reads the key from the environment (LACUNA_API_KEY).
    QString key;
};

[[nodiscard]] QString clientName(ClientKind kind);
[[nodiscard]] QString clientSnippet(ClientKind kind, const SnippetOptions& options);

}  // namespace lacuna::app
