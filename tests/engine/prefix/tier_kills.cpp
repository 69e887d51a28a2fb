// Writers of the disk tier under kill -9 at random moments. Every acknowledged write must exist,
// every visible page must be complete, and the next writer must continue. Half of them put single
// pages into the store, the others complete texts through the session's interface.
// `lacuna_tier_kills KILLS [FOLDER]` prints one line; exit status 1 if anything is lost. The test
// run uses a short form, the full one (10,000) is manual: tests/long-runs.md.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "engine/base/random.h"
#include "engine/prefix/prefix_pages.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using namespace test;

constexpr int kPagesOfARound = 32;
constexpr std::int64_t kLimit = 48 << 20;

struct OnePage {
    std::vector<TokenId> tokens;
    std::vector<std::byte> rows;
    PageHeader header;
};

/// Returns the page of a number, whose content is a function of that number.
OnePage pageOf(const PageStore& store, std::uint64_t number) {
    OnePage page;
    page.tokens = text(kPageTokens, number);
    for (std::size_t i = 0; i < 2000; ++i)
        page.rows.push_back(static_cast<std::byte>(randomBits(number, 7, i)));
    page.header = {.kind = PageKind::Run,
                   .key = pageKey(store.secret(), spaceKey(store.secret(), tierSpace()), {},
                                  PageKind::Run, page.tokens),
                   .parent = {},
                   .space = tierSpace(),
                   .codec = "rows",
                   .codecIdentity = 0,
                   .run = {0, kPageTokens},
                   .layout = cacheLayoutOf({.shape = tierShape(), .window = {}, .layers = {}}),
                   .stateBytes = 0};
    return page;
}

PageStoreOptions options(const std::filesystem::path& folder, bool cleanUp) {
    PageStoreOptions made = tierOptions(folder);
    made.limitBytes = kLimit;
    made.cleanUpAtStart = cleanUp;
    return made;
}

/// Writes pages until killed. Acknowledges each through `pipe`.
[[noreturn]] void writeUntilKilled(const std::filesystem::path& folder, std::uint64_t first,
                                   int pipe) {
    const auto store = PageStore::open(options(folder, first % 8 == 0));
    for (std::uint64_t number = first;; ++number) {
        const OnePage page = pageOf(*store, number);
        if (store->write(page.header, page.tokens, page.rows) == PageStore::Written::No) ::_exit(2);
        if (::write(pipe, &number, sizeof(number)) != sizeof(number)) ::_exit(3);
    }
}

/// Exits with 0 or the number of acknowledged pages that are missing or wrong (at most 100).
[[noreturn]] void checkAll(const std::filesystem::path& folder,
                           const std::vector<std::uint64_t>& written, bool whole) {
    int lost = 0;
    {
        const auto store = PageStore::open(options(folder, whole));
        store->drain();
        for (const std::uint64_t number : written) {
            const OnePage page = pageOf(*store, number);
            const auto read = store->read(page.header.key, {.kind = PageKind::Run,
                                                            .parent = {},
                                                            .space = tierSpace(),
                                                            .first = 0,
                                                            .tokens = page.tokens,
                                                            .layout = page.header.layout});
            if (!read || !std::ranges::equal(read->parsed.rows, page.rows)) ++lost;
        }
        if (whole) {
            const auto check = store->verify({});
            if (!check || check->damaged > 0) ++lost;
        }
        if (store->stats().quarantined > 0) ++lost;
    }
    ::_exit(std::min(lost, 100));
}

const PrefixSpaces& spaces() {
    static const PrefixSpaces all{
        .full = "model and settings", .compacted = {}, .model = tierSpace().model};
    return all;
}

/// Returns the text of a number: a full page and a shorter one.
std::vector<TokenId> textOf(std::uint64_t number) {
    return text(kPageTokens + 16 + static_cast<std::int64_t>(number % 40), number);
}

/// The same for texts, as sessions write them.
[[noreturn]] void writeTextsUntilKilled(const std::filesystem::path& folder, std::uint64_t first,
                                        int pipe) {
    PrefixPages pages(options(folder, first % 8 == 0));
    for (std::uint64_t number = first;; ++number) {
        const auto tokens = textOf(number);
        const auto cache = cacheOver(tokens);
        pages.stored(spaces(), tokens, *cache);
        while (pages.busy()) ::usleep(200);
        if (pages.stats().dropped > 0 || !pages.stats().problem.empty()) ::_exit(2);
        if (::write(pipe, &number, sizeof(number)) != sizeof(number)) ::_exit(3);
    }
}

