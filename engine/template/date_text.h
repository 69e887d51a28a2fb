#pragma once
/// \file
/// Dates as strftime writes them, in English and UTC whatever the locale of the program.
/// Pure function; may be called from many threads.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

/// `pattern` with %a %A %b %B %d %e %H %I %j %m %M %p %S %y %Y %F %T %%, and %-d for no padding.
/// Errors: TplRuntime for other letters, and for a pattern over 256 bytes.
[[nodiscard]] Result<std::string> dateText(std::string_view pattern, std::int64_t unixTime);

}  // namespace lacuna
