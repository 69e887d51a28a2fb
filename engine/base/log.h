#pragma once
/// \file
/// Logging. Logger: one line per message, `module: message key=value`, any thread. LogFile: lines
/// on disk with bounded size; one thread.

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <utility>

#include "engine/base/result.h"

namespace lacuna {

enum class LogLevel { Trace, Debug, Info, Warning, Error };

class Logger {
  public:
    virtual ~Logger() = default;
    virtual void write(LogLevel level, std::string_view room, std::string_view message) = 0;
    void info(std::string_view room, std::string_view message) {
        write(LogLevel::Info, room, message);
    }
    void warn(std::string_view room, std::string_view message) {
        write(LogLevel::Warning, room, message);
    }
};

/// Drops everything.
class NullLogger final : public Logger {
  public:
    void write(LogLevel, std::string_view, std::string_view) override {}
};

/// An append-only text file that only its owner may read. When it would exceed its limit it is
/// renamed to PATH.1, replacing the previous one, and a new file begins; both together take at most
/// twice the limit. Several processes may append to one file.
class LogFile {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

    /// The file is opened by the first append.
    explicit LogFile(std::filesystem::path path, std::size_t maxBytes = kMaxBytes)
        : path_(std::move(path)), maxBytes_(maxBytes) {}
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Appends `line`, which contains no line end, and a line end. The data is passed to the system
    /// but not synced. On error the line is lost, and the next append retries. Errors: Write.
    [[nodiscard]] Status append(std::string_view line);
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Returns the path of the older lines.
    [[nodiscard]] std::filesystem::path olderPath() const;

  private:
    [[nodiscard]] Status open();
    void close();
    /// Returns true if `path_` still names the open file; another process may have moved it.
    [[nodiscard]] bool current() const;

    std::filesystem::path path_;
    std::size_t maxBytes_;
    int fd_ = -1;
    bool torn_ = false;  ///< the last line was only partly written
};

}  // namespace lacuna
