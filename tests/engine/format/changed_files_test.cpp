// Input files that are truncated or replaced while they are read give an error. Outputs that would
// overwrite inputs are refused before any work.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>

#include "engine/format/convert.h"
#include "engine/format/cut_layers.h"
#include "engine/format/gguf.h"
#include "engine/format/load_model.h"
#include "engine/format/model_container.h"
#include "engine/format/quantise_model.h"
#include "engine/format/tokenizer_files.h"
#include "tests/support/temporary_folder.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kPage = 4096;

/// A copy of a tiny model, in both forms.
struct Model {
    Model() {
        const fs::path golden = fs::path(LACUNA_GOLDEN_DIR) / "models" / "llama";
        for (const auto& item : fs::directory_iterator(golden))
            if (item.is_regular_file())
                fs::copy_file(item.path(), folder.path() / item.path().filename());
        for (const auto& item : fs::directory_iterator(folder.path()))
            fs::permissions(item.path(), fs::perms::owner_all);
    }
    [[nodiscard]] fs::path file(const char* name) const { return folder.path() / name; }
    test::TemporaryFolder folder;
};

using Progress = std::function<void(double)>;

/// An operation that reads a model and reports progress. Returns its error, if any.
struct Work {
    const char* name;
    const char* source;
    double readUntil;  ///< progress at which reading ends
    std::function<std::optional<Error>(const Model&, const Progress&)> run;
};
void PrintTo(const Work& work, std::ostream* out) {
    *out << work.name;
}

template <class T>
std::optional<Error> errorOf(const Result<T>& outcome) {
    return outcome ? std::nullopt : std::optional(outcome.error());
}

const char* const kGguf = "model.gguf";
const char* const kShard = "model.safetensors";

std::vector<Work> works() {
    const auto load = [](const fs::path& path, const Progress& progress) {
        LoadOptions options;
        options.progress = progress;
        return errorOf(loadModel(path, options));
    };
    const auto quantise = [](const fs::path& from, const fs::path& to, const Progress& progress) {
        ThreadPool pool(2);
        QuantiseOptions options;
        options.recipe = recipeFromName("Q8_0").value();
        options.progress = progress;
        return errorOf(quantiseModel(from, to, pool, options));
    };
    return {
        {"load_gguf", kGguf, 0.95,
         [load](const Model& m, const Progress& p) { return load(m.file(kGguf), p); }},
        {"load_folder", kShard, 0.95,
         [load](const Model& m, const Progress& p) { return load(m.folder.path(), p); }},
        {"convert", kShard, 1.0,
         [](const Model& m, const Progress& p) {
             ConvertOptions options;
             options.progress = p;
             return errorOf(convertToGguf(m.folder.path(), m.file("out.gguf"), options));
         }},
        {"quantise_gguf", kGguf, 0.999,
         [quantise](const Model& m, const Progress& p) {
             return quantise(m.file(kGguf), m.file("out.gguf"), p);
         }},
        {"quantise_folder", kShard, 0.2,
         [quantise](const Model& m, const Progress& p) {
             return quantise(m.folder.path(), m.file("out.gguf"), p);
         }},
    };
}

class ChangedWhileRead : public testing::TestWithParam<Work> {};

