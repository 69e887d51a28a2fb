#pragma once
/// \file
/// What every command of the command line shares: exit codes, settings, progress, interrupts,
/// number files, and the check that nothing it writes replaces what it reads.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/settings/config_check.h"
#include "engine/settings/engine_config.h"

namespace lacuna::cli {

// What every command of the command line shares: exit codes, settings, progress, interrupts,
// number files.

/// Prints "lacuna: sentence" to standard error as one line that a terminal shows as it is.
void note(std::string_view sentence);
/// Prints "lacuna: CODE: sentence" so and gives the exit status of the error's class.
[[nodiscard]] int report(const Error& error);
/// Writes to standard output: on a terminal as it can be seen, elsewhere byte for byte. Errors:
/// Write.
[[nodiscard]] Status write(std::string_view text);
/// The same as a command's end: 0, or 74 when it cannot be written.
[[nodiscard]] int print(std::string_view text);
/// A page for people, which a file's texts may not change: the same wherever it goes.
[[nodiscard]] int printPage(std::string_view text);
[[nodiscard]] int printJson(const OrderedJson& value);

/// Defaults with `assignments` ("key=value") applied and checked without a model.
[[nodiscard]] Result<EngineConfig> settings(std::span<const std::string> assignments);
/// The same for commands that measure: greedy unless an assignment says otherwise.
[[nodiscard]] Result<EngineConfig> greedySettings(std::span<const std::string> assignments);
/// `given`, and precision=exact for a flag --exact. Errors: Conflict (another precision is set
/// too).
[[nodiscard]] Result<std::vector<std::string>> withExact(std::span<const std::string> given,
                                                         bool exact);
/// Says of each setting that was given and has no effect now why that is so.
void noteIdle(std::span<const std::string> assignments, const EngineConfig& config,
              const ModelFacts& model);
/// Number of compute threads a configuration asks for on this machine.
[[nodiscard]] int computeThreads(const EngineConfig& config);
/// Refuses more tokens than the model was trained with; `asked` names the options they come from.
/// Errors: Range.
[[nodiscard]] Status checkWithinContext(std::string_view asked, std::int64_t tokens, int context);
/// Refuses what would take more memory than is available. Errors: NoMemory.
[[nodiscard]] Status checkFitsMemory(std::string_view asked, double bytes);

/// `given`, or the bundled model when it is empty. Errors: NotFound, naming the places searched.
[[nodiscard]] Result<std::filesystem::path> modelPath(const std::string& given);

/// Running text that comes with the program. Errors: NotFound, naming the places searched.
[[nodiscard]] Result<std::string> bundledText();
/// A whole story that comes with the program, long enough for the haystacks of 16,000 tokens.
/// Errors: as bundledText.
[[nodiscard]] Result<std::string> bundledBook();
/// A book that comes with the program for calibrations, and is measured on by nothing. Errors: as
/// bundledText.
[[nodiscard]] Result<std::string> bundledCalibrationText();

/// A list of token ids, or an object with `prompt`. Errors: Json, Config.
[[nodiscard]] Result<std::vector<std::int32_t>> readIds(const std::filesystem::path& path);
/// float32 [rows, columns] in NumPy's format 1.0 (numpy.lib.format).
[[nodiscard]] Status writeNpy(const std::filesystem::path& path, std::span<const float> values,
                              std::int64_t rows, std::int64_t columns);

/// One line on standard error that is rewritten; silent when that is not a terminal. With
/// LACUNA_PROGRESS=lines lines of their own, "progress: ...", at most ten a second, for a program
/// that started this one.
class ProgressLine {
  public:
    void show(std::string_view text);
    ~ProgressLine();

  private:
    bool shown_ = false;
    std::chrono::steady_clock::time_point said_{};
};

/// SIGINT, SIGTERM and SIGHUP ask for a stop; a second one ends the program at once. One that
/// whoever started the program has switched off (nohup) stays off. Where no thread can be started
/// to wait for them, the first one ends it.
/// @pre made on the main thread before any other thread
class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    /// What a program that was stopped ends with: 128 + the number of the first signal; 0 without
    /// one.
    [[nodiscard]] static int status();

  private:
    std::stop_source stop_;
    std::jthread watcher_;
};

// Nothing that a command writes may replace what it reads: asked before any work is done.

/// What a command was told to read and to write; names that are empty, and "-", are none.
struct CommandFiles {
    std::vector<std::string> outputs;
    std::vector<std::string> models;  ///< GGUF files or folders, with what else belongs to them
    std::vector<std::string> inputs;
    bool profiles = true;  ///< the head profiles next to a model are read, too
};

/// Errors: InvalidArgument where an output is an input, links to one or lies among the files of a
/// model.
[[nodiscard]] Status checkOutputs(const CommandFiles& files);

/// Files that a report writes into `folder`; none when that is empty.
[[nodiscard]] std::vector<std::string> reportFiles(const std::string& folder);
/// Files that a measurement of this name writes into `folder`; none when that is empty.
[[nodiscard]] std::vector<std::string> gridFiles(const std::string& folder,
                                                 const std::string& name);

}  // namespace lacuna::cli
