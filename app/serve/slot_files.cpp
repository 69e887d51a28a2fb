#include "app/serve/slot_files.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "app/serve/api_error.h"
#include "app/serve/json_fields.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxFileName = 128;

/// True for a plain file name in the folder: no path, no hidden file.
bool isFileName(const std::string& name) {
    const auto plain = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '.' || c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= kMaxFileName && name.front() != '.' &&
           std::ranges::all_of(name, plain);
}

std::optional<int> slotNumber(const std::string& text, std::size_t slots) {
    int slot = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slot);
    const bool number = error == std::errc() && end == text.data() + text.size();
    if (!number || slot < 0 || slot >= static_cast<int>(slots)) return std::nullopt;
    return slot;
}

double milliseconds(std::chrono::steady_clock::time_point since) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since)
        .count();
}

}  // namespace

void SlotFiles::act(const Asked& asked, const Exchange& exchange) {
    const auto refuse = [&](const ApiError& error) { exchange->reply(errorReply(error)); };
    const std::size_t slots = m_scheduler.slots().size();
    const auto slot = slotNumber(asked.slot, slots);
    if (!slot)
        return refuse({.status = 404,
                       .message = format("the slot has to be 0 to {}", slots - 1),
                       .param = "id_slot"});
    if (asked.action != "save" && asked.action != "restore" && asked.action != "erase")
        return refuse({.message = "action has to be save, restore or erase", .param = "action"});
    if (asked.action != "erase" && m_folder.empty())
        return refuse(
            {.status = 501,
             .message = "there is no folder for saved caches; start the server with --slot-dir"});
    if (!m_scheduler.free(*slot)) return refuse({.status = 409, .message = "this slot is busy"});
    if (asked.action == "erase") {
        const auto tokens = m_scheduler.slots()[static_cast<std::size_t>(*slot)].tokens.size();
        m_scheduler.erase(*slot);
        return exchange->reply(
            {.body = dumpJson(OrderedJson{{"id_slot", *slot}, {"n_erased", tokens}})});
    }
    const auto body = bodyObject(asked.body);
    if (!body) return refuse(body.error());
    start(*slot, asked.action == "restore" ? Direction::Restore : Direction::Save, *body, exchange);
}

void SlotFiles::start(int slot, Direction direction, const OrderedJson& body,
                      const Exchange& exchange) {
    JsonFields fields(body);
    const auto name = fields.text("filename", kMaxFileName);
    if (!fields.error() && (!name || !isFileName(*name)))
        fields.refuse(
            "filename",
            "filename has to be a name of letters, digits, ., _ and - that does not begin "
            "with a dot");
    if (fields.error()) return exchange->reply(errorReply(*fields.error()));
    const std::filesystem::path path = m_folder / *name;
    std::error_code ignored;
    if (direction == Direction::Restore && !std::filesystem::exists(path, ignored))
        return exchange->reply(
            errorReply({.status = 404, .message = "there is no such file", .param = "filename"}));
    if (const Status regular = checkRegularOrMissing(path); !regular)
        return exchange->reply(errorReply({.message = withoutFolder(regular.error().what),
                                           .param = "filename",
                                           .code = std::string(errorName(regular.error().code))}));
    m_moves[slot] = {exchange, *name, std::chrono::steady_clock::now()};
    const ConversationId id = m_scheduler.slots()[static_cast<std::size_t>(slot)].conversation;
    if (direction == Direction::Restore)
        m_scheduler.move(slot, LoadPromptCache{id, path});
    else
        m_scheduler.move(slot, SavePromptCache{id, path});
}

/// Clients know only names within the folder; its path must not be disclosed.
std::string SlotFiles::withoutFolder(std::string sentence) const {
    const std::string folder = (m_folder / "").string();
    for (std::size_t at = sentence.find(folder); at != std::string::npos;
         at = sentence.find(folder, at))
        sentence.erase(at, folder.size());
    return sentence;
}

void SlotFiles::moved(const PromptCacheMoved& moved) {
    const auto& slots = m_scheduler.slots();
    const auto found =
        std::ranges::find(slots, moved.conversation, &RequestScheduler::Slot::conversation);
    if (found == slots.end()) return;
    const int slot = static_cast<int>(found - slots.begin());
    const Move move = std::exchange(m_moves[slot], {});
    m_moves.erase(slot);
    m_scheduler.moved(slot);
    if (!move.exchange) return;
    if (moved.error) {
        ApiError wrong = apiErrorOf(*moved.error);
        if (moved.loaded && wrong.status == 500) wrong.status = 400;
        wrong.message = withoutFolder(std::move(wrong.message));
        return move.exchange->reply(errorReply(wrong));
    }
    std::error_code ignored;
    const auto bytes = std::filesystem::file_size(moved.path, ignored);
    const OrderedJson told{
        {"id_slot", slot},
        {"filename", move.name},
        {moved.loaded ? "n_restored" : "n_saved", moved.tokens},
        {moved.loaded ? "n_read" : "n_written", ignored ? 0 : bytes},
        {"n_shortest", moved.shortest},
        {"checkpoints", moved.checkpoints},
        {"timings", {{moved.loaded ? "restore_ms" : "save_ms", milliseconds(move.began)}}}};
    move.exchange->reply({.body = dumpJson(told)});
}

}  // namespace lacuna::app
