#pragma once
/// \file
/// An engine that is asked one question after another in a conversation, with what it said between
/// them, as a window does it.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/engine_runner.h"

namespace lacuna::test {

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
