#pragma once
/// \file
/// What the JSON library says is wrong, in words of ours. Pure function.

#include <algorithm>
#include <string>
#include <string_view>

namespace lacuna {

/// `what` without the library's own code and place, which is said once already, and without the end
/// of what passes 200 bytes: it repeats what was read last, however long that is.
[[nodiscard]] inline std::string jsonComplaint(std::string_view what) {
    constexpr std::size_t kMaxValue = 200;
    if (what.starts_with("[json.exception."))
        what.remove_prefix(std::min(what.find("] "), what.size() - 2) + 2);
    if (what.starts_with("parse error at "))
        what.remove_prefix(std::min(what.find(": "), what.size() - 2) + 2);
    std::size_t end = std::min(what.size(), kMaxValue);
    while (end > 0 && end < what.size() && (static_cast<unsigned char>(what[end]) & 0xC0U) == 0x80U)
        --end;
    return std::string(what.substr(0, end)) + (end < what.size() ? "..." : "");
}

}  // namespace lacuna
