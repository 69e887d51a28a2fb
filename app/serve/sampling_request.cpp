#include "app/serve/sampling_request.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/settings/config_check.h"
#include "engine/settings/setting_spec.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kMaxBiases = 1024;
constexpr int kMaxCount = 1'000'000;
// OpenAI's limit; the native format allows the larger range of the settings.
constexpr double kMaxTemperature = 2;

/// Supported stages of llama.cpp's sampling chain in their order, with a function that makes each a
/// no-op. The other stages are off in every accepted request.
struct Stage {
    std::string_view name;
    void (*switchOff)(SamplingOptions& sampling);
};
constexpr Stage kStages[] = {
    {"penalties",
     [](SamplingOptions& s) {
         s.repeatPenalty = 1;
         s.presencePenalty = 0;
         s.frequencyPenalty = 0;
     }},
    {"top_k", [](SamplingOptions& s) { s.topK = 0; }},
    {"top_p", [](SamplingOptions& s) { s.topP = 1; }},
    {"min_p", [](SamplingOptions& s) { s.minP = 0; }},
    {"temperature", [](SamplingOptions& s) { s.temperature = 1; }},
};
constexpr auto kOtherStages = std::to_array<std::string_view>(
    {"dry", "top_n_sigma", "typ_p", "typical_p", "xtc", "infill", "adaptive_p"});

struct SamplingSetting {
    const char* member;
    const char* setting;
};
constexpr SamplingSetting kSettings[] = {{"temperature", "temperature"},
                                         {"top_p", "top_p"},
                                         {"min_p", "min_p"},
                                         {"repeat_penalty", "repeat_penalty"},
                                         {"repetition_penalty", "repeat_penalty"},
                                         {"presence_penalty", "presence_penalty"},
                                         {"frequency_penalty", "frequency_penalty"}};

class SamplingReader {
  public:
    SamplingReader(JsonFields& fields, const SamplingGround& ground)
        : fields_(fields), ground_(ground) {}
    [[nodiscard]] RequestedSampling read();

  private:
    void readKnobs();
    void readSetting(EngineConfig& config, const SamplingSetting& spec);
    void readSeed();
    void readStages();
    void readBias();
    void readBiasMember(const OrderedJson& bias);
    void readBiasPair(const OrderedJson& token, const OrderedJson& value);
    void refuseBias(std::string message, std::string code) {
        fields_.refuse("logit_bias", std::move(message), std::move(code));
    }

    JsonFields& fields_;
    const SamplingGround& ground_;
    RequestedSampling asked_;
};

RequestedSampling SamplingReader::read() {
    readKnobs();
    readSeed();
    readStages();
    readBias();
    return std::move(asked_);
}

void SamplingReader::readKnobs() {
    EngineConfig config = ground_.config;
    if (ground_.form == SamplingGround::Form::OpenAi)
        static_cast<void>(fields_.number("temperature", 0, kMaxTemperature));
    for (const SamplingSetting& spec : kSettings) readSetting(config, spec);
    if (const auto most = fields_.integer("top_k", -1, kMaxCount))
        config.sampling.topK = static_cast<int>(std::max<std::int64_t>(0, *most));
    if (const auto last = fields_.integer("repeat_last_n", -1, kMaxCount))
        config.sampling.repeatLastN = *last < 0 ? ground_.model.context() : static_cast<int>(*last);
    asked_.options = config.sampling;
}

void SamplingReader::readSeed() {
    const OrderedJson* seed = fields_.find("seed");
    if (seed == nullptr) return;
    if (seed->is_number_unsigned())
        asked_.seed = seed->get<std::uint64_t>();
    else
        fields_.refuse("seed", "seed has to be a whole number from 0 to 18446744073709551615",
                       seed->is_number() ? "SEED-RANGE" : "TYPE");
}

/// Reads the list of stages and switches off those that are not in it.
void SamplingReader::readStages() {
    const OrderedJson* names = fields_.find("samplers");
    if (names == nullptr) return;
    const auto refuse = [&](std::string message, const char* code) {
        fields_.refuse("samplers", std::move(message), code);
    };
    if (!names->is_array()) return refuse("samplers has to be a list of names", "TYPE");
    std::array<bool, std::size(kStages)> listed{};
    const Stage* last = nullptr;
    for (const OrderedJson& one : *names) {
        if (!one.is_string()) return refuse("samplers has to be a list of names", "TYPE");
        const auto name = one.get<std::string>();
        if (std::ranges::find(kOtherStages, name) != kOtherStages.end()) continue;
        const Stage* const stage = std::ranges::find(kStages, name, &Stage::name);
        if (stage == std::end(kStages))
            return refuse(format("samplers has '{}', which is unknown", name.substr(0, 100)),
                          "UNSUPPORTED");
        if (last != nullptr && stage <= last)
            return refuse(
                "samplers cannot be reordered; the order is penalties, top_k, top_p, min_p, "
                "temperature",
                "UNSUPPORTED");
        last = stage;
        listed[static_cast<std::size_t>(stage - kStages)] = true;
    }
    for (std::size_t i = 0; i < listed.size(); ++i)
        if (!listed[i]) kStages[i].switchOff(asked_.options);
}

