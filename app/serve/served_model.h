#pragma once
/// \file
/// Text side of the served model: tokenizer, chat template, names. Immutable and shared by all
/// threads that prepare requests; the weights in it are used by the engine's thread only.

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
    /// `names` are the names for clients, the first one is the id. @pre at least one name
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
    /// Returns whether a request with this model name is for the served model: one of its own
    /// names, "default", or a name of an OpenAI model, which some clients always send.
    [[nodiscard]] bool answersTo(std::string_view name) const;

    /// Tokenizes a prompt outside a conversation; control tokens spelled in the text are
    /// recognised.
    [[nodiscard]] Result<std::vector<TokenId>> rawPrompt(std::string_view text,
                                                         const StopRequested& stop) const;
    /// Renders a conversation; `prefill` is the beginning of the answer.
    [[nodiscard]] Result<std::vector<PromptSpan>> chatText(const TemplateInput& input,
                                                           const std::string& prefill,
                                                           bool generationPrompt,
                                                           const StopRequested& stop) const;
    [[nodiscard]] Result<std::vector<TokenId>> chatPrompt(std::span<const PromptSpan> spans,
                                                          const StopRequested& stop) const;
    /// Number of tokens, of all `tokens`, before the newest user message; nullopt if unknown.
    [[nodiscard]] std::optional<std::int64_t> questionStart(std::span<const PromptSpan> spans,
                                                            std::span<const ChatMessage> messages,
                                                            std::size_t tokens) const;
    /// Bytes of one token, possibly a partial character; empty for an invalid id.
    [[nodiscard]] std::string piece(TokenId token) const;

  private:
    std::shared_ptr<const LoadedModel> m_model;
    ModelFacts m_facts;
    std::vector<std::string> m_names;
    int m_context;
};

/// Chat template to use instead of the model's own: the name of a built-in or its text.
struct TemplateChoice {
    std::string builtin = {};
    std::string text = {};
};

/// Returns engine factories that load the model at `path` with this template; other models, such as
/// the draft, keep their own.
[[nodiscard]] std::shared_ptr<const ModelMakers> makersWith(TemplateChoice choice,
                                                            std::filesystem::path path);

}  // namespace lacuna::app
