#pragma once
/// \file
/// Conversions between the lines of a conversation and the turns of the engine: messages, finish
/// reasons, figures. Pure functions.

#include <QString>
#include <QVector>
#include <optional>
#include <string>
#include <vector>

#include "app/state/view_types.h"

namespace lacuna {
struct ChatMessage;
struct ThoughtForm;
struct TurnFinished;
}  // namespace lacuna

namespace lacuna::app {

struct PromptDraft;

/// Makes a title from the first words of the user message or the name of the attachment.
[[nodiscard]] QString titleFrom(const PromptDraft& draft);
/// Skips empty answers, because models are not trained on them.
[[nodiscard]] std::vector<ChatMessage> messagesOf(const QVector<ChatLine>& lines);
/// Returns the beginning of an answer as the model wrote it, reasoning included.
[[nodiscard]] std::string begunText(const ChatLine& line, const ThoughtForm& form);

/// State of the answer after its turn.
[[nodiscard]] LineState stateAfter(const TurnFinished& event);
/// Returns the reason why an answer ended early; empty if it is complete.
[[nodiscard]] QString problemOf(const TurnFinished& event);
/// Returns true if the turn was refused before prefill, so the message can be withdrawn.
[[nodiscard]] bool refusedForRoom(const TurnFinished& event);
/// Adds the main contributor to the prompt length to a "no room" message. The last line is the
/// empty answer.
[[nodiscard]] QString causeOf(const QString& reason, const QVector<ChatLine>& lines);
/// Combines the figures of a continued answer: the prompt figures of its beginning and the sums of
/// both parts.
[[nodiscard]] std::optional<TurnRow> totalOf(const std::optional<TurnRow>& begun,
                                             const std::optional<TurnRow>& rest);

}  // namespace lacuna::app
