#pragma once
/// \file
/// The commands of the program `lacuna`, one function each; all return the exit status. Arguments
/// are plain structs filled by command_line.cpp. Benchmark commands belong to `lacuna-bench`
/// (app/bench/bench_commands.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/main/answer_options.h"

namespace lacuna::cli {

struct GenerateArguments {
    std::string model;   ///< empty: the bundled model
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
    std::vector<int> keep;  ///< layers to keep, in order
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
    bool plain = false;  ///< control tokens spelled in the text are not recognised, as in a chat
                         ///< message
    bool edges = false;  ///< add bos and eos according to the file
};
[[nodiscard]] int tokenize(const TokenizeArguments& arguments);

/// Arguments of the command on the folder of the disk tier.
struct TierArguments {
    std::string action;      ///< status, clear, verify or codec
    std::string dataFolder;  ///< empty: the user's data folder
    std::string model;       ///< clear only the pages of this fingerprint
    std::string codec;       ///< codec for new pages; empty: print the current one
};
[[nodiscard]] int tier(const TierArguments& arguments);

struct PrecisionArguments {
    std::string model;  ///< empty: the bundled model
    int threads = 0;
    int prefill = 256;  ///< tokens per round
    int decode = 24;
    int repeat = 5;
    std::string out;  ///< output file; empty: stored for precision=auto
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
    std::string model;       ///< empty: the bundled model
    std::string out;         ///< empty: next to the model
    bool questions = false;  ///< measure with questions about texts instead of without a task
    bool surrogate = false;  ///< fit a reconstruction surrogate instead
    bool rotations = false;  ///< calibrate the rotations of rotated codes instead
    bool layers = false;     ///< measure the error of rotated codes per layer instead
    bool transform = false;  ///< calibrate the transform of stored caches instead
    bool centres = false;    ///< calibrate the query centres instead
    int layerGroup = 8;      ///< layers transformed together; 0: all
    int bits = 3;            ///< bits of the rotated codes
    std::string text;        ///< text around the facts, or to fit on; empty: the bundled text
    int rounds = 2;          ///< questions per task and length
    int tokens = 3000;       ///< tokens of the longest text, at most three quarters of the context
    int fitTokens = 0;  ///< maximum tokens to fit or calibrate on; 0: default given in the help
    int seed = 1;
    int threads = 0;
    bool exact = false;
    bool json = false;
};
[[nodiscard]] int calibrate(const CalibrateArguments& arguments);

/// Arguments shared by sweep and bench-compression (app/bench).
struct GridArguments {
    std::string model;  ///< empty: the bundled model
    std::vector<std::string> methods;
    std::vector<double> ratios;
    std::vector<int> budgets;
    std::vector<std::string> settings;
    std::string out;  ///< folder for results and for resuming after an interruption
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
    std::string report;    ///< report.json that contains the conversation
};
[[nodiscard]] int sweep(const SweepArguments& arguments);

/// A conversation whose last question is to be answered. Exactly one source: prompt or file,
/// messages, report.
struct QuestionArguments {
    std::string prompt;
    std::string file;  ///< read the prompt, or the text before it, from a file
    std::string system;
    std::string messages;  ///< JSON list of {role, content}; its last question is answered
    std::string report;    ///< report.json; its newest answered question is answered again
};
struct CompareArguments {
    std::string model;  ///< empty: the bundled model
    QuestionArguments asked;
    std::vector<std::string> first, second;  ///< settings of A and B, "key=value,key=value"
    std::vector<std::string> settings;       ///< settings common to both
    bool json = false;
    bool exact = false;
};
[[nodiscard]] int compare(const CompareArguments& arguments);

struct PreviewArguments {
    std::string model;  ///< empty: the bundled model
    QuestionArguments asked;
    std::vector<std::string> settings;
    int heads = 0;  ///< maximum number of fitted heads; 0: as many as the window fits
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

/// Arguments of the two commands that need Qt. A build without the window (LACUNA_BUILD_UI=OFF)
/// refuses these commands by name.
struct WindowArguments {
    std::string model;                  ///< empty: the bundled model
    std::vector<std::string> settings;  ///< key=value
    std::string theme;                  ///< "light", "dark"; empty: system theme
    std::string language;               ///< "en", "de", "zh_CN"; empty: last choice
    std::string size;                   ///< "1280x800"; empty: default
    std::string data;  ///< window only: folder for conversations; empty: the user's data folder
    std::string out;   ///< demo only: output folder
};
[[nodiscard]] int window(int argc, char** argv, const WindowArguments& arguments);
[[nodiscard]] int demo(int argc, char** argv, const WindowArguments& arguments);

}  // namespace lacuna::cli
