#pragma once
/// \file
/// Words that were pinned in a session, as its documents show them. Internal to this room. Pure
/// functions; a recording that was read back may name places that no message has, which are left
/// out.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/kv/eviction/kept_spans.h"
#include "engine/report/recorder.h"

namespace lacuna {

/// Words of one message that no compaction was to forget.
struct RecordedPin {
    ConversationId conversation;
    std::int64_t turn = 0;                 ///< the first that was asked with them
    const ChatMessage* message = nullptr;  ///< of the recording
    std::size_t first = 0, last = 0;       ///< bytes of its content, at the borders of letters

    [[nodiscard]] std::string_view words() const {
        return std::string_view(message->content).substr(first, last - first);
    }
};
/// What was pinned of a conversation after its last question: tokens, whose words nobody recorded.
struct LaterPins {
    ConversationId conversation;
    std::int64_t turn = 0;  ///< after that one
    KeptSpans spans;
};

/// Each once, in the order of the turns.
[[nodiscard]] std::vector<RecordedPin> pinsOf(const Recording& recording);
/// Only of conversations that have some.
[[nodiscard]] std::vector<LaterPins> laterPinsOf(const Recording& recording);
/// Bytes [first, second) of `text` that were pinned wherever the conversation has it, ascending,
/// apart.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> pinnedIn(
    const std::vector<RecordedPin>& pins, ConversationId conversation, std::string_view text);

}  // namespace lacuna
