// The fault loop and the kill loop. Without arguments: every scenario with a fault at every call
// that can fail, until the fault is no longer reached. Prints a table and each finding; exit status
// 1 if there is one.
//
//   lacuna_faults [--stride N] [--only SCENARIO] [--calls files|memory] [--nth N] [--kills N]
//                 [--seed N] [--folder DIR]
//
// --stride N tries only every N-th call; allocations are always thinned to some 150 per scenario.
// --nth N tries only the N-th call, to reproduce a finding.
// --calls files leaves out allocations and threads, --calls memory everything else.
// --kills N kills the writers N times in all instead.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "tests/faults/scenarios.h"

namespace lacuna::fault {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxSeconds = 240;  // only a hanging run takes this long
constexpr long kAllocations = 150;     // tried per scenario

struct Options {
    long stride = 1;
    std::string only;
    std::string calls;  ///< "files", "memory" or empty for both
    long nth = 0;       ///< 0 = every call
    int kills = 0;
    unsigned seed = 1;
    fs::path folder = fs::temp_directory_path();
};

struct Ended {
    int status = 0;      ///< as returned by waitpid
    std::string answer;  ///< output of the process
};

/// Exit status of the last catch, as in main.cpp: memory exhaustion where nothing may throw.
constexpr int kLastCatch = 71;

void endAtOnce() {
    try {
        if (std::current_exception()) throw;
    } catch (const std::bad_alloc&) {
        ::_exit(kLastCatch);
    } catch (...) {  // any other exception is a finding
        std::abort();
    }
    // An exception during unwinding: the first one was caused by memory exhaustion, since there is
    // no other fault.
    if (std::uncaught_exceptions() > 0) ::_exit(kLastCatch);
    std::abort();
}

/// A child process and the read end of a pipe from it.
struct Child {
    pid_t process = 0;
    int heard = 0;
};

/// Starts `work(end of the pipe)` in a child process; an alarm ends one that hangs.
template <class Work>
Child childWith(const Work& work) {
    int ends[2];
    if (::pipe(ends) != 0) std::abort();
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(ends[0]);
        ::alarm(kMaxSeconds);
        work(ends[1]);
        ::_exit(0);
    }
    ::close(ends[1]);
    return {child, ends[0]};
}

/// Runs `work` in a child process and returns its result as the answer.
template <class Work>
Ended apart(const Work& work) {
    const Child child = childWith([&work](int end) {
        std::set_terminate(endAtOnce);
        const std::string answer = work();
        for (std::size_t at = 0; at < answer.size();) {
            const ssize_t count = ::write(end, answer.data() + at, answer.size() - at);
            if (count <= 0) break;
            at += static_cast<std::size_t>(count);
        }
    });
    Ended ended;
    char part[4096];
    for (ssize_t count = 0; (count = ::read(child.heard, part, sizeof part)) > 0;)
        ended.answer.append(part, static_cast<std::size_t>(count));
    ::close(child.heard);
    ::waitpid(child.process, &ended.status, 0);
    return ended;
}

/// Returns a description of an abnormal end; empty if the process ended normally.
std::string badEnd(const Ended& ended) {
    if (WIFSIGNALED(ended.status) && WTERMSIG(ended.status) == SIGALRM) return "it hangs";
    if (WIFSIGNALED(ended.status))
        return std::string("ended by ") + ::strsignal(WTERMSIG(ended.status));
    if (WEXITSTATUS(ended.status) == 3) return "nothing was heard of a question";
    if (WEXITSTATUS(ended.status) != 0) return "exit " + std::to_string(WEXITSTATUS(ended.status));
    return {};
}

