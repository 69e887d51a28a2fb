#include "engine/session/thought_form.h"

#include <array>
#include <utility>

#include "engine/format/load_model.h"
#include "engine/generate/prompt.h"

namespace lacuna {

namespace {

/// True if the prompt of a question already opens the reasoning block.
bool opensThought(const LoadedModel& model) {
    const std::array question{ChatMessage{"user", "?"}};
    const auto spans = renderedPrompt(model, question);
    return spans && endsInThought(promptText(*spans));
}

}  // namespace

ThoughtForm thoughtFormOf(const std::shared_ptr<const LoadedModel>& model) {
    using Begins = ThoughtStream::Begins;
    ThoughtForm form;
    if (model == nullptr) return form;
    const std::string text = model->templateText.value_or(std::string());
    const std::optional<ThoughtMarks> marks = thoughtMarksIn(text);
    if (writesChannels(text)) {
        form.begins = Begins::Channels;
    } else if (marks) {
        form.begins = opensThought(*model) ? Begins::InThought : Begins::Open;
        form.marks = *marks;
    } else {
        form.begins = Begins::InAnswer;
    }
    if (form.begins != Begins::Channels && !form.marks.control) return form;
    // A form must not keep an unloaded model in memory.
    form.markText = [weak = std::weak_ptr(model)](TokenId token) {
        const auto loaded = weak.lock();
        if (!loaded || !loaded->tokenizer.isControl(token) || loaded->tokenizer.isEndOfTurn(token))
            return std::string();
        return loaded->tokenizer.pieceBytes(token, SpecialOutput::Show).value_or(std::string());
    };
    return form;
}

}  // namespace lacuna
