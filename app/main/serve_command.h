#pragma once
/// \file
/// `lacuna serve`: its options, and the command that runs the server until it is stopped.

#include <optional>
#include <string>
#include <vector>

namespace lacuna::cli {

struct ServeArguments {
    std::string model;               ///< empty: the bundled one
    std::string host = "127.0.0.1";  ///< further ones after commas
    int port = 8080;                 ///< 0: a free one
    std::string alias;
    std::vector<std::string> keys;
    std::string keyFile;               ///< more of them, one a line
    std::vector<std::string> hosts;    ///< further names it answers to
    std::vector<std::string> origins;  ///< pages that may ask
    std::optional<int> slots;
    int bodyMiB = 8;               ///< most of a request's body
    std::string metrics = "auto";  ///< on, off, open, or auto: on at this machine's addresses alone
    std::string slotFolder;
    std::string chatTemplate;      ///< name of a built-in one
    std::string chatTemplateFile;  ///< file with the text of one
    std::string draftModel;
    std::string reasoning = "auto";
    bool embeddings = false;
    std::string pooling;  ///< empty: mean
    bool verbose = false;
    std::vector<std::string> settings;
};
[[nodiscard]] int serve(int argc, char** argv, const ServeArguments& arguments);

/// Whether this program was built with its window (window_command.cpp).
[[nodiscard]] bool hasWindow();

}  // namespace lacuna::cli
