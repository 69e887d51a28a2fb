// The last catch: whatever nobody below had an answer for ends in a sentence and an exit status.

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>

#include "app/main/command_line.h"
#ifdef LACUNA_WITH_WINDOW
#include "app/state/pdf_extraction.h"
#endif
#include "engine/base/error_codes.h"

namespace {

/// Without memory of its own: there may be none.
void say(const char* text) {
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

/// @pre an exception is being handled
int lastWord() {
    using lacuna::ErrorClass;
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
    std::_Exit(static_cast<int>(lacuna::ErrorClass::Internal));
}

}  // namespace

int main(int argc, char** argv) {
    std::set_terminate(endAtOnce);
#ifdef LACUNA_WITH_WINDOW
    // The window runs it for files that are attached; no option page shows it.
    if (argc > 1 && std::strcmp(argv[1], lacuna::app::kPdfCommand) == 0)
        return lacuna::app::runPdfCommand(argc, argv);
#endif
    try {
        return lacuna::cli::run(argc, argv);
    } catch (...) {
        return lastWord();
    }
}
