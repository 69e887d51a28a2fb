#pragma once
/// \file
/// Parses the program arguments and runs one command. Without arguments, or with only a model,
/// opens the window. Exit status by class of error: 0 done, 2 usage, 65 data, 66 not found, 69
/// unsupported, 70 internal, 71 memory, 74 reading or writing, 130 stopped.

namespace lacuna::cli {

[[nodiscard]] int run(int argc, char** argv);

}  // namespace lacuna::cli
