#include "app/main/conversation_input.h"

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/quality/grid_items.h"
#include "engine/report/report.h"

namespace lacuna::cli {
namespace {

constexpr std::size_t kTextLimit = std::size_t{1} << 30;

}  // namespace

Result<std::vector<ChatMessage>> messagesFromFile(const std::string& path) {
    LACUNA_TRY(const std::string text, readFile(path, kTextLimit));
    LACUNA_TRY(const Json json, parseJson(text));
    return messagesFromJson(json);
}

Result<std::vector<ChatMessage>> messagesFromReport(const std::string& path) {
    LACUNA_TRY(const std::string text, readFile(path, kTextLimit));
    LACUNA_TRY(const Json json, parseJson(text));
    LACUNA_TRY(const Recording recording, recordingFromJson(json));
    for (auto turn = recording.turns.rbegin(); turn != recording.turns.rend(); ++turn) {
        if (!turn->finished || turn->finished->text.empty()) continue;
        std::vector<ChatMessage> messages = turn->started.messages;
        messages.push_back({"assistant", turn->finished->text});
        return messages;
    }
    return fail(ErrorCode::InvalidArgument, format("{} holds no finished answer", path));
}

}  // namespace lacuna::cli
