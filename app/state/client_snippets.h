#pragma once
/// \file
/// How a client asks our server, as text to copy. Pure functions.

#include <QString>

namespace lacuna::app {

enum class ClientKind { Curl, Python, Node, Vercel };

struct SnippetOptions {
    QString address;  ///< "http://127.0.0.1:8080"
    QString model;    ///< as the server names it
    bool needsKey = false;
    /// Empty: the text takes the key from the environment (LACUNA_API_KEY).
    QString key;
};

[[nodiscard]] QString clientName(ClientKind kind);
[[nodiscard]] QString clientSnippet(ClientKind kind, const SnippetOptions& options);

}  // namespace lacuna::app
