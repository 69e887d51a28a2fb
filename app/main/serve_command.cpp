// serve: runs the API server; a build without Qt reports that it cannot.

#include "app/main/serve_command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "app/main/cli_support.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/session/read_facts.h"

#ifdef LACUNA_WITH_SERVER
#include "app/serve/serve_program.h"
#endif

namespace lacuna::cli {

#ifdef LACUNA_WITH_SERVER

namespace {

constexpr std::size_t kTemplateLimit = std::size_t{1} << 20;
constexpr std::size_t kKeyFileLimit = std::size_t{64} << 10;
constexpr std::string_view kHeadless = "lacuna-headless";

/// Replaces this process by the headless build of the program in the same folder, because a server
/// does not need the window toolkit that this one has loaded. Returns if there is none.
void becomeHeadless(char** argv) {
    if (!hasWindow()) return;
    std::error_code ignored;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
    const auto other = self.parent_path() / kHeadless;
    if (!ignored && std::filesystem::exists(other, ignored)) ::execv(other.c_str(), argv);
}

/// Returns the keys of the command line and of the key file; lines that begin with # are skipped.
Result<std::vector<app::KeyDigest>> keysOf(const ServeArguments& a) {
    std::vector<app::KeyDigest> keys;
    for (const std::string& key : a.keys) {
        if (key.empty()) return fail(ErrorCode::InvalidArgument, "--api-key is empty");
        keys.push_back(app::digestOf(key));
    }
    if (a.keyFile.empty()) return keys;
    LACUNA_TRY(const std::string text, readFile(a.keyFile, kKeyFileLimit));
    const std::size_t before = keys.size();
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string_view line = std::string_view(text).substr(at, end - at);
        at = end + 1;
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (!line.empty() && line.front() != '#') keys.push_back(app::digestOf(line));
    }
    if (keys.size() == before)
        return fail(ErrorCode::InvalidArgument,
                    format("--api-key-file {} contains no keys; expected one per line", a.keyFile));
    return keys;
}

/// nullopt for "auto".
std::optional<app::MetricsAccess> metricsOf(std::string_view word) {
    if (word == "on") return app::MetricsAccess::WithKey;
    if (word == "open") return app::MetricsAccess::Open;
    if (word == "off") return app::MetricsAccess::Off;
    return std::nullopt;
}

Result<app::ServeProgram> programOf(const ServeArguments& a) {
    app::ServeProgram program;
    std::vector<std::string> assignments = a.settings;
    const auto assigned = [&](std::string_view key) {
        return std::ranges::any_of(assignments, [key](const std::string& one) {
            return one.starts_with(std::string(key) + "=");
        });
    };
    if (a.slots && assigned("parallel"))
        return fail(ErrorCode::Conflict, "--slots and --set parallel exclude each other");
    if (a.slots) assignments.push_back(format("parallel={}", *a.slots));
    if (!a.draftModel.empty() && !assigned("draft_tokens")) assignments.push_back("draft_tokens=4");
    LACUNA_TRY(program.serve.config, settings(assignments));
    LACUNA_TRY(program.serve.model, modelPath(a.model));
    program.serve.draft = a.draftModel;
    program.serve.alias = a.alias;
    program.serve.slots = program.serve.config.parallel;
    if (!a.slotFolder.empty() && !std::filesystem::is_directory(a.slotFolder))
        return fail(ErrorCode::NotFound,
                    format("--slot-dir {} is not a folder; create it first", a.slotFolder));
    program.serve.slotFolder = a.slotFolder;
    program.serve.chatTemplate.builtin = a.chatTemplate;
    if (!a.chatTemplateFile.empty()) {
        LACUNA_TRY(program.serve.chatTemplate.text, readFile(a.chatTemplateFile, kTemplateLimit));
    }
    if (a.reasoning != "auto") program.serve.reasoning = a.reasoning == "on";
    if (a.embeddings)
        program.serve.embeddings = app::poolingOf(a.pooling.empty() ? "mean" : a.pooling);
    program.serve.machine = machineFacts();
    program.serve.precision = {.folder = measurementsFolder()};
    program.serve.profileFolder = personalFolder();
    program.serve.calibrationText = bundledCalibrationText;
    program.serve.verbose = a.verbose;
    program.metrics = metricsOf(a.metrics);
    program.bodyBytes = static_cast<std::size_t>(a.bodyMiB) << 20;
    program.serve.version = LACUNA_VERSION;
    program.hosts = app::namesIn(a.host);
    if (program.hosts.empty()) return fail(ErrorCode::InvalidArgument, "--host is empty");
    program.port = static_cast<std::uint16_t>(a.port);
    LACUNA_TRY(program.access.keys, keysOf(a));
    program.access.hosts = a.hosts;
    if (std::ranges::find(a.origins, "*") != a.origins.end())
        return fail(ErrorCode::InvalidArgument,
                    "--allow-origin * would let every web page send requests; name the origins, "
                    "such as https://chat.example");
    program.access.origins = a.origins;
    return program;
}

Result<int> serveOrError(int argc, char** argv, const ServeArguments& arguments,
                         std::stop_token stop) {
    LACUNA_TRY(app::ServeProgram program, programOf(arguments));
    int printed = 0;
    program.ready = [&printed](const std::string& address) {
        printed = print(format("lacuna: listening on {}\n", address));
    };
    program.noted = [](const std::string& sentence) { note(sentence); };
    LACUNA_TRY_STATUS(app::runServe(argc, argv, std::move(program), std::move(stop)));
    return printed;
}

}  // namespace

int serve(int argc, char** argv, const ServeArguments& arguments) {
    becomeHeadless(argv);
    const Interrupts interrupts;
    const auto outcome = serveOrError(argc, argv, arguments, interrupts.token());
    if (outcome) return *outcome;
    // Being stopped while the model loads is a normal exit.
    if (interrupts.token().stop_requested() && outcome.error().code == ErrorCode::Cancelled)
        return 0;
    return report(outcome.error());
}

#else

int serve(int, char**, const ServeArguments&) {
    return report(
        Error{ErrorCode::Unsupported,
              "this program was built without the server; `lacuna --help` lists its commands",
              {}});
}

#endif

}  // namespace lacuna::cli
