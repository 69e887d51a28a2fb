#include "app/main/last_catch.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "engine/base/error_codes.h"

namespace lacuna::cli {
namespace {

/// Without memory of its own: there may be none.
void say(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

/// @pre an exception is being handled
int lastWord() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        say("lacuna: NO_MEMORY: there is not enough memory for this; what was saved before is "
            "whole.\n");
        return static_cast<int>(ErrorClass::Memory);
    } catch (const std::exception& problem) {
        say("lacuna: INTERNAL: ");
        say(problem.what());
        say("\n");
    } catch (...) {
        say("lacuna: INTERNAL: something was thrown that is no error\n");
    }
    return static_cast<int>(ErrorClass::Internal);
}

/// What escapes where nothing may escape: a thread, a destructor.
void endAtOnce() {
    if (std::current_exception()) std::_Exit(lastWord());
    say("lacuna: INTERNAL: the program cannot go on\n");
    std::_Exit(static_cast<int>(ErrorClass::Internal));
}

}  // namespace

int runCaught(int (*run)(int, char**), int argc, char** argv) {
    std::set_terminate(endAtOnce);
    try {
        return run(argc, argv);
    } catch (...) {
        return lastWord();
    }
}

}  // namespace lacuna::cli
