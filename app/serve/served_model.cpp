#include "app/serve/served_model.h"

#include <algorithm>
#include <utility>

#include "engine/generate/prompt.h"
#include "engine/model/weight_placement.h"

namespace lacuna::app {
namespace {

/// Compiles the chosen template first, so that an invalid one fails before the weights are read.
Result<std::shared_ptr<const LoadedModel>> loadWith(const TemplateChoice& choice,
                                                    const std::filesystem::path& path,
                                                    LoadOptions options) {
    std::shared_ptr<ChatTemplate> chosen;
    if (!choice.builtin.empty()) {
        LACUNA_TRY(auto built, ChatTemplate::builtin(choice.builtin));
        chosen = std::make_shared<ChatTemplate>(std::move(built));
    } else if (!choice.text.empty()) {
        LACUNA_TRY(auto compiled, ChatTemplate::compile(choice.text));
        chosen = std::make_shared<ChatTemplate>(std::move(compiled));
    }
    if (chosen)
        options.finish = [&choice, chosen, before = std::move(options.finish)](LoadedModel& model) {
            if (before) before(model);
            model.chatTemplate = std::move(*chosen);
            model.templateText.reset();
            if (!choice.text.empty()) model.templateText = choice.text;
            model.templateNote.clear();
        };
    return loadToRun(path, options);
}

}  // namespace

const std::string& ServedModel::templateText() const {
    static const std::string none;
    return m_model->templateText ? *m_model->templateText : none;
}

bool ServedModel::answersTo(std::string_view name) const {
    if (name == "default" || std::ranges::find(m_names, name) != m_names.end()) return true;
    constexpr std::string_view kFamilies[] = {"gpt-", "davinci-", "babbage-", "text-"};
    return name.size() <= 64 && std::ranges::any_of(kFamilies, [&](std::string_view family) {
               return name.starts_with(family);
           });
}

Result<std::vector<TokenId>> ServedModel::rawPrompt(std::string_view text,
                                                    const StopRequested& stop) const {
    return m_model->tokenizer.encode(
        text, {.special = SpecialText::Parse, .edges = EdgeTokens::AsConfigured, .stop = stop});
}

Result<std::vector<PromptSpan>> ServedModel::chatText(const TemplateInput& input,
                                                      const std::string& prefill,
                                                      bool generationPrompt,
                                                      const StopRequested& stop) const {
    LACUNA_TRY(RenderOptions options, renderOptions(m_model->tokenizer));
    options.stop = stop;
    options.addGenerationPrompt = generationPrompt;
    LACUNA_TRY(auto spans, m_model->chatTemplate.render(input, options));
    if (!prefill.empty()) spans.push_back({prefill, PromptSpan::Source::Message});
    return spans;
}

Result<std::vector<TokenId>> ServedModel::chatPrompt(std::span<const PromptSpan> spans,
                                                     const StopRequested& stop) const {
    return promptIds(m_model->tokenizer, spans, stop);
}

std::optional<std::int64_t> ServedModel::questionStart(std::span<const PromptSpan> spans,
                                                       std::span<const ChatMessage> messages,
                                                       std::size_t tokens) const {
    return lacuna::questionStart(m_model->tokenizer, spans, messages,
                                 static_cast<std::int64_t>(tokens));
}

std::string ServedModel::piece(TokenId token) const {
    const auto bytes = m_model->tokenizer.pieceBytes(token, SpecialOutput::Show);
    return bytes ? *bytes : std::string();
}

std::shared_ptr<const ModelMakers> makersWith(TemplateChoice choice, std::filesystem::path path) {
    auto makers = std::make_shared<ModelMakers>();
    makers->load = [choice = std::move(choice), path = std::move(path)](
                       const std::filesystem::path& from, const LoadOptions& options) {
        return from == path ? loadWith(choice, from, options) : loadToRun(from, options);
    };
    return makers;
}

}  // namespace lacuna::app
