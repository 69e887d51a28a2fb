#pragma once
/// \file
/// An engine on a thread of its own, over fake models, with everything it says kept, and one that
/// is asked one question after another.

#include <gtest/gtest.h>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "engine/session/engine.h"
#include "tests/support/fake_model.h"

namespace lacuna::test {

/// An engine on a thread of its own, over fake models, with everything it says kept. Commands may
/// be pushed from the test or from inside a step. Events are read after waitFor or finish only.
class EngineRunner final : public EventSink {
  public:
    explicit EngineRunner(EngineConfig config = {}, FakeModelOptions model = {})
        : config_(std::move(config)) {
        models.options = std::move(model);
    }
    ~EngineRunner() override { finish(); }

    /// Set hooks on `models` and `onEvent` before this.
    void start() {
        thread_ = std::jthread([this](const std::stop_token& stop) {
            Engine engine({.commands = source != nullptr ? *source : queue,
                           .events = *this,
                           .log = log_,
                           .clock = clock_,
                           .machine = machine,
                           .config = config_,
                           .precision = precision,
                           .profileFolder = profileFolder,
                           .measuresHeads = !profileFolder.empty(),
                           .measuresPrecision = measuresPrecision,
                           .samplesQuality = samplesQuality,
                           .calibrationText = calibrationText,
                           .lookBack = lookBack,
                           .prefixFolder = prefixFolder,
                           .residentConversations = residentConversations,
                           .recodedAtOnce = recodedAtOnce,
                           .makers = std::make_shared<const ModelMakers>(
                               makers ? *makers : models.makers())});
            engine.run(stop);
        });
    }
    void finish() {
        if (!thread_.joinable()) return;
        thread_.request_stop();
        thread_.join();
    }

    void post(Event event) override {
        if (onEvent) onEvent(event);
        {
            const std::scoped_lock lock(mutex_);
            events_.push_back(std::move(event));
        }
        changed_.notify_all();
    }

    [[nodiscard]] bool wantsRetention(ConversationId) const override { return retention; }

    /// Waits until `count` events of a kind have come; false after ten seconds.
    template <class T>
    [[nodiscard]] bool waitFor(std::size_t count = 1) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(10),
                                 [&] { return countOf<T>() >= count; });
    }
    /// Copies of all events of a kind so far.
    template <class T>
    [[nodiscard]] std::vector<T> all() const {
        const std::scoped_lock lock(mutex_);
        std::vector<T> found;
        for (const Event& event : events_)
            if (const T* one = std::get_if<T>(&event)) found.push_back(*one);
        return found;
    }
    [[nodiscard]] std::vector<Event> events() const {
        const std::scoped_lock lock(mutex_);
        return events_;
    }

    /// Loads a model, the fake one when nothing else is said, and waits for it.
    [[nodiscard]] bool load(const std::filesystem::path& path = "fake") {
        queue.push(LoadModel{path});
        return waitFor<ModelLoaded>();
    }
    void submit(std::int64_t conversation, std::vector<ChatMessage> messages) {
        queue.push(Submit{ConversationId(conversation), std::move(messages), {}});
    }
    void submit(std::int64_t conversation, std::string text) {
        submit(conversation, std::vector<ChatMessage>{{"user", std::move(text)}});
    }

    CommandQueue queue;
    FakeModels models;
    MachineFacts machine{.cpu = "test",
                         .isa = "scalar",
                         .cores = 1,
                         .memoryBytes = std::int64_t{8} << 30,
                         .availableBytes = std::int64_t{4} << 30,
                         .system = "test"};
    bool retention = false;  ///< compactions come with what the cache holds
    int residentConversations = 4;
    std::int64_t recodedAtOnce = std::int64_t{1} << 20;
    /// What precision=auto stands for: nothing is measured unless a test asks for it.
    PrecisionSource precision = {.given = Precision::Fast};
    bool measuresPrecision = false;
    bool samplesQuality = false;          ///< of answers, in the pause after them
    std::filesystem::path profileFolder;  ///< heads are measured and kept below; empty: not
    std::function<Result<std::string>()> calibrationText;  ///< for surrogates; empty: none
    LookBackBounds lookBack;                               ///< of questions, with bring_back
    std::filesystem::path prefixFolder;         ///< of the disk tier; empty: there is none
    std::optional<ModelMakers> makers;          ///< instead of the fake ones
    CommandSource* source = nullptr;            ///< instead of the queue
    std::function<void(const Event&)> onEvent;  ///< on the engine thread

  private:
    template <class T>
    [[nodiscard]] std::size_t countOf() const {
        std::size_t count = 0;
        for (const Event& event : events_) count += std::holds_alternative<T>(event) ? 1 : 0;
        return count;
    }

    EngineConfig config_;
    NullLogger log_;
    SteadyClock clock_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Event> events_;
    std::jthread thread_;
};

/// An engine that is asked one question after another in a conversation, with what it said between
/// them, as a window does it.
struct DialogueRunner {
    explicit DialogueRunner(const EngineConfig& config, FakeModelOptions model = roomy())
        : run(config, std::move(model)) {}

    [[nodiscard]] static FakeModelOptions roomy() {
        FakeModelOptions options;
        options.context = 4096;
        return options;
    }

    void start() {
        run.start();
        ASSERT_TRUE(run.load());
    }
    /// Asks and waits for the answer.
    void ask(int letters) {
        std::string question;
        for (int i = 0; i < letters; ++i)
            question += static_cast<char>('a' + (i * 11 + static_cast<int>(answers)) % 26);
        messages.push_back({"user", question});
        again();
    }
    /// Asks the newest question, which has no answer yet.
    void again() {
        run.submit(1, messages);
        ASSERT_TRUE(run.waitFor<TurnFinished>(++answers));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
    }
    /// Waits for the end of a compaction that was started alongside the conversation.
    void settle() {
        const auto told = compactions();
        if (told.empty() || told.back().report.result != CompactionResult::Started) return;
        ASSERT_TRUE(run.waitFor<CompactionHappened>(told.size() + 1));
    }
    void takeAnswerBack() { messages.pop_back(); }

    [[nodiscard]] std::vector<CompactionHappened> compactions() const {
        return run.all<CompactionHappened>();
    }

    EngineRunner run;
    std::vector<ChatMessage> messages;
    std::size_t answers = 0;
};

}  // namespace lacuna::test
