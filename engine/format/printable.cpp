#include "engine/format/printable.h"

#include <cstdint>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kNameLimit = 255;

std::uint32_t byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Bytes of the well-formed UTF-8 character at `at`; 0 when there is none.
std::size_t characterLength(std::string_view text, std::size_t at) {
    const std::uint32_t lead = byteAt(text, at);
    if (lead < 0x80) return 1;
    const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (lead < 0xC2 || lead > 0xF4 || at + length > text.size()) return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byteAt(text, at + i) & 0xC0U) != 0x80U) return 0;
    const std::uint32_t second = byteAt(text, at + 1);
    if (lead == 0xE0 && second < 0xA0) return 0;  // overlong
    if (lead == 0xED && second > 0x9F) return 0;  // surrogate
    if (lead == 0xF0 && second < 0x90) return 0;  // overlong
    if (lead == 0xF4 && second > 0x8F) return 0;  // beyond the last character
    return length;
}

}  // namespace

std::string printable(std::string_view text, std::size_t limit) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size()) {
        if (at >= limit) return out + "...";
        const std::size_t length = characterLength(text, at);
        const std::uint32_t lead = byteAt(text, at);
        // Two-byte characters up to U+009F are control characters too.
        const bool control = lead < 0x20 || lead == 0x7F || lead == '"' || lead == '\\' ||
                             (lead == 0xC2 && length == 2 && byteAt(text, at + 1) < 0xA0);
        if (length == 0 || control) {
            out += format("\\x{:02x}", lead);
            at += 1;
        } else {
            out += text.substr(at, length);
            at += length;
        }
    }
    return out;
}

std::string printableName(const std::filesystem::path& path) {
    const std::filesystem::path name = path.has_filename() ? path.filename() : path;
    return printable(name.string(), kNameLimit);
}

bool isUtf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length = characterLength(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace lacuna
