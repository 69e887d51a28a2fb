#pragma once
/// \file
/// A conversation as Markdown or JSON, for files that the user keeps. Pure functions.

#include <QByteArray>
#include <QString>

#include "app/state/view_types.h"

namespace lacuna::app {

struct ConversationRecord;

/// "Thought for 12 s, 431 tokens", or "Thinking for ..." while it is `running`.
[[nodiscard]] QString thoughtText(const Thought& thought, bool running = false);
/// Author of a message: "You", "System", or the name of the model.
[[nodiscard]] QString authorOf(const ChatLine& line);
/// Attached texts of a message; without parts, the attachment is the only one.
[[nodiscard]] QVector<AttachedPart> attachedParts(const ChatLine& line);

/// Returns the shown branch, with attached texts and reasoning.
[[nodiscard]] QString conversationMarkdown(const ConversationRecord& record);
/// Returns all branches: `messages` are the shown lines, `otherBranches` the hidden ones, each with
/// the id of the message before it.
[[nodiscard]] QByteArray conversationJson(const ConversationRecord& record);

}  // namespace lacuna::app