// Changes the file at each progress report in turn, until a report after the last read.
TEST_P(ChangedWhileRead, operation_endsWithModelChanged_andLeavesNoOutput) {
    const Work& work = GetParam();
    const Model untouched;
    int moments = 0;
    const auto good = work.run(untouched, [&](double) { ++moments; });
    ASSERT_FALSE(good) << good->what;
    ASSERT_GE(moments, 3);
    const auto size = fs::file_size(untouched.file(work.source));
    for (int moment = 1; moment < moments; moment += std::max(1, moments / 6)) {
        for (const std::uintmax_t left : {std::uintmax_t{0}, kPage, size / 2}) {
            const Model model;
            const std::size_t before = model.folder.fileCount();
            int seen = 0;
            bool cut = false;
            const auto error = work.run(model, [&](double share) {
                // At 0 the file is not open yet, so it is simply too short.
                if (++seen != moment || share <= 0 || share > work.readUntil) return;
                fs::resize_file(model.file(work.source), left);
                cut = true;
            });
            if (!cut) continue;
            ASSERT_TRUE(error) << moment << " " << left;
            EXPECT_EQ(errorName(error->code), errorName(ErrorCode::ModelChanged)) << error->what;
            EXPECT_EQ(model.folder.fileCount(), before) << moment << " " << left;
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Works, ChangedWhileRead, testing::ValuesIn(works()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(ChangedFiles, fileReplacedWhileLoading_isDetected) {
    const Model model;
    LoadOptions options;
    options.progress = [&](double share) {
        if (share != 0.2) return;
        fs::copy_file(model.file(kGguf), model.file("twin.gguf"));
        fs::rename(model.file("twin.gguf"), model.file(kGguf));
    };
    const auto loaded = loadModel(model.file(kGguf), options);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().code, ErrorCode::ModelChanged);
}

// A late read of the header finds zeros and must report the change instead of a parse error.
TEST(ChangedFiles, openFileTruncated_isReadSafely) {
    for (const std::uintmax_t left : {std::uintmax_t{0}, kPage}) {
        const Model model;
        const auto opened = openModel(model.file(kGguf));
        ASSERT_TRUE(opened);
        fs::resize_file(model.file(kGguf), left);
        const auto tokenizer = orChanged(tokenizerFromGguf(*opened->gguf), *opened->gguf);
        EXPECT_TRUE(tokenizer || tokenizer.error().code == ErrorCode::ModelChanged);
        float sum = 0;
        for (const TensorInfo& tensor : opened->source().tensors())
            sum += static_cast<float>(std::to_integer<int>(tensor.data[tensor.bytes - 1]));
        EXPECT_EQ(sum, 0);
        EXPECT_EQ(opened->source().checkUnchanged().error().code, ErrorCode::ModelChanged);
    }
}

TEST(Outputs, outputAmongTheModelFiles_isRefused_andChangesNothing) {
    const Model model;
    ThreadPool pool(1);
    QuantiseOptions q8;
    q8.recipe = recipeFromName("Q8_0").value();
    fs::create_hard_link(model.file(kShard), model.file("hard.gguf"));
    fs::create_symlink(model.file("tokenizer.json"), model.file("soft.gguf"));
    fs::create_hard_link(model.file(kGguf), model.file("twin.gguf"));
    fs::copy_file(model.file(kGguf), model.file("split-00002-of-00002.gguf"));
    fs::copy_file(model.file(kGguf), model.file("split-00001-of-00002.gguf"));
    const auto sizes = [&] {
        std::map<std::string, std::uintmax_t> all;
        for (const auto& item : fs::directory_iterator(model.folder.path()))
            all[item.path().filename().string()] = item.file_size();
        return all;
    };
    const auto before = sizes();
    const auto refused = [](const std::optional<Error>& error, const std::string& what) {
        ASSERT_TRUE(error) << what;
        EXPECT_EQ(errorName(error->code), errorName(ErrorCode::InvalidArgument)) << error->what;
    };
    const fs::path folder = model.folder.path();
    for (const char* out : {"model.safetensors", "config.json", "tokenizer.json", "hard.gguf",
                            "soft.gguf", "model.safetensors.index.json", "chat_template.jinja"}) {
        refused(errorOf(convertToGguf(folder, folder / out, {})), out);
        refused(errorOf(quantiseModel(folder, folder / out, pool, q8)), out);
        refused(errorOf(quantiseModel(folder / "config.json", folder / out, pool, q8)), out);
    }
    for (const char* out : {"model.gguf", "twin.gguf"}) {
        refused(errorOf(quantiseModel(model.file(kGguf), folder / out, pool, q8)), out);
        refused(errorOf(cutLayers(model.file(kGguf), folder / out, std::vector<int>{0})), out);
    }
    refused(errorOf(quantiseModel(model.file("split-00001-of-00002.gguf"),
                                  model.file("split-00002-of-00002.gguf"), pool, q8)),
            "another part");
    EXPECT_EQ(sizes(), before);
    // Outputs next to the model files are allowed, even over an earlier output.
    for (int i = 0; i < 2; ++i)
        EXPECT_FALSE(errorOf(convertToGguf(folder, folder / "made.gguf", {})));
}

}  // namespace
}  // namespace lacuna
