#pragma once
/// \file
/// The model that is served, as far as its texts go: tokens, template, name. Immutable and shared
/// by everybody who prepares a request; the weights in it belong to the engine's thread.

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/session/running_model.h"
#include "engine/settings/facts.h"
#include "engine/template/template_input.h"

namespace lacuna::app {

class ServedModel {
  public:
    /// `names` for clients, the first of them its id. @pre one at least
    ServedModel(std::shared_ptr<const LoadedModel> model, ModelFacts facts,
                std::vector<std::string> names, int context)
        : m_model(std::move(model)),
          m_facts(std::move(facts)),
          m_names(std::move(names)),
          m_context(context) {}

    [[nodiscard]] const std::string& id() const { return m_names.front(); }
    [[nodiscard]] const std::vector<std::string>& names() const { return m_names; }
    [[nodiscard]] const ModelFacts& facts() const { return m_facts; }
    [[nodiscard]] int context() const { return m_context; }  ///< tokens of prompt and answer
    [[nodiscard]] const Tokenizer& tokenizer() const { return m_model->tokenizer; }
    [[nodiscard]] const std::shared_ptr<const LoadedModel>& loaded() const { return m_model; }
    [[nodiscard]] const std::string& templateText() const;
    /// Whether a request that names this model means the one that is served: one of its own names,
    /// or of those that clients of OpenAI cannot leave out.
    [[nodiscard]] bool answersTo(std::string_view name) const;

    /// A prompt of its own, not of a conversation: control tokens that it spells are meant.
    [[nodiscard]] Result<std::vector<TokenId>> rawPrompt(std::string_view text,
                                                         const StopAsked& stop) const;
    /// A conversation; `prefill` is what the answer begins with.
    [[nodiscard]] Result<std::vector<PromptSpan>> chatText(const TemplateInput& input,
                                                           const std::string& prefill,
                                                           bool generationPrompt,
                                                           const StopAsked& stop) const;
    [[nodiscard]] Result<std::vector<TokenId>> chatPrompt(std::span<const PromptSpan> spans,
                                                          const StopAsked& stop) const;
    /// Of its `tokens` tokens, those in front of the newest user message, where that is known.
    [[nodiscard]] std::optional<std::int64_t> questionStart(std::span<const PromptSpan> spans,
                                                            std::span<const ChatMessage> messages,
                                                            std::size_t tokens) const;
    /// Bytes of one token, perhaps half a character; empty for an id that is none.
    [[nodiscard]] std::string piece(TokenId token) const;

  private:
    std::shared_ptr<const LoadedModel> m_model;
    ModelFacts m_facts;
    std::vector<std::string> m_names;
    int m_context;
};

/// Which chat template is used in place of the model's own: a built-in's name, or the text of one.
struct TemplateChoice {
    std::string builtin = {};
    std::string text = {};
};

/// Makers of an engine that read the model at `path` with that template; other models, such as the
/// draft, keep their own.
[[nodiscard]] std::shared_ptr<const ModelMakers> makersWith(TemplateChoice choice,
                                                            std::filesystem::path path);

}  // namespace lacuna::app
