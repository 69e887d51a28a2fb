#include "engine/prefix/page_store.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/base/temporary_file.h"
#include "engine/prefix/folder_files.h"
#include "engine/prefix/store_files.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kFirstPauseNs = 1'000'000'000;
constexpr int kMaxDoublings = 6;
constexpr std::uint64_t kHeaderRoom = std::uint64_t{1} << 20;
constexpr int kVictims = 64;

FileEntry entryOf(const PageHeader& header, const PageSecret& secret, const std::string& path,
                  std::int64_t bytes) {
    return {.path = path,
            .bytes = bytes,
            .used = 0,
            .sort = header.kind == PageKind::Whole ? StoredFile::Whole : StoredFile::Page,
            .model = header.space.model,
            .space = spaceKey(secret, header.space).hex(),
            .first = header.run.first,
            .tokens = header.run.count};
}

}  // namespace

std::uint64_t PageStore::hashOfSettings(std::string_view settings) const {
    return spaceKey(secret_, {.model = std::string(settings), .settings = 0}).low;
}

std::string PageStore::pathOf(const PageSpace& space, const PageKey& key) {
    return pathOfPage(space, key);
}

std::string PageStore::modelName(std::string_view fingerprint) {
    std::string name(fingerprint.substr(0, 128));
    for (char& c : name)
        if (!isModelName(std::string_view(&c, 1))) c = '_';
    return name.empty() ? "_" : name;
}

PageStore::PageStore(PageStoreOptions options)
    : options_(std::move(options)),
      clock_(options_.clock != nullptr ? *options_.clock : steady_),
      queue_({.pieces = options_.queueItems, .bytes = options_.queueBytes},
             [this](const std::stop_token& stop) {
                 if (usable()) cleanUp(stop);
             }) {}

std::unique_ptr<PageStore> PageStore::open(PageStoreOptions options) {
    std::unique_ptr<PageStore> store(new PageStore(std::move(options)));
    store->limit_ = std::max<std::int64_t>(store->options_.limitBytes, 0);
    if (store->limit_ > 0) store->openFolder();
    if (store->options_.cleanUpAtStart) store->queue_.requestMaintenance();
    store->startQueue();
    return store;
}

void PageStore::startQueue() {
    const Status started = queue_.start();
    if (started) return;
    MutexLock lock(mutex_);
    startPause(started.error().what);
}

PageStore::~PageStore() {
    close();
}

std::int64_t PageStore::close() {
    const std::int64_t left = queue_.close(options_.closeTime);
    MutexLock lock(mutex_);
    stats_.droppedAtEnd += left;
    return left;
}

// --- The folder -----------------------------------------------------------------------------

void PageStore::openFolder() {
    std::error_code problem;
    if (!options_.readOnlyFolder) fs::create_directories(options_.folder, problem);
    const bool there = fs::is_directory(options_.folder, problem);
    if (there && !options_.readOnlyFolder)
        fs::permissions(options_.folder, fs::perms::owner_all, problem);
    const FolderHold hold(options_.folder, ifMissing());
    MutexLock lock(mutex_);
    if (usable_) return;
    if (!there)
        return startPause(
            format("{} is not a folder and cannot be created", options_.folder.string()));
    const auto secret = folderSecret(options_.folder, ifMissing());
    if (!secret) return startPause(secret.error().what);
    secret_ = *secret;
    usable_ = true;
    static_cast<void>(withIndex([](PageIndex&) -> Status { return {}; }));
}

IfMissing PageStore::ifMissing() const {
    return options_.readOnlyFolder ? IfMissing::Leave : IfMissing::Make;
}

Status PageStore::withIndex(const std::function<Status(PageIndex&)>& work) {
    std::error_code ignored;
    if (!index_ && options_.readOnlyFolder &&
        !fs::exists(options_.folder / PageIndex::kFileName, ignored))
        return {};
    for (int attempt = 0;; ++attempt) {
        Status status;
        if (!index_) {
            auto opened = PageIndex::open(options_.folder);
            if (opened)
                index_ = std::move(*opened);
            else
                status = tl::unexpected<Error>(std::move(opened).error());
        }
        if (index_) status = work(*index_);
        if (status) return {};
        if (status.error().code != ErrorCode::Corrupt || attempt > 0) return status;
        index_.reset();
        PageIndex::remove(options_.folder);
        queue_.requestMaintenance();
    }
}

