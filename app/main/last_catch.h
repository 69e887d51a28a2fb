#pragma once
/// \file
/// Last-resort exception handler of a program: an unhandled exception, on any thread, ends in an
/// error message and an exit status.

namespace lacuna::cli {

[[nodiscard]] int runGuarded(int (*run)(int, char**), int argc, char** argv);

}  // namespace lacuna::cli
