#pragma once
/// \file
/// Shared by all commands: exit codes, settings, progress, interrupts, number files, and the check
/// that no output overwrites an input.

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

/// Prints "lacuna: sentence" to standard error as one line with control characters escaped.
void note(std::string_view sentence);
/// Prints "lacuna: CODE: sentence" like note() and returns the exit status of the error's class.
[[nodiscard]] int report(const Error& error);
/// Writes to standard output: with control characters escaped on a terminal, byte for byte
/// elsewhere. Errors: Write.
[[nodiscard]] Status write(std::string_view text);
/// Calls write() at the end of a command; returns 0, or 74 if it fails.
[[nodiscard]] int print(std::string_view text);
/// Prints a human-readable page with control characters escaped, whatever standard output is.
[[nodiscard]] int printPage(std::string_view text);
[[nodiscard]] int printJson(const OrderedJson& value);

/// Returns the defaults with `assignments` ("key=value") applied, validated without a model.
[[nodiscard]] Result<EngineConfig> settings(std::span<const std::string> assignments);
/// Like settings() for commands that measure: greedy sampling unless an assignment overrides it.
[[nodiscard]] Result<EngineConfig> greedySettings(std::span<const std::string> assignments);
/// Returns `given`, with precision=exact appended for the flag --exact. Errors: Conflict (another
/// precision is set too).
[[nodiscard]] Result<std::vector<std::string>> withExact(std::span<const std::string> given,
                                                         bool exact);
/// Notes for each given setting without effect why it has none.
void noteIdle(std::span<const std::string> assignments, const EngineConfig& config,
              const ModelFacts& model);
/// Returns the number of compute threads that a configuration selects on this machine.
[[nodiscard]] int computeThreads(const EngineConfig& config);
/// Returns an error if `tokens` exceeds the model's training context; `asked` names the options
/// responsible. Errors: Range.
[[nodiscard]] Status checkWithinContext(std::string_view asked, std::int64_t tokens, int context);
/// Returns an error if `bytes` exceeds the available memory. Errors: NoMemory.
[[nodiscard]] Status checkFitsMemory(std::string_view asked, double bytes);

/// Returns `given`, or the bundled model if it is empty. Errors: NotFound, naming the searched
/// paths.
[[nodiscard]] Result<std::filesystem::path> modelPath(const std::string& given);

/// Returns the bundled prose text. Errors: NotFound, naming the searched paths.
[[nodiscard]] Result<std::string> bundledText();
/// Returns the bundled story, long enough for haystacks of 16,000 tokens. Errors: as bundledText().
[[nodiscard]] Result<std::string> bundledBook();
/// Returns the bundled book reserved for calibration; no measurement uses it. Errors: as
/// bundledText().
[[nodiscard]] Result<std::string> bundledCalibrationText();

/// Reads a list of token ids, or an object with `prompt`. Errors: Json, Config.
[[nodiscard]] Result<std::vector<std::int32_t>> readIds(const std::filesystem::path& path);
/// Writes float32 [rows, columns] in NumPy's format 1.0 (numpy.lib.format).
[[nodiscard]] Status writeNpy(const std::filesystem::path& path, std::span<const float> values,
                              std::int64_t rows, std::int64_t columns);

/// Progress as one rewritten line on standard error; silent if that is not a terminal. With
/// LACUNA_PROGRESS=lines, prints separate lines "progress: ..." for a parent process, at most ten
/// per second.
class ProgressLine {
  public:
    void show(std::string_view text);
    ~ProgressLine();

  private:
    bool shown_ = false;
    std::chrono::steady_clock::time_point printed_{};
};

/// Turns SIGINT, SIGTERM and SIGHUP into a stop request; a second signal ends the program
/// immediately. A signal ignored by the parent process (nohup) stays ignored. If no watcher thread
/// can be started, the first signal ends the program.
/// @pre constructed on the main thread before any other thread starts
class Interrupts {
  public:
    Interrupts();
    ~Interrupts();
    [[nodiscard]] std::stop_token token() const { return stop_.get_token(); }
    /// Returns the exit status of a stopped program: 128 + number of the first signal; 0 without a
    /// signal.
    [[nodiscard]] static int status();

  private:
    std::stop_source stop_;
    std::jthread watcher_;
};

// No output may overwrite an input; checked before any work is done.

/// Input and output files of a command; empty names and "-" are ignored.
struct CommandFiles {
    std::vector<std::string> outputs;
    std::vector<std::string> models;  ///< GGUF files or folders, including their associated files
    std::vector<std::string> inputs;
    bool profiles = true;  ///< also protect the head profiles next to a model
};

/// Errors: InvalidArgument if an output is an input, links to one, or is one of the files of a
/// model.
[[nodiscard]] Status checkOutputs(const CommandFiles& files);

/// Returns the files that a report writes into `folder`; empty if `folder` is.
[[nodiscard]] std::vector<std::string> reportFiles(const std::string& folder);
/// Returns the files that a measurement with this name writes into `folder`; empty if `folder` is.
[[nodiscard]] std::vector<std::string> gridFiles(const std::string& folder,
                                                 const std::string& name);

}  // namespace lacuna::cli
