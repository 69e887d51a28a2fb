#pragma once
/// \file
/// A folder that is removed at the end of a test. For tests only.

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace lacuna::test {

class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "lacuna-test-XXXXXX").string();
        if (const char* made = ::mkdtemp(pattern.data())) path_ = made;
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }
    /// Writes a file into the folder and returns its path.
    [[nodiscard]] std::filesystem::path write(const std::filesystem::path& name,
                                              std::string_view content) const {
        std::ofstream file(path_ / name, std::ios::binary);
        file.write(content.data(), static_cast<std::streamsize>(content.size()));
        return path_ / name;
    }
    [[nodiscard]] std::size_t fileCount() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& item : std::filesystem::directory_iterator(path_))
            ++count;
        return count;
    }

  private:
    std::filesystem::path path_;
};

}  // namespace lacuna::test
