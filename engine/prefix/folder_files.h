#pragma once
/// \file
/// Files below the disk tier's folder: what their paths mean, iterating over them, and opening a
/// page without following links. Private to the store and to code that inspects the folder without
/// one. docs/disk-tier.md, "The folder".

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/prefix/page_file.h"
#include "engine/prefix/page_index.h"

namespace lacuna {

inline constexpr std::string_view kQuarantineFolder = "quarantine";

/// Returns true if a model's folder may have this name.
[[nodiscard]] bool isModelName(std::string_view name);

/// Properties of a file derived from its path below the folder.
struct PathParts {
    StoredFile sort = StoredFile::Foreign;
    std::string model;
    bool page = false;  ///< a page of this version
};
[[nodiscard]] PathParts partsOf(const std::string& path);

/// Path of a page, relative to the folder.
[[nodiscard]] std::string pathOfPage(const PageSpace& space, const PageKey& key);

/// Checks that a page's key is correct and that `path` belongs to it. Faults: Key.
[[nodiscard]] PageResult<void> checkLocation(const ParsedPage& page, const PageSecret& secret,
                                             const std::string& path);

/// A page opened for reading.
class OpenPage {
  public:
    /// Faults: Missing, Unreadable (including links and anything but a regular file).
    [[nodiscard]] static PageResult<OpenPage> open(const std::filesystem::path& path);
    OpenPage(OpenPage&& other) noexcept;
    OpenPage& operator=(OpenPage&&) = delete;
    OpenPage(const OpenPage&) = delete;
    OpenPage& operator=(const OpenPage&) = delete;
    ~OpenPage();
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Reads the first `bytes`, or all of a shorter file. Faults: Unreadable, Length.
    [[nodiscard]] PageResult<std::vector<std::byte>> read(std::uint64_t bytes) const;
    /// Reads everything but the rows. Faults: those of reading and of parsePageHead.
    [[nodiscard]] PageResult<ParsedPage> readHead() const;

  private:
    OpenPage() = default;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

/// Visits all files below the folder, except the store's own and unfinished ones, with paths
/// relative to it; calls `visitFolder` with each folder before its contents. Errors: Read (a
/// subfolder cannot be opened, named in the message; all others were visited).
[[nodiscard]] Status forEachFile(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<void(const std::string& path, std::int64_t bytes)>& file,
    const std::function<void(const std::filesystem::path& path)>& visitFolder = {});

}  // namespace lacuna
