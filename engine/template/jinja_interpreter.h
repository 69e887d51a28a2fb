#pragma once
/// \file
/// Runs a parsed template over given variables. Does no input or output, knows no host object, and
/// ends: steps, depth and bytes made are counted.
/// Owned by one thread; the template itself is only read.

#include <cstdint>
#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_value.h"

namespace lacuna::jinja {

struct RunInput {
    std::map<std::string, Value> globals;
    std::int64_t unixTime = 0;  ///< seconds; what strftime_now shows, as UTC
    StopAsked stop;             ///< asked while the template runs
};

/// What the template writes. Errors: TplRefused, TplRuntime, TplUnsupported, each with its place;
/// TplLimit over 10^6 steps, 2 * 10^8 elements and characters walked, 16 MiB of output, 256 MiB of
/// text made on the way, or depth 64 of macros; Cancelled.
[[nodiscard]] Result<MarkedText> run(const Block& program, const RunInput& input);

}  // namespace lacuna::jinja
