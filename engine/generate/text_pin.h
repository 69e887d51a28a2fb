#pragma once
/// \file
/// Words of a conversation that the user protects from compactions. A plain value.

#include <cstdint>

namespace lacuna {

/// Bytes [first, last) of the content of one message.
struct TextPin {
    std::int64_t message = 0;  ///< index of the message in the conversation, from 0
    std::int64_t first = 0, last = 0;
    friend bool operator==(const TextPin&, const TextPin&) = default;
};

}  // namespace lacuna
