#pragma once
/// \file
/// Strong integer types. Position (logical, in the text) and Slot (physical, in a cache) never
/// convert into each other, because mixing them is a recurring KV-cache bug.

#include <compare>
#include <cstdint>

namespace lacuna {

/// An integer that only compares and combines with its own kind.
template <class Tag, class Rep = std::int32_t>
struct StrongId {
    Rep value{};
    constexpr StrongId() = default;
    constexpr explicit StrongId(Rep v) : value(v) {}
    friend constexpr auto operator<=>(StrongId, StrongId) = default;
    constexpr StrongId& operator++() {
        ++value;
        return *this;
    }
    constexpr StrongId operator+(Rep n) const { return StrongId(value + n); }
    constexpr StrongId operator-(Rep n) const { return StrongId(value - n); }
};

/// Token ids are plain integers everywhere (files, JSON, vocabularies).
using TokenId = std::int32_t;

using Position = StrongId<struct PositionTag>;  ///< logical position in the text, as seen by RoPE
using Slot = StrongId<struct SlotTag>;          ///< physical index in one head's storage
using LayerIndex = StrongId<struct LayerIndexTag>;
using HeadIndex = StrongId<struct HeadIndexTag>;  ///< KV head unless stated otherwise
using ConversationId = StrongId<struct ConversationIdTag, std::int64_t>;
using Revision = StrongId<struct RevisionTag, std::int64_t>;  ///< generation of a configuration

}  // namespace lacuna
