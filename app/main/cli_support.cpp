#include "app/main/cli_support.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <set>

#include "app/state/files/bundled_texts.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"
#include "engine/base/units.h"
#include "engine/compress/head_profile.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/report/report_folder.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::cli {

namespace {

constexpr std::size_t kJsonLimit = std::size_t{256} << 20;

/// Escapes terminal control characters in JSON text as \uNNNN. The format itself escapes only those
/// below U+0020; the values do not change.
std::string plainJson(const std::string& json) {
    std::string out;
    for (std::size_t at = 0; at < json.size();) {
        const std::size_t length = utf8Length(json, at);
        const std::uint32_t character = length > 0 ? utf8Character(json, at, length) : 0;
        if (length > 0 && character >= 0x7F && isTerminalControl(character))
            out += format("\\u{:04x}", character);
        else
            out.append(json, at, std::max<std::size_t>(length, 1));
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::filesystem::path programFolder() {
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
}

}  // namespace

void note(std::string_view sentence) {
    std::fprintf(stderr, "lacuna: %s\n", lineForTerminal(sentence).c_str());
}

int report(const Error& error) {
    note(describe(error));
    return static_cast<int>(errorClass(error.code));
}

Status write(std::string_view text) {
    const std::string shown = ::isatty(STDOUT_FILENO) != 0 ? forTerminal(text) : std::string(text);
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
        std::fflush(stdout) == 0)
        return {};
    return fail(ErrorCode::Write, "standard output is closed or full");
}

int print(std::string_view text) {
    const Status written = write(text);
    return written ? 0 : report(written.error());
}

int printPage(std::string_view text) {
    return print(forTerminal(text));
}

int printJson(const OrderedJson& value) {
    return print(plainJson(dumpJson(value, 1)) + "\n");
}

Result<EngineConfig> settings(std::span<const std::string> assignments) {
    auto config = withSettings(EngineConfig{}, assignments);
    if (!config) return tl::unexpected<Error>(violationsError(config.error()));
    for (const std::string& assignment : assignments) {
        const std::size_t equals = assignment.find('=');
        const SettingSpec* spec = findSetting(assignment.substr(0, equals));
        if (spec == nullptr) continue;
        const std::string former = formerNameNote(*spec, assignment.substr(equals + 1));
        if (!former.empty()) note(former);
    }
    auto valid = check(*config, nullptr, machineFacts());
    if (!valid) return tl::unexpected<Error>(violationsError(valid.error()));
    return *config;
}

Result<EngineConfig> greedySettings(std::span<const std::string> assignments) {
    std::vector<std::string> all{"temperature=0"};
    all.insert(all.end(), assignments.begin(), assignments.end());
    return settings(all);
}

Result<std::vector<std::string>> withExact(std::span<const std::string> given, bool exact) {
    std::vector<std::string> all(given.begin(), given.end());
    if (!exact) return all;
    constexpr std::string_view kExact = "precision=exact";
    for (const std::string& assignment : given)
        if (assignment.starts_with("precision=") && assignment != kExact)
            return fail(ErrorCode::Conflict,
                        format("--exact and --set {} exclude each other", assignment));
    all.emplace_back(kExact);
    return all;
}

void noteIdle(std::span<const std::string> assignments, const EngineConfig& config,
              const ModelFacts& model) {
    std::set<std::string> told;
    for (const std::string& assignment : assignments) {
        const SettingSpec* spec = findSetting(assignment.substr(0, assignment.find('=')));
        if (spec == nullptr || !told.emplace(spec->key).second) continue;
        const std::string_view reason = idleReason(*spec, config, &model);
        if (!reason.empty()) note(format("{} has no effect while {}", spec->key, reason));
    }
}

int computeThreads(const EngineConfig& config) {
    return config.threads > 0 ? config.threads : machineFacts().cores;
}

Status checkWithinContext(std::string_view asked, std::int64_t tokens, int context) {
    if (tokens <= context) return {};
    return fail(
        ErrorCode::Range,
        format("{}: {} tokens together exceed the model's context of {}; use smaller numbers",
               asked, tokens, context));
}

Status checkFitsMemory(std::string_view asked, double bytes) {
    const auto available = static_cast<double>(machineFacts().availableBytes);
    if (available <= 0 || bytes <= available) return {};
    return fail(
        ErrorCode::NoMemory,
        format("{} need {:.0f} MiB, but {:.0f} MiB of memory are available; use smaller numbers",
               asked, bytes / kMiB, available / kMiB));
}

namespace {

/// Returns the path of a file in resources/FOLDER, independent of the working directory.
Result<std::filesystem::path> bundledFile(const char* folder, const char* name) {
    const std::filesystem::path here = programFolder();
    const std::filesystem::path places[] = {here / "resources", here / "../resources",
                                            here / "../../../resources", here / "../share/lacuna",
                                            "/usr/share/lacuna"};
    std::string searched;
    for (const auto& root : places) {
        const std::filesystem::path place = root / folder;
        if (std::filesystem::exists(place / name))
            return std::filesystem::weakly_canonical(place / name);
        searched += format("{}{}", searched.empty() ? "" : ", ", place.lexically_normal().string());
    }
    return fail(ErrorCode::NotFound, format("the bundled {} was not found in {}", name, searched));
}

Result<std::string> textOf(const char* bundled) {
    LACUNA_TRY(const auto path, bundledFile("texts", bundled));
    return readFile(path, std::size_t{1} << 20);
}

}  // namespace

Result<std::filesystem::path> modelPath(const std::string& given) {
    if (!given.empty()) return std::filesystem::path(given);
    auto path = bundledFile("models", LACUNA_BUNDLED_MODEL);
    if (!path) return tl::unexpected<Error>(withPrefix(path.error(), "no model given"));
    return path;
}

Result<std::string> bundledText() {
    return textOf(app::kFactsText);
}

Result<std::string> bundledBook() {
    return textOf(app::kProseText);
}

Result<std::string> bundledCalibrationText() {
    return textOf(app::kCalibrationText);
}

Result<std::vector<std::int32_t>> readIds(const std::filesystem::path& path) {
    LACUNA_TRY(const std::string text, readFile(path, kJsonLimit));
    LACUNA_TRY(const Json parsed, parseJson(text));
    const Json* list = &parsed;
    if (parsed.is_object()) {
        const auto at = parsed.find("prompt");
        if (at == parsed.end())
            return fail(ErrorCode::Config,
                        format("{}: an object needs a `prompt` list of token ids", path.string()));
        list = &*at;
    }
    if (!list->is_array())
        return fail(ErrorCode::Config, format("{}: expected a list of token ids", path.string()));
    std::vector<std::int32_t> ids;
    ids.reserve(list->size());
    for (const Json& item : *list) {
        if (!item.is_number_integer() || item.get<std::int64_t>() < 0 ||
            item.get<std::int64_t>() > 0x7fffffff)
            return fail(ErrorCode::Config, format("{}: item {} is {}, not a token id",
                                                  path.string(), ids.size(), item.dump()));
        ids.push_back(item.get<std::int32_t>());
    }
    return ids;
}

Status writeNpy(const std::filesystem::path& path, std::span<const float> values, std::int64_t rows,
                std::int64_t columns) {
    std::string header =
        format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
    constexpr std::size_t kPrelude = 10;
    header.append(63 - (kPrelude + header.size()) % 64, ' ');
    header += '\n';
    std::string head("\x93NUMPY\x01\x00", 8);
    head += static_cast<char>(header.size() & 0xff);
    head += static_cast<char>(header.size() >> 8);
    LACUNA_TRY(AtomicFile file, AtomicFile::create(path));
    LACUNA_TRY_STATUS(file.write(head + header));
    LACUNA_TRY_STATUS(file.write(std::as_bytes(values)));
    return file.commit();
}

namespace {

constexpr std::chrono::milliseconds kPrintEvery{100};

/// Returns whether the parent process requested progress lines.
bool progressRequested() {
    const char* wanted = std::getenv("LACUNA_PROGRESS");
    return wanted != nullptr && std::string_view(wanted) == "lines";
}

}  // namespace

void ProgressLine::show(std::string_view text) {
    if (progressRequested()) {
        const auto now = std::chrono::steady_clock::now();
        if (now - printed_ < kPrintEvery) return;
        printed_ = now;
        std::fprintf(stderr, "progress: %s\n", lineForTerminal(text).c_str());
        return;
    }
    if (::isatty(STDERR_FILENO) == 0) return;
    std::fprintf(stderr, "\r\033[K%s", lineForTerminal(text).c_str());
    shown_ = true;
}

ProgressLine::~ProgressLine() {
    if (shown_) std::fprintf(stderr, "\r\033[K");
}

namespace {

std::atomic<int> firstSignal{0};

bool ignored(int signal) {
    struct sigaction action {};
    return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

Interrupts::Interrupts() {
    sigset_t set;
    sigset_t before;
    ::sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP})
        if (!ignored(signal)) ::sigaddset(&set, signal);
    ::sigaddset(&set, SIGUSR2);  // ends the watcher thread
    ::pthread_sigmask(SIG_BLOCK, &set, &before);
    auto watcher = startThread([this, set](std::stop_token ending) {
        while (true) {
            int signal = 0;
            ::sigwait(&set, &signal);
            if (signal == SIGUSR2 && ending.stop_requested()) return;
            if (signal == SIGUSR2) continue;
            if (stop_.stop_requested()) ::_exit(128 + signal);
            firstSignal = signal;
            stop_.request_stop();
        }
    });
    if (watcher)
        watcher_ = std::move(*watcher);
    else
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

int Interrupts::status() {
    return firstSignal == 0 ? 0 : 128 + firstSignal;
}

Interrupts::~Interrupts() {
    if (!watcher_.joinable()) return;
    watcher_.request_stop();
    ::pthread_kill(watcher_.native_handle(), SIGUSR2);
}

namespace {

namespace fs = std::filesystem;

bool isName(const std::string& text) {
    return !text.empty() && text != "-";
}

std::vector<std::string> inFolder(const std::string& folder, std::vector<std::string> names) {
    if (folder.empty()) return {};
    for (std::string& name : names) name = (fs::path(folder) / name).string();
    return names;
}

}  // namespace

Status checkOutputs(const CommandFiles& files) {
    std::vector<fs::path> inputs;
    for (const std::string& model : files.models) {
        if (!isName(model)) continue;
        const auto read = modelFiles(model);
        inputs.insert(inputs.end(), read.begin(), read.end());
        if (!files.profiles) continue;
        for (const ProfileKind kind : {ProfileKind::TaskFree, ProfileKind::Questions})
            inputs.push_back(headProfilePath(model, kind));
    }
    for (const std::string& input : files.inputs)
        if (isName(input)) inputs.emplace_back(input);
    for (const std::string& output : files.outputs)
        if (isName(output)) LACUNA_TRY_STATUS(checkNotAmong(output, inputs));
    return {};
}

std::vector<std::string> reportFiles(const std::string& folder) {
    return inFolder(folder, reportFileNames());
}

std::vector<std::string> gridFiles(const std::string& folder, const std::string& name) {
    return inFolder(
        folder, {name + ".json", name + ".csv", name + ".md", name + ".svg", name + ".cells.json"});
}

}  // namespace lacuna::cli
