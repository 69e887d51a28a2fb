#pragma once
/// \file
/// Runs a parsed template on given variables. Performs no I/O, has no access to host objects, and
/// always terminates, because steps, depth and allocated bytes are limited. Owned by one thread;
/// the template itself is read-only.

#include <cstdint>
#include <map>
#include <string>

#include "engine/base/result.h"
#include "engine/template/jinja_ast.h"
#include "engine/template/jinja_value.h"

namespace lacuna::jinja {

struct RunInput {
    std::map<std::string, Value> globals;
    std::int64_t unixTime = 0;  ///< seconds since 1970 (UTC), used by strftime_now
    StopRequested stop;         ///< polled while the template runs
};

/// Returns the output of the template. Errors: TplRefused, TplRuntime, TplUnsupported, each with
/// its position; TplLimit over 10^6 steps, 2 * 10^8 elements and characters walked, 16 MiB of
/// output, 256 MiB of intermediate text, or macro depth 64; Cancelled.
[[nodiscard]] Result<MarkedText> run(const Block& program, const RunInput& input);

}  // namespace lacuna::jinja
