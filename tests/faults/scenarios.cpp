#include "tests/faults/scenarios.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <mutex>
#include <new>
#include <thread>

#include "app/state/files/program_files.h"
#include "app/state/storage/conversation_database.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/thread_start.h"
#include "engine/format/convert.h"
#include "engine/format/load_model.h"
#include "engine/format/quantise_model.h"
#include "engine/generate/prompt_cache.h"
#include "engine/host/engine_host.h"
#include "engine/report/report_folder.h"
#include "engine/session/read_facts.h"
#include "tests/support/generation_stage.h"
#include "tests/support/sample_recording.h"

namespace lacuna::fault {
namespace {

namespace fs = std::filesystem;
using app::ChatLine;
using app::ConversationDatabase;
using app::ConversationRecord;

constexpr std::size_t kMaxValue = std::size_t{1} << 26;
constexpr const char* kModelFolder = LACUNA_GOLDEN_DIR "/models/llama";
constexpr const char* kModel = LACUNA_GOLDEN_DIR "/models/llama/model.gguf";
constexpr std::string_view kFingerprint = "fingerprint of fake";

std::string contentOf(const fs::path& path) {
    auto text = readFile(path, kMaxValue);
    return text ? std::move(*text) : "missing: " + text.error().what;
}

/// Reports temporary files that a process left although it was not killed.
std::string leftovers(const Folder& folder, unsigned acknowledged) {
    if ((acknowledged & kDied) != 0) return {};
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        const std::string name = entry.path().filename().string();
        if (name.find(".tmp") != std::string::npos || name.find(".floats") != std::string::npos)
            return "left behind: " + name;
    }
    return {};
}

/// Does one step. Memory exhaustion counts as a refusal, as in the program's last catch.
template <class Step>
bool done(const Step& step) {
    try {
        return step();
    } catch (const std::bad_alloc&) {
        return false;
    }
}

/// Runs steps under a plan. Bit i of the result is set if step i was acknowledged.
template <class... Steps>
Scenario::Done under(const Plan& plan, const Steps&... steps) {
    Scenario::Done answer;
    arm(plan);
    unsigned bit = 1;
    ((answer.acknowledged |= done(steps) ? bit : 0U, bit <<= 1U), ...);
    answer.calls = disarm();
    return answer;
}

// ---------------------------------------------------------------- the conversation store

ConversationRecord conversation(qint64 id, const std::vector<std::string>& texts) {
    ConversationRecord record;
    record.id = id;
    record.title = QStringLiteral("title");
    for (const std::string& text : texts) {
        ChatLine line;
        line.text = QString::fromStdString(text);
        record.lines.push_back(line);
    }
    record.messages = static_cast<int>(texts.size());
    return record;
}

using Texts = std::vector<std::string>;
const Texts kFirst = {"one", "two", "three"};
const Texts kFirstLonger = {"one", "two", "three", "four", std::string(9000, '5')};
const Texts kSecond = {"uno"};
const Texts kSecondChanged = {"due"};
const QMap<QString, QString> kOldSettings = {{QStringLiteral("budget"), QStringLiteral("64")}};
const QMap<QString, QString> kNewSettings = {{QStringLiteral("budget"), QStringLiteral("128")},
                                             {QStringLiteral("method"), QStringLiteral("l2")}};

/// Does work with the store of a folder. Returns false if it cannot be opened.
template <class Work>
bool withStore(const Folder& folder, const Work& work) {
    auto opened = ConversationDatabase::open(QString::fromStdString(folder.string()));
    return opened.database && work(*opened.database);
}

/// Saves lines from `first` on over any existing revision.
bool saved(ConversationDatabase& store, qint64 id, const Texts& texts, qsizetype first) {
    const auto revision = store.revision(id);
    if (!revision) return false;
    ConversationRecord record = conversation(id, texts);
    record.revision = revision->value_or(0);
    return store.save(record, {.shown = first}).has_value();
}

void prepareStore(const Folder& folder) {
    withStore(folder, [](ConversationDatabase& store) {
        return saved(store, 1, kFirst, 0) && saved(store, 2, kSecond, 0) &&
               store.saveSettings(kOldSettings);
    });
}

std::optional<Texts> textsOf(ConversationDatabase& store, qint64 id) {
    const auto stored = store.lines(id);
    if (!stored || stored->damaged > 0) return std::nullopt;
    Texts texts;
    for (const ChatLine& line : stored->lines) texts.push_back(line.text.toStdString());
    return texts;
}

/// Checks that `is` equals `now` if that was acknowledged, and otherwise `now` or `before`.
template <class T>
std::string judged(const char* what, const T& is, const T& before, const T& now,
                   bool acknowledged) {
    if (is == now || (is == before && !acknowledged)) return {};
    return std::string(what) +
           (is == before ? " was acknowledged and is not there" : " is neither old nor new");
}

std::string checkStore(const Folder& folder, unsigned acknowledged) {
    std::string problem;
    const bool opened = withStore(folder, [&](ConversationDatabase& store) {
        const auto first = textsOf(store, 1);
        const auto second = textsOf(store, 2);
        const auto settings = store.settings();
        if (!first || !second || !settings) return false;
        problem = judged("conversation 1", *first, kFirst, kFirstLonger, acknowledged & 1U);
        if (problem.empty())
            problem = judged("conversation 2", *second, kSecond, kSecondChanged, acknowledged & 2U);
        if (problem.empty())
            problem =
                judged("the settings", *settings, kOldSettings, kNewSettings, acknowledged & 4U);
        return true;
    });
    if (!opened) return "the store cannot be read any more";
    for (const auto& entry : fs::directory_iterator(folder))
        if (entry.path().filename().string().find("damaged") != std::string::npos)
            return "a whole store was put aside";
    return problem;
}

Scenario::Done saveMessages(const Folder& folder, const Plan& plan) {
    return under(
        plan,
        [&] {
            return withStore(folder, [](ConversationDatabase& store) {
                return saved(store, 1, kFirstLonger, 3);
            });
        },
        [&] {
            return withStore(folder, [](ConversationDatabase& store) {
                return saved(store, 2, kSecondChanged, 0);
            });
        });
}

Scenario::Done saveSettings(const Folder& folder, const Plan& plan) {
    return under(
        plan, [] { return false; }, [] { return false; },
        [&] {
            return withStore(folder, [](ConversationDatabase& store) {
                return store.saveSettings(kNewSettings).has_value();
            });
        });
}

// ---------------------------------------------------------------- documents

Recording changedRecording(const std::string& notice) {
    Recording recording = test::sampleRecording();
    recording.notices = {notice};
    recording.turns[0].finished->text += notice;
    return recording;
}

void prepareReport(const Folder& folder) {
    static_cast<void>(writeReportFolder(folder / "report", changedRecording("old"), {}));
    static_cast<void>(writeReportFolder(folder / "old", changedRecording("old"), {}));
    static_cast<void>(writeReportFolder(folder / "new", changedRecording("new"), {}));
}

std::string checkReport(const Folder& folder, unsigned acknowledged) {
    for (const auto& entry : fs::directory_iterator(folder / "new")) {
        const fs::path name = entry.path().filename();
        const std::string is = contentOf(folder / "report" / name);
        const std::string problem = judged(name.c_str(), is, contentOf(folder / "old" / name),
                                           contentOf(entry.path()), acknowledged & 1U);
        if (!problem.empty()) return problem;
    }
    return leftovers(folder, acknowledged);
}

Scenario::Done exportReport(const Folder& folder, const Plan& plan) {
    return under(plan, [&] {
        return writeReportFolder(folder / "report", changedRecording("new"), {}).has_value();
    });
}

/// A single file: "out", whose new content is stored as "new".
std::string checkFile(const Folder& folder, unsigned acknowledged) {
    const std::string problem = judged("the file", contentOf(folder / "out"), std::string("old"),
                                       contentOf(folder / "new"), acknowledged & 1U);
    return problem.empty() ? leftovers(folder, acknowledged) : problem;
}

void old(const Folder& folder) {
    static_cast<void>(writeFileAtomically(folder / "out", "old"));
}

bool convertTo(const fs::path& out) {
    ConvertOptions options;
    options.name = "tiny";
    return convertToGguf(kModelFolder, out, options).has_value();
}

bool quantiseTo(const fs::path& out) {
    ThreadPool pool(2);
    QuantiseOptions options;
    options.recipe = *recipeFromName("Q8_0");
    return quantiseModel(kModelFolder, out, pool, options).has_value();
}

bool pictureTo(const fs::path& out) {
    return app::saveFile(QString::fromStdString(out.string()), QByteArray(20'000, 'p')).isEmpty();
}

Scenario file(std::string name, bool (*write)(const fs::path&)) {
    return {.name = std::move(name),
            .prepare =
                [write](const Folder& folder) {
                    old(folder);
                    write(folder / "new");
                },
            .act =
                [write](const Folder& folder, const Plan& plan) {
                    return under(plan, [&] { return write(folder / "out"); });
                },
            .check = checkFile};
}

// ---------------------------------------------------------------- the prompt cache

constexpr int kOldPrompt = 60;
constexpr int kNewPrompt = 90;

std::unique_ptr<test::Stage> stageOf(int tokens) {
    test::FakeModelOptions options;
    options.context = 4096;
    auto stage = std::make_unique<test::Stage>(options);
    static_cast<void>(stage->answer(test::prompt(tokens)));
    return stage;
}

Result<std::size_t> tokensIn(const fs::path& path) {
    test::Stage stage;
    LACUNA_TRY(const PromptCache cache,
               loadPromptCache(path, kFingerprint, test::whole(stage.sequence->cache().shape())));
    return cache.tokens.size();
}

void prepareCache(const Folder& folder) {
    const auto before = stageOf(kOldPrompt);
    const auto after = stageOf(kNewPrompt);
    static_cast<void>(savePromptCache(folder / "cache", *before->sequence, kFingerprint));
    static_cast<void>(savePromptCache(folder / "old", *before->sequence, kFingerprint));
    static_cast<void>(savePromptCache(folder / "new", *after->sequence, kFingerprint));
}

Scenario::Done saveCache(const Folder& folder, const Plan& plan) {
    const auto stage = stageOf(kNewPrompt);
    return under(plan, [&] {
        return savePromptCache(folder / "cache", *stage->sequence, kFingerprint).has_value();
    });
}

std::string checkCache(const Folder& folder, unsigned acknowledged) {
    const auto is = tokensIn(folder / "cache");
    if (!is) return "the cache cannot be read any more: " + is.error().what;
    const std::string problem = judged("the cache", *is, *tokensIn(folder / "old"),
                                       *tokensIn(folder / "new"), acknowledged & 1U);
    return problem.empty() ? leftovers(folder, acknowledged) : problem;
}

Scenario::Done loadCache(const Folder& folder, const Plan& plan) {
    const std::size_t expected = *tokensIn(folder / "old");
    const test::Stage stage;
    bool wrong = false;
    Scenario::Done answer = under(plan, [&] {
        const auto cache = loadPromptCache(folder / "old", kFingerprint,
                                           test::whole(stage.sequence->cache().shape()));
        wrong = cache && cache->tokens.size() != expected;
        return false;
    });
    if (wrong) answer.problem = "a cache was read that is not the one written";
    return answer;
}

// ---------------------------------------------------------------- loading and answering

Scenario::Done loadTinyModel(const Folder&, const Plan& plan) {
    return under(plan, [] {
        LoadOptions options;
        options.placement.resident = true;
        return loadModel(kModel, options).has_value();
    });
}

/// Counts events without allocating.
class Listener {
  public:
    void take(const Event& event) {
        {
            const std::scoped_lock lock(mutex_);
            if (std::holds_alternative<ModelLoaded>(event)) ++loaded_;
            if (const auto* finished = std::get_if<TurnFinished>(&event)) {
                ++finished_;
                failed_ = finished->error.has_value();
            }
            if (std::holds_alternative<Fatal>(event)) ended_ = true;
        }
        changed_.notify_all();
    }
    void end() {
        {
            const std::scoped_lock lock(mutex_);
            ended_ = true;
        }
        changed_.notify_all();
    }
    [[nodiscard]] bool waitForModel() {
        return wait([this] { return loaded_ > 0; });
    }
    [[nodiscard]] bool waitForAnswers(int count) {
        return wait([this, count] { return finished_ >= count; });
    }
    [[nodiscard]] bool ended() const {
        const std::scoped_lock lock(mutex_);
        return ended_;
    }
    [[nodiscard]] bool failed() const {
        const std::scoped_lock lock(mutex_);
        return failed_;
    }

  private:
    /// On a busy machine this process may get no core for a second, so its own processor time
    /// counts. A process that uses none waits for an event that will not come.
    template <class Until>
    bool wait(const Until& until) {
        constexpr std::chrono::seconds kComputed{10}, kAtAll{100};
        const auto begun = std::chrono::steady_clock::now();
        const std::clock_t before = std::clock();
        const auto spent = [&] { return (std::clock() - before) / CLOCKS_PER_SEC; };
        std::unique_lock lock(mutex_);
        while (!until() && !ended_ && spent() < kComputed.count() &&
               std::chrono::steady_clock::now() - begun < kAtAll)
            changed_.wait_for(lock, std::chrono::milliseconds(200));
        return until() || ended_;
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    int loaded_ = 0;
    int finished_ = 0;
    bool failed_ = false;
    bool ended_ = false;
};

/// A turn with compactions, then one without faults on the same engine.
Scenario::Done answerTurn(const Folder&, const Plan& plan) {
    Scenario::Done answer;
    test::FakeModels models;
    Listener listener;
    const auto config = withSettings(
        EngineConfig{},
        std::vector<std::string>{"temperature=0", "max_tokens=24", "budget=64", "keep_recent=16"});
    EngineHost host({.machine = machineFacts(),
                     .config = *config,
                     .precision = {.given = Precision::Fast},
                     .makers = std::make_shared<const ModelMakers>(models.makers())});
    const EventSubscription events =
        host.events().subscribe({}, [&](const Event& event) { listener.take(event); });
    host.start();
    const std::jthread end([&] {
        host.wait();
        listener.end();
    });
    const struct Stop {
        EngineHost& host;
        ~Stop() { host.requestStop(); }
    } stop{host};
    host.send(LoadModel{"fake"});
    if (!listener.waitForModel()) return {.problem = "the fake model was not loaded"};
    std::vector<ChatMessage> messages{{"user", std::string(200, 'a')}};
    arm(plan);
    const bool asked = done([&] {
        host.send(Submit{ConversationId(1), messages, {}});
        return true;
    });
    const bool heard = asked && listener.waitForAnswers(1);
    answer.calls = disarm();
    if (asked && !heard) {
        answer.problem = "nothing was heard of a question";
        std::_Exit(3);  // its engine may hang, and so would joining it
    }
    if (listener.ended()) {
        if (!plan.forGood) answer.problem = "the engine ended for one failed call";
        return answer;
    }
    host.send(Submit{ConversationId(1), messages, {}});
    if (!listener.waitForAnswers(asked ? 2 : 1) || listener.failed())
        answer.problem = "the engine does not answer any more";
    return answer;
}

std::string nothing(const Folder&, unsigned) {
    return {};
}

// ---------------------------------------------------------------- killed writers

Texts numbered(int count) {
    Texts texts;
    for (int i = 1; i <= count; ++i) texts.push_back("message " + std::to_string(i));
    return texts;
}

void writeMessages(const Folder& folder, const std::function<void(int)>& acknowledge) {
    withStore(folder, [&](ConversationDatabase& store) {
        for (int count = 1;; ++count)
            if (saved(store, 1, numbered(count), count - 1)) acknowledge(count);
        return true;
    });
}

std::string checkMessages(const Folder& folder, int newest) {
    std::string problem;
    const bool opened = withStore(folder, [&](ConversationDatabase& store) {
        const auto texts = textsOf(store, 1);
        if (!texts) return false;
        const auto count = static_cast<int>(texts->size());
        if (count < newest) problem = "acknowledged messages are gone";
        if (*texts != numbered(count)) problem = "the messages are not those written";
        return true;
    });
    return opened ? problem : "the store cannot be read any more";
}

void writeCaches(const Folder& folder, const std::function<void(int)>& acknowledge) {
    for (int number = 1;; ++number) {
        const auto stage = stageOf(20 + number);
        if (savePromptCache(folder / "cache", *stage->sequence, kFingerprint)) acknowledge(number);
    }
}

std::string checkCaches(const Folder& folder, int newest) {
    if (newest == 0 && !fs::exists(folder / "cache")) return {};
    const auto is = tokensIn(folder / "cache");
    if (!is) return "the cache cannot be read any more: " + is.error().what;
    return *is < 20U + static_cast<unsigned>(newest) ? "an acknowledged cache is gone" : "";
}

void writeReports(const Folder& folder, const std::function<void(int)>& acknowledge) {
    for (int number = 1;; ++number)
        if (writeReportFolder(folder, changedRecording(std::to_string(number)), {}))
            acknowledge(number);
}

std::string checkReports(const Folder& folder, int newest) {
    if (newest == 0) return {};
    const auto json = parseJson(contentOf(folder / "report.json"));
    if (!json) return "report.json cannot be read any more";
    const auto recording = recordingFromJson(*json);
    if (!recording || recording->notices.size() != 1) return "report.json is not whole";
    const int written = std::stoi(recording->notices[0]);
    if (written < newest) return "an acknowledged report is gone";
    // The other documents belong to this report or to the one that was being written.
    for (const auto& version : {written - 1, written, written + 1}) {
        const Recording that = changedRecording(std::to_string(version));
        if (contentOf(folder / "report.html") == reportHtml(that, {})) return {};
    }
    return "report.html is not whole";
}

std::vector<Scenario> makeScenarios() {
    return {
        {"save", false, prepareStore, saveMessages, checkStore},
        {"settings", false, prepareStore, saveSettings, checkStore},
        {"export", false, prepareReport, exportReport, checkReport},
        file("picture", pictureTo),
        file("convert", convertTo),
        file("quantize", quantiseTo),
        {"cache", false, prepareCache, saveCache, checkCache},
        {"cache-load", true, prepareCache, loadCache, nothing},
        {"load", true, [](const Folder&) {}, loadTinyModel, nothing},
        {"turn", true, [](const Folder&) {}, answerTurn, nothing},
    };
}

}  // namespace

std::span<const Scenario> scenarios() {
    static const std::vector<Scenario> all = makeScenarios();
    return all;
}

std::span<const Writer> writers() {
    static const std::vector<Writer> all = {{"store", writeMessages, checkMessages},
                                            {"cache", writeCaches, checkCaches},
                                            {"report", writeReports, checkReports}};
    return all;
}

}  // namespace lacuna::fault
