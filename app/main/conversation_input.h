#pragma once
/// \file
/// Conversations that commands are given: a prompt, a file of messages, a report.

#include <string>
#include <vector>

#include "app/main/commands.h"
#include "engine/base/result.h"
#include "engine/template/chat_template.h"

namespace lacuna::cli {

/// Messages of a JSON file. Errors: those of reading, Json, Config.
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromFile(const std::string& path);
/// The newest answered conversation of a report, its answer last. Errors: those of reading, Json,
/// of recordingFromJson; InvalidArgument (no finished answer).
[[nodiscard]] Result<std::vector<ChatMessage>> messagesFromReport(const std::string& path);

/// The conversation up to the message that is to be answered. Errors: InvalidArgument (none or
/// several sources), those above.
[[nodiscard]] Result<std::vector<ChatMessage>> askedMessages(const AskedArguments& asked);

}  // namespace lacuna::cli
