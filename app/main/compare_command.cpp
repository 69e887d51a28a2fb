// compare: one prompt under two settings; shows where the answers diverge and what each costs.

#include <algorithm>

#include "app/main/cli_support.h"
#include "app/main/commands.h"
#include "app/main/measuring_input.h"
#include "engine/base/string_format.h"
#include "engine/generate/prompt.h"
#include "engine/quality/comparison.h"
#include "engine/session/measured_settings.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {
namespace {

Result<EngineConfig> sideSettings(const CompareArguments& a, const std::vector<std::string>& own) {
    LACUNA_TRY(std::vector<std::string> all, withExact(a.settings, a.exact));
    for (const std::string& list : own) {
        const auto parts = splitAssignments(list);
        all.insert(all.end(), parts.begin(), parts.end());
    }
    return greedySettings(all);
}

GenerationSettings generationSettings(const EngineConfig& config, const ModelFacts& facts) {
    return {.kv = config.kv,
            .sampling = config.sampling,
            .prefillPolicy = config.prefillPolicy,
            .prefillChunk = config.prefillChunk,
            .maxTokens = config.maxTokens,
            .context = effectiveContext(config, facts, machineFacts()),
            .draftTokens = config.draftTokens};
}

std::string quoted(const std::string& piece) {
    return piece.empty() ? "the answer has ended" : dumpJson(piece);
}

std::string textReport(const Comparison& found, const std::array<std::string, 2>& settings) {
    std::string out;
    for (std::size_t i = 0; i < 2; ++i)
        out += format("{}: {}\n{}\n\n", i == 0 ? "A" : "B",
                      settings[i].empty() ? "defaults" : settings[i], found.runs[i].text);
    if (found.divergence)
        out += format("First difference at token {} of the answer. A: {}. B: {}.\n\n",
                      found.divergence->index, quoted(found.divergence->pieces[0]),
                      quoted(found.divergence->pieces[1]));
    else
        out += format("The same {} tokens.\n\n", found.runs[0].tokens.size());
    out += comparisonMarkdown(found);
    for (std::size_t i = 0; i < 2; ++i)
        if (!found.runs[i].divergence)
            out += format("\n{} has no divergence: {}.\n", i == 0 ? "A" : "B",
                          found.runs[i].divergenceBlocker);
    return out;
}

Result<int> compareOrError(const CompareArguments& a, std::stop_token stop) {
    LACUNA_TRY(const EngineConfig first, sideSettings(a, a.first));
    LACUNA_TRY(const EngineConfig second, sideSettings(a, a.second));
    if (first.threads != second.threads)
        return fail(
            ErrorCode::Conflict,
            "threads differ between A and B, but both use the same threads; use --set threads");
    if (first.precision != second.precision)
        return fail(ErrorCode::Conflict,
                    "precision differs between A and B, but both use the same precision; use --set "
                    "precision");
    LACUNA_TRY(const auto messages, messagesOfArguments(a.asked));
    EngineConfig loading = first;
    loading.prefillChunk = std::max(first.prefillChunk, second.prefillChunk);
    LACUNA_TRY(MeasuredModel model, loadForMeasuring(a.model, loading, stop));
    if (const auto valid = check(second, &model.facts, machineFacts()); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    LACUNA_TRY(const auto prompt,
               promptTokens(*model.loaded, messages, [stop] { return stop.stop_requested(); }));
    ComparisonOptions options;
    options.question =
        questionStart(*model.loaded, messages, static_cast<std::int64_t>(prompt.size()));
    options.seed = first.sampling.seed.value_or(0);
    options.profiles = model.profiles;
    options.cancelled = [stop] { return stop.stop_requested(); };
    Result<Comparison> found = Comparison{};
    {
        ProgressLine line;
        options.progress = [&](int run, std::int64_t done, std::int64_t total) {
            line.show(format("{}: {} of at most {} tokens", run == 0 ? "A" : "B", done, total));
        };
        found = compareSettings(
            *model.transformer, *model.pool, prompt,
            {generationSettings(first, model.facts), generationSettings(second, model.facts)},
            options);
    }
    if (!found) return tl::unexpected<Error>(found.error());
    const std::array<std::string, 2> settings{settingsText(first), settingsText(second)};
    if (!a.json) return print(textReport(*found, settings));
    OrderedJson json{{"model", model.facts.name},
                     {"precision", keyOf(model.facts.precision)},
                     {"settings", settings}};
    json.update(comparisonJson(*found));
    return printJson(json);
}

}  // namespace

int compare(const CompareArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = compareOrError(arguments, interrupts.token());
    return outcome ? *outcome : report(outcome.error());
}

}  // namespace lacuna::cli
