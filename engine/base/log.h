#pragma once
/// \file
/// Where a program says what it does. Logger: one line per message, `room: message key=value`,
/// any thread. LogFile: lines kept on disk, of bounded size; one thread.

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

/// A text file that lines are added to, which its owner alone may read. When it would pass its
/// limit it becomes PATH.1, in place of the one before, and a new one begins: both together take
/// no more than twice the limit. Several processes may add to one file.
class LogFile {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

    /// Opened by the first line.
    explicit LogFile(std::filesystem::path path, std::size_t mostBytes = kMaxBytes)
        : path_(std::move(path)), mostBytes_(mostBytes) {}
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    /// Adds `line`, which holds no line end, and one. It is in the system's hands then, and not
    /// synced. On an error the line is lost, and the next one tries again. Errors: Write.
    [[nodiscard]] Status append(std::string_view line);
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Where the lines before those of path() lie.
    [[nodiscard]] std::filesystem::path olderPath() const;

  private:
    [[nodiscard]] Status open();
    void close();
    /// Whether `path_` still names the file that is open: another process may have moved it.
    [[nodiscard]] bool current() const;

    std::filesystem::path path_;
    std::size_t mostBytes_;
    int fd_ = -1;
    bool torn_ = false;  ///< the last line was written in part
};

}  // namespace lacuna
