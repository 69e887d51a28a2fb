#pragma once
/// \file
/// How one value is laid out in a formatted text: sign, digits, width. Both notations of Python
/// (`%5.2f` and `{:>5.2f}`) are read into a Layout. Pure functions.
/// Sources: "printf-style String Formatting" and "Format Specification Mini-Language" of the Python
/// library reference.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/template/jinja_value.h"

namespace lacuna::jinja {

inline constexpr std::int64_t kMaxPrecision = 100;

struct Layout {
    std::string fill = " ";
    char align = 0;  ///< '<', '>', '^', '=' or 0: as the kind of value wants it
    char sign = '-';
    bool alternate = false;
    char grouping = 0;  ///< ',' or '_'
    std::int64_t width = 0;
    std::optional<std::int64_t> precision;
    char type = 0;
};

/// A TplRuntime error about formatting.
[[nodiscard]] tl::unexpected<Error> wrongFormat(std::string_view what);
/// Digits at `at`, which moves after them; nothing when there are none. Errors: TplLimit.
[[nodiscard]] Result<std::optional<std::int64_t>> digitsAt(std::string_view text, std::size_t& at);
/// @pre value.isNumber(). Errors: TplLimit, TplRuntime.
[[nodiscard]] Result<MarkedText> laidOutNumber(const Value& value, const Layout& layout);
/// Errors: TplLimit, TplRuntime (an alignment that only numbers have).
[[nodiscard]] Result<MarkedText> laidOutText(MarkedText text, const Layout& layout);
/// By `[[fill]align][sign][#][0][width][,][.precision][type]`. Errors: TplRuntime, TplLimit.
[[nodiscard]] Result<MarkedText> laidOut(const Value& value, std::string_view spec,
                                         WorkBudget* work);

}  // namespace lacuna::jinja
