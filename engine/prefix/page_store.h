#pragma once
/// \file
/// Pages of the disk tier in one folder: found by key, written in the background, bounded in bytes
/// over all models, put aside when they are damaged. The folder:
///
///     secret                                what keys are made with; 0600
///     lock                                  held by who writes or removes
///     codec                                 how closely rows are kept (page_fidelity.h)
///     index.sqlite                          PageIndex
///     <format version>/<model>/<2 hex>/<key>.kv
///     quarantine/                           pages that were damaged, first to go
///
/// Several processes may share a folder. Nothing here fails an answer: what cannot be read is a
/// miss, what cannot be written is counted, and after a failure writing rests for a while. Public
/// functions may be called from any thread; work that was queued runs on one thread of the store.
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
#include "engine/prefix/own_files.h"
#include "engine/prefix/page_file.h"
#include "engine/prefix/page_index.h"
#include "engine/prefix/work_queue.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Of the tier below a person's folder.
inline constexpr const char* kPrefixFolder = "prefixes";
inline constexpr int kPageFaults = static_cast<int>(PageFault::Content) + 1;

/// What the store did since it was opened, and what it holds.
struct PageStoreStats {
    std::int64_t bytes = 0;  ///< of everything under the folder
    std::int64_t limit = 0;  ///< 0: off
    std::int64_t pagesRead = 0;
    std::int64_t bytesRead = 0;
    std::int64_t pagesWritten = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t bytesWrittenToday = 0;  ///< by all processes, since midnight UTC
    std::int64_t writeFailures = 0;
    std::int64_t rested = 0;    ///< pages that were not written because an earlier write had failed
    std::int64_t rejected = 0;  ///< larger than the limit
    std::int64_t unsupported = 0;   ///< caches that have no form on disk
    std::int64_t dropped = 0;       ///< pieces of work that the queue had no room for
    std::int64_t droppedAtEnd = 0;  ///< pieces of work that the time to close did not suffice for
    std::int64_t evicted = 0;
    std::int64_t quarantined = 0;
    std::int64_t queued = 0;  ///< pieces of work
    std::int64_t queuedBytes = 0;
    std::array<std::int64_t, kPageFaults> misses{};  ///< by PageFault
    PageCoding encoded, decoded;
    std::string trouble;  ///< why nothing is written now; empty: nothing is wrong
};

struct PageStoreOptions {
    std::filesystem::path folder;
    /// Of everything under the folder, 1 MiB for the index included; 0: nothing is kept or read.
    std::int64_t limitBytes = 0;
    int queueItems = 64;
    std::int64_t queueBytes = std::int64_t{2} << 30;
    /// Of the file system that has to stay free.
    double leastFree = 0.05;
    std::chrono::milliseconds closeTime{10'000};
    const Clock* clock = nullptr;  ///< null: the steady clock
    /// Whether files and index are compared at the start, on the store's thread.
    bool tidyAtStart = true;
    /// For who only looks, verifies or clears: neither folder, secret, lock nor index is made, and
    /// no modes are changed. Without the folder's secret the store is not usable.
    bool asFound = false;
};

class PageStore {
  public:
    /// Always makes one: what is wrong with the folder stands in stats().trouble.
    [[nodiscard]] static std::unique_ptr<PageStore> open(PageStoreOptions options);
    /// Takes no more work and does what is queued, for `closeTime` at most.
    ~PageStore();
    PageStore(const PageStore&) = delete;
    PageStore& operator=(const PageStore&) = delete;

    /// Whether pages can be read and keys be made.
    [[nodiscard]] bool usable() const { return usable_ && limit_.load() > 0; }
    /// @pre usable()
    [[nodiscard]] const PageSecret& secret() const { return secret_; }

    /// Everything but the model that changes rows, for PageSpace: keyed, so that nobody can choose
    /// settings that meet another's. @pre usable()
    [[nodiscard]] std::uint64_t hashOfSettings(std::string_view settings) const;

    struct Glance {
        PageHeader header;
        std::int64_t bytes = 0;  ///< of the file
    };
    /// The first part of the page, checked against the wish; reads no rows. A page that is damaged
    /// is put aside. Misses are counted by their fault.
    [[nodiscard]] PageResult<Glance> look(const PageKey& key, const PageWish& wish);
    struct Page {
        std::vector<std::byte> bytes;  ///< of the file, which `parsed.rows` lies in
        ParsedPage parsed;
    };
    /// All of the page, checked.
    [[nodiscard]] PageResult<Page> read(const PageKey& key, const PageWish& wish);
    /// For what others find out: counts the miss, and puts a damaged page aside.
    void reportMiss(const PageKey& key, const PageSpace& space, const PageRefusal& refusal);
    /// Pages that were used together now; the deepest of a chain goes first.
    void touch(const PageSpace& space, const std::vector<PageKey>& keys);
    [[nodiscard]] std::vector<std::int64_t> wholeLengths(const PageSpace& space, std::int64_t most);
    /// Lengths of the runs that begin at token `first`, longest first, at most `most`.
    [[nodiscard]] std::vector<std::int64_t> runLengths(const PageSpace& space, std::int64_t first,
                                                       std::int64_t most);

