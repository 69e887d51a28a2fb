#pragma once
/// \file
/// The files below the folder of the disk tier: what their paths say of them, every one of them in
/// turn, and opening a page without following links. Private to the store and to what looks at the
/// folder without one. docs/disk-tier.md, "The folder".

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

/// Whether a folder of pages may have this name.
[[nodiscard]] bool isModelName(std::string_view name);

/// What a path below the folder says of a file.
struct PathParts {
    StoredFile sort = StoredFile::Foreign;
    std::string model;
    bool page = false;  ///< of this version
};
[[nodiscard]] PathParts partsOf(const std::string& path);

/// Of a page below the folder.
[[nodiscard]] std::string pathOfPage(const PageSpace& space, const PageKey& key);

/// Whether what a page says of itself is true: its key, and that this path is of that key. Faults:
/// Key.
[[nodiscard]] PageResult<void> checkPlace(const ParsedPage& page, const PageSecret& secret,
                                          const std::string& path);

/// A page that is open for reading.
class OpenPage {
  public:
    /// Faults: Missing, Unreadable (also a link, or anything that is no regular file).
    [[nodiscard]] static PageResult<OpenPage> open(const std::filesystem::path& path);
    OpenPage(OpenPage&& other) noexcept;
    OpenPage& operator=(OpenPage&&) = delete;
    OpenPage(const OpenPage&) = delete;
    OpenPage& operator=(const OpenPage&) = delete;
    ~OpenPage();
    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// The first `bytes`, or all where the file is shorter. Faults: Unreadable, Length.
    [[nodiscard]] PageResult<std::vector<std::byte>> read(std::uint64_t bytes) const;
    /// All but its rows. Faults: those of reading and of parsePageHead.
    [[nodiscard]] PageResult<ParsedPage> readHead() const;

  private:
    OpenPage() = default;
    int fd_ = -1;
    std::uint64_t size_ = 0;
};

/// All files below the folder but those of the store itself and those that are being written, as
/// paths below it, and before what is in it each folder. Errors: Read (a folder that cannot be
/// looked into, by its name; all the others were visited).
[[nodiscard]] Status eachFileBelow(
    const std::filesystem::path& folder, const std::stop_token& stop,
    const std::function<void(const std::string& path, std::int64_t bytes)>& file,
    const std::function<void(const std::filesystem::path& path)>& folderBelow = {});

}  // namespace lacuna