/// Checks a value by the same rule as the settings window and the command line.
void SamplingReader::readSetting(EngineConfig& config, const SamplingSetting& spec) {
    const OrderedJson* value = fields_.find(spec.member);
    if (value == nullptr) return;
    if (!value->is_number())
        return fields_.refuse(spec.member, format("{} has to be a number", spec.member), "TYPE");
    auto violation = changeSettingValue(config, spec.setting, Json(value->get<double>()));
    if (!violation) {
        const auto checked = check(config, nullptr, MachineFacts{});
        if (checked) return;
        const auto& all = checked.error();
        const auto ours = std::ranges::find(all, std::string(spec.setting), &RuleViolation::field);
        if (ours == all.end()) return;
        violation = *ours;
    }
    ApiError wrong = apiErrorOf(*violation);
    wrong.param = spec.member;
    fields_.refuse(std::move(wrong));
}

void SamplingReader::readBias() {
    if (const OrderedJson* bias = fields_.find("logit_bias")) readBiasMember(*bias);
    if (!fields_.boolean("ignore_eos").value_or(false)) return;
    const TokenizerData& data = ground_.model.tokenizer().data();
    if (data.eos) readBiasPair(*data.eos, AnswerRules::kForbid);
    for (const TokenId end : data.endOfTurn) readBiasPair(end, AnswerRules::kForbid);
}

/// Reads biases as an object keyed by token id, in the native format also by text; or as pairs.
void SamplingReader::readBiasMember(const OrderedJson& bias) {
    if (!bias.is_object() && !bias.is_array())
        return refuseBias("logit_bias has to map token ids to numbers", "TYPE");
    if (bias.size() > kMaxBiases)
        return refuseBias(
            format("logit_bias has {} entries; at most {} are allowed", bias.size(), kMaxBiases),
            "RANGE");
    if (bias.is_array()) {
        for (const OrderedJson& pair : bias) {
            if (!pair.is_array() || pair.size() != 2)
                return refuseBias("logit_bias has to be a list of [token, number]", "TYPE");
            readBiasPair(pair[0], pair[1]);
        }
        return;
    }
    for (const auto& [token, value] : bias.items()) {
        std::int64_t id = -1;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), id);
        const bool number = error == std::errc() && end == token.data() + token.size();
        if (!number && ground_.form == SamplingGround::Form::OpenAi)
            return refuseBias("logit_bias has a key that is not a token id", "TYPE");
        readBiasPair(number ? OrderedJson(id) : OrderedJson(token), value);
    }
}

/// Adds a bias for a token id, or for every token of a text.
void SamplingReader::readBiasPair(const OrderedJson& token, const OrderedJson& value) {
    if (!value.is_number() && value != OrderedJson(false))
        return refuseBias("logit_bias has a value that is not a number", "TYPE");
    const double amount = value.is_number() ? value.get<double>() : AnswerRules::kForbid;
    if (!(amount >= -100 && amount <= 100))
        return refuseBias("logit_bias values have to be from -100 to 100", "RANGE");
    const int vocabulary = ground_.model.facts().vocabulary;
    std::vector<TokenId> ids;
    if (token.is_number_integer()) {
        const auto id = token.get<std::int64_t>();
        if (id < 0 || id >= vocabulary)
            return refuseBias(
                format("logit_bias has token {}; the vocabulary has 0 to {}", id, vocabulary - 1),
                "RANGE");
        ids.push_back(static_cast<TokenId>(id));
    } else if (token.is_string()) {
        auto encoded =
            ground_.model.tokenizer().encode(token.get<std::string>(), {.stop = ground_.stop});
        if (!encoded) {
            ApiError wrong = apiErrorOf(encoded.error());
            wrong.param = "logit_bias";
            return fields_.refuse(std::move(wrong));
        }
        ids = std::move(*encoded);
    } else {
        return refuseBias("logit_bias has a token that is not a token id", "TYPE");
    }
    for (const TokenId id : ids) {
        const auto found = std::ranges::find(asked_.bias, id, &LogitBias::token);
        if (found == asked_.bias.end())
            asked_.bias.push_back({id, amount});
        else
            found->value = amount;
    }
}

}  // namespace

RequestedSampling readSampling(JsonFields& fields, const SamplingGround& ground) {
    return SamplingReader(fields, ground).read();
}

}  // namespace lacuna::app
