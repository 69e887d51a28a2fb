#include "app/serve/model_pages.h"

#include <optional>
#include <utility>

#include "app/serve/answer_json.h"

namespace lacuna::app {

OrderedJson modelJson(const ServedModel& model, std::int64_t created) {
    const ModelFacts& facts = model.facts();
    return {{"id", model.id()},
            {"object", "model"},
            {"created", created},
            {"owned_by", "lacuna"},
            {"aliases", model.names()},
            {"meta",
             {{"architecture", facts.architecture},
              {"file_type", facts.fileType},
              {"n_ctx", model.context()},
              {"n_ctx_train", facts.context},
              {"n_vocab", facts.vocabulary},
              {"n_params", facts.parameters},
              {"size", facts.weightBytes}}}};
}

OrderedJson propsJson(const ServedModel& model, const EngineConfig& config, int slots,
                      const std::string& version) {
    RequestedAnswers plain;
    plain.sampling = config.sampling;
    plain.maxTokens = config.maxTokens;
    OrderedJson params = generationSettingsJson(plain, 0);
    params["seed"] = config.sampling.seed ? OrderedJson(*config.sampling.seed) : OrderedJson(-1);
    const TokenizerData& data = model.tokenizer().data();
    const auto spelled = [&](const std::optional<TokenId>& id) {
        return id ? model.piece(*id) : std::string();
    };
    return {{"default_generation_settings",
             {{"n_ctx", model.context()}, {"params", std::move(params)}}},
            {"total_slots", slots},
            {"model_alias", model.id()},
            {"model_path", model.facts().path},
            {"chat_template", model.templateText()},
            {"bos_token", spelled(data.bos)},
            {"eos_token", spelled(data.eos)},
            {"modalities", {{"vision", false}, {"audio", false}}},
            {"build_info", "lacuna " + version}};
}

OrderedJson slotsJson(const RequestScheduler& scheduler, int context) {
    OrderedJson all = OrderedJson::array();
    for (std::size_t i = 0; i < scheduler.slots().size(); ++i) {
        const RequestScheduler::Slot& slot = scheduler.slots()[i];
        all.push_back({{"id", i},
                       {"n_ctx", context},
                       {"is_processing", slot.busy},
                       {"n_prompt_tokens", slot.promptTokens},
                       {"n_prompt_tokens_processed", slot.readTokens},
                       {"n_prompt_tokens_cache", slot.reusedTokens},
                       {"n_decoded", slot.writtenTokens},
                       {"n_read_again_regenerate", slot.regenerateTokens},
                       {"n_read_again_edit", slot.editTokens},
                       {"n_turns", slot.turns}});
    }
    return all;
}

}  // namespace lacuna::app