std::int64_t PageStore::indexRoom() const {
    return std::max(ownBytes(options_.folder), kPageIndexBytes);
}

void PageStore::startPause(const std::string& reason) {
    stats_.problem = reason;
    pausedUntilNs_ = clock_.nowNs() + (kFirstPauseNs << std::min(failuresInARow_, kMaxDoublings));
    ++failuresInARow_;
}

bool PageStore::paused() const {
    return failuresInARow_ > 0 && clock_.nowNs() < pausedUntilNs_;
}

// --- Reading --------------------------------------------------------------------------------

tl::unexpected<PageRefusal> PageStore::miss(PageRefusal refusal, const PageSpace& space,
                                            const PageKey& key) {
    MutexLock lock(mutex_);
    ++stats_.misses[static_cast<std::size_t>(refusal.fault)];
    if (isDamage(refusal.fault)) {
        const std::string path = pathOf(space, key);
        std::error_code ignored;
        const auto bytes = fs::file_size(options_.folder / path, ignored);
        static_cast<void>(
            quarantine(path, ignored ? 0 : static_cast<std::int64_t>(bytes), space.model));
    }
    return tl::unexpected<PageRefusal>(std::move(refusal));
}

bool PageStore::quarantine(const std::string& path, std::int64_t bytes, const std::string& model) {
    const std::string aside =
        format("{}/{}", kQuarantineFolder, fs::path(path).filename().string());
    std::error_code problem;
    fs::create_directories(options_.folder / kQuarantineFolder, problem);
    fs::permissions(options_.folder / kQuarantineFolder, fs::perms::owner_all, problem);
    if (::rename((options_.folder / path).c_str(), (options_.folder / aside).c_str()) != 0) {
        // Either another process moved it, or nothing can be written here, not even the quarantine
        // folder; in the latter case the page stays and remains a miss.
        struct stat info {};
        if (::lstat((options_.folder / path).c_str(), &info) == 0 || errno != ENOENT) return false;
        static_cast<void>(withIndex([&](PageIndex& index) { return index.erase(path); }));
        return true;
    }
    ++stats_.quarantined;
    static_cast<void>(withIndex([&](PageIndex& index) -> Status {
        LACUNA_TRY_STATUS(index.erase(path));
        return index.put({.path = aside,
                          .bytes = bytes,
                          .used = 0,
                          .sort = StoredFile::Quarantined,
                          .model = model,
                          .space = {},
                          .first = 0,
                          .tokens = 0});
    }));
    return true;
}

PageResult<PageStore::PageSummary> PageStore::look(const PageKey& key, const PageQuery& request) {
    if (!usable()) return tl::unexpected<PageRefusal>(PageRefusal{PageFault::Missing, "off"});
    const auto open = OpenPage::open(options_.folder / pathOf(request.space, key));
    if (!open) return miss(open.error(), request.space, key);
    auto page = open->readHead();
    if (!page) return miss(page.error(), request.space, key);
    if (auto fits = checkPage(*page, request, key); !fits)
        return miss(fits.error(), request.space, key);
    return PageSummary{std::move(page->header), static_cast<std::int64_t>(open->size())};
}

PageResult<PageStore::Page> PageStore::read(const PageKey& key, const PageQuery& request) {
    if (!usable()) return tl::unexpected<PageRefusal>(PageRefusal{PageFault::Missing, "off"});
    const auto open = OpenPage::open(options_.folder / pathOf(request.space, key));
    if (!open) return miss(open.error(), request.space, key);
    // Compressed rows are hardly larger than the rows themselves, so a much longer file is not
    // read.
    if (open->size() > 2 * maxStateBytes(request.layout, request.tokens.size()) + kHeaderRoom)
        return miss({PageFault::Length, format("it has {} bytes", open->size())}, request.space,
                    key);
    auto bytes = open->read(open->size());
    if (!bytes) return miss(bytes.error(), request.space, key);
    Page page;
    page.bytes = std::move(*bytes);
    auto parsed = parsePage(page.bytes);
    if (!parsed) return miss(parsed.error(), request.space, key);
    if (auto fits = checkPage(*parsed, request, key); !fits)
        return miss(fits.error(), request.space, key);
    page.parsed = std::move(*parsed);
    MutexLock lock(mutex_);
    ++stats_.pagesRead;
    stats_.bytesRead += static_cast<std::int64_t>(page.bytes.size());
    return page;
}

