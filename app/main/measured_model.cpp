#include "app/main/measured_model.h"

#include "app/main/cli_support.h"
#include "engine/model/weight_placement.h"
#include "engine/session/read_facts.h"

namespace lacuna::cli {

Result<MeasuredModel> loadForMeasuring(const std::string& given, const EngineConfig& config,
                                       Precision precision, std::stop_token stop) {
    MeasuredModel made;
    LACUNA_TRY(made.path, modelPath(given));
    LACUNA_TRY(made.loaded, loadToRun(made.path, {.progress = {}, .stop = stop}));
    made.facts = factsOf(*made.loaded);
    made.facts.precision = precision;
    if (const auto valid = check(config, &made.facts, machineFacts()); !valid)
        return tl::unexpected<Error>(violationsError(valid.error()));
    made.pool = std::make_unique<ThreadPool>(computeThreads(config));
    LACUNA_TRY(made.transformer,
               Transformer::create(made.loaded, *made.pool,
                                   {.precision = precision, .maxTokens = config.prefillChunk}));
    const ModelSpec& spec = made.loaded->spec;
    LACUNA_TRY(auto profile,
               loadHeadProfile(made.path, {spec.fingerprint, spec.layers, spec.kvHeads}));
    if (profile) made.profile = std::make_shared<const HeadProfile>(std::move(*profile));
    return made;
}

}  // namespace lacuna::cli
