#include "engine/base/number_text.h"

#include <cstddef>

#include "engine/base/string_format.h"

namespace lacuna {

std::string grouped(std::int64_t number) {
    std::string digits = format("{}", number);
    const std::ptrdiff_t sign = number < 0 ? 1 : 0;
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > sign; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

}  // namespace lacuna
