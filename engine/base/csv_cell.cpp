#include "engine/base/csv_cell.h"

namespace lacuna {

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