void PageStore::reportMiss(const PageKey& key, const PageSpace& space, const PageRefusal& refusal) {
    static_cast<void>(miss(refusal, space, key));
}

void PageStore::touch(const PageSpace& space, const std::vector<PageKey>& keys) {
    if (!usable() || keys.empty()) return;
    std::vector<std::string> paths;
    for (const PageKey& key : keys) paths.push_back(pathOf(space, key));
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) { return index.touch(paths); }));
}

std::vector<std::int64_t> PageStore::storedLengths(const PageSpace& space, std::int64_t most) {
    std::vector<std::int64_t> lengths;
    if (!usable()) return lengths;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) -> Status {
        LACUNA_TRY(lengths, index.storedLengths(spaceKey(secret_, space).hex(), most));
        return {};
    }));
    return lengths;
}

std::vector<std::int64_t> PageStore::runLengths(const PageSpace& space, std::int64_t first,
                                                std::int64_t most) {
    std::vector<std::int64_t> lengths;
    if (!usable()) return lengths;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) -> Status {
        LACUNA_TRY(lengths, index.runLengths(spaceKey(secret_, space).hex(), first, most));
        return {};
    }));
    return lengths;
}

// --- Writing --------------------------------------------------------------------------------

std::optional<PageStore::CodecName> PageStore::codecOf(const PageHeader& header) const {
    const auto open = OpenPage::open(options_.folder / pathOf(header.space, header.key));
    if (!open) return std::nullopt;
    const auto page = open->readHead();
    if (!page || !(page->header.key == header.key) || page->header.layout != header.layout)
        return std::nullopt;
    return CodecName{page->header.codec, page->header.codecIdentity};
}

bool PageStore::makeRoom(std::int64_t bytes) {
    const std::int64_t limit = limit_;
    if (limit == 0) return false;  // The tier is off; existing files are kept.
    std::int64_t evicted = 0;
    const auto evict = [&](PageIndex& index) -> Status {
        for (;;) {
            LACUNA_TRY(const std::int64_t listed, index.totalBytes());
            std::int64_t total = listed + indexRoom();
            if (total + bytes <= limit) return {};
            LACUNA_TRY(const auto victims, index.victims(kVictims));
            if (victims.empty())
                return fail(ErrorCode::ContextFull, "the limit leaves no room for a page");
            for (const FileEntry& victim : victims) {
                if (total + bytes <= limit) break;
                if (::unlink((options_.folder / victim.path).c_str()) != 0 && errno != ENOENT)
                    return fail(ErrorCode::Write,
                                format("cannot remove {}: {}", victim.path, std::strerror(errno)));
                LACUNA_TRY_STATUS(index.erase(victim.path));
                total -= victim.bytes;
                ++evicted;
            }
        }
    };
    if (bytes > limit) {
        ++stats_.rejected;
        return false;
    }
    const Status status = withIndex(evict);
    stats_.evicted += evicted;
    if (status) return true;
    if (status.error().code == ErrorCode::ContextFull) {
        ++stats_.rejected;
        return false;
    }
    ++stats_.writeFailures;
    startPause(status.error().what);
    return false;
}

Status PageStore::writeFile(const std::string& path, std::span<const std::byte> bytes) const {
    const fs::path target = options_.folder / path;
    std::error_code problem;
    fs::create_directories(target.parent_path(), problem);
    if (problem)
        return fail(ErrorCode::Write, format("cannot create {}: {}", target.parent_path().string(),
                                             problem.message()));
    for (fs::path at = target.parent_path(); at != options_.folder; at = at.parent_path())
        fs::permissions(at, fs::perms::owner_all, problem);
    LACUNA_TRY(AtomicFile file, AtomicFile::create(target, FileAccess::OwnerOnly));
    LACUNA_TRY_STATUS(file.write(bytes));
    return file.commit();
}

