// download: fetches a model from a hub or a URL; a build without Qt reports that it cannot.

#include "app/main/download_command.h"

#include <cstdlib>

#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"

#ifdef LACUNA_WITH_SERVER
#include "app/hub/hub_program.h"
#endif

namespace lacuna::cli {

#ifdef LACUNA_WITH_SERVER

int download(int argc, char** argv, const DownloadArguments& arguments) {
    const Interrupts interrupts;
    app::HubProgram program;
    program.what = arguments.what;
    program.file = arguments.file;
    program.folder = arguments.out.empty() ? (personalFolder() / "models").string() : arguments.out;
    program.sha256 = arguments.sha256;
    program.hub = arguments.hub;
    if (const char* token = std::getenv("LACUNA_HUB_TOKEN")) program.token = token;
    program.plainHttp = arguments.plainHttp;
    program.listOnly = arguments.list;
    ProgressLine line;
    program.progress = [&line](const std::string& text, double) { line.show(text); };
    const app::HubOutcome outcome = app::runDownload(argc, argv, program, interrupts.token());
    const int printed = outcome.text.empty() ? 0 : printPage(outcome.text);
    if (outcome.problem.empty()) return printed;
    note(outcome.problem);
    return static_cast<int>(outcome.kind);
}

#else

int download(int, char**, const DownloadArguments&) {
    return report(
        Error{ErrorCode::Unsupported,
              "this program was built without network support; `lacuna --help` lists its commands",
              {}});
}

#endif

}  // namespace lacuna::cli
