#pragma once
/// \file
/// Pages of the disk tier in one folder: found by key, written in the background, limited in total
/// bytes over all models, quarantined when damaged. The folder:
///
///     secret                                key of the page hash; mode 0600
///     lock                                  held while files are written or removed
///     codec                                 fidelity of stored rows (page_fidelity.h)
///     index.sqlite                          PageIndex
///     <format version>/<model>/<2 hex>/<key>.kv
///     quarantine/                           damaged pages, removed first
///
/// Several processes may share a folder. A failure here never fails a turn: an unreadable page is a
/// miss, a failed write is counted, and writes pause for a while after a failure. Public functions
/// may be called from any thread; queued work runs on one thread owned by the store.
/// docs/disk-tier.md. Contract: SD-1 to SD-21, C01 to C19.

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/prefix/folder_sweep.h"
#include "engine/prefix/page_file.h"
#include "engine/prefix/page_index.h"
#include "engine/prefix/store_files.h"
#include "engine/prefix/work_queue.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Name of the disk tier's folder below the user's data folder.
inline constexpr const char* kPrefixFolder = "prefixes";
inline constexpr int kPageFaults = static_cast<int>(PageFault::Content) + 1;

/// Counters since the store was opened, and its current contents.
struct PageStoreStats {
    std::int64_t bytes = 0;  ///< total size of all files below the folder
    std::int64_t limit = 0;  ///< 0 if the tier is off
    std::int64_t pagesRead = 0;
    std::int64_t bytesRead = 0;
    std::int64_t pagesWritten = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t bytesWrittenToday = 0;  ///< total of all processes since midnight UTC
    std::int64_t writeFailures = 0;
    std::int64_t skippedInPause = 0;  ///< pages skipped during the pause after a failed write
    std::int64_t rejected = 0;        ///< pages larger than the limit
    std::int64_t unsupported = 0;     ///< caches that cannot be represented on disk
    std::int64_t dropped = 0;         ///< work items refused because the queue was full
    std::int64_t droppedAtEnd = 0;    ///< work items discarded because `closeTime` ran out
    std::int64_t evicted = 0;
    std::int64_t quarantined = 0;
    std::int64_t queued = 0;  ///< work items
    std::int64_t queuedBytes = 0;
    std::array<std::int64_t, kPageFaults> misses{};  ///< indexed by PageFault
    PageCoding encoded, decoded;
    std::string problem;  ///< why nothing can be written at the moment; empty if there is no
                          ///< problem
};

struct PageStoreOptions {
    std::filesystem::path folder;
    /// Limit for all files below the folder, including 1 MiB for the index. 0 turns the tier off.
    std::int64_t limitBytes = 0;
    int queueItems = 64;
    std::int64_t queueBytes = std::int64_t{2} << 30;
    /// Share of the file system that must stay free.
    double minFree = 0.05;
    std::chrono::milliseconds closeTime{10'000};
    const Clock* clock = nullptr;  ///< null selects the steady clock
    /// Compares the files with the index at startup, on the store's thread.
    bool cleanUpAtStart = true;
    /// Read-only mode for callers that inspect, verify or clear: creates no folder, secret, lock or
    /// index and changes no modes. The store is not usable if the folder has no secret.
    bool readOnlyFolder = false;
};

class PageStore {
  public:
    /// Always returns a store; problems with the folder are reported in stats().problem.
    [[nodiscard]] static std::unique_ptr<PageStore> open(PageStoreOptions options);
    /// Refuses new work and finishes the queued work within `closeTime`.
    ~PageStore();
    PageStore(const PageStore&) = delete;
    PageStore& operator=(const PageStore&) = delete;

    /// Returns true if pages can be read and keys can be computed.
    [[nodiscard]] bool usable() const { return usable_ && limit_.load() > 0; }
    /// @pre usable()
    [[nodiscard]] const PageSecret& secret() const { return secret_; }

    /// Keyed hash of all settings but the model that change rows, for PageSpace. It is keyed so
    /// that settings cannot be crafted to collide with others. @pre usable()
    [[nodiscard]] std::uint64_t hashOfSettings(std::string_view settings) const;

    struct PageSummary {
        PageHeader header;
        std::int64_t bytes = 0;  ///< file size
    };
    /// Reads the head of the page, without its rows, and checks it against the expected properties.
    /// Quarantines a damaged page and counts misses by fault.
    [[nodiscard]] PageResult<PageSummary> look(const PageKey& key, const PageQuery& request);
    struct Page {
        std::vector<std::byte> bytes;  ///< contents of the file; `parsed.rows` points into them
        ParsedPage parsed;
    };
    /// Reads and checks the complete page.
    [[nodiscard]] PageResult<Page> read(const PageKey& key, const PageQuery& request);
    /// Counts a miss that the caller detected and quarantines a damaged page.
    void reportMiss(const PageKey& key, const PageSpace& space, const PageRefusal& refusal);
    /// Marks pages as used together; within a chain the deepest page is evicted first.
    void touch(const PageSpace& space, const std::vector<PageKey>& keys);
    [[nodiscard]] std::vector<std::int64_t> storedLengths(const PageSpace& space,
                                                          std::int64_t most);
    /// Returns the lengths of the runs that begin at token `first`, longest first, each at most
    /// `most`.
    [[nodiscard]] std::vector<std::int64_t> runLengths(const PageSpace& space, std::int64_t first,
                                                       std::int64_t most);

