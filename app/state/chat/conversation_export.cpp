#include "app/state/chat/conversation_export.h"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "app/state/number_format.h"
#include "app/state/storage/conversation_database.h"

namespace lacuna::app {

namespace {

struct ExportTexts {
    Q_DECLARE_TR_FUNCTIONS(Messages)
};

/// Returns a fence that is longer than any run of backticks in the text.
QString fenceFor(const QString& text) {
    qsizetype longest = 2, run = 0;
    for (const QChar sign : text) {
        run = sign == QLatin1Char('`') ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return QString(longest + 1, QLatin1Char('`'));
}

QJsonObject figuresObject(const TurnRow& figures) {
    return {{QStringLiteral("promptTokens"), figures.promptTokens},
            {QStringLiteral("cachedTokens"), figures.reusedTokens},
            {QStringLiteral("answerTokens"), figures.answerTokens},
            {QStringLiteral("compactions"), figures.compactions},
            {QStringLiteral("prefillSeconds"), figures.prefillSeconds},
            {QStringLiteral("decodeSeconds"), figures.decodeSeconds},
            {QStringLiteral("firstTokenSeconds"), figures.firstTokenSeconds},
            {QStringLiteral("finish"), figures.finish}};
}

QString roleOf(MessageRole speaker) {
    switch (speaker) {
        case MessageRole::System:
            return QStringLiteral("system");
        case MessageRole::Person:
            return QStringLiteral("user");
        case MessageRole::Model:
            return QStringLiteral("assistant");
    }
    return {};
}

QJsonObject messageObject(const ChatLine& line) {
    QJsonObject message{{QStringLiteral("id"), line.id},
                        {QStringLiteral("role"), roleOf(line.speaker)},
                        {QStringLiteral("content"), line.text}};
    if (!line.model.isEmpty()) message.insert(QLatin1String("model"), line.model);
    if (!line.problem.isEmpty()) message.insert(QLatin1String("note"), line.problem);
    if (line.figures) message.insert(QLatin1String("figures"), figuresObject(*line.figures));
    if (!line.thought.text.isEmpty())
        message.insert(QLatin1String("reasoning"),
                       QJsonObject{{QStringLiteral("content"), line.thought.text},
                                   {QStringLiteral("seconds"), line.thought.seconds},
                                   {QStringLiteral("tokens"), line.thought.tokens}});
    QJsonArray attached;
    for (const AttachedPart& part : attachedParts(line))
        attached.append(QJsonObject{
            {QStringLiteral("name"), part.name},
            {QStringLiteral("content"), line.attachmentText.mid(part.first, part.length)}});
    if (!attached.isEmpty()) message.insert(QLatin1String("attachments"), attached);
    return message;
}

}  // namespace

QString thoughtText(const Thought& thought, bool running) {
    const QString time = durationText(thought.seconds);
    const QString tokens = countText(thought.tokens);
    if (thought.tokens == 0)
        return running ? ExportTexts::tr("Thinking for %1").arg(time)
                       : ExportTexts::tr("Thought for %1").arg(time);
    return running ? ExportTexts::tr("Thinking for %1, %2 tokens").arg(time, tokens)
                   : ExportTexts::tr("Thought for %1, %2 tokens").arg(time, tokens);
}

QString authorOf(const ChatLine& line) {
    switch (line.speaker) {
        case MessageRole::System:
            return ExportTexts::tr("System");
        case MessageRole::Person:
            return ExportTexts::tr("You");
        case MessageRole::Model:
            return line.model.isEmpty() ? ExportTexts::tr("Model") : line.model;
    }
    return {};
}

QVector<AttachedPart> attachedParts(const ChatLine& line) {
    if (line.attachmentText.isEmpty() || !line.parts.isEmpty()) return line.parts;
    return {{line.attachment, 0, line.attachmentText.size()}};
}

QString conversationMarkdown(const ConversationRecord& record) {
    QString page = QStringLiteral("# ") + record.title + QLatin1Char('\n');
    const auto add = [&page](const QString& block) {
        page += QLatin1Char('\n') + block;
        if (!page.endsWith(QLatin1Char('\n'))) page += QLatin1Char('\n');
    };
    for (const ChatLine& line : record.lines) {
        add(QStringLiteral("## ") + authorOf(line));
        for (const AttachedPart& part : attachedParts(line)) {
            const QString text = line.attachmentText.mid(part.first, part.length);
            const QString fence = fenceFor(text);
            add(QStringLiteral("**") + part.name + QStringLiteral("**"));
            add(fence + QLatin1Char('\n') + text + QLatin1Char('\n') + fence);
        }
        if (!line.thought.text.isEmpty())
            add(QStringLiteral("<details><summary>") + thoughtText(line.thought) +
                QStringLiteral("</summary>\n\n") + line.thought.text +
                QStringLiteral("\n\n</details>"));
        if (!line.text.isEmpty()) add(line.text);
        if (!line.problem.isEmpty()) add(QStringLiteral("*") + line.problem + QLatin1Char('*'));
    }
    return page;
}

QByteArray conversationJson(const ConversationRecord& record) {
    QJsonArray messages, others;
    for (const ChatLine& line : record.lines) messages.append(messageObject(line));
    for (const HiddenLine& one : record.hidden) {
        QJsonObject message = messageObject(one.line);
        message.insert(QLatin1String("after"), one.parent);
        others.append(message);
    }
    QJsonObject root{{QStringLiteral("title"), record.title},
                     {QStringLiteral("messages"), messages}};
    if (!others.isEmpty()) root.insert(QLatin1String("otherBranches"), others);
    return QJsonDocument(root).toJson();
}

}  // namespace lacuna::app
