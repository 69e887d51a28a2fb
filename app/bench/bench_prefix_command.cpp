// bench prefix: cost of a text that was read before. One conversation reads it without sharing;
// another finds it in the prefix cache. The two alternate, so that other load on the machine
// affects both. Then the program restarts itself, and the new process reads the text from disk.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/bench/child_process.h"
#include "app/main/bench_limits.h"
#include "app/main/cli_support.h"
#include "app/main/command_engine.h"
#include "engine/base/json.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

// Token ids from here on are ordinary words in every supported vocabulary.
constexpr std::uint64_t kFirstWord = 300;
/// Few repetitions: the disk read is short and its rate is known after the first.
constexpr int kStoredRepeats = 3;
/// A very high temperature makes early ends of answers unlikely.
constexpr int kAnswerTokens = 5;
const std::vector<std::string> kAnswers{"temperature=5", "top_p=1", "min_p=0", "seed=1",
                                        format("max_tokens={}", kAnswerTokens)};

/// Returns arbitrary tokens; their content does not affect the timing.
std::vector<TokenId> anyText(int tokens, int vocabulary) {
    RandomStream random(19, 1);
    const auto words = static_cast<std::uint64_t>(vocabulary);
    const std::uint64_t first = words > 2 * kFirstWord ? kFirstWord : 0;
    std::vector<TokenId> text;
    for (int i = 0; i < tokens; ++i)
        text.push_back(static_cast<TokenId>(first + random.below(words - first)));
    return text;
}

