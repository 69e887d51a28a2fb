#pragma once
/// \file
/// Options and entry point of `lacuna serve`, which runs the server until it is stopped.

#include <optional>
#include <string>
#include <vector>

namespace lacuna::cli {

struct ServeArguments {
    std::string model;               ///< empty: the bundled model
    std::string host = "127.0.0.1";  ///< listening addresses, separated by commas
    int port = 8080;                 ///< 0: any free port
    std::string alias;
    std::vector<std::string> keys;
    std::string keyFile;               ///< file of further keys, one per line
    std::vector<std::string> hosts;    ///< further accepted host names
    std::vector<std::string> origins;  ///< web origins that may call the API
    std::optional<int> slots;
    int bodyMiB = 8;               ///< limit of a request body
    std::string metrics = "auto";  ///< on, off, open, or auto: on if only loopback addresses are
                                   ///< used
    std::string slotFolder;
    std::string chatTemplate;      ///< name of a built-in template
    std::string chatTemplateFile;  ///< file with a template
    std::string draftModel;
    std::string reasoning = "auto";
    bool embeddings = false;
    std::string pooling;  ///< empty: mean
    bool verbose = false;
    std::vector<std::string> settings;
};
[[nodiscard]] int serve(int argc, char** argv, const ServeArguments& arguments);

/// Returns whether the program was built with the window (window_command.cpp).
[[nodiscard]] bool hasWindow();

}  // namespace lacuna::cli