struct Kind {
    const char* name;
    Plan plan;
};
const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all = {
        {"write ENOSPC once", {Call::Write, 0, ENOSPC}},
        {"write ENOSPC for good", {Call::Write, 0, ENOSPC, true}},
        {"write EIO once", {Call::Write, 0, EIO}},
        {"write EDQUOT for good", {Call::Write, 0, EDQUOT, true}},
        {"short write once", {Call::Write, 0, ENOSPC, false, true}},
        {"short write, then ENOSPC", {Call::Write, 0, ENOSPC, true, true}},
        {"fsync EIO once", {Call::Sync, 0, EIO}},
        {"fsync EIO for good", {Call::Sync, 0, EIO, true}},
        {"fsync ENOSPC once", {Call::Sync, 0, ENOSPC}},
        {"fsync EDQUOT for good", {Call::Sync, 0, EDQUOT, true}},
        {"rename EIO once", {Call::Rename, 0, EIO}},
        {"rename ENOSPC for good", {Call::Rename, 0, ENOSPC, true}},
        {"rename EDQUOT once", {Call::Rename, 0, EDQUOT}},
        {"close EIO once", {Call::Close, 0, EIO}},
        {"close ENOSPC for good", {Call::Close, 0, ENOSPC, true}},
        {"close EDQUOT once", {Call::Close, 0, EDQUOT}},
        {"malloc once", {Call::Memory, 0, ENOMEM}},
        {"malloc for good", {Call::Memory, 0, ENOMEM, true}},
        {"thread once", {Call::Thread, 0, EAGAIN}},
        {"thread for good", {Call::Thread, 0, EAGAIN, true}},
    };
    return all;
}

class Loop {
  public:
    explicit Loop(const Options& options)
        : options_(options),
          folder_(options.folder / ("lacuna-faults-" + std::to_string(::getpid()))) {
        fs::create_directories(folder_);
    }
    ~Loop() {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }

    void faults() {
        for (const Scenario& scenario : scenarios()) {
            if (!options_.only.empty() && options_.only != scenario.name) continue;
            const fs::path before = folder_ / (scenario.name + "-before");
            fs::create_directories(before);
            const Ended prepared = apart([&] {
                scenario.prepare(before);
                return std::string("ready");
            });
            if (prepared.answer != "ready") {
                finding(scenario.name + ": cannot be prepared: " + badEnd(prepared));
                continue;
            }
            const int runsBefore = runs_;
            for (const Kind& kind : kinds()) {
                const bool files = kind.plan.call != Call::Memory && kind.plan.call != Call::Thread;
                const bool wanted = options_.calls.empty() || (options_.calls == "files") == files;
                if (wanted && !(files && scenario.memoryOnly)) everyCall(scenario, kind, before);
            }
            std::printf("%-12s %5d runs\n", scenario.name.c_str(), runs_ - runsBefore);
        }
        std::printf(
            "%d runs, %d reached their fault, %d of them ended by the last catch, %d findings\n",
            runs_, reached_, lastCatches_, findings_);
    }

    void kills() {
        std::mt19937 random(options_.seed);
        for (int i = 0; i < options_.kills; ++i) {
            const auto all = writers();
            const Writer& writer = all[static_cast<std::size_t>(i) % all.size()];
            if (options_.only.empty() || options_.only == writer.name) kill(writer, random);
        }
        std::printf("%d kills, %d versions acknowledged, %d findings\n", runs_, reached_,
                    findings_);
    }

    [[nodiscard]] int findings() const { return findings_; }

  private:
    void everyCall(const Scenario& scenario, const Kind& kind, const fs::path& before) {
        const long calls = run(scenario, kind, before, 0);
        if (options_.nth > 0) {
            run(scenario, kind, before, options_.nth);
            return;
        }
        long stride = options_.stride;
        if (kind.plan.call == Call::Memory) stride *= std::max(1L, calls / kAllocations);
        for (long nth = 1; nth <= calls; nth += stride) run(scenario, kind, before, nth);
    }

