// bench-compression: compares methods and sizes with the uncompressed cache on questions and prose.

#include <algorithm>

#include "app/bench/bench_commands.h"
#include "app/bench/case_items.h"
#include "app/bench/quality_table_command.h"
#include "app/bench/recall.h"
#include "app/main/cli_support.h"
#include "app/main/grid_job.h"
#include "app/main/measuring_input.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/quality/recall_cases.h"

namespace lacuna::cli {
namespace {

constexpr const char* kBenchName = "bench";  // stem of the output files
constexpr double kMaxLength = 0.75;  // share of the model's context; leaves room for question and
                                     // answer
// Prose: tokens before the compaction, and tokens evaluated after it.
constexpr int kTextContext = 768;
constexpr int kTextAfter = 256;

/// Returns a short, a medium and a long length, limited by the context.
std::vector<int> textLengths(int asked, int context) {
    const int longest = std::max(64, std::min(asked, static_cast<int>(kMaxLength * context)));
    return {longest / 6, longest / 2, longest};
}

Result<std::vector<RecallCase>> benchCases(const BenchCompressionArguments& a, int context) {
    if (!a.cases.empty()) {
        LACUNA_TRY(const std::string text, readFile(a.cases, kTextLimit));
        LACUNA_TRY(const Json list, parseJson(text));
        LACUNA_TRY(auto cases, recallCasesFromJson(list));
        if (a.limit > 0) cases.resize(std::min(cases.size(), static_cast<std::size_t>(a.limit)));
        std::vector<RecallCase> chosen;
        for (std::size_t i = 0; i < cases.size(); i += static_cast<std::size_t>(a.every))
            chosen.push_back(std::move(cases[i]));
        return chosen;
    }
    LACUNA_TRY(const std::string filler, bundledText());
    return makeRecallCases(a.rounds, textLengths(a.tokens, context), filler,
                           static_cast<std::uint64_t>(a.seed));
}

Result<std::vector<GridItem>> benchItems(const BenchCompressionArguments& a,
                                         const LoadedModel& model) {
    LACUNA_TRY(const auto cases, benchCases(a, model.spec.context));
    LACUNA_TRY(auto items, caseItems(model, cases, {.headEvery = a.headEvery}));
    std::string text;
    if (!a.text.empty()) {
        LACUNA_TRY(text, readText(a.text));
    } else {
        LACUNA_TRY(text, bundledText());
    }
    LACUNA_TRY(auto ids, model.tokenizer.encode(text, {.special = SpecialText::Plain}));
    if (a.textLimit > 0) ids.resize(std::min(ids.size(), static_cast<std::size_t>(a.textLimit)));
    const int context = model.spec.context;
    auto windows = textItems(ids, {.context = std::min(kTextContext, context / 2),
                                   .continuation = std::min(kTextAfter, context / 4)});
    items.insert(items.end(), std::make_move_iterator(windows.begin()),
                 std::make_move_iterator(windows.end()));
    return items;
}

Result<int> benchOrError(const BenchCompressionArguments& a, std::stop_token stop) {
    LACUNA_TRY_STATUS(checkOutputs({.outputs = gridFiles(a.grid.out, kBenchName),
                                    .models = {a.grid.model},
                                    .inputs = {a.cases, a.text}}));
    LACUNA_TRY(PreparedGrid prepared, prepareGrid(a.grid, stop));
    prepared.job.name = kBenchName;
    prepared.job.title = format("{}: compaction before the question", prepared.model.facts.name);
    LACUNA_TRY(prepared.job.items, benchItems(a, *prepared.model.loaded));
    return runGridJob(prepared.model, prepared.job);
}

}  // namespace

int benchCompression(const BenchCompressionArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = arguments.table.size.empty() ? benchOrError(arguments, interrupts.token())
                                                      : qualityTable(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
