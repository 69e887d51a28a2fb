// Settings of how an answer is computed: steps, drafts, threads, length.

#include "engine/settings/knob_rows.h"

namespace lacuna {
std::vector<KnobSpec> runKnobs() {
    return {
        {.key = "prefill_chunk",
         .label = "Prefill chunk",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::prefillChunk>(),
         .minimum = 1,
         .maximum = 4096,
         .step = 32,
         .when = KnobWhen::NextTurn,
         .ruleId = "CHUNK-RANGE",
         .help = "Prompt tokens computed in one step. Settings and cancel take effect between two "
                 "steps."},
        {.key = "parallel",
         .label = "Answers at once",
         .unit = "answers",
         .field = fieldAt<&EngineConfig::parallel>(),
         .minimum = 1,
         .maximum = 16,
         .step = 1,
         .when = KnobWhen::NextTurn,
         .ruleId = "PARALLEL-RANGE",
         .help = "Conversations answered side by side, one pass over the weights for all of them; "
                 "further questions wait. A prompt that is being read delays the others by one "
                 "chunk for each token."},
        {.key = "passes",
         .label = "Passes over the weights",
         .field = fieldAt<&EngineConfig::passes>(),
         .when = KnobWhen::Live,
         .ruleId = "CHOICE",
         .help = "shared: one pass over the weights serves all answers of a step, and products of "
                 "several rows may round differently from those of one. apart: each answer has "
                 "its own pass and is bit for bit the one it would be alone, more slowly.",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) { return c.parallel == 1; },
                       "answers are written one at a time"}}},
        {.key = "draft_tokens",
         .label = "Draft tokens",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::draftTokens>(),
         .minimum = 0,
         .maximum = 16,
         .step = 1,
         .when = KnobWhen::Live,
         .ruleId = "DRAFT-RANGE",
         .help = "Tokens guessed from earlier text and checked in one step (prompt lookup); 0 is "
                 "off. The answer stays the same; text that repeats comes faster. Beside a budget "
                 "compactions come after the same tokens as without; which of two keys of equal "
                 "rank goes may then differ."},
        {.key = "quality_every",
         .label = "Quality sample every",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::qualityEvery>(),
         .minimum = 0,
         .maximum = 4096,
         .step = 8,
         .when = KnobWhen::Live,
         .ruleId = "QUALITY-RANGE",
         .help = "Every so many tokens of an answer the compacted cache is compared with an "
                 "uncompressed one, which takes time and its memory. 0 compares a few tokens of an "
                 "answer in the pause after it."},
        {.key = "precision",
         .label = "Precision",
         .field = fieldAt<&EngineConfig::precision>(),
         .when = KnobWhen::NextTurn,
         .ruleId = "CHOICE",
         .help =
             "How activations meet quantised weights. fast rounds them to 8 bits, which a small "
             "model does not always bear; exact leaves them as they are and is many times "
             "slower. auto takes the fastest of them and of 8 bits in two terms that moves what "
             "the model predicts by a mean KL of at most 0.0005. The window and the server "
             "measure that once for each model while they are idle; until then, and in commands "
             "for a model that was not measured, it is 8 bits in two terms, which every model "
             "bears. Counts from the next answer on; what the cache holds stays.",
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
         .when = KnobWhen::NextTurn,
         .ruleId = "THREADS-RANGE",
         .help = "Compute threads; 0 is one for each physical core.",
         .sliderMost = 32},
        {.key = "max_tokens",
         .label = "Longest answer",
         .unit = "tokens",
         .field = fieldAt<&EngineConfig::maxTokens>(),
         .minimum = 0,
         .maximum = kMaxCount,
         .step = 32,
         .when = KnobWhen::Live,
         .ruleId = "MAX-RANGE",
         .help = "Most tokens of an answer; 0 reads the prompt and answers nothing."},
    };
}

}  // namespace lacuna
