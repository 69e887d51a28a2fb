#include "engine/grammar/utf8_ranges.h"

#include <algorithm>
#include <array>
#include <string>

namespace lacuna {
namespace {

/// Last code points of one, two and three bytes, the edges of the surrogates, and the last of all.
constexpr std::array<CharRange, 5> kSections{
    {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, kLastChar}}};

std::vector<std::uint8_t> bytesOf(std::uint32_t c) {
    const auto low = [](std::uint32_t bits) {
        return static_cast<std::uint8_t>(0x80 | (bits & 0x3F));
    };
    if (c < 0x80) return {static_cast<std::uint8_t>(c)};
    if (c < 0x800) return {static_cast<std::uint8_t>(0xC0 | (c >> 6)), low(c)};
    if (c < 0x10000) return {static_cast<std::uint8_t>(0xE0 | (c >> 12)), low(c >> 6), low(c)};
    return {static_cast<std::uint8_t>(0xF0 | (c >> 18)), low(c >> 12), low(c >> 6), low(c)};
}

/// Characters of equal length whose trailing bytes run from all lowest to all highest are one run;
/// others are cut where they do not.
void addRuns(CharRange range, std::size_t length, std::vector<ByteRun>& out) {
    for (std::size_t trailing = 1; trailing < length; ++trailing) {
        const std::uint32_t mask = (1U << (6 * trailing)) - 1;
        if ((range.first & ~mask) == (range.last & ~mask)) continue;
        if ((range.first & mask) != 0) {
            addRuns({range.first, range.first | mask}, length, out);
            addRuns({(range.first | mask) + 1, range.last}, length, out);
            return;
        }
        if ((range.last & mask) != mask) {
            addRuns({range.first, (range.last & ~mask) - 1}, length, out);
            addRuns({range.last & ~mask, range.last}, length, out);
            return;
        }
    }
    const auto first = bytesOf(range.first);
    const auto last = bytesOf(range.last);
    ByteRun run;
    for (std::size_t i = 0; i < length; ++i) run.push_back({first[i], last[i]});
    out.push_back(std::move(run));
}

}  // namespace

std::vector<ByteRun> byteRuns(CharRange range) {
    std::vector<ByteRun> runs;
    for (const CharRange& section : kSections) {
        const CharRange part{std::max(range.first, section.first),
                             std::min(range.last, section.last)};
        if (part.first <= part.last) addRuns(part, bytesOf(section.first).size(), runs);
    }
    return runs;
}

}  // namespace lacuna
