#pragma once
/// \file
/// The sources of this checkout as text, for tests of how they are written.

#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

namespace lacuna::test {

struct SourceFile {
    std::string path;  ///< relative to the checkout
    std::string text;
};

/// Reads every .h, .cpp and .inl file below these folders of the checkout.
inline std::vector<SourceFile> sourceFiles(std::initializer_list<const char*> roots) {
    namespace fs = std::filesystem;
    const fs::path checkout = LACUNA_SOURCE_DIR;
    std::vector<SourceFile> found;
    for (const char* root : roots)
        for (const auto& entry : fs::recursive_directory_iterator(checkout / root)) {
            const std::string extension = entry.path().extension().string();
            if (extension != ".h" && extension != ".cpp" && extension != ".inl") continue;
            std::ifstream file(entry.path());
            std::stringstream text;
            text << file.rdbuf();
            found.push_back({fs::relative(entry.path(), checkout).generic_string(), text.str()});
        }
    return found;
}

inline std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::stringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

}  // namespace lacuna::test
