#include "engine/text/byte_alphabet.h"

#include <array>
#include <cstddef>

#include "engine/text/unicode.h"

namespace lacuna {
namespace {

constexpr std::size_t kBytes = 256;
constexpr std::size_t kAlphabetEnd = 0x144;  // one past the last character of the alphabet

struct Alphabet {
    std::array<std::string, kBytes> chars;
    std::array<std::int16_t, kAlphabetEnd> bytes{};  // -1: not in the alphabet
};

// Bytes that are printable in Latin-1 represent themselves; the others map to U+0100 and up, in
// order.
bool standsForItself(std::size_t byte) {
    return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

Alphabet makeAlphabet() {
    Alphabet alphabet;
    alphabet.bytes.fill(-1);
    std::size_t next = 0x100;
    for (std::size_t byte = 0; byte < kBytes; ++byte) {
        const std::size_t codePoint = standsForItself(byte) ? byte : next++;
        alphabet.chars[byte] = utf8Encode(static_cast<char32_t>(codePoint));
        alphabet.bytes[codePoint] = static_cast<std::int16_t>(byte);
    }
    return alphabet;
}

const Alphabet& alphabet() {
    static const Alphabet instance = makeAlphabet();
    return instance;
}

}  // namespace

const std::string& alphabetChar(std::uint8_t byte) {
    return alphabet().chars[byte];
}

std::string toByteAlphabet(std::string_view bytes) {
    std::string piece;
    piece.reserve(bytes.size() * 2);
    for (const char c : bytes) piece += alphabetChar(static_cast<std::uint8_t>(c));
    return piece;
}

std::optional<std::string> fromByteAlphabet(std::string_view piece) {
    std::string bytes;
    bytes.reserve(piece.size());
    for (std::size_t at = 0; at < piece.size();) {
        const Utf8Char c = utf8CharAt(piece, at);
        if (c.form != Utf8Char::Form::Whole || c.codePoint >= kAlphabetEnd) return std::nullopt;
        const std::int16_t byte = alphabet().bytes[c.codePoint];
        if (byte < 0) return std::nullopt;
        bytes += static_cast<char>(byte);
        at += c.bytes;
    }
    return bytes;
}

}  // namespace lacuna
