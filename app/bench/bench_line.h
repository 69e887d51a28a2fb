#pragma once
/// \file
/// Program arguments to one command of `lacuna-bench`. Exit status as app/main/command_line.h has
/// it.

namespace lacuna::cli {

[[nodiscard]] int runBench(int argc, char** argv);

}  // namespace lacuna::cli