PageStore::Written PageStore::write(const PageHeader& header, std::span<const TokenId> tokens,
                                    std::span<const std::byte> rows) {
    if (limit_ == 0 || !isModelName(header.space.model)) return Written::No;
    if (!usable()) {
        {
            MutexLock lock(mutex_);
            if (paused()) {
                ++stats_.skippedInPause;
                return Written::No;
            }
        }
        openFolder();
        if (!usable()) return Written::No;
    }
    const std::vector<std::byte> bytes = writePage(header, tokens, rows);
    const auto size = static_cast<std::int64_t>(bytes.size());
    const std::string path = pathOf(header.space, header.key);
    const FolderHold hold(options_.folder);
    if (codecOf(header) == CodecName{header.codec, header.codecIdentity})
        return Written::AlreadyThere;
    {
        MutexLock lock(mutex_);
        if (paused()) {
            ++stats_.skippedInPause;
            return Written::No;
        }
        if (!makeRoom(size)) return Written::No;
        struct statvfs space {};
        if (::statvfs(options_.folder.c_str(), &space) == 0 && options_.minFree > 0 &&
            static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize) -
                    static_cast<double>(size) <
                options_.minFree * static_cast<double>(space.f_blocks) *
                    static_cast<double>(space.f_frsize)) {
            ++stats_.skippedInPause;
            startPause(format("less than {:.0f} % of the disk is free", 100 * options_.minFree));
            return Written::No;
        }
    }
    // The file is written without the mutex, so that readers do not wait for the disk.
    Status status = writeFile(path, bytes);
    MutexLock lock(mutex_);
    if (status)
        status = withIndex([&](PageIndex& index) -> Status {
            LACUNA_TRY_STATUS(index.put(entryOf(header, secret_, path, size)));
            LACUNA_TRY([[maybe_unused]] const auto today, index.count(writtenTodayCounter(), size));
            return {};
        });
    if (!status) {
        // A file that is not indexed is not counted, so it must be removed.
        ::unlink((options_.folder / path).c_str());
        ++stats_.writeFailures;
        startPause(status.error().what);
        return Written::No;
    }
    failuresInARow_ = 0;
    stats_.problem.clear();
    ++stats_.pagesWritten;
    stats_.bytesWritten += size;
    return Written::Yes;
}

void PageStore::remove(const PageSpace& space, const PageKey& key) {
    if (!usable()) return;
    const std::string path = pathOf(space, key);
    const FolderHold hold(options_.folder);
    if (::unlink((options_.folder / path).c_str()) != 0) return;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) { return index.erase(path); }));
}

void PageStore::noteUnsupported() {
    MutexLock lock(mutex_);
    ++stats_.unsupported;
}

void PageStore::noteCoding(Coding direction, double seconds, bool failed) {
    MutexLock lock(mutex_);
    PageCoding& coding = direction == Coding::Encode ? stats_.encoded : stats_.decoded;
    ++(failed ? coding.failed : coding.done);
    coding.seconds += seconds;
}

bool PageStore::enqueue(std::int64_t bytes, std::function<void(std::stop_token)> work) {
    if (limit_ > 0) return queue_.add(bytes, std::move(work));
    queue_.countDropped();
    return false;
}

void PageStore::drain() {
    queue_.drain();
}

// --- The whole folder -----------------------------------------------------------------------

void PageStore::adopt(const std::string& path, std::int64_t bytes) {
    const PathParts parts = partsOf(path);
    FileEntry entry{.path = path,
                    .bytes = bytes,
                    .used = 0,
                    .sort = parts.sort,
                    .model = parts.model,
                    .space = {},
                    .first = 0,
                    .tokens = 0};
    if (parts.page) {
        const auto open = OpenPage::open(options_.folder / path);
        if (!open && open.error().fault == PageFault::Missing) return;
        auto page = open ? open->readHead() : tl::unexpected<PageRefusal>(open.error());
        if (page)
            if (auto key = checkLocation(*page, secret_, path); !key)
                page = tl::unexpected<PageRefusal>(key.error());
        MutexLock lock(mutex_);
        if (!page) {
            static_cast<void>(quarantine(path, bytes, parts.model));
            return;
        }
        entry = entryOf(page->header, secret_, path, bytes);
        static_cast<void>(withIndex([&](PageIndex& index) { return index.put(entry); }));
        return;
    }
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) { return index.put(entry); }));
}

