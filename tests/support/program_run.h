#pragma once
/// \file
/// Runs a program in a shell and captures its exit status and output.

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <string>
#include <string_view>

namespace lacuna::test {

struct Outcome {
    int status = -1;  ///< exit status, or -1
    std::string out;  ///< standard output and error, or standard output alone
};

/// Runs the program. `arguments` and `streams` are in shell syntax; `environment` precedes the
/// program.
inline Outcome runProgram(const std::string& program, const std::string& arguments,
                          const char* streams = "2>&1", const std::string& environment = {}) {
    Outcome run;
    const std::string command = environment + program + " " + arguments + " </dev/null " + streams;
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return run;
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
        run.out.append(part.data(), n);
    const int ended = ::pclose(pipe);
    if (WIFEXITED(ended)) run.status = WEXITSTATUS(ended);
    return run;
}

inline bool says(const Outcome& run, std::string_view words) {
    return run.out.find(words) != std::string::npos;
}

/// Returns bash's completions for the words of a command line while the word at `place` is being
/// typed, using the completion of `program`.
inline std::string completedByBash(const std::string& program, const std::string& function,
                                   const std::string& words, int place) {
    const std::string script = "source <(" + program + " completion bash); COMP_WORDS=(" + words +
                               "); COMP_CWORD=" + std::to_string(place) + "; " + function +
                               "; echo \"${COMPREPLY[*]}\"";
    return runProgram("bash", "-c '" + script + "'").out;
}

}  // namespace lacuna::test