    enum class Written { Yes, AlreadyThere, No };
    /// Writes a page on the caller's thread. Yes: the page is on disk and indexed. No: counted,
    /// with the reason in stats().
    [[nodiscard]] Written write(const PageHeader& header, std::span<const TokenId> tokens,
                                std::span<const std::byte> rows);
    /// Removes a page that other pages supersede, if it exists.
    void remove(const PageSpace& space, const PageKey& key);
    /// Counts a cache that cannot be represented on disk.
    void noteUnsupported();
    enum class Coding { Encode, Decode };
    /// Counts one page encoded or decoded by a codec.
    void noteCoding(Coding direction, double seconds, bool failed);
    struct CodecName {
        std::string name;
        std::uint64_t identity = 0;
        friend bool operator==(const CodecName&, const CodecName&) = default;
    };
    /// Returns the codec of the page with this key, tokens and cache layout; nullopt if there is no
    /// such page. Counts nothing.
    [[nodiscard]] std::optional<CodecName> codecOf(const PageHeader& header) const;

    /// Queues work for the store's thread, in FIFO order. `bytes` is the memory that the work holds
    /// until it is done. Returns false, and counts it, if the queue is full or the store is closing
    /// or off. The token is stopped when `closeTime` runs out.
    [[nodiscard]] bool enqueue(std::int64_t bytes, std::function<void(std::stop_token)> work);
    /// Blocks until all work queued so far is done.
    void drain();
    /// Does what the destructor does; nothing is written afterwards. Returns the number of
    /// discarded work items.
    std::int64_t close();

    /// Takes effect immediately and evicts what exceeds the limit. 0 turns the tier off and keeps
    /// the files.
    void setLimit(std::int64_t bytes);
    /// Removes the pages of one model, or everything but the secret. Errors: Write, Read (a
    /// subfolder cannot be opened; the others were cleared).
    [[nodiscard]] Result<FolderCleared> clear(const std::optional<std::string>& model);
    /// Reads every page and quarantines the damaged ones. Errors: Cancelled, Read.
    [[nodiscard]] Result<PageCheck> verify(
        std::stop_token stop, const std::function<void(std::int64_t pages)>& progress = {});
    [[nodiscard]] PageStoreStats stats();
    [[nodiscard]] std::vector<ModelUsage> usage();

    void noteRate(const std::string& name, double value);
    [[nodiscard]] std::optional<MeasuredRate> rate(const std::string& name);

    /// Path of a page, relative to the folder.
    [[nodiscard]] static std::string pathOf(const PageSpace& space, const PageKey& key);
    /// Folder name of a model: its fingerprint if that is a valid folder name. Fingerprints that
    /// differ only in characters not allowed in a folder name share a folder; the settings hash,
    /// which includes the model, keeps their pages apart.
    [[nodiscard]] static std::string modelName(std::string_view fingerprint);

  private:
    explicit PageStore(PageStoreOptions options);
    void openFolder();
    [[nodiscard]] IfMissing ifMissing() const;
    /// Runs an operation on the index. A damaged index is recreated and refilled by the next
    /// tidy().
    [[nodiscard]] Status withIndex(const std::function<Status(PageIndex&)>& work)
        LACUNA_REQUIRES(mutex_);
    void startPause(const std::string& reason) LACUNA_REQUIRES(mutex_);
    [[nodiscard]] bool paused() const LACUNA_REQUIRES(mutex_);
    /// Evicts until `bytes` more fit. Returns false if that is not possible, and counts why.
    [[nodiscard]] bool makeRoom(std::int64_t bytes) LACUNA_REQUIRES(mutex_);
    [[nodiscard]] Status writeFile(const std::string& path, std::span<const std::byte> bytes) const;
    /// Returns true if the file is no longer at its path.
    bool quarantine(const std::string& path, std::int64_t bytes, const std::string& model)
        LACUNA_REQUIRES(mutex_);
    [[nodiscard]] std::int64_t indexRoom() const;
    tl::unexpected<PageRefusal> miss(PageRefusal refusal, const PageSpace& space,
                                     const PageKey& key);
    void startQueue();
    /// Reconciles files and index, removes leftovers of dead processes and enforces the limit.
    void cleanUp(const std::stop_token& stop);
    /// Adds a file without an index entry to the index.
    void adopt(const std::string& path, std::int64_t bytes);

    const PageStoreOptions options_;
    SteadyClock steady_;
    const Clock& clock_;
    PageSecret secret_;
    std::atomic<bool> usable_{false};
    std::atomic<std::int64_t> limit_{0};

    Mutex mutex_;
    std::optional<PageIndex> index_ LACUNA_GUARDED_BY(mutex_);
    PageStoreStats stats_ LACUNA_GUARDED_BY(mutex_);
    std::int64_t pausedUntilNs_ LACUNA_GUARDED_BY(mutex_) = 0;
    int failuresInARow_ LACUNA_GUARDED_BY(mutex_) = 0;

    WorkQueue queue_;  ///< last: its thread uses the other members
};

}  // namespace lacuna
