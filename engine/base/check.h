#pragma once
/// \file
/// Assertions that can fail only because of a bug in the program. Never used for file content, user
/// input or memory exhaustion (those are Results).

namespace lacuna {
/// Prints the failed condition and aborts; tests may replace the handler to observe it.
[[noreturn]] void requirementFailed(const char* condition, const char* text, const char* file,
                                    int line);
}  // namespace lacuna

#define LACUNA_REQUIRE(cond, text) \
    ((cond) ? static_cast<void>(0) : ::lacuna::requirementFailed(#cond, text, __FILE__, __LINE__))
#ifdef NDEBUG
#define LACUNA_ASSERT(cond, text) static_cast<void>(0)
#else
#define LACUNA_ASSERT(cond, text) LACUNA_REQUIRE(cond, text)
#endif
