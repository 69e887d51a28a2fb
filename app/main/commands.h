#pragma once
/// \file
/// The commands of the program `lacuna`, one function each; every one returns the exit status.
/// Arguments are plain structs filled by command_line.cpp. The commands that benchmark are those of
/// `lacuna-bench` (app/bench/bench_commands.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/main/answer_options.h"

namespace lacuna::cli {

struct GenerateArguments {
    std::string model;   ///< empty: the bundled one
    std::string prompt;  ///< message text, or raw text with `raw`
    std::string file;    ///< read the prompt from a file; "-" is standard input
    std::string system;
    std::vector<std::string> stop;
    std::vector<std::string> settings;
    AnswerArguments answer;
    std::string report;  ///< folder for a report
    bool json = false;   ///< one JSON object instead of streaming text
    bool exact = false;
};
[[nodiscard]] int generate(const GenerateArguments& arguments);
[[nodiscard]] int chat(const GenerateArguments& arguments);

struct InspectArguments {
    std::string file;
    std::string tensor;     ///< write rows of this tensor instead of describing the file
    std::int64_t rows = 0;  ///< 0: all
    std::string out;
    std::vector<std::string> settings;  ///< key=value, for the memory plan
    bool json = false;
};
[[nodiscard]] int inspect(const InspectArguments& arguments);
[[nodiscard]] int convert(const std::string& folder, const std::string& out,
                          const std::string& type);

struct QuantiseArguments {
    std::string in;
    std::string out;
    std::string type;
    int threads = 0;
};
[[nodiscard]] int quantise(const QuantiseArguments& arguments);

struct CutLayersArguments {
    std::string in;
    std::string out;
    std::vector<int> keep;  ///< layers of the result, in order
};
[[nodiscard]] int cutLayers(const CutLayersArguments& arguments);

struct LogitsArguments {
    std::string model;
    std::string ids;
    std::string out;
    int greedy = 0;
    int threads = 0;
    int chunk = 256;
    std::string kvType = "f16";
    bool exact = false;
};
[[nodiscard]] int logits(const LogitsArguments& arguments);

struct TokenizeArguments {
    std::string model;
    std::string file;    ///< text file -> one list of ids
    std::string lines;   ///< JSON list of strings -> list of lists
    std::string decode;  ///< JSON list of ids -> text
    bool plain = false;  ///< control tokens spelled in the text stay text, as in a chat message
    bool edges = false;  ///< bos and eos of the file's rule are added
};
[[nodiscard]] int tokenize(const TokenizeArguments& arguments);

/// What lies in the folder of the disk tier.
struct TierArguments {
    std::string action;      ///< status, clear, verify or codec
    std::string dataFolder;  ///< empty: the person's own
    std::string model;       ///< clear only the pages of this fingerprint
    std::string codec;       ///< to write new pages with; empty: say which it is
};
[[nodiscard]] int tier(const TierArguments& arguments);

struct PrecisionArguments {
    std::string model;  ///< empty: the bundled one
    int threads = 0;
    int prefill = 256;  ///< tokens of a round
    int decode = 24;
    int repeat = 5;
    std::string out;  ///< file for the measurement; empty: kept for precision=auto
};
[[nodiscard]] int precision(const PrecisionArguments& arguments);

struct RenderArguments {
    std::string model;
    std::string messages;  ///< JSON: a list, or an object with `messages` and other variables
    std::string file;      ///< template text to use instead of the model's
    std::string tools;     ///< JSON list
    std::vector<std::string> variables;  ///< NAME=JSON
    bool generationPrompt = true;
    bool ids = false;  ///< token ids instead of text
};
[[nodiscard]] int render(const RenderArguments& arguments);

struct CalibrateArguments {
    std::string model;       ///< empty: the bundled one
    std::string out;         ///< empty: next to the model
    bool questions = false;  ///< with questions about texts; else without a task
    bool surrogate = false;  ///< fit a reconstruction surrogate instead
    bool rotations = false;  ///< calibrate the rotations of rotated codes instead
    bool layers = false;     ///< measure what rotated codes of each layer cost instead
    bool transform = false;  ///< calibrate the transform of stored caches instead
    bool centres = false;    ///< calibrate the centres of the queries instead
    int layerGroup = 8;      ///< layers that are transformed together; 0: all
    int bits = 3;            ///< of those codes
    std::string text;        ///< around facts, or to fit to; empty: the bundled one
    int rounds = 2;          ///< questions of each task and length
    int tokens = 3000;       ///< of the longest text, at most three quarters of the context
    int fitTokens = 0;  ///< of the text that is fitted or calibrated to, at most; 0: as help says
    int seed = 1;
    int threads = 0;
    bool exact = false;
    bool json = false;
};
[[nodiscard]] int calibrate(const CalibrateArguments& arguments);

/// What sweep and bench-compression (app/bench) have in common.
struct GridArguments {
    std::string model;  ///< empty: the bundled one
    std::vector<std::string> methods;
    std::vector<double> ratios;
    std::vector<int> budgets;
    std::vector<std::string> settings;
    std::string out;  ///< folder for results and for going on after an interruption
    bool fresh = false;
    bool json = false;
    bool exact = false;
};

struct SweepArguments {
    GridArguments grid{.model = {},
                       .methods = {"am", "keydiff", "recent"},
                       .ratios = {2, 4, 8},
                       .budgets = {},
                       .settings = {},
                       .out = {}};
    std::string messages;  ///< JSON list of {role, content}
    std::string report;    ///< report.json with the conversation
};
[[nodiscard]] int sweep(const SweepArguments& arguments);

/// A conversation whose last question is to be answered; one of prompt or file, messages, report.
struct AskedArguments {
    std::string prompt;
    std::string file;  ///< read the prompt from a file, or what stands before it
    std::string system;
    std::string messages;  ///< JSON list of {role, content}; its last question is asked
    std::string report;    ///< report.json; the newest answered question is asked again
};
struct CompareArguments {
    std::string model;  ///< empty: the bundled one
    AskedArguments asked;
    std::vector<std::string> first, second;  ///< settings of A and B, "key=value,key=value"
    std::vector<std::string> settings;       ///< of both
    bool json = false;
    bool exact = false;
};
[[nodiscard]] int compare(const CompareArguments& arguments);

struct PreviewArguments {
    std::string model;  ///< empty: the bundled one
    AskedArguments asked;
    std::vector<std::string> settings;
    int heads = 0;  ///< most heads that are fitted; 0: as many as the window fits
    bool exact = false;
};
[[nodiscard]] int preview(const PreviewArguments& arguments);

struct ReplayArguments {
    std::string report;
    std::string model;
    std::string draft;
    int threads = 0;
};
[[nodiscard]] int replayReport(const ReplayArguments& arguments);
[[nodiscard]] int settingsTable(bool json);

/// The two commands that need Qt. A build without the window (LACUNA_BUILD_UI=OFF) refuses them by
/// name.
struct WindowArguments {
    std::string model;                  ///< empty: the bundled one
    std::vector<std::string> settings;  ///< key=value
    std::string theme;                  ///< "light", "dark" or empty: as the system
    std::string language;               ///< "en", "de", "zh_CN" or empty: as chosen before
    std::string size;                   ///< "1280x800" or empty
    std::string data;  ///< window only: folder for conversations; empty: the person's own
    std::string out;   ///< demo only: folder to write to
};
[[nodiscard]] int window(int argc, char** argv, const WindowArguments& arguments);
[[nodiscard]] int demo(int argc, char** argv, const WindowArguments& arguments);

}  // namespace lacuna::cli