    enum class Written { Yes, AlreadyThere, No };
    /// Writes a page now, on the caller's thread: it is on the disk and indexed when this says Yes.
    /// No is counted and has its reason in stats().
    [[nodiscard]] Written write(const PageHeader& header, std::span<const TokenId> tokens,
                                std::span<const std::byte> rows);
    /// A page that others stand for now goes, if it is there.
    void remove(const PageSpace& space, const PageKey& key);
    /// Counts a cache that has no form on disk.
    void noteUnsupported();
    enum class Coding { Encode, Decode };
    /// Counts what a codec did of a page.
    void noteCoding(Coding direction, double seconds, bool failed);
    struct CodecName {
        std::string name;
        std::uint64_t identity = 0;
        friend bool operator==(const CodecName&, const CodecName&) = default;
    };
    /// What wrote the page of these tokens, in a cache of this layout, that lies under this key;
    /// none where there is no such page. Counts nothing.
    [[nodiscard]] std::optional<CodecName> codecOf(const PageHeader& header) const;

    /// Work for the store's thread, in order. `bytes`: memory that it keeps until it is done.
    /// False: the queue is full, the store closes or is off; counted. The token ends with the
    /// store.
    [[nodiscard]] bool enqueue(std::int64_t bytes, std::function<void(std::stop_token)> work);
    /// Until everything queued by now is done.
    void drain();
    /// What the destructor does; nothing is written any more. How many pieces of work were left.
    std::int64_t close();

    /// At once: what is too much goes. 0: off, and what is there stays.
    void setLimit(std::int64_t bytes);
    /// Removes the pages of a model, or everything but the secret. Errors: Write, Read (a folder in
    /// it cannot be looked into; the others were cleared).
    [[nodiscard]] Result<FolderCleared> clear(const std::optional<std::string>& model);
    /// Reads every page and puts the damaged ones aside. Errors: Cancelled, Read.
    [[nodiscard]] Result<PageCheck> verify(
        std::stop_token stop, const std::function<void(std::int64_t pages)>& progress = {});
    [[nodiscard]] PageStoreStats stats();
    [[nodiscard]] std::vector<ModelUsage> usage();

    void noteRate(const std::string& name, double value);
    [[nodiscard]] std::optional<MeasuredRate> rate(const std::string& name);

    /// Of a page below the folder.
    [[nodiscard]] static std::string pathOf(const PageSpace& space, const PageKey& key);
    /// The folder's name for a model: its fingerprint, where that is one. What differs in letters
    /// that a folder cannot have meets there, and is kept apart by the settings, which name it too.
    [[nodiscard]] static std::string modelName(std::string_view fingerprint);

  private:
    explicit PageStore(PageStoreOptions options);
    void openFolder();
    [[nodiscard]] IfMissing ifMissing() const;
    /// Runs what needs the index; one that is damaged is made again, and filled by the next tidy.
    [[nodiscard]] Status withIndex(const std::function<Status(PageIndex&)>& work)
        LACUNA_REQUIRES(mutex_);
    void startTrouble(const std::string& why) LACUNA_REQUIRES(mutex_);
    [[nodiscard]] bool resting() const LACUNA_REQUIRES(mutex_);
    /// Room for so many bytes more. False: there is none, and it is counted why.
    [[nodiscard]] bool makeRoom(std::int64_t bytes) LACUNA_REQUIRES(mutex_);
    [[nodiscard]] Status writeFile(const std::string& path, std::span<const std::byte> bytes) const;
    /// Whether it does not stand in its place any more.
    bool putAside(const std::string& path, std::int64_t bytes, const std::string& model)
        LACUNA_REQUIRES(mutex_);
    [[nodiscard]] std::int64_t indexRoom() const;
    tl::unexpected<PageRefusal> miss(PageRefusal refusal, const PageSpace& space,
                                     const PageKey& key);
    void startQueue();
    /// Files without an entry, entries without a file, what dead processes left, too many bytes.
    void tidy(const std::stop_token& stop);
    /// A file without an entry.
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
    std::int64_t restUntilNs_ LACUNA_GUARDED_BY(mutex_) = 0;
    int failuresInARow_ LACUNA_GUARDED_BY(mutex_) = 0;

    WorkQueue queue_;  ///< last: its thread uses the rest
};

}  // namespace lacuna
