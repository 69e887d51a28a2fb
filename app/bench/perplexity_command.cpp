// perplexity: how well a model predicts a text with the configured cache.

#include <cmath>

#include "app/bench/bench_commands.h"
#include "app/bench/perplexity.h"
#include "app/main/cli_support.h"
#include "app/main/measuring_input.h"
#include "app/main/task_free_profile.h"
#include "engine/base/string_format.h"

namespace lacuna::cli {
namespace {

Result<OrderedJson> perplexityOrError(const PerplexityArguments& a, std::stop_token stop) {
    LACUNA_TRY(const auto given, withExact(a.settings, a.exact));
    LACUNA_TRY(const EngineConfig config, greedySettings(given));
    LACUNA_TRY(const std::string text, readText(a.file));
    LACUNA_TRY(const MeasuredModel model, loadForMeasuring(a.model, config, stop));
    noteIdle(a.settings, config, model.facts);
    LACUNA_TRY(const auto ids,
               model.loaded->tokenizer.encode(text, {.special = SpecialText::Plain, .stop = [stop] {
                                                         return stop.stop_requested();
                                                     }}));
    ProgressLine line;
    PerplexityOptions options;
    options.kv = config.kv;
    options.profiles = model.profiles;
    options.window = a.window;
    options.stride = a.stride;
    options.chunk = config.prefillChunk;
    options.limit = a.limit;
    options.seed = config.sampling.seed.value_or(0);
    options.stop = stop;
    options.progress = [&](std::int64_t done, std::int64_t total, double perplexity) {
        line.show(format("window {} of {}, perplexity so far {:.4f}", done, total, perplexity));
    };
    LACUNA_TRY(const PerplexityOutcome outcome,
               measurePerplexity(*model.transformer, *model.pool, ids, options));
    OrderedJson json{
        {"model", model.facts.name}, {"file", a.file}, {"precision", keyOf(model.facts.precision)}};
    noteRotation(config.kv, model.facts, json);
    json.update(perplexityJson(outcome));
    return json;
}

}  // namespace

int perplexity(const PerplexityArguments& arguments) {
    const Interrupts interrupts;
    const auto outcome = perplexityOrError(arguments, interrupts.token());
    return outcome ? printJson(*outcome) : report(outcome.error());
}

}  // namespace lacuna::cli