[[noreturn]] void checkTexts(const std::filesystem::path& folder,
                             const std::vector<std::uint64_t>& written, bool whole) {
    int lost = 0;
    {
        PrefixPages pages(options(folder, whole));
        const KvChoice choice{.shape = tierShape(), .window = {}, .layers = {}};
        for (const std::uint64_t number : written) {
            const auto tokens = textOf(number);
            const auto most = static_cast<std::int64_t>(tokens.size()) - 1;
            const auto answer = pages.find(
                {.spaces = spaces(), .tokens = tokens, .secondsPerToken = 1, .choice = &choice}, 0,
                most);
            if (answer.tokens != most || !sameRows(*answer.cache, *cacheOver(tokens), most)) ++lost;
        }
        if (pages.stats().quarantined > 0) ++lost;
    }
    ::_exit(std::min(lost, 100));
}

/// A kind of writer and its check.
struct Sort {
    void (*write)(const std::filesystem::path& folder, std::uint64_t first, int pipe);
    void (*check)(const std::filesystem::path& folder, const std::vector<std::uint64_t>& written,
                  bool whole);
    std::size_t most;  ///< entries between two checks, far below the limit in bytes
};
constexpr Sort kPages{writeUntilKilled, checkAll, 200};
constexpr Sort kTexts{writeTextsUntilKilled, checkTexts, 60};

/// Runs `work`, which ends its process, in a child. Returns its exit status, or -1.
template <class Work>
int inProcess(const Work& work) {
    const pid_t child = ::fork();
    if (child == 0) work();
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

struct Tally {
    std::int64_t acknowledged = 0;
    std::int64_t lost = 0;
    std::int64_t writersThatGaveUp = 0;
};

void killOnce(const Sort& sort, const std::filesystem::path& folder, std::uint64_t round,
              RandomStream& random, std::vector<std::uint64_t>& recent, Tally& tally) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) std::abort();
    const pid_t writer = ::fork();
    if (writer == 0) {
        ::close(ends[0]);
        sort.write(folder, round * kPagesOfARound, ends[1]);
        ::_exit(4);
    }
    ::close(ends[1]);
    std::uint64_t number = 0;
    // One in three is killed while it opens the folder, the others within their first pages.
    if (random.below(3) > 0)
        for (std::uint64_t pages = 1 + random.below(4); pages > 0; --pages) {
            if (::read(ends[0], &number, sizeof(number)) != sizeof(number)) break;
            recent.push_back(number);
            ++tally.acknowledged;
        }
    ::usleep(static_cast<useconds_t>(random.below(4'000)));
    ::kill(writer, SIGKILL);
    int status = 0;
    ::waitpid(writer, &status, 0);
    if (WIFEXITED(status)) ++tally.writersThatGaveUp;
    while (::read(ends[0], &number, sizeof(number)) == sizeof(number)) {
        recent.push_back(number);
        ++tally.acknowledged;
    }
    ::close(ends[0]);
}

void killOften(const Sort& sort, std::int64_t kills, const std::filesystem::path& folder,
               Tally& tally) {
    std::filesystem::create_directories(folder);
    RandomStream random(1, 2);
    std::vector<std::uint64_t> recent;
    for (std::int64_t round = 0; round < kills; ++round) {
        killOnce(sort, folder, static_cast<std::uint64_t>(round), random, recent, tally);
        if (recent.size() < sort.most && round + 1 < kills) continue;
        const int lost = inProcess([&] { sort.check(folder, recent, round + 1 == kills); });
        tally.lost += lost < 0 ? 1 : lost;
        recent.clear();
    }
}

int run(std::int64_t kills, const std::filesystem::path& folder) {
    Tally pages;
    killOften(kPages, kills - kills / 2, folder / "pages", pages);
    // Exact fidelity, because every bit is compared.
    if (!storePageFidelity(folder / "texts", PageFidelity::Exact)) return 1;
    Tally texts;
    killOften(kTexts, kills / 2, folder / "texts", texts);
    const std::int64_t lost = pages.lost + texts.lost;
    const std::int64_t gaveUp = pages.writersThatGaveUp + texts.writersThatGaveUp;
    std::printf(
        "{\"kills\": %lld, \"pages\": %lld, \"texts\": %lld, \"lost\": %lld, "
        "\"gave_up\": %lld}\n",
        static_cast<long long>(kills), static_cast<long long>(pages.acknowledged),
        static_cast<long long>(texts.acknowledged), static_cast<long long>(lost),
        static_cast<long long>(gaveUp));
    return lost == 0 && gaveUp == 0 && pages.acknowledged + texts.acknowledged > kills / 2 ? 0 : 1;
}

}  // namespace
}  // namespace lacuna

int main(int argc, char** argv) {
    const long long kills = argc > 1 ? std::atoll(argv[1]) : 30;
    std::optional<lacuna::test::TemporaryFolder> own;
    if (argc <= 2) own.emplace();
    return lacuna::run(kills, argc > 2 ? std::filesystem::path(argv[2]) : own->path());
}
