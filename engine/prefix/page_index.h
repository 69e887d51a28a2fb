#pragma once
/// \file
/// What lies in the folder of the disk tier, as one SQLite file: every file with its bytes and when
/// it was used last (a number that only grows, no clock), the rates that were measured on this
/// machine, and counters that outlive a run. It is a help, never the truth: pages are found by
/// their names, and an index that is missing or damaged is made again from the files. Several
/// processes may have it open. One thread at a time.

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

/// Sorts of files. Those put aside and the pages of other versions go before all others; what is no
/// file of ours is counted and never removed.
enum class StoredFile : int { Page = 0, Whole = 1, Quarantined = 2, OtherVersion = 3, Foreign = 4 };

struct FileEntry {
    std::string path;  ///< below the folder
    std::int64_t bytes = 0;
    std::int64_t used = 0;  ///< number of the last use
    StoredFile sort = StoredFile::Page;
    std::string model;  ///< fingerprint; empty where it is not known
    std::string space;  ///< key of the space, hexadecimal; empty likewise
    std::int64_t first = 0;
    std::int64_t tokens = 0;
};

/// Bytes of one model, or of what belongs to none.
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

/// Of the bytes that were written since midnight UTC, by all processes.
[[nodiscard]] std::string writtenTodayCounter();

class PageIndex {
  public:
    static constexpr const char* kFileName = "index.sqlite";
    /// Opens or makes the index of a folder. Errors: Corrupt (no index, or one of another version),
    /// Denied, Write.
    [[nodiscard]] static Result<PageIndex> open(const std::filesystem::path& folder);
    /// A counter of the index in a folder, as it is: nothing is made or changed. None where there
    /// is no index that can be read.
    [[nodiscard]] static std::optional<std::int64_t> counterOf(const std::filesystem::path& folder,
                                                               const std::string& name);
    /// Removes the files of an index that is of no use.
    static void remove(const std::filesystem::path& folder);

    [[nodiscard]] Status put(const FileEntry& entry);
    [[nodiscard]] Status erase(const std::string& path);
    [[nodiscard]] Result<std::optional<FileEntry>> entry(const std::string& path);
    /// All of them, without an order. Errors: also those of `visit`.
    [[nodiscard]] Status each(const std::function<Status(const FileEntry&)>& visit);
    /// Notes that these were used, together.
    [[nodiscard]] Status touch(const std::vector<std::string>& paths);
    /// Of everything that is listed.
    [[nodiscard]] Result<std::int64_t> totalBytes();
    /// Those that go next: what was put aside and other versions, then the ones that were not used
    /// for longest, of these the deepest of their chain first.
    [[nodiscard]] Result<std::vector<FileEntry>> victims(int most);
    /// Lengths of the whole caches of a space, longest first, at most `most` tokens.
    [[nodiscard]] Result<std::vector<std::int64_t>> wholeLengths(const std::string& space,
                                                                 std::int64_t most);
    /// Lengths of the runs of a space that begin at `first`, longest first, at most `most` tokens.
    [[nodiscard]] Result<std::vector<std::int64_t>> runLengths(const std::string& space,
                                                               std::int64_t first,
                                                               std::int64_t most);
    [[nodiscard]] Result<std::vector<ModelUsage>> usage();
    /// Gives the room of what was erased back. What another process reads meanwhile stays.
    [[nodiscard]] Status shrink();

    /// Smooths `value` into the rate of this name.
    [[nodiscard]] Status noteRate(const std::string& name, double value);
    [[nodiscard]] Result<std::optional<MeasuredRate>> rate(const std::string& name);
    /// Adds to a counter and says what it is now.
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