    /// Returns the number of calls of the kind; -1 if it is unknown.
    long run(const Scenario& scenario, const Kind& kind, const fs::path& before, long nth) {
        const fs::path place = folder_ / "run";
        fs::remove_all(place);
        fs::copy(before, place, fs::copy_options::recursive);
        Plan plan = kind.plan;
        plan.nth = nth;
        const Ended acted = apart([&] {
            const Scenario::Done done = scenario.act(place, plan);
            return std::to_string(done.acknowledged) + " " + std::to_string(done.calls) + " " +
                   done.problem;
        });
        ++runs_;
        const std::string name = scenario.name + ", " + kind.name + " at " + std::to_string(nth);
        std::string problem = badEnd(acted);
        unsigned acknowledged = 0;
        if (plan.call == Call::Memory && WIFEXITED(acted.status) &&
            WEXITSTATUS(acted.status) == kLastCatch) {
            problem.clear();
            acknowledged = kDied;
            ++lastCatches_;
        }
        long calls = -1;
        int used = 0;
        if (problem.empty() && acknowledged == 0 &&
            std::sscanf(acted.answer.c_str(), "%u %ld %n", &acknowledged, &calls, &used) == 2)
            problem = acted.answer.substr(static_cast<std::size_t>(used));
        reached_ += nth > 0 && (calls >= nth || acknowledged == kDied) ? 1 : 0;
        if (problem.empty()) {
            const Ended looked = apart([&] { return scenario.check(place, acknowledged); });
            problem = badEnd(looked).empty() ? looked.answer : "the check: " + badEnd(looked);
        }
        if (!problem.empty()) finding(name + ": " + problem);
        return calls;
    }

    void kill(const Writer& writer, std::mt19937& random) {
        const fs::path place = folder_ / "killed";
        fs::remove_all(place);
        fs::create_directories(place);
        const Child child = childWith([&](int end) {
            writer.write(place, [end](int number) {
                if (::write(end, &number, sizeof number) < 0) ::_exit(1);
            });
            ::_exit(1);
        });
        // After some acknowledgements, then some microseconds into the next step.
        const int most = static_cast<int>(random() % 6);
        int newest = 0;
        int number = 0;
        while (newest < most && ::read(child.heard, &number, sizeof number) == sizeof number)
            newest = number;
        ::usleep(static_cast<useconds_t>(random() % 9000));
        ::kill(child.process, SIGKILL);
        int status = 0;
        ::waitpid(child.process, &status, 0);
        while (::read(child.heard, &number, sizeof number) == sizeof number) newest = number;
        ::close(child.heard);
        ++runs_;
        reached_ += newest;
        const std::string name = writer.name + ", kill " + std::to_string(runs_);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            return finding(name + ": it ended before it was killed");
        const Ended looked = apart([&] { return writer.check(place, newest); });
        const std::string problem = badEnd(looked).empty() ? looked.answer : badEnd(looked);
        if (!problem.empty()) finding(name + ": " + problem);
    }

    void finding(const std::string& what) {
        ++findings_;
        std::printf("FOUND %s\n", what.c_str());
        std::fflush(stdout);
    }

    const Options options_;
    const fs::path folder_;
    int runs_ = 0;
    int reached_ = 0;
    int lastCatches_ = 0;
    int findings_ = 0;
};

Options optionsOf(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const char* value = argv[i + 1];
        if (name == "--stride") options.stride = std::max(1L, std::atol(value));
        if (name == "--only") options.only = value;
        if (name == "--calls") options.calls = value;
        if (name == "--nth") options.nth = std::atol(value);
        if (name == "--kills") options.kills = std::atoi(value);
        if (name == "--seed") options.seed = static_cast<unsigned>(std::atoi(value));
        if (name == "--folder") options.folder = value;
    }
    return options;
}

}  // namespace
}  // namespace lacuna::fault

int main(int argc, char** argv) {
    ::signal(SIGXFSZ, SIG_IGN);
    const auto options = lacuna::fault::optionsOf(argc, argv);
    lacuna::fault::Loop loop(options);
    if (options.kills > 0)
        loop.kills();
    else
        loop.faults();
    return loop.findings() == 0 ? 0 : 1;
}
