#include <cstring>

#include "app/main/command_line.h"
#include "app/main/last_catch.h"
#ifdef LACUNA_WITH_WINDOW
#include "app/state/files/pdf_extraction.h"
#endif

namespace {

int runProgram(int argc, char** argv) {
#ifdef LACUNA_WITH_WINDOW
    // Internal command, run by the window to read attached PDF files; not in any option page.
    if (argc > 1 && std::strcmp(argv[1], lacuna::app::kPdfCommand) == 0)
        return lacuna::app::runPdfCommand(argc, argv);
#endif
    return lacuna::cli::run(argc, argv);
}

}  // namespace

int main(int argc, char** argv) {
    return lacuna::cli::runGuarded(runProgram, argc, argv);
}