/// Temporary folder, removed at the end.
class OwnFolder {
  public:
    static Result<OwnFolder> make(const std::string& place) {
        std::error_code problem;
        const std::filesystem::path in = place.empty()
                                             ? std::filesystem::temp_directory_path(problem)
                                             : std::filesystem::path(place);
        std::string name = (in / "lacuna-bench-XXXXXX").string();
        if (problem || ::mkdtemp(name.data()) == nullptr)
            return fail(ErrorCode::Write,
                        format("cannot create a folder in {}: {}", in.string(),
                               problem ? problem.message() : std::strerror(errno)));
        return OwnFolder(name);
    }
    OwnFolder(OwnFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    OwnFolder& operator=(OwnFolder&&) = delete;
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    ~OwnFolder() {
        std::error_code ignored;
        if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
    }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    explicit OwnFolder(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;
};

struct Answer {
    double firstTokenMs = 0;
    std::optional<double> stepMs;  ///< duration of a later token, if there was one
    std::int64_t reused = 0;
    std::vector<TokenId> tokens;
    PrefixDiskStats disk;  ///< newest reported value
};

/// An engine with a disk tier, asked one question after another.
class Asked {
  public:
    Asked(EngineConfig config, const std::filesystem::path& folder, std::stop_token stop)
        : stop_(std::move(stop)),
          context_(config.context),
          engine_(optionsWith(std::move(config), folder)),
          events_(engine_.events().subscribeQueue({})) {
        engine_.start();
    }

    /// Warms up threads, activations and the pages of the model file before anything is timed.
    /// Returns the text. Errors: those of loading and of answers, Range (text exceeds the context).
    [[nodiscard]] Result<std::vector<TokenId>> begin(const BenchPrefixArguments& arguments) {
        LACUNA_TRY(const auto path, modelPath(arguments.model));
        LACUNA_TRY(const ModelFacts facts, loadInto(engine_, events_, path, stop_));
        const int context = context_ > 0 ? context_ : facts.context;
        if (arguments.prompt > context - kAnswerTokens)
            return fail(
                ErrorCode::Range,
                format("--prompt {}: with an answer of {} tokens the context has room for a "
                       "text of {}",
                       arguments.prompt, kAnswerTokens, context - kAnswerTokens));
        LACUNA_TRY([[maybe_unused]] const Answer warm, ask(anyText(16, facts.vocabulary), false));
        return anyText(arguments.prompt, facts.vocabulary);
    }

    /// Errors: those of the answer; Cancelled.
    [[nodiscard]] Result<Answer> ask(const std::vector<TokenId>& text, bool shared) {
        Submit question{.conversation = ConversationId(++conversations_),
                        .messages = {},
                        .stopStrings = {},
                        .prompt = text};
        question.prefix.shared = shared;
        engine_.send(std::move(question));
        std::vector<double> steps;
        while (const auto event = events_.next(stop_)) {
            if (const auto* sample = std::get_if<StepSample>(&*event);
                sample != nullptr && sample->phase == EngineState::Decode)
                steps.push_back(sample->stepMs);
            if (const auto* said = std::get_if<PrefixCacheChanged>(&*event)) disk_ = said->disk;
            if (const auto* fatal = std::get_if<Fatal>(&*event))
                return tl::unexpected<Error>(fatal->error);
            const auto* finished = std::get_if<TurnFinished>(&*event);
            if (finished == nullptr) continue;
            if (finished->error) return tl::unexpected<Error>(*finished->error);
            // Stored pages remain; the conversation's own cache would take the same memory again.
            engine_.send(ReleaseConversation{finished->conversation});
            if (!steps.empty()) steps.erase(steps.begin());
            const auto step = steps.empty() ? std::nullopt : std::optional(median(steps));
            return Answer{.firstTokenMs = finished->stats.timeToFirstTokenSeconds * 1e3,
                          .stepMs = step,
                          .reused = finished->stats.reusedTokens,
                          .tokens = finished->tokens,
                          .disk = disk_};
        }
        return fail(ErrorCode::Cancelled, "stopped while measuring");
    }

    /// Waits until everything is on disk. Errors: Write, with the reason; Cancelled.
    [[nodiscard]] Result<PrefixDiskStats> written() {
        while (disk_.queued > 0 || disk_.bytes == 0) {
            const auto event = events_.next(stop_);
            if (!event) return fail(ErrorCode::Cancelled, "stopped while measuring");
            if (const auto* said = std::get_if<PrefixCacheChanged>(&*event)) disk_ = said->disk;
            if (!disk_.problem.empty())
                return fail(ErrorCode::Write, format("the text cannot be stored on disk: {}; "
                                                     "choose another folder with --folder",
                                                     disk_.problem));
        }
        return disk_;
    }

  private:
    [[nodiscard]] static EngineOptions optionsWith(EngineConfig config,
                                                   const std::filesystem::path& folder) {
        EngineOptions options = commandEngineOptions(std::move(config));
        options.prefixFolder = folder;
        return options;
    }

    const std::stop_token stop_;
    const int context_;
    PrefixDiskStats disk_;
    EngineHost engine_;
    EventSubscription events_;
    std::int64_t conversations_ = 0;
};

/// Checks that the whole text came from memory.
Status checkReuse(const BenchPrefixArguments& arguments, const Answer& hit,
                  const PrefixDiskStats& before) {
    if (hit.disk.hits > before.hits)
        return fail(
            ErrorCode::Conflict,
            format("prefix_cache has no room for {} tokens of this model: they were found on "
                   "disk",
                   arguments.prompt));
    if (hit.reused == arguments.prompt - 1) return {};
    return fail(ErrorCode::Conflict,
                format("of {} tokens only {} were reused: prefix_cache has no room for more",
                       arguments.prompt, hit.reused));
}

/// Errors: those of the settings; Conflict (the settings would store nothing).
Result<EngineConfig> configOf(const BenchPrefixArguments& arguments,
                              const std::vector<std::string>& more) {
    std::vector<std::string> assignments = kAnswers;
    assignments.insert(assignments.end(), {"prefix_cache=65536", "prefix_disk=1048576"});
    assignments.insert(assignments.end(), arguments.settings.begin(), arguments.settings.end());
    LACUNA_TRY(const EngineConfig asked, settings(assignments));
    if (asked.prefixCacheMiB <= 0 || asked.prefixDiskMiB <= 0)
        return fail(ErrorCode::Conflict,
                    "bench prefix measures prefix_cache and prefix_disk; leave them out, or set "
                    "them above 0");
    assignments.insert(assignments.end(), more.begin(), more.end());
    return settings(assignments);
}

/// Checks that the whole text was stored on disk.
Status checkKept(const BenchPrefixArguments& arguments, const PrefixDiskStats& disk) {
    if (disk.pagesWritten > 0 && disk.rejectedLarge == 0 && disk.evicted == 0) return {};
    return fail(ErrorCode::Conflict, format("prefix_disk has no room for {} tokens of this model; "
                                            "only {} pages of 256 tokens were stored",
                                            arguments.prompt, disk.pagesWritten - disk.evicted));
}

/// Measurement in the new process. Nothing is kept in memory, so every question reads the disk.
Result<OrderedJson> measureStored(const BenchPrefixArguments& arguments,
                                  const std::stop_token& stop) {
    LACUNA_TRY(EngineConfig config, configOf(arguments, {"prefix_cache=0"}));
    Asked asked(std::move(config), arguments.stored, stop);
    LACUNA_TRY(const auto text, asked.begin(arguments));
    std::vector<double> hits;
    std::vector<double> reads;
    OrderedJson tokens = OrderedJson::array();
    PrefixLoad last;
    std::int64_t reused = 0;
    for (int i = 0; i < arguments.repeat; ++i) {
        LACUNA_TRY(const Answer hit, asked.ask(text, true));
        // A few tokens after the last full page are not stored in a file.
        if (hit.reused == 0) return fail(ErrorCode::Internal, "nothing of the text was on disk");
        reused = hit.reused;
        hits.push_back(hit.firstTokenMs);
        last = hit.disk.last;
        reads.push_back(last.tookMs);
        tokens.push_back(hit.tokens);
    }
    return OrderedJson{{"first_ms", hits.front()},
                       {"hit_ms", median(hits)},
                       {"reused", reused},
                       {"read_ms", median(reads)},
                       {"predicted_read_ms", last.loadMs},
                       {"predicted_compute_ms", last.computeMs},
                       {"decision", keyOf(last.reason)},
                       {"tokens", tokens}};
}

Result<Json> askNewProcess(const BenchPrefixArguments& arguments,
                           const std::filesystem::path& folder, const std::stop_token& stop) {
    LACUNA_TRY(const auto path, modelPath(arguments.model));
    std::vector<std::string> words{"bench",
                                   "prefix",
                                   path.string(),
                                   "--prompt",
                                   format("{}", arguments.prompt),
                                   "--repeat",
                                   format("{}", std::max(arguments.repeat, kStoredRepeats)),
                                   "--stored",
                                   folder.string()};
    for (const std::string& setting : arguments.settings) {
        words.emplace_back("--set");
        words.push_back(setting);
    }
    LACUNA_TRY(const std::string printed, runSelf(words, stop));
    return parseJson(printed);
}

Result<OrderedJson> measure(const BenchPrefixArguments& arguments, const std::stop_token& stop) {
    LACUNA_TRY(const OwnFolder folder, OwnFolder::make(arguments.folder));
    std::vector<double> misses;
    std::vector<double> hits;
    std::vector<double> steps;
    std::vector<TokenId> expected;
    PrefixDiskStats disk;
    bool equal = true;
    {
        LACUNA_TRY(EngineConfig config, configOf(arguments, {}));
        Asked asked(std::move(config), folder.path(), stop);
        LACUNA_TRY(const auto text, asked.begin(arguments));
        LACUNA_TRY([[maybe_unused]] const Answer stored, asked.ask(text, true));
        LACUNA_TRY(disk, asked.written());
        LACUNA_TRY_STATUS(checkKept(arguments, disk));
        for (int i = 0; i < arguments.repeat; ++i) {
            LACUNA_TRY(const Answer miss, asked.ask(text, false));
            LACUNA_TRY(const Answer hit, asked.ask(text, true));
            if (miss.reused != 0)
                return fail(
                    ErrorCode::Internal,
                    format("{} tokens were reused although nothing is shared", miss.reused));
            LACUNA_TRY_STATUS(checkReuse(arguments, hit, miss.disk));
            equal = equal && miss.tokens == hit.tokens;
            expected = miss.tokens;
            misses.push_back(miss.firstTokenMs);
            hits.push_back(hit.firstTokenMs);
            if (hit.stepMs) steps.push_back(*hit.stepMs);
        }
    }  // the destructor completes pending writes before the new process starts
    LACUNA_TRY(const Json other, askNewProcess(arguments, folder.path(), stop));
    for (const Json& tokens : other.at("tokens"))
        equal = equal && tokens.get<std::vector<TokenId>>() == expected;
    const OrderedJson oneToken = steps.empty() ? OrderedJson() : OrderedJson(median(steps));
    return OrderedJson{{"prompt_tokens", arguments.prompt},
                       {"miss_ms", median(misses)},
                       {"ram_hit_ms", median(hits)},
                       {"disk_hit_ms", other.at("hit_ms").get<double>()},
                       {"disk_bytes", disk.bytesWritten},
                       {"one_token_ms", oneToken},
                       {"disk_reused_tokens", other.at("reused").get<std::int64_t>()},
                       {"disk_first_hit_ms", other.at("first_ms").get<double>()},
                       {"disk_read_ms", other.at("read_ms").get<double>()},
                       {"predicted_read_ms", other.at("predicted_read_ms").get<double>()},
                       {"predicted_compute_ms", other.at("predicted_compute_ms").get<double>()},
                       {"decision", other.at("decision").get<std::string>()},
                       {"answers_equal", equal}};
}

}  // namespace

int benchPrefix(const BenchPrefixArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = arguments.stored.empty() ? measure(arguments, interrupts.token())
                                                  : measureStored(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
