// The lacuna-bench program as a user runs it: arguments that its command line refuses, listings and
// measurements. Rows S1 of the cache contract about benches.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/files/bundled_texts.h"
#include "engine/base/file.h"
#include "engine/base/json.h"
#include "tests/support/bundled_models.h"
#include "tests/support/contract_numbers.h"
#include "tests/support/program_run.h"
#include "tests/support/temporary_folder.h"

namespace lacuna::cli {
namespace {

using test::Outcome;
using test::says;

constexpr const char* kTinyModel = LACUNA_GOLDEN_DIR "/models/llama/model.gguf";

Outcome lacunaBench(const std::string& arguments, const char* streams = "2>&1",
                    const std::string& environment = {}) {
    return test::runProgram(LACUNA_BENCH_PROGRAM, arguments, streams, environment);
}

/// The lacuna program, which calibrates what some benches need.
Outcome lacuna(const std::string& arguments, const char* streams = "2>&1") {
    return test::runProgram(LACUNA_PROGRAM, arguments, streams);
}

TEST(BenchProgram, requirementIds_ofThisModule_haveTests) {
    EXPECT_GT(test::expectNumbersOf("app_bench"), 1);
}

TEST(BenchProgram, manualAndCompletions_useTheProgramName) {
    const Outcome page = lacunaBench("manual");
    ASSERT_EQ(page.status, 0);
    EXPECT_EQ(page.out.rfind(".TH LACUNA\\-BENCH 1", 0), 0U) << page.out.substr(0, 80);
    EXPECT_TRUE(says(page, ".SS \"lacuna\\-bench bench cache\""));
    const auto completed = [](const std::string& words, int place) {
        return test::completedByBash(LACUNA_BENCH_PROGRAM, "_lacuna_bench", words, place);
    };
    EXPECT_EQ(completed("lacuna-bench bench cach", 2), "cache\n");
    EXPECT_EQ(completed("lacuna-bench bench cache --tok", 3), "--tokens\n");
    const Outcome zsh = lacunaBench("completion zsh");
    EXPECT_EQ(zsh.out.rfind("#compdef lacuna-bench\n", 0), 0U);
    EXPECT_TRUE(says(zsh, "_lacuna_bench_bench_cache() {"));
}

TEST(BenchProgram, invalidCommandLine_reportsCodeAndCommandUsageOnce) {
    struct BadLine {
        const char* arguments;
        const char* code;
        const char* usage;
    };
    for (const BadLine& line :
         {BadLine{"", "INVALID_ARGUMENT", "Usage: lacuna-bench "},
          {"generate", "INVALID_ARGUMENT", "Usage: lacuna-bench "},
          {"perplexity a --ctx 99999999999", "RANGE", "Usage: lacuna-bench perplexity "},
          {"perplexity a --ctx 1", "RANGE", "Usage: lacuna-bench perplexity "},
          {"perplexity a --ctx x", "RANGE", "Usage: lacuna-bench perplexity "},
          {"bench compaction --ratio nan", "RANGE", "Usage: lacuna-bench bench compaction "},
          {"bench compaction --ratio 9", "RANGE", "Usage: lacuna-bench bench compaction "},
          {"recall a b --budget-share nan", "RANGE", "Usage: lacuna-bench recall "},
          {"ruler a --budget-share nan", "RANGE", "Usage: lacuna-bench ruler "},
          {"ruler a --rows 0", "RANGE", "Usage: lacuna-bench ruler "},
          {"ruler a --length 63", "RANGE", "Usage: lacuna-bench ruler "},
          {"ruler a --budget-share 0.5 --set budget=64", "CONFLICT", ""},
          {"bench", "INVALID_ARGUMENT", "Usage: lacuna-bench bench "}}) {
        const Outcome run = lacunaBench(line.arguments);
        EXPECT_EQ(run.status, 2) << line.arguments << run.out;
        EXPECT_TRUE(run.out.starts_with(std::string("lacuna: ") + line.code + ": "))
            << line.arguments << ": " << run.out;
        EXPECT_TRUE(says(run, line.usage)) << line.arguments << ": " << run.out;
    }
    for (const char* command : {"perplexity /nowhere/m.gguf x", "recall /nowhere/m.gguf x"}) {
        const Outcome two = lacunaBench(std::string(command) + " --exact --set precision=fast");
        EXPECT_NE(two.status, 0) << command;
        EXPECT_TRUE(says(two, "--exact and --set precision=fast exclude each other")) << two.out;
    }
}

// OUT contains files with the names of measurement outputs, which are links to the model.
TEST(BenchProgram, outputsOverInputs_areRejectedBeforeAnyWork) {
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    fs::copy_file(kTinyModel, folder.path() / "model.gguf");
    const std::string gguf = (folder.path() / "model.gguf").string();
    const auto size = fs::file_size(gguf);
    const std::string cases = folder.write("cases.json", "[]").string();
    const std::string text = folder.write("text.txt", "words").string();
    const std::string hard = (folder.path() / "hard").string();
    fs::create_hard_link(gguf, hard);
    const fs::path out = folder.path() / "OUT";
    fs::create_directory(out);
    for (const char* name : {"bench.csv", "formats.csv"}) fs::create_hard_link(gguf, out / name);
    for (const std::string& command : {"recall " + gguf + " " + cases + " --rows " + cases,
                                       "recall " + gguf + " " + cases + " --rows " + hard,
                                       "ruler " + gguf + " --answers " + hard,
                                       "ruler " + gguf + " --text " + text + " --answers " + text,
                                       "bench-compression " + gguf + " --out " + out.string(),
                                       "bench-formats " + gguf + " --out " + out.string()}) {
        const Outcome run = lacunaBench(command);
        EXPECT_EQ(run.status, 2) << command << "\n" << run.out;
        EXPECT_TRUE(says(run, "would replace")) << command << "\n" << run.out;
    }
    EXPECT_EQ(fs::file_size(gguf), size);
    EXPECT_EQ(readFile(cases, 100).value(), "[]");
    EXPECT_EQ(readFile(text, 100).value(), "words");
}

TEST(BenchProgram, measurementBeyondTheContext_isRejectedBeforeAnyWork) {
    const std::string model = test::pilotModel().string();  // a context of 4096
    for (const std::string& command :
         {"bench " + model + " --prefill 4000 --decode 100",
          "bench " + model + " --context 5000 --prefill 1 --decode 1",
          "bench " + model + " --apart --context 4000 --prefill 1 --decode 100",
          "bench parallel " + model + " --decode 5000",
          "bench parallel " + model + " --long-prompt 5000",
          "bench-formats " + model + " --speed-context 5000",
          "bench-formats " + model + " --context 4000 --after 100",
          "presets " + model + " --speed-context 5000"}) {
        const Outcome run = lacunaBench(command, "2>&1", "timeout 60 ");
        EXPECT_EQ(run.status, 2) << command << run.out;
        EXPECT_TRUE(says(run, "context of 4096")) << command << run.out;
    }
    for (const char* bench : {"cache", "compaction"}) {
        const Outcome run =
            lacunaBench(std::string("bench ") + bench +
                            " --layers 1024 --heads 1024 --dim 4096 --tokens 1000000",
                        "2>&1", "timeout 60 ");
        EXPECT_EQ(run.status, 71) << run.out;
        EXPECT_TRUE(says(run, "of memory are available")) << run.out;
    }
}

/// Writes a question about a text of 14 short sentences, and that text.
std::string questionAndText(const test::TemporaryFolder& folder) {
    std::string text;
    for (int i = 0; i < 14; ++i)
        text += "item " + std::to_string(i) + " is " + std::to_string(i * 37 % 101) + ". ";
    const Json question{
        {"kind", "facts1"},
        {"approx_tokens", 100},
        {"messages", {{{"role", "user"}, {"content", text + "\n\nWhat is item 3?"}}}},
        {"answer", "10"},
        {"key", "10"}};
    const auto cases = folder.write("cases.json", Json::array({question}).dump());
    return "--cases " + cases.string() + " --text " + folder.write("text.txt", text).string();
}
TEST(BenchProgram, calibratedRotations_areUsedByLaterRuns) {
    const test::TemporaryFolder folder;
    const std::string model = (folder.path() / "pilot.gguf").string();
    std::filesystem::create_symlink(test::pilotModel(), model);
    const std::string read = "perplexity " + model + " " + LACUNA_RESOURCE_DIR +
                             "/texts/our_mutual_friend.txt --limit 200 --set precision=fast " +
                             "--set kv_type=t2 --set exact_window=0 --set kv_rotation=";
    const auto perplexityUnder = [&](const std::string& rotation, const std::string& found) {
        const Outcome run = lacunaBench(read + rotation, "2>/dev/null");
        EXPECT_EQ(run.status, 0) << run.out;
        const auto json = parseJson(run.out);
        EXPECT_TRUE(json) << run.out;
        if (!json) return 0.0;
        EXPECT_EQ(json->at("kv_rotation"), found);
        return json->at("perplexity").get<double>();
    };
    const double random = perplexityUnder("auto", "hadamard");
    const Outcome missing = lacunaBench(read + "calibrated");
    EXPECT_EQ(missing.status, 2);
    EXPECT_TRUE(says(missing, "calibrate-kv --rotations")) << missing.out;
    const Outcome made =
        lacuna("calibrate-kv " + model + " --rotations --fit-tokens 2400 --json", "2>/dev/null");
    ASSERT_EQ(made.status, 0) << made.out;
    const auto json = parseJson(made.out);
    ASSERT_TRUE(json) << made.out;
    EXPECT_EQ(json->at("tokens"), 2400);
    EXPECT_EQ(json->at("text"), app::kCalibrationText) << "which nothing is measured on";
    const std::string file = json->at("file").get<std::string>();
    EXPECT_EQ(file, (folder.path() / "pilot.rotations.safetensors").string());
    EXPECT_LT(perplexityUnder("auto", "calibrated"), random);
    EXPECT_EQ(perplexityUnder("hadamard", "hadamard"), random);
    // A damaged file is ignored, and a message reports that.
    std::filesystem::resize_file(file, 1000);
    EXPECT_EQ(perplexityUnder("auto", "hadamard"), random);
    const Outcome damaged = lacunaBench(read + "auto");
    EXPECT_TRUE(says(damaged, "pilot.rotations.safetensors")) << damaged.out;
    EXPECT_NE(lacunaBench(read + "calibrated").status, 0);
    EXPECT_NE(lacuna("calibrate-kv " + model + " --rotations --questions").status, 0);
    EXPECT_NE(lacuna("calibrate-kv " + model + " --fit-tokens 2000").status, 0);
}

TEST(BenchProgram, calibratedQueryCentres_areUsedByEviction) {
    const test::TemporaryFolder folder;
    const std::string model = (folder.path() / "pilot.gguf").string();
    std::filesystem::create_symlink(test::pilotModel(), model);
    const std::string made_ = "calibrate-kv " + model + " --query-centres --fit-tokens 600 --json";
    const Outcome made = lacuna(made_, "2>/dev/null");
    ASSERT_EQ(made.status, 0) << made.out;
    const auto json = parseJson(made.out);
    ASSERT_TRUE(json) << made.out;
    EXPECT_EQ(json->at("kind"), "query_centres");
    EXPECT_EQ(json->at("tokens"), 596);
    EXPECT_EQ(json->at("file").get<std::string>(),
              (folder.path() / "pilot.centres.safetensors").string());
    const std::string recall = "recall " + model +
                               " --made 1 --seed 3 --set method=l2 --set "
                               "budget=100 --set compaction_floor=0 --set norm_policy=";
    const Outcome asked = lacunaBench(recall + "tri_attention");
    EXPECT_EQ(asked.status, 0) << asked.out;
    EXPECT_FALSE(says(asked, "KeyDiff was used instead")) << asked.out;
    EXPECT_NE(lacuna(made_ + " --rotations").status, 0);
}

TEST(BenchProgram, calibratedTransform_reducesStoredCaches) {
    const test::TemporaryFolder folder;
    const std::string model = (folder.path() / "pilot.gguf").string();
    std::filesystem::create_symlink(test::pilotModel(), model);
    const std::string measure = "kvtc " + model + " " + LACUNA_RESOURCE_DIR +
                                "/texts/our_mutual_friend.txt --context 600 --after 24 "
                                "--windows 1 --ratio ";
    const Outcome missing = lacunaBench(measure + "6");
    EXPECT_EQ(missing.status, 66);
    EXPECT_TRUE(says(missing, "calibrate-kv")) << missing.out;
    EXPECT_TRUE(says(missing, "--transform")) << missing.out;
    const Outcome made =
        lacuna("calibrate-kv " + model + " --transform --layer-group 1 --fit-tokens 6200 --json",
               "2>/dev/null");
    ASSERT_EQ(made.status, 0) << made.out;
    const auto json = parseJson(made.out);
    ASSERT_TRUE(json) << made.out;
    const std::string file = json->at("file").get<std::string>();
    EXPECT_EQ(file, (folder.path() / "pilot.transform").string());
    const auto errors = json->at("step_errors").get<std::vector<double>>();
    EXPECT_TRUE(std::is_sorted(errors.begin(), errors.end()));
    const auto figures = [&](const std::string& more) {
        const Outcome run = lacunaBench(measure + more, "2>/dev/null");
        EXPECT_EQ(run.status, 0) << run.out;
        return parseJson(run.out).value();
    };
    const Json fine = figures("3");
    const Json coarse = figures("12 --code step");
    const Json plan = figures("8 --code plan");
    // Compression took place, and all bytes are counted: of 600 tokens, 4 are stored in 16 bits and
    // the newest 128 at a ratio of at most 8.
    for (const Json& one : {fine, coarse, plan}) {
        EXPECT_EQ(one["tokens"], 600);
        EXPECT_NEAR(one["ratio_end_to_end"].get<double>(),
                    8 * 4 * 64 * 2 * 2.0 / one["bytes_per_token"].get<double>(), 1e-6);
        EXPECT_GT(one["ratio_end_to_end"], 1.8);
        EXPECT_LT(one["ratio_end_to_end"], 12);
        EXPECT_GT(one["kl_mean"], 0);
        EXPECT_GT(one["decode_mb_per_s"], 0);
    }
    EXPECT_GT(coarse["ratio_end_to_end"], fine["ratio_end_to_end"]);
    EXPECT_GT(coarse["kl_mean"], fine["kl_mean"]);
    EXPECT_LT(fine["kl_mean"], 0.04);
    EXPECT_GT(fine["cosine_k"], 0.98);
    EXPECT_EQ(plan["code"], "plan");
    const Json rows = figures("3 --code rows");
    EXPECT_EQ(rows["kl_mean"], 0);
    EXPECT_GT(rows["ratio_end_to_end"], 1);
    const Json eightBits = figures("3 --code q8");
    EXPECT_GT(eightBits["ratio_end_to_end"], rows["ratio_end_to_end"]);
    EXPECT_LT(eightBits["ratio_end_to_end"], fine["ratio_end_to_end"]);
    EXPECT_LT(eightBits["kl_mean"], fine["kl_mean"]);
    // Missing plan, another model's bundle, damaged bundle.
    EXPECT_EQ(lacunaBench(measure + "7 --code plan").status, 2);
    EXPECT_EQ(lacunaBench(measure + "1").status, 2);
    const Outcome other =
        lacunaBench("kvtc " + std::string(kTinyModel) + " " + LACUNA_RESOURCE_DIR +
                    "/texts/our_mutual_friend.txt --context 40 --after 4 --bundle " + file);
    EXPECT_EQ(other.status, 65);
    EXPECT_TRUE(says(other, "fingerprint")) << other.out;
    std::filesystem::resize_file(file, 1000);
    for (const std::string& how : {std::string("6"), "6 --bundle " + file}) {
        const Outcome damaged = lacunaBench(measure + how);
        EXPECT_EQ(damaged.status, 65);
        EXPECT_TRUE(says(damaged, "pilot.transform")) << damaged.out;
        EXPECT_TRUE(says(damaged, "calibrate again")) << damaged.out;
    }
}

TEST(BenchProgram, kvtc_withAShortOrMissingText_reportsTheRequiredOption) {
    const test::TemporaryFolder folder;
    const auto of = [&](const std::string& text, const std::string& command = "kvtc ") {
        return lacunaBench(command + std::string(test::pilotModel()) + " " +
                           folder.write("text", text).string() +
                           (command == "kvtc " ? " --code q8 --context 64 --after 8" : ""));
    };
    for (const std::string& text : {std::string(), std::string("a few words")}) {
        const Outcome run = of(text);
        EXPECT_EQ(run.status, 2);
        EXPECT_TRUE(says(run, "--context")) << run.out;
    }
    std::string words;
    while (words.size() < 2000) words += "the river ran past the mill and the old house ";
    for (const char* command : {"kvtc ", "perplexity "}) {
        EXPECT_EQ(of(words + "\xe2\x82", command).status, 0) << "a character that is cut off";
        const Outcome run = of(words + "\xff\xfe and more of it", command);
        EXPECT_EQ(run.status, 65);
        EXPECT_TRUE(says(run, "UTF-8")) << run.out;
    }
}

TEST(BenchProgram, benchPrefix_rejectsUnmeasurableSettings) {
    const std::string bench = "bench prefix " + std::string(test::pilotModel()) + " --repeat 1 ";
    const Outcome off = lacunaBench(bench + "--prompt 300 --set prefix_disk=0");
    EXPECT_EQ(off.status, 2);
    EXPECT_TRUE(says(off, "prefix_disk")) << off.out;
    EXPECT_EQ(lacunaBench(bench + "--prompt 300 --set prefix_cache=0").status, 2);
    const Outcome full = lacunaBench(bench + "--prompt 4096");
    EXPECT_EQ(full.status, 2);
    EXPECT_TRUE(says(full, "4091")) << full.out;
    const Outcome disk = lacunaBench(bench + "--prompt 300 --set prefix_disk=1");
    EXPECT_EQ(disk.status, 2);
    EXPECT_TRUE(says(disk, "prefix_disk")) << disk.out;
    const Outcome memory = lacunaBench(bench + "--prompt 600 --set prefix_cache=1");
    EXPECT_EQ(memory.status, 2);
    EXPECT_TRUE(says(memory, "prefix_cache")) << memory.out;
    const Outcome one = lacunaBench(bench + "--prompt 300 --set max_tokens=1", "2>/dev/null");
    EXPECT_EQ(one.status, 0);
    EXPECT_TRUE(Json::parse(one.out).at("one_token_ms").is_null()) << one.out;
}

TEST(BenchProgram, precision_everyValue_isAcceptedAndReported) {
    const std::string asked = "perplexity " + test::pilotModel().string() + " " +
                              LACUNA_RESOURCE_DIR +
                              "/texts/our_mutual_friend.txt --ctx 64 --limit 128";
    const auto found = [&](const std::string& more) {
        const Outcome run = lacunaBench(asked + more, "2>/dev/null");
        EXPECT_EQ(run.status, 0) << run.out;
        const auto json = parseJson(run.out);
        EXPECT_TRUE(json) << run.out;
        return json ? json->at("perplexity").get<double>() : 0.0;
    };
    const double exact = found(" --set precision=exact");
    EXPECT_EQ(exact, found(" --exact"));
    const double fast = found(" --set precision=fast");
    EXPECT_NE(fast, exact);
    EXPECT_NEAR(fast, exact, 0.05 * exact);
    EXPECT_NEAR(found(" --set precision=auto"), exact, 0.01 * exact);
    const Outcome other = lacunaBench(asked + " --set precision=double");
    EXPECT_EQ(other.status, 2);
    EXPECT_TRUE(says(other, "auto")) << other.out;
}

// The model has random weights, so only the output form, the compaction of the texts and the effect
// of the seed are checked.
TEST(BenchProgram, ruler_printsItsFixedFormatAndStoresTheAnswers) {
    const test::TemporaryFolder folder;
    const std::string answers = (folder.path() / "answers.json").string();
    const std::string asked =
        std::string("ruler ") + kTinyModel +
        " --length 1200 --rows 1 --tasks niah_single_1,qa_1 --seed 4"
        " --set method=am --set compaction_floor=0 --set loss_limit=off --set am_ratio=4 --set "
        "keep_recent=8 --set precision=fast --answers " +
        answers;
    const Outcome run = lacunaBench(asked, "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto result = parseJson(run.out);
    ASSERT_TRUE(result) << run.out;
    std::vector<std::string> keys;
    const OrderedJson printed = OrderedJson::parse(run.out);
    for (const auto& [key, value] : printed.items()) keys.push_back(key);
    EXPECT_EQ(keys, (std::vector<std::string>{
                        "length", "rows", "score_full", "score", "share", "by_task",
                        "live_of_logical", "bits_per_number", "compactions", "asked_ratio",
                        "achieved_ratio", "limited", "kept_information", "kept_error", "kept_worst",
                        "kl_mean", "kl_p99", "same_top", "precision"}));
    EXPECT_EQ((*result)["precision"], "fast");
    EXPECT_EQ((*result)["length"], 1200);
    EXPECT_EQ((*result)["compactions"], 2);
    EXPECT_LT((*result)["live_of_logical"], 0.4);
    EXPECT_TRUE((*result)["by_task"]["qa_1"].contains("full"));
    const auto kept = parseJson(readFile(answers, 1U << 24).value());
    ASSERT_TRUE(kept);
    ASSERT_EQ(kept->size(), 2U);
    EXPECT_LE((*kept)[0]["tokens"], 1200);
    EXPECT_EQ(lacunaBench(asked, "2>/dev/null").out, run.out);
    const Outcome words = lacunaBench(asked, "2>&1 >/dev/null");
    EXPECT_TRUE(says(words, "2 questions are too few")) << words.out;
    const Outcome whole = lacunaBench(
        asked + " --set method=l2 --set compaction_floor=0 --set loss_limit=off --budget-share 1");
    EXPECT_EQ(whole.status, 0) << whole.out;
    EXPECT_TRUE(says(whole, "nothing was evicted")) << whole.out;
    const Outcome large = lacunaBench(std::string("ruler ") + kTinyModel + " --length 4096");
    EXPECT_EQ(large.status, 2) << large.out;
    EXPECT_TRUE(says(large, "exceeds the context of 2048")) << large.out;
}

TEST(BenchProgram, S1_71_compressionBench_runsOnATinyModelAndEvicts) {
    const test::TemporaryFolder folder;
    const Outcome run =
        lacunaBench(std::string("bench-compression ") + kTinyModel +
                        " --methods recent,keydiff --ratios 2 --json --out " +
                        (folder.path() / "out").string() + " " + questionAndText(folder),
                    "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto result = parseJson(run.out);
    ASSERT_TRUE(result) << run.out;
    ASSERT_EQ((*result)["rows"].size(), 2U);
    for (const Json& row : (*result)["rows"]) EXPECT_GT(row["evictions"], 0) << row;
}

// The model has random weights, so the test only checks that the table is filled, stored for the
// window, and resumed.
TEST(BenchProgram, qualityTable_isFilledStoredAndResumed) {
    const test::TemporaryFolder folder;
    // The child process stores the table there.
    const char* const before = std::getenv("XDG_DATA_HOME");
    const std::string was = before != nullptr ? before : "";
    ::setenv("XDG_DATA_HOME", folder.path().c_str(), 1);
    const std::string asked = std::string("bench-compression ") + kTinyModel +
                              " --table small --methods keydiff,recent_only --ratios 2,4 --rounds 1"
                              " --ruler-rows 0 --windows 1 --json";
    const auto run = [](const std::string& command) { return lacunaBench(command, "2>/dev/null"); };
    const Outcome first = run(asked);
    ASSERT_EQ(first.status, 0) << first.out;
    const auto result = parseJson(first.out);
    ASSERT_TRUE(result) << first.out;
    ASSERT_EQ((*result)["rows"].size(), 4U);
    EXPECT_EQ((*result)["done"], (*result)["total"]);
    for (const Json& row : (*result)["rows"]) {
        EXPECT_GT(row["items"], 0) << row;
        EXPECT_LT(row["live_bytes"], row["logical_bytes"]) << row;
    }
    EXPECT_EQ(run(asked).out, first.out) << "nothing is measured twice";
    const Outcome other = run(asked + " --set keep_recent=8");
    EXPECT_GT(other.status, 0);
    const Outcome out = run(asked + " --out " + (folder.path() / "out").string());
    EXPECT_EQ(out.status, 0) << out.out;
    for (const char* name : {"quality.md", "quality.csv", "quality.json", "quality.cells.json"})
        EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / name)) << name;
    EXPECT_GT(run(asked + " --budgets 100").status, 0) << "a table has its own sizes";
    if (before != nullptr)
        ::setenv("XDG_DATA_HOME", was.c_str(), 1);
    else
        ::unsetenv("XDG_DATA_HOME");
}

// The model has random weights, so the test only checks that rows are measured, stored, and
// resumed.
TEST(BenchProgram, benchFormats_measuresNamedRowsAndResumes) {
    const test::TemporaryFolder folder;
    const std::string out = (folder.path() / "out").string();
    const std::string asked = std::string("bench-formats ") + kTinyModel +
                              " --formats \"t3,t3 simulated,q4_0 rotated,t2 calibrated,t4 am 4x\""
                              " --set exact_window=0 --rounds 0 --windows 1 --context 200 --after"
                              " 20 --exact --json --out " +
                              out;
    const auto run = [](const std::string& command) { return lacunaBench(command, "2>/dev/null"); };
    const Outcome first = run(asked);
    ASSERT_EQ(first.status, 0) << first.out;
    const auto result = parseJson(first.out);
    ASSERT_TRUE(result) << first.out;
    const Json& rows = (*result)["rows"];
    ASSERT_EQ(rows.size(), 5U);
    for (const std::size_t i : {0U, 1U, 2U, 4U}) {
        EXPECT_EQ(rows[i]["items"], 1) << rows[i];
        EXPECT_EQ(rows[i]["text"]["positions"], 19) << rows[i];
        EXPECT_GT(rows[i]["text"]["kl_mean"], 0) << rows[i];
        EXPECT_LT(rows[i]["live_bytes"], rows[i]["logical_bytes"]) << rows[i];
    }
    EXPECT_EQ(rows[1]["live_bytes"], rows[0]["live_bytes"]);
    EXPECT_LT(rows[4]["live_bytes"].get<double>(), rows[0]["live_bytes"].get<double>() / 2)
        << "slots went, not only bits";
    EXPECT_TRUE(std::string(rows[3]["refused"]).find("calibrate-kv") != std::string::npos);
    EXPECT_EQ(run(asked).out, first.out) << "nothing is measured twice";
    EXPECT_GT(run(asked + " --set n_sink=3").status, 0) << "cells of other settings lie there";
    for (const char* name : {"formats.md", "formats.csv", "formats.json", "formats.cells.json"})
        EXPECT_TRUE(std::filesystem::exists(folder.path() / "out" / name)) << name;
    const Outcome unknown =
        lacunaBench(std::string("bench-formats ") + kTinyModel + " --formats \"t3,q5_0\"");
    EXPECT_EQ(unknown.status, 2) << unknown.out;
    EXPECT_TRUE(says(unknown, "ggml-q4_0")) << unknown.out;
    const Outcome twice =
        lacunaBench(std::string("bench-formats ") + kTinyModel + " --set kv_type=t3");
    EXPECT_GT(twice.status, 0);
    EXPECT_TRUE(says(twice, "--formats")) << twice.out;
}

TEST(BenchProgram, compressionBench_acceptsQuerySourcesAsMethods) {
    const test::TemporaryFolder folder;
    const Outcome run =
        lacunaBench(std::string("bench-compression ") + kTinyModel +
                        " --methods am,am-context:method=am:query_source=context,"
                        "am-repeat:method=am:query_source=repeat "
                        "--ratios 2 --json --out " +
                        (folder.path() / "out").string() + " " + questionAndText(folder),
                    "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto result = parseJson(run.out);
    ASSERT_TRUE(result) << run.out;
    ASSERT_EQ((*result)["rows"].size(), 3U);
    for (const Json& row : (*result)["rows"]) EXPECT_GT(row["evictions"], 0) << row;
}

TEST(BenchProgram, fitHead_acceptsRandomQueries_rejectsSourcesThatNeedAModel) {
    const std::string command = std::string("fit-head ") + LACUNA_GOLDEN_DIR
                                "/attention-matching --keep 64 --set query_source=";
    const auto error = [&](const std::string& source) {
        const Outcome run = lacunaBench(command + source, "2>/dev/null");
        EXPECT_EQ(run.status, 0) << run.out;
        const auto result = parseJson(run.out);
        EXPECT_TRUE(result) << run.out;
        return (*result)["relative_output_error_test"].get<double>();
    };
    EXPECT_LT(error("captured"), error("random"));
    const Outcome refused = lacunaBench(command + "repeat");
    EXPECT_GT(refused.status, 0);
    EXPECT_TRUE(says(refused, "needs a model")) << refused.out;
}

TEST(BenchProgram, S1_75_missingModel_failsWithItsPath) {
    for (const char* command :
         {"bench ", "bench-compression ", "perplexity --model ", "bench parallel "}) {
        const Outcome run = lacunaBench(std::string(command) + "/nowhere/model.gguf " +
                                        (std::string_view(command).starts_with("perplexity")
                                             ? LACUNA_RESOURCE_DIR "/texts/our_mutual_friend.txt"
                                             : ""));
        EXPECT_GT(run.status, 0) << command;
        EXPECT_TRUE(says(run, "/nowhere/model.gguf")) << command << run.out;
    }
    EXPECT_GT(lacunaBench("bench").status, 0) << "no model at all";
}

}  // namespace
}  // namespace lacuna::cli
