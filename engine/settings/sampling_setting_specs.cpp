// Settings of how the next token is sampled.

#include "engine/settings/setting_spec_rows.h"

namespace lacuna {
namespace {

constexpr IdleWhen kNothingIsDrawn{
    [](const EngineConfig& c, const ModelFacts*) { return c.sampling.temperature == 0; },
    "temperature is 0"};

}  // namespace

std::vector<SettingSpec> samplingSettingSpecs() {
    return {
        {.key = "temperature",
         .label = "Temperature",
         .field = samplingField<&SamplingOptions::temperature>(),
         .minimum = 0,
         .maximum = 5,
         .step = 0.05,
         .when = SettingTiming::Live,
         .ruleId = "TEMP-RANGE",
         .help = "0 always takes the most likely token; higher values vary more.",
         .sliderMaximum = 2},
        {.key = "top_k",
         .label = "Top k",
         .unit = "tokens",
         .field = samplingField<&SamplingOptions::topK>(),
         .minimum = 0,
         .maximum = kMaxCount,
         .step = 1,
         .when = SettingTiming::Live,
         .ruleId = "TOPK-RANGE",
         .help = "Draws from the k most likely tokens only; 0 is off.",
         .idleWhen = {kNothingIsDrawn},
         .sliderMaximum = 200},
        {.key = "top_p",
         .label = "Top p",
         .field = samplingField<&SamplingOptions::topP>(),
         .minimum = 0,
         .maximum = 1,
         .step = 0.01,
         .openMinimum = true,
         .when = SettingTiming::Live,
         .ruleId = "TOPP-RANGE",
         .help = "Draws from the fewest tokens that together reach this probability; 1 is off "
                 "(arXiv 1904.09751).",
         .idleWhen = {kNothingIsDrawn}},
        {.key = "min_p",
         .label = "Min p",
         .field = samplingField<&SamplingOptions::minP>(),
         .minimum = 0,
         .maximum = 1,
         .step = 0.01,
         .when = SettingTiming::Live,
         .ruleId = "MINP-RANGE",
         .help = "Drops tokens less likely than this share of the most likely one; 0 is off "
                 "(arXiv 2407.01082).",
         .idleWhen = {kNothingIsDrawn}},
        {.key = "repeat_penalty",
         .label = "Repetition penalty",
         .field = samplingField<&SamplingOptions::repeatPenalty>(),
         .minimum = 0,
         .maximum = 10,
         .step = 0.05,
         .openMinimum = true,
         .when = SettingTiming::Live,
         .ruleId = "PEN-RANGE",
         .help = "Divides positive and multiplies negative logits of recent tokens; 1 is off "
                 "(arXiv 1909.05858).",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) {
                           return c.sampling.repeatLastN == 0;
                       },
                       "the repetition window is 0"}},
         .sliderMaximum = 2},
        {.key = "repeat_last_n",
         .label = "Repetition window",
         .unit = "tokens",
         .field = samplingField<&SamplingOptions::repeatLastN>(),
         .minimum = 0,
         .maximum = kMaxCount,
         .step = 8,
         .when = SettingTiming::Live,
         .ruleId = "PEN-RANGE",
         .help = "How many tokens the repetition penalty looks back; 0 is off.",
         .idleWhen = {{[](const EngineConfig& c, const ModelFacts*) {
                           return c.sampling.repeatPenalty == 1;
                       },
                       "the repetition penalty is 1"}},
         .sliderMaximum = 512},
        {.key = "presence_penalty",
         .label = "Presence penalty",
         .field = samplingField<&SamplingOptions::presencePenalty>(),
         .minimum = -2,
         .maximum = 2,
         .step = 0.1,
         .when = SettingTiming::Live,
         .ruleId = "PRES-RANGE",
         .help = "Subtracted from the logit of every token that already occurs in the answer; 0 is "
                 "off. The prompt does not count."},
        {.key = "frequency_penalty",
         .label = "Frequency penalty",
         .field = samplingField<&SamplingOptions::frequencyPenalty>(),
         .minimum = -2,
         .maximum = 2,
         .step = 0.1,
         .when = SettingTiming::Live,
         .ruleId = "FREQ-RANGE",
         .help = "Subtracted from the logit of a token for each of its occurrences in the answer; "
                 "0 is off. The prompt does not count."},
        {.key = "seed",
         .label = "Seed",
         .field = samplingField<&SamplingOptions::seed>(),
         .minimum = 0,
         .maximum = 18446744073709551615.0,
         .step = 1,
         .when = SettingTiming::NextTurn,
         .ruleId = "SEED-RANGE",
         .help =
             "The same seed, settings and conversation give the same answer; off draws a seed and "
             "reports it."},
    };
}

}  // namespace lacuna
