#pragma once
/// \file
/// A conversation as a web page in one file, without scripts; it loads nothing. Pure function.

#include <QString>

namespace lacuna::app {
struct ConversationRecord;
}

namespace lacuna::ui {

/// Returns the shown branch, with attached texts and reasoning folded.
[[nodiscard]] QString conversationHtml(const app::ConversationRecord& record);

}  // namespace lacuna::ui
