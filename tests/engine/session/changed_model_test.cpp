// A model file that is truncated, replaced or touched during an answer: the turn ends with an
// error, its text so far is kept, and the engine continues with another model.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "engine/settings/config_check.h"
#include "tests/support/engine_runner.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;
using test::EngineRunner;
using test::TemporaryFolder;

const fs::path kGolden = fs::path(LACUNA_GOLDEN_DIR) / "models" / "llama" / "model.gguf";

/// A change to the file.
struct Change {
    const char* name;
    std::function<void(const fs::path&)> make;
};
void PrintTo(const Change& change, std::ostream* out) {
    *out << change.name;
}

std::vector<Change> changes() {
    return {
        {"emptied", [](const fs::path& path) { fs::resize_file(path, 0); }},
        {"cut_to_a_page", [](const fs::path& path) { fs::resize_file(path, 4096); }},
        {"halved", [](const fs::path& path) { fs::resize_file(path, fs::file_size(path) / 2); }},
        {"replaced",
         [](const fs::path& path) {
             fs::copy_file(path, path.string() + ".new");
             fs::rename(path.string() + ".new", path);
         }},
        {"written_in_place",
         [](const fs::path& path) {
             std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
             file.seekp(-1, std::ios::end);
             file.put('\0');
             file.close();
             fs::last_write_time(path, fs::last_write_time(path) + std::chrono::seconds(1));
         }},
        {"removed", [](const fs::path& path) { fs::remove(path); }},
    };
}

class ChangedModel : public testing::TestWithParam<Change> {
  protected:
    void SetUp() override {
        fs::copy_file(kGolden, path_);
        fs::permissions(path_, fs::perms::owner_all);
    }
    /// Asks a question, changes the file when `due` returns true, and checks the end of that turn.
    /// The engine must stay alive.
    void askAndChange(const std::string& question, const std::function<bool(const Event&)>& due) {
        EngineConfig config =
            *withSettings({}, std::vector<std::string>{"temperature=0", "max_tokens=12",
                                                       "prefill_chunk=16", "threads=2"});
        EngineRunner run(config);
        // Mapped, like the weights of a model that fills the memory.
        run.makers = ModelMakers{};
        run.makers->load = [](const fs::path& path, const LoadOptions& options) {
            return loadModel(path, options);
        };
        bool changed = false;
        run.onEvent = [&](const Event& event) {
            if (changed || !due(event)) return;
            changed = true;
            GetParam().make(path_);
        };
        run.start();
        ASSERT_TRUE(run.load(path_));
        run.submit(1, question);
        ASSERT_TRUE(run.waitFor<TurnFinished>());
        finished_ = run.all<TurnFinished>()[0];
        for (const TokenText& part : run.all<TokenText>()) shown_ += part.text;
        ASSERT_TRUE(run.load(kGolden));
        ASSERT_TRUE(run.waitFor<ModelLoaded>(2));
        run.submit(2, "And now?");
        ASSERT_TRUE(run.waitFor<TurnFinished>(2));
        EXPECT_EQ(run.all<TurnFinished>()[1].reason, FinishReason::Length);
        run.finish();
        EXPECT_TRUE(run.all<Fatal>().empty());
    }

    TemporaryFolder folder_;
    const fs::path path_ = folder_.path() / "model.gguf";
    TurnFinished finished_;
    std::string shown_;
};

TEST_P(ChangedModel, fileChangedDuringDecode_endsTheTurn_andKeepsItsText) {
    askAndChange("Hello", [](const Event& event) {
        const auto* token = std::get_if<TokenText>(&event);
        return token != nullptr && token->index == 4;
    });
    EXPECT_EQ(finished_.reason, FinishReason::Error);
    ASSERT_TRUE(finished_.error);
    EXPECT_EQ(errorName(finished_.error->code), "MODEL_CHANGED") << finished_.error->what;
    EXPECT_EQ(finished_.tokens.size(), 5U);
    EXPECT_EQ(finished_.text, shown_);
}

TEST_P(ChangedModel, fileChangedDuringPrefill_endsTheTurn) {
    askAndChange(std::string(200, 'a'), [](const Event& event) {
        const auto* progress = std::get_if<PrefillProgress>(&event);
        return progress != nullptr && progress->done >= 16;
    });
    EXPECT_EQ(finished_.reason, FinishReason::Error);
    ASSERT_TRUE(finished_.error);
    EXPECT_EQ(errorName(finished_.error->code), "MODEL_CHANGED") << finished_.error->what;
    EXPECT_TRUE(finished_.tokens.empty());
}

INSTANTIATE_TEST_SUITE_P(Changes, ChangedModel, testing::ValuesIn(changes()),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace lacuna
