#include "app/state/server/client_snippets.h"

namespace lacuna::app {

namespace {

/// Quotes for Python and JavaScript.
QString quoted(QString text) {
    text.replace(QLatin1Char('\\'), QLatin1String("\\\\"));
    text.replace(QLatin1Char('"'), QLatin1String("\\\""));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

/// Quotes for a POSIX shell, with single quotes.
QString shellQuoted(QString text) {
    text.replace(QLatin1Char('\''), QLatin1String("'\\''"));
    return QLatin1Char('\'') + text + QLatin1Char('\'');
}

/// OpenAI clients require a key even if the server needs none.
QString keyIn(const SnippetOptions& options, const QString& fromEnvironment) {
    if (!options.needsKey) return QStringLiteral("\"none\"");
    return options.key.isEmpty() ? fromEnvironment : quoted(options.key);
}

QString curlText(const SnippetOptions& options) {
    QString text = QStringLiteral(
                       "curl %1/v1/chat/completions \\\n"
                       "  -H 'Content-Type: application/json' \\\n")
                       .arg(options.address);
    if (options.needsKey && options.key.isEmpty())
        text += QStringLiteral("  -H \"Authorization: Bearer $LACUNA_API_KEY\" \\\n");
    else if (options.needsKey)
        text += QStringLiteral("  -H %1 \\\n")
                    .arg(shellQuoted(QStringLiteral("Authorization: Bearer ") + options.key));
    const QString body = QStringLiteral(
        "{\"model\": %1,\n       \"messages\": [{\"role\": \"user\", "
        "\"content\": \"Hello\"}]}");
    return text + QStringLiteral("  -d ") + shellQuoted(body.arg(quoted(options.model)));
}

QString pythonText(const SnippetOptions& options) {
    const QString key = keyIn(options, QStringLiteral("os.environ[\"LACUNA_API_KEY\"]"));
    QString text = key.startsWith(QLatin1String("os.")) ? QStringLiteral("import os\n") : QString();
    text += QStringLiteral(
        "from openai import OpenAI\n\n"
        "client = OpenAI(base_url=%1, api_key=%2)\n"
        "answer = client.chat.completions.create(\n"
        "    model=%3,\n"
        "    messages=[{\"role\": \"user\", \"content\": \"Hello\"}],\n"
        ")\n"
        "print(answer.choices[0].message.content)");
    return text.arg(quoted(options.address + QLatin1String("/v1")), key, quoted(options.model));
}

QString nodeText(const SnippetOptions& options) {
    return QStringLiteral(
               "import OpenAI from \"openai\";\n\n"
               "const client = new OpenAI({ baseURL: %1, apiKey: %2 });\n"
               "const answer = await client.chat.completions.create({\n"
               "  model: %3,\n"
               "  messages: [{ role: \"user\", content: \"Hello\" }],\n"
               "});\n"
               "console.log(answer.choices[0].message.content);")
        .arg(quoted(options.address + QLatin1String("/v1")),
             keyIn(options, QStringLiteral("process.env.LACUNA_API_KEY")), quoted(options.model));
}

QString vercelText(const SnippetOptions& options) {
    return QStringLiteral(
               "import { createOpenAI } from \"@ai-sdk/openai\";\n"
               "import { streamText } from \"ai\";\n\n"
               "const lacuna = createOpenAI({ baseURL: %1, apiKey: %2 });\n"
               "const { textStream } = streamText({ model: lacuna.chat(%3), prompt: "
               "\"Hello\" });\n"
               "for await (const piece of textStream) process.stdout.write(piece);")
        .arg(quoted(options.address + QLatin1String("/v1")),
             keyIn(options, QStringLiteral("process.env.LACUNA_API_KEY")), quoted(options.model));
}

}  // namespace

QString clientName(ClientKind kind) {
    switch (kind) {
        case ClientKind::Curl:
            return QStringLiteral("curl");
        case ClientKind::Python:
            return QStringLiteral("Python: openai");
        case ClientKind::Node:
            return QStringLiteral("JavaScript: openai");
        case ClientKind::Vercel:
            return QStringLiteral("JavaScript: ai");
    }
    return {};
}

QString clientSnippet(ClientKind kind, const SnippetOptions& options) {
    switch (kind) {
        case ClientKind::Curl:
            return curlText(options);
        case ClientKind::Python:
            return pythonText(options);
        case ClientKind::Node:
            return nodeText(options);
        case ClientKind::Vercel:
            return vercelText(options);
    }
    return {};
}

}  // namespace lacuna::app
