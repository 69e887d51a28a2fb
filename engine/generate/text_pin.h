#pragma once
/// \file
/// Words of a conversation that no compaction may forget, as a person names them. A plain value.

#include <cstdint>

namespace lacuna {

/// Bytes [first, last) of the content of one message.
struct TextPin {
    std::int64_t message = 0;  ///< from 0, among those of the conversation
    std::int64_t first = 0, last = 0;
    friend bool operator==(const TextPin&, const TextPin&) = default;
};

}  // namespace lacuna
