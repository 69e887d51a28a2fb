#pragma once
/// \file
/// The two commands that need Qt. A build without the window (LACUNA_BUILD_UI=OFF) refuses them by
/// name.

#include <string>
#include <vector>

namespace lacuna::cli {

struct WindowArguments {
    std::string model;                  ///< empty: the bundled one
    std::vector<std::string> settings;  ///< key=value
    std::string theme;                  ///< "light", "dark" or empty: as the system
    std::string size;                   ///< "1280x800" or empty
    std::string data;  ///< window only: folder for conversations; empty: the person's own
    std::string out;   ///< demo only: folder to write to
};
[[nodiscard]] int window(int argc, char** argv, const WindowArguments& arguments);
[[nodiscard]] int demo(int argc, char** argv, const WindowArguments& arguments);

}  // namespace lacuna::cli
