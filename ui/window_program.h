#pragma once
/// \file
/// The two programs of the window: the window itself, and the guided demo without a display. Each
/// makes its own QApplication and returns the exit status.

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "app/state/server_program.h"

namespace lacuna::ui {

enum class StartTheme { System, Light, Dark };

struct WindowOptions {
    std::filesystem::path model;        ///< loaded at the start; empty: the bundled one
    std::vector<std::string> settings;  ///< key=value pairs
    StartTheme theme = StartTheme::System;
    std::string language;              ///< "en", "de" or "zh_CN"; empty: as chosen in the window
    std::filesystem::path dataFolder;  ///< for conversations; empty: the person's own
    int width = 0, height = 0;         ///< of the window; 0: as last time, or the default
    app::ServerMaker server = {};      ///< of the server beside the window; none: there is none
    std::stop_token stop;              ///< closes the window as its person would
};

/// What both return where there is no display to show a window on; the sentence stands on standard
/// error then.
inline constexpr int kNoDisplay = 69;

/// Shows the window until it is closed.
[[nodiscard]] int runWindow(int argc, char** argv, const WindowOptions& options);
/// Runs the guided demo, writes report, charts and pictures into `out`, says its steps on standard
/// error. Uses Qt's offscreen platform unless QT_QPA_PLATFORM says otherwise. Returns 0 when the
/// report is written.
[[nodiscard]] int runDemo(int argc, char** argv, const WindowOptions& options,
                          const std::filesystem::path& out);

}  // namespace lacuna::ui
