#pragma once
/// \file
/// `lacuna download`: its options, and the command.

#include <string>

namespace lacuna::cli {

struct DownloadArguments {
    std::string what;    ///< OWNER/NAME or an address
    std::string file;    ///< of the repository
    std::string out;     ///< folder; empty: the one for models among the person's own data
    std::string sha256;  ///< 64 digits, or empty
    std::string hub;     ///< address, or empty
    bool plainHttp = false;
    bool list = false;
};
[[nodiscard]] int download(int argc, char** argv, const DownloadArguments& arguments);

}  // namespace lacuna::cli
