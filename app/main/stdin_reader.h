#pragma once
/// \file
/// Standard input, read so that a signal is heard while nothing comes. Main thread.

#include <cstddef>
#include <stop_token>
#include <string>

namespace lacuna::cli {

class StdinReader {
  public:
    explicit StdinReader(std::stop_token stop) : stop_(std::move(stop)) {}
    /// Adds what has come, at least one byte, to `text`; false at the end or when asked to stop.
    [[nodiscard]] bool more(std::string& text);
    /// The next line without its end; false when none comes any more.
    [[nodiscard]] bool line(std::string& text);

  private:
    std::stop_token stop_;
    std::string waiting_;  ///< read and not yet handed out
};

}  // namespace lacuna::cli
