#include "app/state/chat_messages.h"

#include <QCoreApplication>

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

constexpr int kTitleCharacters = 42;

QString chatText(const char* text) {
    return QCoreApplication::translate("ChatMessages", text);
}

std::string roleOf(Speaker speaker) {
    switch (speaker) {
        case Speaker::System:
            return "system";
        case Speaker::Person:
            return "user";
        case Speaker::Model:
            return "assistant";
    }
    return "user";
}

}  // namespace

QString titleFrom(const PromptDraft& draft) {
    QString title = draft.text.simplified();
    if (title.isEmpty()) title = draft.attachmentName;
    if (title.size() <= kTitleCharacters) return title;
    const qsizetype space = title.lastIndexOf(QLatin1Char(' '), kTitleCharacters);
    return title.left(space > kTitleCharacters / 2 ? space : kTitleCharacters) + QChar(0x2026);
}

std::vector<ChatMessage> messagesOf(const QVector<ChatLine>& lines) {
    std::vector<ChatMessage> messages;
    for (const ChatLine& line : lines) {
        std::string content = fromQt(messageText(line));
        if (content.empty()) continue;
        messages.push_back({roleOf(line.speaker), std::move(content)});
    }
    return messages;
}

LineState stateOf(FinishReason reason) {
    switch (reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return LineState::Done;
        case FinishReason::Length:
        case FinishReason::ContextFull:
        case FinishReason::Cancelled:
            return LineState::Stopped;
        case FinishReason::Error:
            return LineState::Failed;
    }
    return LineState::Failed;
}

QString problemOf(const TurnFinished& event) {
    switch (event.reason) {
        case FinishReason::Stop:
        case FinishReason::StopString:
            return {};
        case FinishReason::Length:
            return chatText(
                "Ended at the longest answer allowed. Raise \"Longest answer\" to get more.");
        case FinishReason::ContextFull:
            return chatText(
                "Ended because the context is full. Start a new conversation or compact.");
        case FinishReason::Cancelled:
            return chatText("Stopped.");
        case FinishReason::Error:
            return event.error ? toQt(event.error->what) : chatText("The answer failed.");
    }
    return {};
}

}  // namespace lacuna::app
