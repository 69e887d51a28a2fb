#pragma once
/// \file
/// Formats dates like strftime, in English and UTC regardless of the locale. Pure function; may be
/// called from many threads.

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace lacuna {

/// Expands %a %A %b %B %d %e %H %I %j %m %M %p %S %y %Y %F %T %%, and %-d without padding. Errors:
/// TplRuntime for other letters and for a pattern over 256 bytes.
[[nodiscard]] Result<std::string> dateText(std::string_view pattern, std::int64_t unixTime);

}  // namespace lacuna
