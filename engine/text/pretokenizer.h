#pragma once
/// \file
/// Splits text into the pieces that are passed to the model, respelled if necessary. Immutable
/// after creation; `split` may be called from many threads. Source: the pre_tokenizers of Hugging
/// Face tokenizers; ggml's splitting rules are lists of them.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/pattern.h"
#include "engine/text/text_steps.h"
#include "engine/text/text_work.h"
#include "engine/text/unicode.h"

namespace lacuna {

/// A text, possibly respelled, with its pieces.
struct SplitText {
    std::string text;
    std::vector<ByteRange> pieces;  ///< in order, none empty; gaps are removed text
};

/// Position of a text in the input; the first piece of the input may be treated specially.
enum class TextPosition { Start, Middle };

class Pretokenizer {
  public:
    /// Returns a rule by its name in GGUF files, e.g. "gpt-2", "llama-bpe", "qwen2". Errors:
    /// TokPreUnknown, listing the known rules.
    [[nodiscard]] static Result<Pretokenizer> named(std::string_view rule);
    /// Errors: TokRegex with the pattern and the position in it, TokConfig for a replacement that
    /// is not a single character.
    [[nodiscard]] static Result<Pretokenizer> fromSteps(std::span<const SplitStep> steps);

    /// Without a ByteAlphabet step, invalid UTF-8 forms separate pieces. Errors: TokRegex if a
    /// pattern exceeds its step or memory limit, TokTooLong if the steps expand the text too much,
    /// Cancelled.
    [[nodiscard]] Result<SplitText> split(std::string_view text, TextPosition place,
                                          TextWork& work) const;

  private:
    struct Step {
        SplitStep what;
        std::optional<Pattern> pattern;
    };
    explicit Pretokenizer(std::vector<Step> steps) : steps_(std::move(steps)) {}
    std::vector<Step> steps_;
};

}  // namespace lacuna
