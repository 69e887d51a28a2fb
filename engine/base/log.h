#pragma once
/// \file
/// Logger interface: one line per message, `room: message key=value`. Thread-safe by contract.

#include <mutex>
#include <string_view>

namespace lacuna {

enum class LogLevel { Trace, Debug, Info, Warning, Error };

class Logger {
 public:
    virtual ~Logger() = default;
    virtual void write(LogLevel level, std::string_view room, std::string_view message) = 0;
    void info(std::string_view room, std::string_view message) { write(LogLevel::Info, room, message); }
    void warn(std::string_view room, std::string_view message) { write(LogLevel::Warning, room, message); }
};

/// Drops everything.
class NullLogger final : public Logger {
 public:
    void write(LogLevel, std::string_view, std::string_view) override {}
};

/// Writes to standard error at and above `threshold`.
class StderrLogger final : public Logger {
 public:
    explicit StderrLogger(LogLevel threshold) : threshold_(threshold) {}
    void write(LogLevel level, std::string_view room, std::string_view message) override;

 private:
    const LogLevel threshold_;
    std::mutex mutex_;
};

}  // namespace lacuna
