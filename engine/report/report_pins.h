#pragma once
/// \file
/// Finds the pinned words of a recording for its documents. Internal to this module. Pure
/// functions; pins outside of any message, as a parsed report may have, are ignored.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kv/eviction/kept_spans.h"
#include "engine/report/recorder.h"

namespace lacuna {

/// Words of one message that are protected from compactions.
struct RecordedPin {
    ConversationId conversation;
    std::int64_t turn = 0;                 ///< first turn that was started with them
    const ChatMessage* message = nullptr;  ///< points into the recording
    std::size_t first = 0, last = 0;       ///< byte range in its content, at character boundaries

    [[nodiscard]] std::string_view words() const {
        return std::string_view(message->content).substr(first, last - first);
    }
};
/// Tokens pinned in a conversation after its last turn; their words are not recorded.
struct LaterPins {
    ConversationId conversation;
    std::int64_t turn = 0;  ///< the turn before
    KeptSpans spans;
};

/// Returns each pin once, in the order of turns.
[[nodiscard]] std::vector<RecordedPin> pinsOf(const Recording& recording);
/// Only returns conversations that have such pins.
[[nodiscard]] std::vector<LaterPins> laterPinsOf(const Recording& recording);
/// Returns the byte ranges [first, second) of `text` that are pinned anywhere in the conversation,
/// ascending and disjoint.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pinnedIn(
    const std::vector<RecordedPin>& pins, ConversationId conversation, std::string_view text);

}  // namespace lacuna
