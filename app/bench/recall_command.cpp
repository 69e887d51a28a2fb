// recall: asks for facts hidden in long texts and counts the correct answers.

#include <algorithm>
#include <vector>

#include "app/bench/bench_commands.h"
#include "app/bench/recall.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/quality/recall_cases.h"
#include "engine/session/read_facts.h"
#include "engine/settings/facts.h"

namespace lacuna::cli {
namespace {

bool sets(std::span<const std::string> assignments, std::string_view key) {
    return std::ranges::any_of(assignments, [&](const std::string& a) {
        return a.size() > key.size() && a.starts_with(key) && a[key.size()] == '=';
    });
}

/// With a budget share, `budget` stays a placeholder until the prompt of each case is known.
Result<EngineConfig> recallSettings(const RecallArguments& a) {
    std::vector<std::string> assignments;
    if (a.budgetShare) {
        if (sets(a.settings, "budget"))
            return fail(ErrorCode::Conflict,
                        "--budget-share and --set budget=... cannot be used together");
        assignments.push_back("budget=1048576");
    }
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    assignments.insert(assignments.end(), given.begin(), given.end());
    return greedySettings(assignments);
}

/// Returns the cases of the file, or generated ones.
Result<std::vector<RecallCase>> recallCases(const RecallArguments& a) {
    if (a.made > 0) {
        LACUNA_TRY(const std::string filler, bundledText());
        return makeRecallCases(a.made, a.lengths, filler, a.seed);
    }
    if (a.cases.empty())
        return fail(ErrorCode::InvalidArgument,
                    "name a file of cases, or generate some with --made N");
    LACUNA_TRY(const std::string text, readFile(a.cases, kTextLimit));
    LACUNA_TRY(const Json list, parseJson(text));
    return recallCasesFromJson(list);
}

Result<OrderedJson> recallOrError(const RecallArguments& a, std::stop_token stop) {
    LACUNA_TRY(EngineConfig config, recallSettings(a));
    LACUNA_TRY_STATUS(
        checkOutputs({.outputs = {a.rows}, .models = {a.model}, .inputs = {a.cases}}));
    LACUNA_TRY(const std::vector<RecallCase> cases, recallCases(a));
    LACUNA_TRY(const auto path, modelPath(a.model));
    LACUNA_TRY(const auto model,
               loadToRun(path, {.progress = {}, .stop = stop, .measured = personalFolder()}));
    const ModelFacts facts = factsOf(*model, personalFolder());
    if (a.budgetShare) config.kv.budget = facts.context;
    if (const auto valid = check(config, &facts, machineFacts()); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    noteIdle(a.settings, config, facts);
    ThreadPool pool(computeThreads(config));
    const Precision precision = precisionFor(config, *model);
    LACUNA_TRY(auto transformer,
               Transformer::create(model, pool,
                                   {.precision = precision, .maxTokens = config.prefillChunk}));
    RecallOptions options;
    options.kv = config.kv;
    options.protocol = a.afterPrompt ? RecallProtocol::AfterPrompt : RecallProtocol::BeforeQuestion;
    if (a.turns) options.protocol = RecallProtocol::TurnByTurn;
    LACUNA_TRY(options.profiles, profilesFor(model, pool, config,
                                             a.exact ? Precision::Exact : Precision::Fast, stop));
    options.sampling = config.sampling;
    options.prefillPolicy = config.prefillPolicy;
    options.prefillChunk = config.prefillChunk;
    options.context = config.context;
    if (!a.restore.empty())
        options.restore = a.restore == "auto" ? RecallRestore::Needed : RecallRestore::Answer;
    options.limit = a.limit;
    options.budgetShare = a.budgetShare;
    if (sets(a.settings, "max_tokens")) options.maxTokens = config.maxTokens;
    options.stop = stop;
    ProgressLine line;
    options.progress = [&](std::int64_t done, std::int64_t total) {
        line.show(format("case {} of {}", done, total));
    };
    LACUNA_TRY(const RecallOutcome outcome, runRecall(*transformer, pool, cases, options));
    if (!a.rows.empty())
        LACUNA_TRY_STATUS(writeFileAtomically(
            a.rows, dumpJson(recallJson(outcome, RecallDetail::WithRows), 1) + "\n"));
    OrderedJson json = recallJson(outcome);
    json["precision"] = keyOf(precision);
    noteRotation(config.kv, facts, json);
    return json;
}

}  // namespace

int recall(const RecallArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = recallOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
