// The program as a user runs it: arguments that its command line refuses, listings and
// measurements. Rows S1 of the cache contract about options and benches.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
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

constexpr const char* kTinyModel = LACUNA_GOLDEN_DIR "/models/llama/model.gguf";

using test::Outcome;
using test::says;

Outcome lacuna(const std::string& arguments, const char* streams = "2>&1",
               const std::string& environment = {}) {
    return test::runProgram(LACUNA_PROGRAM, arguments, streams, environment);
}

TEST(Program, requirementIds_ofThisModule_haveTests) {
    EXPECT_GT(test::expectNumbersOf("app_main"), 1);
}

TEST(Program, S1_58_settings_areListed_helpNamesTheOption) {
    const Outcome help = lacuna("generate --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_TRUE(says(help, "--set KEY=VALUE")) << help.out;
    EXPECT_TRUE(says(help, "lacuna settings")) << help.out;
    const Outcome table = lacuna("settings");
    EXPECT_EQ(table.status, 0);
    for (const char* key : {"budget", "keep_recent", "n_sink", "margin", "norm_policy", "window"})
        EXPECT_TRUE(says(table, key)) << key;
}

TEST(Program, manual_listsEveryCommandOptionAndSetting) {
    const Outcome page = lacuna("manual");
    ASSERT_EQ(page.status, 0);
    EXPECT_EQ(page.out.rfind(".TH LACUNA 1", 0), 0U);
    EXPECT_TRUE(says(page, ".SS \"lacuna tier status\"")) << page.out;
    EXPECT_TRUE(says(page, "\\fB\\-\\-draft\\-model\\fR"));
    const auto settings = Json::parse(lacuna("settings --json", "2>/dev/null").out);
    ASSERT_GT(settings.size(), 30U);
    for (const auto& setting : settings)
        EXPECT_TRUE(says(page, ".TP\n\\fB" + setting["key"].get<std::string>() + "\\fR\n"))
            << setting["key"];
    // a line that begins with a dot or a quote is a roff request, so only the generated ones may
    for (std::size_t at = page.out.find("\n."); at != std::string::npos;
         at = page.out.find("\n.", at + 1))
        EXPECT_TRUE(std::isupper(static_cast<unsigned char>(page.out[at + 2])))
            << page.out.substr(at, 20);
}

std::string completed(const std::string& words, int place) {
    return test::completedByBash(LACUNA_PROGRAM, "_lacuna", words, place);
}

TEST(Program, bashCompletion_offersCommandsOptionsChoicesAndSettings) {
    EXPECT_EQ(completed("lacuna inspe", 1), "inspect\n");
    EXPECT_EQ(completed("lacuna tier statu", 2), "status\n");
    EXPECT_EQ(completed("lacuna tier status --dat", 3), "--data-dir\n");
    EXPECT_EQ(completed("lacuna serve --reasoning o", 3), "on off\n");
    EXPECT_EQ(completed("lacuna chat --set kv_rot", 3), "kv_rotation=\n");
    EXPECT_EQ(completed("lacuna chat --set kv_rotation = had", 5), "hadamard\n");
    // file names are completed by the shell
    EXPECT_EQ(completed("lacuna inspect mod", 2), "\n");
}

TEST(Program, zshCompletion_hasAFunctionForEveryCommand) {
    const Outcome text = lacuna("completion zsh");
    ASSERT_EQ(text.status, 0);
    EXPECT_EQ(text.out.rfind("#compdef lacuna\n", 0), 0U);
    EXPECT_TRUE(says(text, "_lacuna_tier_status() {"));
    EXPECT_TRUE(says(text, "'*--set["));
    const std::string keys = "_lacuna__settings() {";
    EXPECT_EQ(text.out.find(keys), text.out.rfind(keys)) << "no command has its name";
    EXPECT_TRUE(says(text, ":_lacuna__settings'"));
    EXPECT_EQ(lacuna("completion fish").status, 2);
}

TEST(Program, invalidSettings_areRejectedBeforeTheModelIsOpened) {
    for (const auto& [settings, rule] : {std::pair{"budget=0", "BUD-MIN"},
                                         {"budget=-1", "BUD-MIN"},
                                         {"am_ratio=51", "AM-RANGE"},
                                         {"keep_recent=-1", "REC-RANGE"}}) {
        const Outcome run =
            lacuna(std::string("generate /nowhere/model.gguf -p Hi --set ") + settings);
        EXPECT_NE(run.status, 0) << settings;
        EXPECT_TRUE(says(run, rule)) << run.out;
        EXPECT_FALSE(says(run, "/nowhere/model.gguf")) << run.out;
    }
    const Outcome both =
        lacuna("generate /nowhere/model.gguf -p Hi --set budget=64 --set window=512");
    EXPECT_TRUE(says(both, "budget and window cannot be used together")) << both.out;
    for (const char* command :
         {"generate /nowhere/model.gguf -p Hi", "preview /nowhere/m.gguf -p Hi",
          "compare /nowhere/m.gguf -p Hi --a method=am --b method=none"}) {
        const Outcome two = lacuna(std::string(command) + " --exact --set precision=fast");
        EXPECT_NE(two.status, 0) << command;
        EXPECT_TRUE(says(two, "--exact and --set precision=fast exclude each other")) << two.out;
    }
}

TEST(Program, windowWithAnInvalidSetting_isRefusedBeforeItOpens) {
    for (const char* command : {"window", "demo --out /nowhere/demo"}) {
        const Outcome run = lacuna(std::string(command) + " --set threads=1 --set am_ratio=51");
        EXPECT_EQ(run.status, 2) << run.out;
        EXPECT_TRUE(says(run, "am_ratio is 51; allowed is")) << run.out;
    }
}

TEST(Program, commandOfTheOtherProgram_isRejectedAndNamesThatProgram) {
    for (const std::string command : {"recall", "ruler", "perplexity", "presets", "kvtc", "bench",
                                      "bench-formats", "bench-compression", "fit-head"}) {
        const Outcome run = lacuna(command + " model.gguf --json --anything");
        EXPECT_EQ(run.status, 2) << command;
        EXPECT_EQ(run.out, "lacuna: INVALID_ARGUMENT: " + command +
                               " is a command of lacuna-bench: lacuna-bench " + command + "\n");
        EXPECT_EQ(test::runProgram(LACUNA_BENCH_PROGRAM, command + " --help").status, 0) << command;
    }
}

TEST(Program, argumentAfterASetting_isTheModel) {
    const Outcome run = lacuna("generate --set max_tokens=2 /nowhere/model.gguf -p Hi");
    EXPECT_NE(run.status, 0);
    EXPECT_TRUE(says(run, "/nowhere/model.gguf")) << run.out;
    EXPECT_FALSE(says(run, "KEY-UNKNOWN")) << run.out;
}

struct BadLine {
    const char* arguments;
    const char* code;
    const char* usage;
};

TEST(Program, L01_invalidCommandLine_reportsCodeAndCommandUsageOnce) {
    for (const BadLine& line :
         {BadLine{"--what", "INVALID_ARGUMENT", "Usage: lacuna "},
          {"generate --what", "INVALID_ARGUMENT", "Usage: lacuna generate "},
          {"generate --prompt", "INVALID_ARGUMENT", "Usage: lacuna generate "},
          {"generate -p a -p b", "INVALID_ARGUMENT", "Usage: lacuna generate "},
          {"inspect", "INVALID_ARGUMENT", "Usage: lacuna inspect "},
          {"precision a --repeat 99999999999", "RANGE", "Usage: lacuna precision "},
          {"precision a --repeat 0", "RANGE", "Usage: lacuna precision "},
          {"precision a --repeat x", "RANGE", "Usage: lacuna precision "},
          {"generate --grammar a --json-schema b", "CONFLICT", "Usage: lacuna generate "},
          {"generate -p a --set am_ratio=51", "RANGE", ""},
          {"generate -p a --set colour=red", "UNKNOWN_KEY", ""}}) {
        const Outcome run = lacuna(line.arguments);
        EXPECT_EQ(run.status, 2) << line.arguments << run.out;
        EXPECT_TRUE(run.out.starts_with(std::string("lacuna: ") + line.code + ": "))
            << line.arguments << ": " << run.out;
        EXPECT_TRUE(says(run, line.usage)) << line.arguments << ": " << run.out;
        const std::string code = std::string(" ") + line.code + ": ";
        EXPECT_EQ(run.out.find(code), run.out.rfind(code)) << run.out;
    }
}

/// Escape sequences, a C1 control, a bidirectional override, invalid UTF-8, a forged line.
constexpr const char* kHostile = "\x1b[2J\xc2\x9b\xe2\x80\xae\xff\nlacuna: all is well";

void expectHarmless(const Outcome& run) {
    for (const char* bytes : {"\x1b", "\xc2\x9b", "\xe2\x80\xae", "\xff", "\nlacuna: all"})
        EXPECT_FALSE(says(run, bytes)) << run.out;
}

// The error concerns a size, an option only of `window`, which shows that this command was chosen.
TEST(Program, modelWithoutACommand_opensTheWindow) {
    const std::string folder = LACUNA_GOLDEN_DIR "/models/llama";
    for (const std::string& model : {std::string(kTinyModel), folder, std::string("absent.gguf")}) {
        const Outcome run = lacuna(model + " --size wide");
        EXPECT_NE(run.status, 0);
        EXPECT_TRUE(says(run, "expected WIDTHxHEIGHT")) << run.out;
        EXPECT_TRUE(says(run, "lacuna window --help")) << run.out;
    }
    EXPECT_FALSE(says(lacuna("absent --size wide"), "WIDTHxHEIGHT"));
}

TEST(Program, externalTexts_areEscapedAndShortened) {
    const test::TemporaryFolder folder;
    const auto model = folder.write(kHostile, "GGUF");
    const std::string quoted = "'" + model.string() + "'";
    const std::string longName(100'000, 'a');
    for (const std::string& arguments :
         {"inspect " + quoted, "generate -p a " + quoted, "replay " + quoted,
          "preview " + quoted + " -p a", "generate -p a --set '" + std::string(kHostile) + "=1'",
          "'" + std::string(kHostile) + "'", "generate -p a --set '" + longName + "=1'",
          "inspect " + longName, "generate --" + longName}) {
        const Outcome run = lacuna(arguments);
        EXPECT_NE(run.status, 0);
        expectHarmless(run);
        EXPECT_LT(run.out.size(), 4000U);
        EXPECT_TRUE(run.out.starts_with("lacuna: ")) << run.out;
    }
    const auto report = folder.write("report.json", "[\"" + longName + std::string(1, '\1'));
    const Outcome run = lacuna("replay " + report.string());
    EXPECT_LT(run.out.size(), 2000U);
}

TEST(Program, modelError_isReportedOnce) {
    const test::TemporaryFolder folder;
    const auto model = folder.write("broken.gguf", "GGUF");
    for (const char* command : {"generate -p a ", "chat ", "inspect "}) {
        const Outcome run = lacuna(command + model.string());
        EXPECT_EQ(run.status, 65) << run.out;
        const std::size_t first = run.out.find("GGUF_TRUNCATED");
        ASSERT_NE(first, std::string::npos) << run.out;
        EXPECT_EQ(run.out.find("GGUF_TRUNCATED", first + 1), std::string::npos) << run.out;
        EXPECT_TRUE(run.out.starts_with("lacuna: GGUF_TRUNCATED: ")) << run.out;
    }
}

/// Contents of every file below a folder, by path.
std::map<std::string, std::string> contentsOf(const std::filesystem::path& folder) {
    std::map<std::string, std::string> all;
    for (const auto& item : std::filesystem::recursive_directory_iterator(folder)) {
        if (!item.is_regular_file()) continue;
        std::ifstream file(item.path(), std::ios::binary);
        all[item.path().string()] = std::string(std::istreambuf_iterator<char>(file), {});
    }
    return all;
}

// M is a model folder that contains model.gguf; OUT contains files with the names of reports and
// measurements, which are links to those of the model.
TEST(Program, outputsOverInputs_areRejectedByEveryCommandBeforeAnyWork) {
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    const fs::path model = folder.path() / "M";
    fs::copy(fs::path(kTinyModel).parent_path(), model);
    for (const auto& item : fs::directory_iterator(model))
        fs::permissions(item.path(), fs::perms::owner_all);
    const std::string ids = folder.write("ids.json", "[1, 2, 3]").string();
    const std::string cases = folder.write("cases.json", "[]").string();
    const std::string text = folder.write("text.txt", "words").string();
    fs::create_hard_link(model / "model.gguf", folder.path() / "hard");
    fs::create_symlink(model / "tokenizer.json", folder.path() / "soft");
    const fs::path out = folder.path() / "OUT";
    fs::create_directory(out);
    for (const char* name : {"report.json", "sweep.svg"})
        fs::create_hard_link(model / "model.gguf", out / name);
    const auto before = contentsOf(folder.path());
    const std::string gguf = (model / "model.gguf").string();
    const std::string hard = (folder.path() / "hard").string();
    const std::string soft = (folder.path() / "soft").string();
    const std::string m = model.string();
    const std::string reports = out.string();
    const std::vector<std::string> commands{
        "convert " + m + " " + m + "/model.safetensors",
        "convert " + m + " " + m + "/config.json",
        "convert " + m + " " + soft,
        "quantize " + m + " " + m + "/model.safetensors Q8_0",
        "quantize " + gguf + " " + hard + " Q8_0",
        "cut-layers " + gguf + " " + hard + " --keep 0",
        "logits " + gguf + " --ids " + ids + " --out " + ids,
        "logits " + m + " --ids " + ids + " --out " + m + "/tokenizer.json",
        "logits " + gguf + " --ids " + ids + " --out " + hard,
        "inspect " + gguf + " --tensor output.weight --out " + hard,
        "inspect " + m + " --tensor lm_head.weight --out " + m + "/config.json",
        "calibrate-kv " + gguf + " --out " + hard,
        "calibrate-kv " + gguf + " --questions --text " + text + " --out " + text,
        "calibrate-kv " + gguf + " --rotations --text " + text + " --out " + text,
        "calibrate-kv " + gguf + " --transform --text " + text + " --out " + text,
        "calibrate-kv " + gguf + " --transform --out " + hard,
        "generate " + gguf + " -p Hi --prompt-cache " + hard,
        "generate " + gguf + " -f " + text + " --prompt-cache " + text,
        "generate " + m + " -p Hi --draft-model " + gguf + " --prompt-cache " + gguf,
        "generate " + gguf + " -p Hi --report " + reports,
        "chat " + gguf + " --report " + reports,
        "sweep " + gguf + " --messages " + cases + " --out " + reports,
        "demo --model " + gguf + " --out " + reports,
    };
    for (const std::string& command : commands) {
        const Outcome run = lacuna(command);
        const bool unbuilt = run.status == 69 && command.starts_with("demo");
        EXPECT_TRUE(run.status == 2 || unbuilt) << command << "\n" << run.out;
        EXPECT_TRUE(says(run, "INVALID_ARGUMENT") || unbuilt) << command << "\n" << run.out;
        EXPECT_TRUE(says(run, "would replace") || unbuilt) << command << "\n" << run.out;
    }
    EXPECT_EQ(contentsOf(folder.path()), before);
}

// The prompt cache and a model's head profile are read and written intentionally.
TEST(Program, updatedFile_isNotTreatedAsAnInput) {
    const test::TemporaryFolder folder;
    const std::string cache = (folder.path() / "prompt.cache").string();
    const std::string ask = std::string("generate ") + kTinyModel +
                            " -p Hi --set max_tokens=4 --set temperature=0 --prompt-cache " + cache;
    const Outcome first = lacuna(ask);
    EXPECT_EQ(first.status, 0) << first.out;
    const Outcome second = lacuna(ask);
    EXPECT_EQ(second.status, 0) << second.out;
    EXPECT_EQ(folder.fileCount(), 1U);
}

TEST(Program, calibration_withANonTextFile_isRejectedAndWritesNothing) {
    const test::TemporaryFolder folder;
    const std::string text = folder.write("text", "the river ran past \xff\xfe the mill").string();
    for (const char* what : {"--rotations", "--transform", "--questions", "--query-centres"}) {
        const std::filesystem::path out = folder.path() / "out";
        const Outcome run = lacuna("calibrate-kv " + std::string(test::pilotModel()) + " " + what +
                                   " --text " + text + " --out " + out.string());
        EXPECT_EQ(run.status, 65) << what;
        EXPECT_TRUE(says(run, "UTF-8")) << run.out;
        EXPECT_FALSE(std::filesystem::exists(out));
    }
}

TEST(Program, tier_withAMissingOrInvalidFolder_reportsItAndCreatesNothing) {
    const test::TemporaryFolder folder;
    const auto with = [&](const std::string& action, const std::string& data) {
        return lacuna("tier " + action + " --data-dir " + (folder.path() / data).string());
    };
    const auto file = folder.write("file", "mine");
    std::filesystem::create_directories(folder.path() / "empty" / "prefixes");
    std::filesystem::create_directories(folder.path() / "odd");
    std::ofstream(folder.path() / "odd" / "prefixes") << "mine";
    for (const std::string action : {"status", "verify", "clear"}) {
        SCOPED_TRACE(action);
        EXPECT_EQ(with(action, "none").status, 66);
        EXPECT_TRUE(says(with(action, "none"), "NOT_FOUND"));
        EXPECT_TRUE(says(with(action, "file"), "is not a folder"));
        EXPECT_TRUE(says(with(action, "odd"), "is not a folder"));
        EXPECT_EQ(with(action, "empty").status, 0);
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder.path() / "empty" / "prefixes"));
    EXPECT_EQ(folder.fileCount(), 3U);
    const Outcome model = with("clear --model none", "empty");
    EXPECT_EQ(model.status, 66);
    EXPECT_TRUE(says(model, "lacuna tier status lists")) << model.out;
}

TEST(Program, tier_withoutItsSecret_losesNothingAndReportsTheRemedy) {
    const test::TemporaryFolder folder;
    const auto prefixes = folder.path() / "prefixes";
    const auto page = prefixes / "1" / "0123" / "ab" / "ab000000000000000000000000000000.kv";
    std::filesystem::create_directories(page.parent_path());
    std::ofstream(page) << "LACUNAPG";
    const auto with = [&](const std::string& action, const char* streams = "2>&1") {
        return lacuna("tier " + action + " --data-dir " + folder.path().string(), streams);
    };
    const Outcome verify = with("verify");
    EXPECT_EQ(verify.status, 66);
    EXPECT_TRUE(says(verify, "put the file back")) << verify.out;
    EXPECT_TRUE(std::filesystem::exists(page));
    const Outcome status = with("status");
    EXPECT_EQ(status.status, 0);
    EXPECT_TRUE(says(status, "put the file back")) << status.out;
    const Json figures = Json::parse(with("status", "2>/dev/null").out);
    EXPECT_EQ(figures.at("bytes"), 8);
    EXPECT_EQ(figures.at("models").at("0123").at("pages").at("files"), 1);
    std::ofstream(prefixes / "codec") << "gibberish";
    EXPECT_TRUE(says(with("codec"), "none of auto, q8 and exact"));
    EXPECT_TRUE(says(with("codec"), "\"exact\""));
    // With a secret the file is a damaged page, which verify moves aside.
    std::ofstream(prefixes / "secret") << std::string(192, 's');
    const Outcome damaged = with("verify", "2>/dev/null");
    EXPECT_EQ(damaged.status, 65);
    EXPECT_EQ(Json::parse(damaged.out).at("put_aside"), 1);
    EXPECT_TRUE(std::filesystem::exists(prefixes / "quarantine" / page.filename()));
    const Json cleared = Json::parse(with("clear", "2>/dev/null").out);
    EXPECT_EQ(cleared.at("bytes_before").get<int>() - cleared.at("bytes").get<int>(), 8);
}

// Opening a FIFO blocks, so the program checks the file type first.
TEST(Program, tier_withPipesOrFoldersAsFiles_neverBlocks) {
    namespace fs = std::filesystem;
    const auto make = [](const fs::path& path, bool pipe) {
        if (pipe) {
            ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        } else {
            fs::create_directories(path);
        }
    };
    for (const char* name : {"index.sqlite", "index.sqlite-journal", "index.sqlite-wal",
                             "index.sqlite-shm", "secret", "codec", "lock", "1"})
        for (const bool pipe : {true, false}) {
            SCOPED_TRACE(std::string(name) + (pipe ? " is a pipe" : " is a folder"));
            const test::TemporaryFolder folder;
            const fs::path prefixes = folder.path() / "prefixes";
            const fs::path page =
                prefixes / "1" / "0123" / "ab" / "ab000000000000000000000000000000.kv";
            if (std::string_view(name) != "1") {
                fs::create_directories(page.parent_path());
                make(page, pipe);
            } else {
                fs::create_directories(prefixes);
            }
            make(prefixes / name, pipe);
            for (const std::string action : {"status", "verify", "codec", "codec exact", "clear"}) {
                const Outcome run =
                    lacuna("tier " + action + " --data-dir " + folder.path().string(), "2>&1",
                           "timeout 20 ");
                EXPECT_NE(run.status, 124) << action << " hung: " << run.out;
                EXPECT_GE(run.status, 0) << action;
                if (action == "status" && std::string_view(name).starts_with("index")) {
                    EXPECT_EQ(run.status, 0) << run.out;
                    EXPECT_TRUE(says(run, "is not a regular file")) << run.out;
                }
            }
        }
}

TEST(Program, measurementBeyondTheContext_isRejectedBeforeAnyWork) {
    const test::TemporaryFolder folder;
    const std::string model = test::pilotModel().string();  // a context of 4096
    std::string ids = "[";
    for (int i = 0; i < 4200; ++i) ids += (i == 0 ? "" : ",") + std::to_string(i % 100);
    const std::string many = folder.write("many.json", ids + "]").string();
    const std::string few = folder.write("few.json", "[1,2,3]").string();
    const std::string out = (folder.path() / "out.npy").string();
    for (const std::string& command :
         {"logits " + model + " --ids " + many + " --out " + out,
          "logits " + model + " --ids " + few + " --greedy 4094 --out " + out,
          "precision " + model + " --prefill 4000 --decode 100"}) {
        const Outcome run = lacuna(command, "2>&1", "timeout 60 ");
        EXPECT_EQ(run.status, 2) << command << run.out;
        EXPECT_TRUE(says(run, "context of 4096")) << command << run.out;
        EXPECT_FALSE(std::filesystem::exists(out));
    }
}

TEST(Program, fileAndFolderOptions_areShownAsPathsInTheHelp) {
    const Outcome render = lacuna("render --help");
    for (const char* option : {"model PATH", "messages PATH", "--template PATH", "--tools PATH"})
        EXPECT_TRUE(says(render, option)) << option << render.out;
    EXPECT_TRUE(says(lacuna("generate --help"), "--prompt TEXT"));
    EXPECT_TRUE(says(lacuna("tier clear --help"), "--model FINGERPRINT"));
    // Checks every command whose help mentions a file or a folder.
    const std::string all = lacuna("--help").out;
    std::istringstream commands(all.substr(all.find("Subcommands:")));
    std::string line;
    std::getline(commands, line);
    int paths = 0;
    for (std::string name; std::getline(commands, line) && std::istringstream(line) >> name;) {
        std::istringstream help(lacuna(name + " --help").out);
        while (std::getline(help, line)) {
            paths += line.find(" PATH") != std::string::npos ? 1 : 0;
            if (line.find(" TEXT") == std::string::npos) continue;
            for (const char* file : {"  GGUF file", "  Folder", "  File ", "  JSON list"})
                EXPECT_EQ(line.find(file), std::string::npos) << name << line;
        }
    }
    EXPECT_GT(paths, 35);
}

TEST(Program, preview_equalsTheLaterCompactionAndReportsTheKeptSlots) {
    const test::TemporaryFolder folder;
    const auto book = readFile(LACUNA_RESOURCE_DIR "/texts/the_naval_treaty.txt", 1U << 20);
    ASSERT_TRUE(book) << book.error().what;
    const std::string text = folder.write("text.txt", book->substr(0, 5000)).string();
    const Outcome run = lacuna("preview " + test::pilotModel().string() + " -f " + text +
                                   " --set method=am --set am_ratio=4 --set compaction_floor=0",
                               "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto json = parseJson(run.out);
    ASSERT_TRUE(json) << run.out;
    EXPECT_TRUE(json->at("preview").at("compacts").get<bool>());
    for (const char* figure : {"output_error", "slots_after", "live_bytes_after"})
        EXPECT_EQ(json->at("outcome").at(figure).at("ratio").get<double>(), 1) << figure;
    const auto kept = json->at("preview").at("kept_information").get<double>();
    EXPECT_GT(kept, 0.5);
    EXPECT_LT(kept, 1);
}

TEST(Program, commandWithoutAModel_usesTheBundledModel) {
    const test::TemporaryFolder folder;
    const std::filesystem::path out = folder.path() / "report";
    const Outcome run = lacuna("generate -p Hi --set max_tokens=1 --report " + out.string());
    ASSERT_EQ(run.status, 0) << run.out;
    const auto report = readFile(out / "report.json", 1U << 24);
    ASSERT_TRUE(report) << report.error().what;
    const auto path = parseJson(*report)->at("model").at("path").get<std::string>();
    EXPECT_EQ(std::filesystem::path(path).filename(), test::boxModel().filename());
}

TEST(Program, generate_withoutWritableStorage_answersAndReportsIt) {
    const test::TemporaryFolder folder;
    const std::string file = folder.write("file", "mine").string();
    const Outcome run =
        lacuna("generate " + test::pilotModel().string() +
                   " -p Hi --set max_tokens=1 --set prefix_disk=64",
               "2>&1", "HOME=" + file + " XDG_CACHE_HOME=" + file + " XDG_DATA_HOME=" + file + " ");
    EXPECT_EQ(run.status, 0) << run.out;
    EXPECT_TRUE(says(run, "The disk cache is not used")) << run.out;
    EXPECT_TRUE(says(run, file)) << run.out;
    EXPECT_GT(run.out.find_last_not_of('\n'), run.out.find('\n')) << "no answer: " << run.out;
}

// Output written before the model file changed stays and is in the report.
TEST(Program, modelTruncatedDuringATurn_keepsTheOutputSoFar) {
    namespace fs = std::filesystem;
    const test::TemporaryFolder folder;
    const fs::path model = folder.path() / "model.gguf";
    fs::copy_file(test::pilotModel(), model);
    fs::permissions(model, fs::perms::owner_all);
    const std::string words = folder.write("words.gbnf", "root ::= [a-z ]{3000}").string();
    const fs::path out = folder.path() / "report";
    const std::string command = std::string(LACUNA_PROGRAM) + " generate " + model.string() +
                                " -p Hi --grammar " + words + " --report " + out.string() +
                                " --set max_tokens=3000 </dev/null 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    Outcome run;
    run.out.push_back(static_cast<char>(std::fgetc(pipe)));
    fs::resize_file(model, 4096);
    std::array<char, 4096> part{};
    while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
        run.out.append(part.data(), n);
    const int ended = ::pclose(pipe);
    ASSERT_TRUE(WIFEXITED(ended)) << run.out;
    EXPECT_EQ(WEXITSTATUS(ended), 74) << run.out;
    EXPECT_TRUE(says(run, "MODEL_CHANGED")) << run.out;
    const auto report = readFile(out / "report.json", 1U << 24);
    ASSERT_TRUE(report) << report.error().what;
    const Json turn = parseJson(*report)->at("turns").at(0);
    const auto text = turn.at("finished").at("text").get<std::string>();
    EXPECT_EQ(run.out.substr(0, text.size()), text);
    EXPECT_GT(text.size(), 0U);
}

// Random weights, and a text long enough for a compaction during the short answer.
TEST(Program, backgroundCompaction_isListedWithItsResult) {
    const test::TemporaryFolder folder;
    std::string text;
    for (int i = 0; i < 120; ++i) text += "item " + std::to_string(i) + ". ";
    const std::string asked = std::string("generate ") + kTinyModel + " -f " +
                              folder.write("text.txt", text).string() +
                              " --set am_ratio=4 --set max_tokens=4 --set keep_recent=8 --set "
                              "compaction_floor=0 --set loss_limit=off";
    const Outcome json = lacuna(asked + " --json", "2>/dev/null");
    ASSERT_EQ(json.status, 0) << json.out;
    const auto result = parseJson(json.out);
    ASSERT_TRUE(result) << json.out;
    const Json& compactions = (*result)["compactions"];
    ASSERT_FALSE(compactions.empty()) << json.out;
    for (const Json& one : compactions) {
        EXPECT_EQ(one["result"], "done") << one;
        EXPECT_LT(one["slots_after"], one["slots_before"]) << one;
    }
    EXPECT_LT((*result)["kv"]["live_bytes"], (*result)["kv"]["logical_bytes"]);
    const Outcome words = lacuna(asked, "2>&1 >/dev/null");
    EXPECT_TRUE(says(words, "lacuna: compaction 1 done: ")) << words.out;
    const Outcome idle = lacuna(std::string("generate ") + kTinyModel +
                                " -p Hi --set max_tokens=1 --set method=none --set budget=64");
    EXPECT_TRUE(says(idle, "lacuna: budget has no effect while method is none")) << idle.out;
}

/// A link to the test model in a separate folder, so its measurements can be stored next to it.
std::string linkedPilot(const test::TemporaryFolder& folder) {
    const std::string model = (folder.path() / "pilot.gguf").string();
    std::filesystem::create_symlink(test::pilotModel(), model);
    return model;
}

std::string numberedItems(const test::TemporaryFolder& folder, int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "Item " + std::to_string(i) + " is " + std::to_string(i * 37 % 101) + ". ";
    return folder.write("items.txt", text).string();
}

TEST(Program, calibrateKv_json_hasSecondsAndALossPerHead) {
    const test::TemporaryFolder folder;
    const std::string model = linkedPilot(folder);
    const Outcome run = lacuna("calibrate-kv " + model + " --json", "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto json = parseJson(run.out);
    ASSERT_TRUE(json) << run.out;
    EXPECT_GT((*json)["seconds"], 0);
    ASSERT_EQ((*json)["heads"].size(), 8U);
    for (const Json& layer : (*json)["heads"]) {
        ASSERT_EQ(layer.size(), 4U);
        for (const Json& loss : layer) EXPECT_GE(loss, 0);
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "pilot.heads.json"));
}

// Profiles are created if they need no task; a missing one of another kind is refused.
TEST(Program, headBudgets_everyValue_compactsOrReportsTheMissingProfile) {
    const test::TemporaryFolder folder;
    const std::string model = linkedPilot(folder);
    const std::string asked = "generate " + model + " -f " + numberedItems(folder, 60) +
                              " --json --set method=am --set compaction_floor=0 --set "
                              "loss_limit=off --set am_ratio=4 --set background=off"
                              " --set max_tokens=2 --set keep_recent=16 --set head_budgets=";
    const auto compacts = [&](const std::string& value) {
        const Outcome run = lacuna(asked + value, "2>/dev/null");
        ASSERT_EQ(run.status, 0) << value << run.out;
        const auto json = parseJson(run.out);
        ASSERT_TRUE(json) << value << run.out;
        ASSERT_FALSE((*json)["compactions"].empty()) << value;
        EXPECT_EQ((*json)["compactions"][0]["result"], "done") << value << run.out;
        EXPECT_LT((*json)["kv"]["live_bytes"].get<double>(),
                  0.35 * (*json)["kv"]["logical_bytes"].get<double>())
            << value;
    };
    for (const char* value : {"uniform", "coverage", "reconstruction"}) compacts(value);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "pilot.heads.json"));
    const Outcome missing = lacuna(asked + "questions");
    EXPECT_NE(missing.status, 0) << missing.out;
    EXPECT_TRUE(says(missing, "calibrate-kv")) << missing.out;
    std::filesystem::create_symlink(
        std::filesystem::path(test::pilotModel()).replace_extension(".questions.heads.json"),
        folder.path() / "pilot.questions.heads.json");
    compacts("questions");
    compacts("task_free");
    EXPECT_EQ(lacuna(asked + "profiles").status, 2);
}

TEST(Program, precision_measuresEveryArithmetic) {
    const Outcome run =
        lacuna(std::string("precision ") + kTinyModel + " --prefill 40 --decode 3 --repeat 2",
               "2>/dev/null");
    ASSERT_EQ(run.status, 0) << run.out;
    const auto result = parseJson(run.out);
    ASSERT_TRUE(result) << run.out;
    const Json& rows = (*result)["rows"];
    ASSERT_EQ(rows.size(), 3U);
    for (const char* speed : {"prefill_tokens_per_second", "decode_tokens_per_second"})
        for (const Json& row : rows) EXPECT_GT(row[speed], 0) << row;
    EXPECT_EQ(rows[0]["decode_to_fast"], 1);
    EXPECT_EQ(rows[2]["precision"], "exact");
    EXPECT_EQ(rows[2]["kl_mean"], 0);
    EXPECT_EQ((*result)["auto"], "fast") << "weights of float32 are not rounded";
}

}  // namespace
}  // namespace lacuna::cli
