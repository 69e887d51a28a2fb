#pragma once
/// \file
/// Parses the program arguments of `lacuna-bench` and runs one command. Exit status: see
/// app/main/command_line.h.

namespace lacuna::cli {

[[nodiscard]] int runBench(int argc, char** argv);

}  // namespace lacuna::cli
