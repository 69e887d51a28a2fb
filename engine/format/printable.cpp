#include "engine/format/printable.h"

#include <algorithm>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kNameLimit = 255;
// parts kept of a line that is longer than both together
constexpr std::size_t kLineBegin = 800;
constexpr std::size_t kLineEnd = 200;

std::uint32_t byteAt(std::string_view text, std::size_t at) {
    return static_cast<unsigned char>(text[at]);
}

/// Returns `text` up to `limit`, with bytes that `escaped` selects or that are not UTF-8 as \xNN.
template <class Escaped>
std::string withEscapes(std::string_view text, std::size_t limit, const Escaped& escaped) {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && at < limit) {
        const std::size_t length = utf8Length(text, at);
        const std::size_t end = at + std::max<std::size_t>(length, 1);
        if (length > 0 && !escaped(utf8Character(text, at, length))) {
            out += text.substr(at, length);
        } else {
            for (std::size_t i = at; i < end; ++i) out += format("\\x{:02x}", byteAt(text, i));
        }
        at = end;
    }
    return at < text.size() ? out + "..." : out;
}

}  // namespace

std::size_t utf8Length(std::string_view text, std::size_t at) {
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
    if (lead == 0xF4 && second > 0x8F) return 0;  // beyond the last code point
    return length;
}

std::uint32_t utf8Character(std::string_view text, std::size_t at, std::size_t length) {
    const std::uint32_t lead = byteAt(text, at);
    if (length == 1) return lead;
    std::uint32_t character = lead & (0xFFU >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
        character = character << 6U | (byteAt(text, at + i) & 0x3FU);
    return character;
}

bool isTerminalControl(std::uint32_t character) {
    return character < 0x20 || (character >= 0x7F && character < 0xA0) || character == 0x61C ||
           character == 0x200E || character == 0x200F ||
           (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

std::string printable(std::string_view text, std::size_t limit) {
    return withEscapes(text, limit, [](std::uint32_t character) {
        return isTerminalControl(character) || character == '"' || character == '\\';
    });
}

std::string forTerminal(std::string_view text) {
    return withEscapes(text, text.size(), [](std::uint32_t character) {
        return isTerminalControl(character) && character != '\n' && character != '\t';
    });
}

std::string lineForTerminal(std::string_view text) {
    const auto line = [](std::string_view part) {
        return withEscapes(part, part.size(), [](std::uint32_t c) { return isTerminalControl(c); });
    };
    if (text.size() <= kLineBegin + kLineEnd) return line(text);
    // Error sentences end with advice, which matters more than their middle.
    std::size_t begin = kLineBegin;
    std::size_t end = text.size() - kLineEnd;
    const auto inside = [&](std::size_t at) { return (byteAt(text, at) & 0xC0U) == 0x80U; };
    for (int i = 0; i < 3 && inside(begin); ++i) --begin;
    for (int i = 0; i < 3 && inside(end); ++i) ++end;
    return format("{} [... {} bytes ...] {}", line(text.substr(0, begin)), end - begin,
                  line(text.substr(end)));
}

std::string printableName(const std::filesystem::path& path) {
    const std::filesystem::path name = path.has_filename() ? path.filename() : path;
    return printable(name.string(), kNameLimit);
}

bool isUtf8(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t length = utf8Length(text, at);
        if (length == 0) return false;
        at += length;
    }
    return true;
}

}  // namespace lacuna
