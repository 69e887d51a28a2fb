// ruler: RULER's thirteen tasks with a compacted cache compared with the full one.

#include <algorithm>

#include "app/bench/bench_commands.h"
#include "app/bench/ruler.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

constexpr std::int64_t kAnecdote = 50;  // minimum number of questions for a meaningful result

bool setsBudget(std::span<const std::string> assignments) {
    return std::ranges::any_of(assignments,
                               [](const std::string& a) { return a.starts_with("budget="); });
}

/// With a budget share, `budget` stays a placeholder until the text of each question is known.
Result<EngineConfig> rulerSettings(const RulerArguments& a) {
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    if (!a.budgetShare) return greedySettings(given);
    if (setsBudget(given))
        return fail(ErrorCode::Conflict,
                    "--budget-share and --set budget=... cannot be used together");
    std::vector<std::string> assignments{"budget=1048576"};
    assignments.insert(assignments.end(), given.begin(), given.end());
    LACUNA_TRY(EngineConfig config, greedySettings(assignments));
    const KvOptions& kv = config.kv;
    config.kv.budget = std::max(kv.nSink + kv.keepRecent + 1, kv.margin.value_or(0));
    return config;
}

Result<OrderedJson> rulerOrError(const RulerArguments& a, std::stop_token stop) {
    LACUNA_TRY(const EngineConfig config, rulerSettings(a));
    LACUNA_TRY_STATUS(
        checkOutputs({.outputs = {a.answers}, .models = {a.model}, .inputs = {a.text}}));
    RulerOptions options;
    if (!a.text.empty()) {
        LACUNA_TRY(options.text, readFile(a.text, kTextLimit));
    } else {
        LACUNA_TRY(options.text, bundledBook());
    }
    LACUNA_TRY(const MeasuredModel model, loadForMeasuring(a.model, config, stop));
    noteIdle(a.settings, config, model.facts);
    options.kv = config.kv;
    options.profiles = model.profiles;
    options.sampling = config.sampling;
    options.prefillPolicy = config.prefillPolicy;
    options.prefillChunk = config.prefillChunk;
    options.context = config.context;
    options.budgetShare = a.budgetShare;
    options.length = a.length;
    options.rows = a.rows;
    options.seed = static_cast<std::uint64_t>(a.seed);
    options.tasks = a.tasks;
    options.stop = stop;
    ProgressLine line;
    options.progress = [&](std::int64_t done, std::int64_t total, std::string_view task) {
        line.show(format("question {} of {}: {}", std::min(done + 1, total), total, task));
    };
    LACUNA_TRY(const RulerOutcome outcome, runRuler(*model.transformer, *model.pool, options));
    if (!a.answers.empty())
        LACUNA_TRY_STATUS(
            writeFileAtomically(a.answers, dumpJson(rulerRowsJson(outcome), 1) + "\n"));
    if (!outcome.note.empty()) note(outcome.note);
    const auto questions = static_cast<std::int64_t>(outcome.questions.size());
    if (questions < kAnecdote)
        note(format("{} questions are too few for a reliable score; ask more per task with --rows",
                    questions));
    OrderedJson json = rulerJson(outcome);
    json["precision"] = keyOf(model.facts.precision);
    return json;
}

}  // namespace

int ruler(const RulerArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = rulerOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