void PageStore::cleanUp(const std::stop_token& stop) {
    sweepTemporaries(options_.folder);
    const auto listOrAdopt = [&](const std::string& path, std::int64_t bytes) {
        bool known = false;
        {
            MutexLock lock(mutex_);
            static_cast<void>(withIndex([&](PageIndex& index) -> Status {
                LACUNA_TRY(const auto entry, index.entry(path));
                known = entry && entry->bytes == bytes;
                return {};
            }));
        }
        if (!known) adopt(path, bytes);
    };
    static_cast<void>(forEachFile(options_.folder, stop, listOrAdopt, sweepTemporaries));
    std::vector<std::string> listed;
    {
        MutexLock lock(mutex_);
        static_cast<void>(withIndex([&](PageIndex& index) {
            return index.each([&](const FileEntry& entry) -> Status {
                listed.push_back(entry.path);
                return {};
            });
        }));
    }
    for (const std::string& path : listed) {
        if (stop.stop_requested()) return;
        struct stat info {};
        if (::lstat((options_.folder / path).c_str(), &info) == 0 || errno != ENOENT) continue;
        MutexLock lock(mutex_);
        static_cast<void>(withIndex([&](PageIndex& index) { return index.erase(path); }));
    }
    const FolderHold hold(options_.folder);
    MutexLock lock(mutex_);
    static_cast<void>(makeRoom(0));
}

void PageStore::setLimit(std::int64_t bytes) {
    limit_ = std::max<std::int64_t>(bytes, 0);
    if (limit_ == 0) return;
    if (!usable_) {
        openFolder();
        if (usable_) queue_.requestMaintenance();
        return;
    }
    const FolderHold hold(options_.folder);
    MutexLock lock(mutex_);
    static_cast<void>(makeRoom(0));
}

Result<FolderCleared> PageStore::clear(const std::optional<std::string>& model) {
    std::error_code there;
    if (!fs::is_directory(options_.folder, there)) return FolderCleared{};
    const FolderHold hold(options_.folder, ifMissing());
    Removal removal = removeFiles(
        options_.folder, model,
        options_.readOnlyFolder ? std::function<void(const fs::path&)>() : sweepTemporaries);
    if (!removal.removed.empty()) {
        MutexLock lock(mutex_);
        const Status listed = withIndex([&](PageIndex& index) -> Status {
            for (const std::string& path : removal.removed) LACUNA_TRY_STATUS(index.erase(path));
            static_cast<void>(index.shrink());  // fails while another program reads the index,
                                                // which is harmless
            return {};
        });
        // The files are gone even if the index could not be updated, so let the chore reconcile it.
        if (!listed) queue_.requestMaintenance();
    }
    LACUNA_TRY_STATUS(std::move(removal.status));
    removal.cleared.bytes += ownBytes(options_.folder);
    return removal.cleared;
}

Result<PageCheck> PageStore::verify(std::stop_token stop,
                                    const std::function<void(std::int64_t)>& progress) {
    if (!usable()) return PageCheck{};
    const auto aside = [this](const std::string& path, std::int64_t bytes,
                              const std::string& model) {
        MutexLock lock(mutex_);
        return quarantine(path, bytes, model);
    };
    return checkPages(options_.folder, secret_, stop, aside, progress);
}

PageStoreStats PageStore::stats() {
    PageStoreStats now;
    {
        MutexLock lock(mutex_);
        now = stats_;
        if (usable())
            static_cast<void>(withIndex([&](PageIndex& index) -> Status {
                LACUNA_TRY(const std::int64_t listed, index.totalBytes());
                now.bytes = listed + ownBytes(options_.folder);
                LACUNA_TRY(now.bytesWrittenToday, index.count(writtenTodayCounter(), 0));
                return {};
            }));
    }
    now.limit = limit_;
    const WorkQueue::Counts queue = queue_.counts();
    now.dropped = queue.dropped;
    now.queued = queue.waiting;
    now.queuedBytes = queue.bytes;
    return now;
}

std::vector<ModelUsage> PageStore::usage() {
    std::vector<ModelUsage> models;
    if (!usable()) return models;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) -> Status {
        LACUNA_TRY(models, index.usage());
        return {};
    }));
    return models;
}

void PageStore::noteRate(const std::string& name, double value) {
    if (!usable()) return;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) { return index.noteRate(name, value); }));
}

std::optional<MeasuredRate> PageStore::rate(const std::string& name) {
    std::optional<MeasuredRate> found;
    if (!usable()) return found;
    MutexLock lock(mutex_);
    static_cast<void>(withIndex([&](PageIndex& index) -> Status {
        LACUNA_TRY(found, index.rate(name));
        return {};
    }));
    return found;
}

}  // namespace lacuna
