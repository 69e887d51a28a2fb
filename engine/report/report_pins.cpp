#include "engine/report/report_pins.h"

#include <algorithm>
#include <map>

namespace lacuna {
namespace {

/// Returns a message of a turn's complete conversation; null if there is no such index.
const ChatMessage* messageOf(const Recording& recording, const RecordedTurn& turn,
                             std::int64_t index) {
    if (index < 0) return nullptr;
    const auto place = static_cast<std::size_t>(index);
    const RecordedTurn* one = &turn;
    while (place < one->kept) {
        // A turn must come after the one it continues.
        const auto here = static_cast<std::size_t>(one - recording.turns.data());
        if (one->continues >= here) return nullptr;
        one = &recording.turns[one->continues];
    }
    const auto& own = one->started.messages;
    return place - one->kept < own.size() ? &own[place - one->kept] : nullptr;
}

bool continuesLetter(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Extends the pin to character boundaries. Returns false if it is empty.
bool toLetters(std::string_view text, const TextPin& pin, RecordedPin& place) {
    const auto size = static_cast<std::int64_t>(text.size());
    std::int64_t first = std::clamp<std::int64_t>(pin.first, 0, size);
    std::int64_t last = std::clamp<std::int64_t>(pin.last, first, size);
    while (first > 0 && first < size && continuesLetter(text[static_cast<std::size_t>(first)]))
        --first;
    while (last < size && continuesLetter(text[static_cast<std::size_t>(last)])) ++last;
    place.first = static_cast<std::size_t>(first);
    place.last = static_cast<std::size_t>(last);
    return place.first < place.last;
}

}  // namespace

std::vector<RecordedPin> pinsOf(const Recording& recording) {
    std::vector<RecordedPin> pins;
    const auto known = [&pins](const RecordedPin& one) {
        return std::any_of(pins.begin(), pins.end(), [&one](const RecordedPin& other) {
            return other.conversation == one.conversation && other.first == one.first &&
                   other.last == one.last &&
                   (other.message == one.message || *other.message == *one.message);
        });
    };
    for (const RecordedTurn& turn : recording.turns) {
        for (const TextPin& pin : turn.started.pins) {
            RecordedPin one{.conversation = turn.started.conversation, .turn = turn.started.turn};
            one.message = messageOf(recording, turn, pin.message);
            if (one.message == nullptr || !toLetters(one.message->content, pin, one)) continue;
            if (!known(one)) pins.push_back(one);
        }
    }
    return pins;
}

std::vector<LaterPins> laterPinsOf(const Recording& recording) {
    std::map<ConversationId, LaterPins> newest;
    for (const RecordedTurn& turn : recording.turns)
        newest[turn.started.conversation].turn = turn.started.turn;
    for (const RecordedCommand& recorded : recording.commands) {
        const auto* pin = std::get_if<PinText>(&recorded.command);
        if (pin == nullptr || !pin->spans) continue;
        const auto found = newest.find(pin->conversation);
        if (found != newest.end() && recorded.at.turn >= found->second.turn)
            found->second.spans = *pin->spans;
    }
    std::vector<LaterPins> pins;
    for (auto& [conversation, one] : newest) {
        if (one.spans.empty()) continue;
        one.conversation = conversation;
        pins.push_back(std::move(one));
    }
    return pins;
}

std::vector<std::pair<std::size_t, std::size_t>> pinnedIn(const std::vector<RecordedPin>& pins,
                                                          ConversationId conversation,
                                                          std::string_view text) {
    std::vector<std::pair<std::size_t, std::size_t>> ranges;
    for (const RecordedPin& pin : pins)
        if (pin.conversation == conversation && pin.message->content == text)
            ranges.emplace_back(pin.first, pin.last);
    std::sort(ranges.begin(), ranges.end());
    std::vector<std::pair<std::size_t, std::size_t>> apart;
    for (const auto& range : ranges) {
        if (!apart.empty() && range.first <= apart.back().second)
            apart.back().second = std::max(apart.back().second, range.second);
        else
            apart.push_back(range);
    }
    return apart;
}

}  // namespace lacuna
