// Snippets copied for clients: keys only if requested, and correct quoting.

#include "app/state/server/client_snippets.h"

#include <gtest/gtest.h>

namespace lacuna::app {
namespace {

constexpr ClientKind kAll[] = {ClientKind::Curl, ClientKind::Python, ClientKind::Node,
                               ClientKind::Vercel};

SnippetOptions options() {
    SnippetOptions options;
    options.address = QStringLiteral("http://127.0.0.1:8080");
    options.model = QStringLiteral("pilot");
    options.needsKey = true;
    return options;
}

TEST(ClientSnippets, hiddenKey_isReadFromTheEnvironment) {
    for (const ClientKind kind : kAll) {
        const QString text = clientSnippet(kind, options());
        EXPECT_TRUE(text.contains(QStringLiteral("LACUNA_API_KEY"))) << text.toStdString();
        EXPECT_TRUE(text.contains(QStringLiteral("http://127.0.0.1:8080/v1")));
        EXPECT_TRUE(text.contains(QStringLiteral("\"pilot\"")));
    }
}

TEST(ClientSnippets, shownKey_isPartOfTheSnippet) {
    SnippetOptions asked = options();
    asked.key = QStringLiteral("secret-1");
    for (const ClientKind kind : kAll) {
        const QString text = clientSnippet(kind, asked);
        EXPECT_TRUE(text.contains(QStringLiteral("secret-1"))) << text.toStdString();
        EXPECT_FALSE(text.contains(QStringLiteral("LACUNA_API_KEY")));
    }
}

TEST(ClientSnippets, serverWithoutAKey_givesSnippetsWithoutAuthorization) {
    SnippetOptions open = options();
    open.needsKey = false;
    EXPECT_FALSE(clientSnippet(ClientKind::Curl, open).contains(QStringLiteral("Authorization")));
    EXPECT_TRUE(clientSnippet(ClientKind::Python, open).contains(QStringLiteral("\"none\"")));
}

TEST(ClientSnippets, quotesInNamesAndKeys_areEscaped) {
    SnippetOptions odd = options();
    odd.model = QStringLiteral("my \"own\" model's");
    odd.key = QStringLiteral("it's");
    const QString curl = clientSnippet(ClientKind::Curl, odd);
    EXPECT_TRUE(curl.contains(QStringLiteral("Bearer it'\\''s'"))) << curl.toStdString();
    EXPECT_TRUE(curl.contains(QStringLiteral("\"my \\\"own\\\" model'\\''s\"")))
        << curl.toStdString();
    const QString python = clientSnippet(ClientKind::Python, odd);
    EXPECT_TRUE(python.contains(QStringLiteral("\"my \\\"own\\\" model's\"")))
        << python.toStdString();
}

}  // namespace
}  // namespace lacuna::app
