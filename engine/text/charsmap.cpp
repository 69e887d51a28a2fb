#include "engine/text/charsmap.h"

#include "engine/base/string_format.h"

// A unit holds, from the low end: 8 bits of label, a bit that says whether a value hangs below it,
// a bit that scales the offset, 21 bits of offset; with the highest bit set, 31 bits of value.

namespace lacuna {
namespace {

constexpr std::size_t kUnitBytes = 4;
constexpr std::size_t kMaxKeyBytes = 64;  // keys are a few characters long

std::uint32_t littleEndian(std::string_view bytes, std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = kUnitBytes; i-- > 0;)
        value = (value << 8) | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

bool hasValue(std::uint32_t unit) {
    return ((unit >> 8) & 1U) != 0;
}
std::uint32_t labelOf(std::uint32_t unit) {
    return unit & 0x800000FFU;
}
std::uint32_t offsetOf(std::uint32_t unit) {
    return (unit >> 10) << ((unit & 0x200U) >> 6);
}
std::uint32_t valueOf(std::uint32_t unit) {
    return unit & 0x7FFFFFFFU;
}

}  // namespace

Result<Charsmap> Charsmap::parse(std::string_view bytes) {
    const std::size_t size = bytes.size() < kUnitBytes ? 0 : littleEndian(bytes, 0);
    if (size == 0 || size % kUnitBytes != 0 || size > bytes.size() - kUnitBytes)
        return fail(ErrorCode::TokConfig,
                    format("the precompiled normalisation table has {} bytes and says that {} of "
                           "them are its index; it is damaged",
                           bytes.size(), size));
    Charsmap made;
    made.units_.reserve(size / kUnitBytes);
    for (std::size_t at = kUnitBytes; at < kUnitBytes + size; at += kUnitBytes)
        made.units_.push_back(littleEndian(bytes, at));
    made.replacements_ = bytes.substr(kUnitBytes + size);
    return made;
}

std::string_view Charsmap::replacementAt(std::uint32_t offset) const {
    if (offset >= replacements_.size()) return {};
    const std::string_view rest = std::string_view(replacements_).substr(offset);
    return rest.substr(0, rest.find('\0'));
}

std::optional<Charsmap::Match> Charsmap::find(std::string_view text, Wanted wanted) const {
    std::optional<Match> found;
    std::uint32_t at = offsetOf(units_[0]);
    for (std::size_t i = 0; i < text.size() && i < kMaxKeyBytes; ++i) {
        const auto byte = static_cast<unsigned char>(text[i]);
        at ^= byte;
        if (byte == 0 || at >= units_.size() || labelOf(units_[at]) != byte) return found;
        const bool ends = hasValue(units_[at]);
        at ^= offsetOf(units_[at]);
        if (!ends) continue;
        if (at >= units_.size()) return found;
        found = Match{i + 1, replacementAt(valueOf(units_[at]))};
        if (wanted == Wanted::Shortest) return found;
    }
    return found;
}

std::optional<Charsmap::Match> Charsmap::longest(std::string_view text) const {
    return find(text, Wanted::Longest);
}

std::optional<Charsmap::Match> Charsmap::shortest(std::string_view text) const {
    return find(text, Wanted::Shortest);
}

}  // namespace lacuna
