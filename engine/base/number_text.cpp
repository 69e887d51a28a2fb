#include "engine/base/number_text.h"

#include <cstddef>

#include "engine/base/string_format.h"

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

}  // namespace lacuna
