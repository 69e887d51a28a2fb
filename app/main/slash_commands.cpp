#include "app/main/slash_commands.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

struct CommandRow {
    std::string_view word;
    SlashCommand order;
    std::string_view what;  ///< name of its argument
    std::string_view help;
};

constexpr std::array kCommands{
    CommandRow{"again", SlashCommand::Again, "", "Regenerate the last answer"},
    CommandRow{"continue", SlashCommand::Continue, "", "Continue the last answer"},
    CommandRow{"edit", SlashCommand::Edit, "TEXT", "Replace the last question by TEXT"},
    CommandRow{"attach", SlashCommand::Attach, "FILE", "Attach a text file to the next message"},
    CommandRow{"compact", SlashCommand::Compact, "",
               "Compact the cache now with the current settings"},
    CommandRow{"whole", SlashCommand::FullCache, "",
               "Restore the full cache and switch compression off; the next message reads the full "
               "text again"},
    CommandRow{"held", SlashCommand::Held, "", "Print the text with evicted tokens in [brackets]"},
    CommandRow{"pin", SlashCommand::Pin, "WORDS",
               "Pin the last occurrence of WORDS, so that compactions keep it"},
    CommandRow{"unpin", SlashCommand::Unpin, "", "Unpin everything"},
    CommandRow{"back", SlashCommand::BackWith, "WORDS", "Restore evicted WORDS and keep them"},
    CommandRow{"set", SlashCommand::Set, "KEY=VALUE", "Change a setting"},
    CommandRow{"save", SlashCommand::Save, "FILE", "Save the cache of the conversation to a file"},
    CommandRow{"load", SlashCommand::Load, "FILE", "Load the cache from a file"},
    CommandRow{"help", SlashCommand::Help, "", "Print this list"}};

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

bool isWord(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::islower(static_cast<unsigned char>(c)) != 0;
    });
}

}  // namespace

ChatLine chatLineIn(std::string_view line) {
    if (!line.starts_with('/')) return {SlashCommand::Send, std::string(line)};
    if (line.starts_with("//")) return {SlashCommand::Send, std::string(line.substr(1))};
    const std::string_view rest = line.substr(1);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t"));
    if (!isWord(word)) return {SlashCommand::Send, std::string(line)};
    const auto found = std::ranges::find(kCommands, word, &CommandRow::word);
    if (found == kCommands.end()) return {SlashCommand::Unknown, std::string(word)};
    return {found->order, std::string(trimmed(rest.substr(word.size())))};
}

std::string slashCommandsHelp() {
    std::string text;
    for (const CommandRow& row : kCommands)
        text +=
            format("  {:<16} {}\n",
                   format("/{}{}{}", row.word, row.what.empty() ? "" : " ", row.what), row.help);
    return text + "  //...            A message that starts with a slash\n";
}

std::optional<TextPin> pinOf(std::span<const ChatMessage> messages, std::string_view words) {
    if (words.empty()) return std::nullopt;
    for (std::size_t i = messages.size(); i-- > 0;) {
        const auto at = messages[i].content.rfind(words);
        if (at == std::string::npos) continue;
        return TextPin{.message = static_cast<std::int64_t>(i),
                       .first = static_cast<std::int64_t>(at),
                       .last = static_cast<std::int64_t>(at + words.size())};
    }
    return std::nullopt;
}

std::optional<TokenSpan> spanOf(std::span<const std::string> pieces, std::string_view words) {
    if (words.empty()) return std::nullopt;
    std::string text;
    std::vector<std::size_t> ends;
    for (const std::string& piece : pieces) {
        text += piece;
        ends.push_back(text.size());
    }
    const auto at = text.rfind(words);
    if (at == std::string::npos) return std::nullopt;
    // The first token that ends after the beginning, and the first that reaches the end.
    const auto first = std::ranges::upper_bound(ends, at) - ends.begin();
    const auto last = std::ranges::lower_bound(ends, at + words.size()) - ends.begin();
    return TokenSpan{.first = first, .last = last + 1};
}

std::string heldText(std::span<const std::string> pieces, std::span<const float> share) {
    std::string text;
    bool gone = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const bool evicted = i < share.size() && share[i] == 0;
        if (evicted != gone) text += evicted ? "[" : "]";
        gone = evicted;
        text += pieces[i];
    }
    return gone ? text + "]" : text;
}

}  // namespace lacuna::cli
