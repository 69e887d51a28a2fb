// Settings of how an answer is computed: steps, drafts, threads, length.

#include "engine/settings/setting_spec_rows.h"

namespace lacuna {
std::vector<SettingSpec> runSettingSpecs() {
    return {
        {.key = "prefill_chunk",
         .label = "Prefill chunk",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::prefillChunk>(),
         .minimum = 1,
         .maximum = 4096,
         .step = 32,
         .when = SettingTiming::NextTurn,
         .ruleId = "CHUNK-RANGE",
         .help = "Prompt tokens computed in one step. Settings and cancelling take effect between "
                 "two steps."},
        {.key = "parallel",
         .label = "Parallel answers",
         .unit = "answers",
         .field = fieldAt<&EngineConfig::parallel>(),
         .minimum = 1,
         .maximum = 16,
         .step = 1,
         .when = SettingTiming::NextTurn,
         .ruleId = "PARALLEL-RANGE",
         .help = "Conversations answered at the same time in one pass over the weights; further "
                 "questions wait. While a prompt is read, each token of the others waits for one "
                 "chunk."},
        {.key = "passes",
         .label = "Weight passes",
         .field = fieldAt<&EngineConfig::passes>(),
         .when = SettingTiming::Live,
         .ruleId = "CHOICE",
         .help = "shared is faster: one pass over the weights serves all answers of a step, but "
                 "products may round differently. apart makes each answer bit for bit the same as "
                 "when it is computed alone.",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return c.parallel == 1; },
                       "answers are computed one at a time"}}},
        {.key = "draft_tokens",
         .label = "Draft tokens",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::draftTokens>(),
         .minimum = 0,
         .maximum = 16,
         .step = 1,
         .when = SettingTiming::Live,
         .ruleId = "DRAFT-RANGE",
         .help = "Tokens guessed from earlier text and checked in one step (prompt lookup): "
                 "repetitive text comes faster and the answer stays the same; 0 is off. With a "
                 "budget, ties between keys of equal rank may be broken differently."},
        {.key = "draft_source",
         .label = "Draft source",
         .field = fieldAt<&EngineConfig::draftSource>(),
         .when = SettingTiming::NextTurn,
         .ruleId = "CHOICE",
         .help = "Where draft_tokens come from without a draft model: lookup repeats earlier text, "
                 "mtp asks the block for multi-token prediction that some model files contain. The "
                 "answer stays the same; mtp takes memory for the block's own small cache.",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return c.draftTokens == 0; },
                       "draft_tokens is 0"},
                      {[](const EngineConfig&, const ModelFacts* model) {
                           return model != nullptr && !model->draftPath.empty();
                       },
                       "a draft model is loaded"},
                      {[](const EngineConfig&, const ModelFacts* model) {
                           return model != nullptr && !model->draftBlock;
                       },
                       "the model has no block for multi-token prediction, so earlier text is "
                       "looked up"}}},
        {.key = "quality_every",
         .label = "Quality sample interval",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::qualityEvery>(),
         .minimum = 0,
         .maximum = 4096,
         .step = 8,
         .when = SettingTiming::Live,
         .ruleId = "QUALITY-RANGE",
         .help = "Tokens between two comparisons of the compacted cache with an uncompressed one "
                 "during an answer, which take time and its memory. 0 compares a few tokens in the "
                 "pause after the answer."},
        {.key = "precision",
         .label = "Precision",
         .field = fieldAt<&EngineConfig::precision>(),
         .when = SettingTiming::NextTurn,
         .ruleId = "CHOICE",
         .help = "How activations are rounded for quantised weights: fast uses 8 bits, which small "
                 "models do not always tolerate, int8 in two terms is accurate enough for every "
                 "model, exact does not round and is many times slower. auto is the fastest whose "
                 "mean KL from exact is at most 0.0005, measured once per model while idle, and 8 "
                 "bits in two terms until then.",
         .meaning =
             [](const EngineConfig& config, const ModelFacts* model) {
                 const bool automatic = config.precision == PrecisionChoice::Auto;
                 return automatic && model != nullptr ? model->precisionNote : std::string();
             }},
        {.key = "threads",
         .label = "Threads",
         .unit = "threads",
         .field = fieldAt<&EngineConfig::threads>(),
         .minimum = 0,
         .maximum = 256,
         .step = 1,
         .when = SettingTiming::NextTurn,
         .ruleId = "THREADS-RANGE",
         .help = "Compute threads; 0 is one for each physical core.",
         .sliderMaximum = 32},
        {.key = "max_tokens",
         .label = "Max tokens",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::maxTokens>(),
         .minimum = 0,
         .maximum = kMaxCount,
         .step = 32,
         .when = SettingTiming::Live,
         .ruleId = "MAX-RANGE",
         .help = "Maximum number of tokens in an answer; 0 reads the prompt and answers nothing."},
    };
}

}  // namespace lacuna
