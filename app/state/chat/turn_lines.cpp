#include "app/state/chat/turn_lines.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <algorithm>
#include <utility>

#include "app/state/chat/prompt_draft.h"
#include "app/state/engine/engine_text.h"
#include "app/state/view_rows.h"
#include "engine/session/command.h"
#include "engine/session/event.h"
#include "engine/session/thought_form.h"

namespace lacuna::app {

namespace {

constexpr int kTitleCharacters = 42;

struct ChatTexts {
    Q_DECLARE_TR_FUNCTIONS(ChatMessages)
};

std::string roleOf(MessageRole speaker) {
    switch (speaker) {
        case MessageRole::System:
            return "system";
        case MessageRole::Person:
            return "user";
        case MessageRole::Model:
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

std::string begunText(const ChatLine& line, const ThoughtForm& form) {
    std::string text;
    if (!line.thought.text.isEmpty()) {
        if (form.begins != ThoughtStream::Begins::InThought)
            text += std::string(form.marks.begin) + '\n';
        text += fromQt(line.thought.text);
        if (!line.text.isEmpty()) text += '\n' + std::string(form.marks.end) + "\n\n";
    }
    return text + fromQt(line.text);
}

LineState stateAfter(const TurnFinished& event) {
    switch (event.reason) {
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
            return ChatTexts::tr(
                "The answer reached its maximum length. Raise \"Max tokens\" for longer answers.");
        case FinishReason::ContextFull:
            return ChatTexts::tr(
                "The answer ended because the context is full. Switch on context shift, raise the "
                "context, or start a new conversation.");
        case FinishReason::Cancelled:
            return ChatTexts::tr("Stopped.");
        case FinishReason::Error:
            return event.error ? engineText(event.error->what)
                               : ChatTexts::tr("The answer failed.");
    }
    return {};
}

bool refusedForRoom(const TurnFinished& event) {
    return event.reason == FinishReason::Error && event.error && event.text.empty() &&
           event.error->code == ErrorCode::ContextFull;
}

QString causeOf(const QString& reason, const QVector<ChatLine>& lines) {
    if (lines.size() < 2) return reason;
    qsizetype all = 0;
    for (const ChatLine& line : lines) all += messageText(line).size();
    const ChatLine& question = lines.at(lines.size() - 2);
    const bool attached = question.attachmentText.size() > all / 2;
    if (!attached && question.text.size() <= all / 2) return reason;
    // The engine's own advice applies to the conversation as a whole and is removed.
    static const QRegularExpression advice(QStringLiteral("\\s*[;\uFF1B].*$"));
    const QString facts = asSentence(QString(reason).remove(advice)) + QLatin1Char(' ');
    if (!attached) return facts + ChatTexts::tr("Shorten the question or raise the context.");
    const auto largest =
        std::max_element(question.parts.begin(), question.parts.end(),
                         [](const auto& a, const auto& b) { return a.length < b.length; });
    const QString name = largest == question.parts.end() ? question.attachment : largest->name;
    return facts +
           ChatTexts::tr("Shorten or remove \u201c%1\u201d, or raise the context.").arg(name);
}

std::optional<TurnRow> totalOf(const std::optional<TurnRow>& begun,
                               const std::optional<TurnRow>& rest) {
    if (!begun || !rest) return rest;
    TurnRow total = *rest;
    total.promptTokens = begun->promptTokens;
    total.reusedTokens = begun->reusedTokens;
    total.firstTokenSeconds = begun->firstTokenSeconds;
    total.prefillSeconds += begun->prefillSeconds;
    total.answerTokens += begun->answerTokens;
    total.decodeSeconds += begun->decodeSeconds;
    total.compactions += begun->compactions;
    total.restoredTokens += begun->restoredTokens;
    return total;
}

}  // namespace lacuna::app
