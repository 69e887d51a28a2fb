// window and demo: the commands that need Qt, and their errors in a build without it.

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/serve_command.h"

#ifdef LACUNA_WITH_WINDOW
#include <charconv>

#include "app/serve/window_server.h"
#include "ui/window/window_program.h"
#endif

namespace lacuna::cli {

#ifdef LACUNA_WITH_WINDOW

namespace {

/// Splits "1280x800" into two numbers; the command line has checked the format.
ui::WindowOptions optionsOf(const WindowArguments& a, const Interrupts& interrupts) {
    ui::WindowOptions options;
    options.stop = interrupts.token();
    options.model = a.model;
    options.settings = a.settings;
    options.dataFolder = a.data;
    options.language = a.language;
    options.server = [](EngineHost& engine, app::ServerProgram::ViewCallback told) {
        return std::make_unique<app::WindowServer>(engine, LACUNA_VERSION, std::move(told));
    };
    if (a.theme == "light") options.theme = ui::StartTheme::Light;
    if (a.theme == "dark") options.theme = ui::StartTheme::Dark;
    if (const auto cross = a.size.find('x'); cross != std::string::npos) {
        std::from_chars(a.size.data(), a.size.data() + cross, options.width);
        std::from_chars(a.size.data() + cross + 1, a.size.data() + a.size.size(), options.height);
    }
    return options;
}

}  // namespace

int window(int argc, char** argv, const WindowArguments& arguments) {
    if (const auto checked = settings(arguments.settings); !checked) return report(checked.error());
    const Interrupts interrupts;
    const int status = ui::runWindow(argc, argv, optionsOf(arguments, interrupts));
    return Interrupts::status() != 0 ? Interrupts::status() : status;
}

int demo(int argc, char** argv, const WindowArguments& arguments) {
    if (const Status checked = checkOutputs(
            {.outputs = reportFiles(arguments.out), .models = {arguments.model}, .inputs = {}});
        !checked)
        return report(checked.error());
    if (const auto checked = settings(arguments.settings); !checked) return report(checked.error());
    const Interrupts interrupts;
    const int status = ui::runDemo(argc, argv, optionsOf(arguments, interrupts), arguments.out);
    return Interrupts::status() != 0 ? Interrupts::status() : status;
}

bool hasWindow() {
    return true;
}

#else

namespace {

int refuse() {
    return report(
        Error{ErrorCode::Unsupported,
              "this program was built without the window; `lacuna --help` lists its commands",
              {}});
}

}  // namespace

bool hasWindow() {
    return false;
}
int window(int, char**, const WindowArguments&) {
    return refuse();
}
int demo(int, char**, const WindowArguments&) {
    return refuse();
}

#endif

}  // namespace lacuna::cli
