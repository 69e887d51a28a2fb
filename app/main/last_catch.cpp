#include "app/main/last_catch.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "engine/base/error_codes.h"

namespace lacuna::cli {
namespace {

/// Does not allocate, because there may be no memory.
void say(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

/// @pre an exception is being handled
int lastWord() {
    try {
        throw;
    } catch (const std::bad_alloc&) {
        say("lacuna: NO_MEMORY: there is not enough memory for this; saved data is intact.\n");
        return static_cast<int>(ErrorClass::Memory);
    } catch (const std::exception& problem) {
        say("lacuna: INTERNAL: ");
        say(problem.what());
        say("\n");
    } catch (...) {
        say("lacuna: INTERNAL: an unknown exception was thrown\n");
    }
    return static_cast<int>(ErrorClass::Internal);
}

/// Terminate handler for exceptions that escape a thread or a destructor.
void endAtOnce() {
    if (std::current_exception()) std::_Exit(lastWord());
    say("lacuna: INTERNAL: the program cannot continue\n");
    std::_Exit(static_cast<int>(ErrorClass::Internal));
}

}  // namespace

int runGuarded(int (*run)(int, char**), int argc, char** argv) {
    std::set_terminate(endAtOnce);
    try {
        return run(argc, argv);
    } catch (...) {
        return lastWord();
    }
}

}  // namespace lacuna::cli
