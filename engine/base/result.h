#pragma once
/// \file
/// Errors as values: functions that can fail for external reasons return Result<T>. An Error is a
/// stable code, a source location and a sentence that tells the user what to do. Values of these
/// types are not modified after creation and may cross threads.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

#include "engine/base/error_codes.h"

namespace lacuna {

/// Source location that raised an error.
struct Where {
    const char* file = "";
    int line = 0;
};

struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string what;  ///< a sentence: which file, which field, what was found, what is expected
    Where at;
};

template <class T>
using Result = tl::expected<T, Error>;
using Status = Result<void>;

/// Builds the failure side of any Result. Usage: `return fail(ErrorCode::Range, "...")`.
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string what,
                                                const char* file = __builtin_FILE(),
                                                int line = __builtin_LINE()) {
    return tl::unexpected<Error>(Error{code, std::move(what), Where{file, line}});
}

/// Stable name, e.g. "GGUF_TRUNCATED".
[[nodiscard]] std::string_view errorName(ErrorCode code);
[[nodiscard]] ErrorClass errorClass(ErrorCode code);
/// "GGUF_TRUNCATED: sentence".
[[nodiscard]] std::string describe(const Error& error);
/// Returns the same error with `prefix: ` before its sentence (usually a file name).
[[nodiscard]] Error withPrefix(Error error, std::string_view prefix);

}  // namespace lacuna

#define LACUNA_CONCAT_(a, b) a##b
#define LACUNA_CONCAT(a, b) LACUNA_CONCAT_(a, b)
#define LACUNA_TRY_(tmp, decl, expr)                                          \
    auto tmp = (expr);                                                        \
    if (!tmp) return tl::unexpected<::lacuna::Error>(std::move(tmp).error()); \
    decl = std::move(*tmp)
/// `LACUNA_TRY(auto x, call())` takes the value or returns the error. The only control-flow macro.
#define LACUNA_TRY(decl, expr) LACUNA_TRY_(LACUNA_CONCAT(lacunaTry_, __LINE__), decl, expr)
/// LACUNA_TRY for a Status.
#define LACUNA_TRY_STATUS(expr)                                                      \
    do {                                                                             \
        auto lacunaStatus = (expr);                                                  \
        if (!lacunaStatus)                                                           \
            return tl::unexpected<::lacuna::Error>(std::move(lacunaStatus).error()); \
    } while (false)
