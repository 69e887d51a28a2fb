#pragma once
/// \file
/// Lines of the chat to messages for the model, and the end of an answer to words. Pure functions,
/// used inside app/state only.

#include <QString>
#include <QVector>
#include <vector>

#include "app/state/chat_controller.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// The first words of a question, or the name of what was attached.
[[nodiscard]] QString titleFrom(const PromptDraft& draft);
/// Answers that never got a word are left out; models are not trained on empty ones.
[[nodiscard]] std::vector<ChatMessage> messagesOf(const QVector<ChatLine>& lines);
[[nodiscard]] LineState stateOf(FinishReason reason);
/// Why an answer ended early, as a sentence; empty: it came to its end.
[[nodiscard]] QString problemOf(const TurnFinished& event);

}  // namespace lacuna::app
