#pragma once
/// \file
/// An engine over fake models that records its events, and a dialogue of consecutive questions to
/// one.

#include <gtest/gtest.h>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/host/engine_host.h"
#include "tests/support/fake_model.h"

namespace lacuna::test {

/// A model whose context has room for a long conversation.
[[nodiscard]] inline FakeModelOptions roomyModel(int context = 4096) {
    FakeModelOptions options;
    options.context = context;
    return options;
}

/// `length` letters; texts of different `salt` differ in each letter.
[[nodiscard]] inline std::string lettersOf(int length, int salt = 0) {
    std::string text;
    for (int i = 0; i < length; ++i) text += static_cast<char>('a' + (i * 11 + salt) % 26);
    return text;
}

/// An EngineHost over fake models that records every event. Commands may be pushed from the test or
/// from inside a step. Events are read only after waitFor or finish.
class EngineRunner {
  public:
    explicit EngineRunner(EngineConfig config = {}, FakeModelOptions model = {}) {
        options.config = std::move(config);
        models.options = std::move(model);
    }
    ~EngineRunner() { finish(); }

    /// Starts the engine. Options and the hooks on `models` and `onEvent` must be set before.
    void start() {
        EngineOptions given = options;
        given.measuresHeads = !options.profileFolder.empty();
        given.makers = std::make_shared<const ModelMakers>(makers ? *makers : models.makers());
        host_.emplace(std::move(given), source != nullptr ? source : &queue);
        subscription_ = host_->events().subscribe({.retention = retention},
                                                  [this](const Event& event) { take(event); });
        host_->start();
    }
    void finish() {
        if (host_) host_->stop();
    }

    /// Waits for `count` events of a kind. Returns false after ten seconds.
    template <class T>
    [[nodiscard]] bool waitFor(std::size_t count = 1) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(10),
                                 [&] { return countOf<T>() >= count; });
    }
    /// Waits until `condition` is true for the newest event of a kind. Returns false after twenty
    /// seconds.
    template <class T, class Condition>
    [[nodiscard]] bool waitForNewest(const Condition& condition) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, std::chrono::seconds(20), [&] {
            for (auto event = events_.rbegin(); event != events_.rend(); ++event)
                if (const T* newest = std::get_if<T>(&*event)) return condition(*newest);
            return false;
        });
    }
    /// Returns copies of all events of a kind so far.
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

    /// Loads a model and waits for it.
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

    /// precision=auto is resolved in advance, so that nothing is measured unless a test requests
    /// it.
    EngineOptions options{.machine = {.cpu = "test",
                                      .isa = "scalar",
                                      .cores = 1,
                                      .memoryBytes = std::int64_t{8} << 30,
                                      .availableBytes = std::int64_t{4} << 30,
                                      .system = "test"},
                          .precision = {.given = Precision::Fast}};
    CommandQueue queue;
    FakeModels models;
    bool retention = false;                     ///< compactions report the cache's content
    std::optional<ModelMakers> makers;          ///< replaces the fake models
    CommandSource* source = nullptr;            ///< replaces the queue
    std::function<void(const Event&)> onEvent;  ///< called on the engine thread

  private:
    void take(const Event& event) {
        if (onEvent) onEvent(event);
        {
            const std::scoped_lock lock(mutex_);
            events_.push_back(event);
        }
        changed_.notify_all();
    }
    template <class T>
    [[nodiscard]] std::size_t countOf() const {
        std::size_t count = 0;
        for (const Event& event : events_) count += std::holds_alternative<T>(event) ? 1 : 0;
        return count;
    }

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Event> events_;
    std::optional<EngineHost> host_;
    EventSubscription subscription_;
};

/// The queue of a runner that can hold back background work: no measurement continues and no result
/// is applied while `holds` is set.
class HoldingSource final : public CommandSource {
  public:
    explicit HoldingSource(CommandQueue& queue) : queue_(queue) {}
    [[nodiscard]] std::vector<Command> take(SafePoint at) override { return queue_.take(at); }
    void wait(std::stop_token stop) override { queue_.wait(std::move(stop)); }
    void waitFor(std::stop_token stop, std::chrono::milliseconds most) override {
        queue_.waitFor(std::move(stop), most);
    }
    [[nodiscard]] bool cancelWaiting(SafePoint at) const override {
        return queue_.cancelWaiting(at);
    }
    [[nodiscard]] BackgroundPolicy backgroundPolicy(SafePoint, ConversationId) override {
        return holds ? BackgroundPolicy::Hold : BackgroundPolicy::WhenReady;
    }
    std::atomic<bool> holds{true};

  private:
    CommandQueue& queue_;
};

/// A conversation of consecutive questions, each sent with all previous answers, as a window does.
struct DialogueRunner {
    explicit DialogueRunner(const EngineConfig& config, FakeModelOptions model = roomyModel())
        : run(config, std::move(model)) {}

    void start() {
        run.start();
        ASSERT_TRUE(run.load());
    }
    /// Asks a question and waits for the answer.
    void ask(int letters) {
        std::string question;
        for (int i = 0; i < letters; ++i)
            question += static_cast<char>('a' + (i * 11 + static_cast<int>(answers)) % 26);
        messages.push_back({"user", question});
        again();
    }
    /// Repeats the newest question, which has no answer yet.
    void again() {
        run.submit(1, messages);
        ASSERT_TRUE(run.waitFor<TurnFinished>(++answers));
        messages.push_back({"assistant", run.all<TurnFinished>().back().text});
    }
    /// Waits for the end of a background compaction.
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
