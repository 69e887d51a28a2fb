#pragma once
/// \file
/// Options and entry point of `lacuna download`.

#include <string>

namespace lacuna::cli {

struct DownloadArguments {
    std::string what;    ///< OWNER/NAME or a URL
    std::string file;    ///< file in the repository
    std::string out;     ///< target folder; empty: model folder in the user's data
    std::string sha256;  ///< 64 hex digits, or empty
    std::string hub;     ///< URL of the hub, or empty
    bool plainHttp = false;
    bool list = false;
};
[[nodiscard]] int download(int argc, char** argv, const DownloadArguments& arguments);

}  // namespace lacuna::cli
