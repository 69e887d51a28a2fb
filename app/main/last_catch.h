#pragma once
/// \file
/// The last catch of a program: an exception that no caller handled ends in a sentence and an exit
/// status, on a thread as well.

namespace lacuna::cli {

[[nodiscard]] int runCaught(int (*run)(int, char**), int argc, char** argv);

}  // namespace lacuna::cli
