#include "engine/base/string_format.h"

#include <cstddef>

namespace lacuna {

std::string grouped(std::int64_t number) {
    const std::string digits = format("{}", number);
    const std::size_t sign = number < 0 ? 1 : 0;
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > sign && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string csvCell(std::string_view text) {
    const bool formula =
        !text.empty() && std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos;
    std::string content = formula ? "'" : "";
    content += text;
    if (content.find_first_of(",\"\r\n") == std::string::npos) return content;
    std::string quoted = "\"";
    for (const char c : content) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

}  // namespace lacuna
