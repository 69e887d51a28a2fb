#pragma once
/// \file
/// Cuts text into the pieces that the model sees one by one, and spells them as the model wants
/// them. Immutable after creation; `split` may be called from many threads.
/// Source: the pre_tokenizers of Hugging Face tokenizers; ggml's splitting rules are lists of them.

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

/// Pieces of a text that may have been respelled on the way.
struct SplitText {
    std::string text;
    std::vector<ByteRange> pieces;  ///< in order, none empty; what was removed lies between
};

/// Whether a text begins the whole input: the first piece may then be treated in its own way.
enum class TextPlace { Start, Middle };

class Pretokenizer {
  public:
    /// A rule by the name used in GGUF files, e.g. "gpt-2", "llama-bpe", "qwen2".
    /// Errors: TokPreUnknown, naming the rules known.
    [[nodiscard]] static Result<Pretokenizer> named(std::string_view rule);
    /// Errors: TokRegex with the pattern and the place in it, TokConfig for a replacement that is
    /// no single character.
    [[nodiscard]] static Result<Pretokenizer> fromSteps(std::span<const SplitStep> steps);

    /// Without a ByteAlphabet step, invalid UTF-8 forms pieces of its own.
    /// Errors: TokRegex when a pattern needs more than its step or memory limit, TokTooLong when
    /// the steps make too much of the text, Cancelled.
    [[nodiscard]] Result<SplitText> split(std::string_view text, TextPlace place,
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
