#pragma once
/// \file
/// Entry points of the window and of the guided demo without a display. Each creates its own
/// QApplication and returns the exit status.

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/state/server/server_program.h"

namespace lacuna::ui {

enum class StartTheme { System, Light, Dark };

struct WindowOptions {
    std::filesystem::path model;        ///< loaded at start; empty: the bundled model
    std::vector<std::string> settings;  ///< key=value pairs
    StartTheme theme = StartTheme::System;
    std::string language;  ///< "en", "de" or "zh_CN"; empty: the language chosen in the window
    std::filesystem::path dataFolder;  ///< folder of the conversations; empty: the user's default
    int width = 0, height = 0;         ///< window size; 0: as last time, or the default
    app::ServerMaker server = {};      ///< creates the built-in server; null: no server
    std::stop_token stop;              ///< closes the window as the user would
};

/// Exit status of both if there is no display; the reason is on standard error.
inline constexpr int kNoDisplay = 69;

/// Shows the window and returns when it is closed.
[[nodiscard]] int runWindow(int argc, char** argv, const WindowOptions& options);
/// Runs the guided demo, writes report, charts and pictures to `out` and its steps to standard
/// error. Uses Qt's offscreen platform unless QT_QPA_PLATFORM is set. Returns 0 if the report was
/// written.
[[nodiscard]] int runDemo(int argc, char** argv, const WindowOptions& options,
                          const std::filesystem::path& out);

}  // namespace lacuna::ui
