#pragma once
/// \file
/// Index of the disk tier's folder, a SQLite file: size and last use of every file (a counter, not
/// a time), rates measured on this machine, and counters that persist between runs. The index is
/// only a cache: pages are found by name, and a missing or corrupt index is rebuilt from the files.
/// Several processes may have it open. Not thread-safe.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

struct sqlite3;

namespace lacuna {

/// Kinds of files. Quarantined files and pages of other versions are evicted first; foreign files
/// are counted but never removed.
enum class StoredFile : int { Page = 0, Whole = 1, Quarantined = 2, OtherVersion = 3, Foreign = 4 };

struct FileEntry {
    std::string path;  ///< relative to the folder
    std::int64_t bytes = 0;
    std::int64_t used = 0;  ///< counter value of the last use
    StoredFile sort = StoredFile::Page;
    std::string model;  ///< fingerprint; empty if unknown
    std::string space;  ///< key of the space in hexadecimal; empty if unknown
    std::int64_t first = 0;
    std::int64_t tokens = 0;
};

/// Disk usage of one model, or of files that belong to no model.
struct ModelUsage {
    std::string model;
    StoredFile sort = StoredFile::Page;
    std::int64_t files = 0;
    std::int64_t bytes = 0;
    std::int64_t tokens = 0;
};

/// A rate, smoothed over its measurements.
struct MeasuredRate {
    double value = 0;
    std::int64_t samples = 0;
};

/// Name of the counter of bytes written since midnight UTC by all processes.
[[nodiscard]] std::string writtenTodayCounter();

class PageIndex {
  public:
    static constexpr const char* kFileName = "index.sqlite";
    /// Opens or creates the index of a folder. Errors: Corrupt (not an index, or one of another
    /// version), Denied, Write.
    [[nodiscard]] static Result<PageIndex> open(const std::filesystem::path& folder);
    /// Reads a counter of a folder's index without creating or changing anything; nullopt if there
    /// is no readable index.
    [[nodiscard]] static std::optional<std::int64_t> counterOf(const std::filesystem::path& folder,
                                                               const std::string& name);
    /// Removes the files of an unusable index.
    static void remove(const std::filesystem::path& folder);

    [[nodiscard]] Status put(const FileEntry& entry);
    [[nodiscard]] Status erase(const std::string& path);
    [[nodiscard]] Result<std::optional<FileEntry>> entry(const std::string& path);
    /// Visits all entries in unspecified order. Errors: also those of `visit`.
    [[nodiscard]] Status each(const std::function<Status(const FileEntry&)>& visit);
    /// Marks these files as used together.
    [[nodiscard]] Status touch(const std::vector<std::string>& paths);
    /// Returns the total size of all listed files.
    [[nodiscard]] Result<std::int64_t> totalBytes();
    /// Returns the files to evict next: quarantined files and other versions, then the least
    /// recently used, of which the deepest of a chain comes first.
    [[nodiscard]] Result<std::vector<FileEntry>> victims(int most);
    /// Returns the lengths of a space's whole caches, longest first, each at most `most` tokens.
    [[nodiscard]] Result<std::vector<std::int64_t>> storedLengths(const std::string& space,
                                                                  std::int64_t most);
    /// Returns the lengths of a space's runs that begin at `first`, longest first, each at most
    /// `most` tokens.
    [[nodiscard]] Result<std::vector<std::int64_t>> runLengths(const std::string& space,
                                                               std::int64_t first,
                                                               std::int64_t most);
    [[nodiscard]] Result<std::vector<ModelUsage>> usage();
    /// Returns the free space of erased entries to the file system, except what another process is
    /// reading.
    [[nodiscard]] Status shrink();

    /// Folds `value` into the smoothed rate of this name.
    [[nodiscard]] Status noteRate(const std::string& name, double value);
    [[nodiscard]] Result<std::optional<MeasuredRate>> rate(const std::string& name);
    /// Adds to a counter and returns its new value.
    [[nodiscard]] Result<std::int64_t> count(const std::string& name, std::int64_t more);

  private:
    struct Close {
        void operator()(sqlite3* file) const;
    };
    explicit PageIndex(sqlite3* file) : file_(file) {}
    [[nodiscard]] Status run(const char* sql);
    [[nodiscard]] Status prepareTables();
    std::unique_ptr<sqlite3, Close> file_;
};

}  // namespace lacuna
