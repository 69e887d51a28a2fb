#pragma once
/// \file
/// Cuts text into the pieces inside which byte pairs may merge. A Pretokenizer is a list of regular
/// expressions applied in turn; each match becomes a piece of its own and so does what lies
/// between. Immutable after creation; `split` may be called from many threads. Sources: the
/// splitting rules of GPT-2, Llama 3 and Qwen 2; the Split pre-tokenizer of Hugging Face tokenizers
/// (behaviour "Isolated", Oniguruma syntax, run here by PCRE2).

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/unicode.h"

namespace lacuna {

class Pretokenizer {
  public:
    /// A rule by the name used in GGUF files, e.g. "gpt-2", "llama-bpe", "qwen2".
    /// Errors: TokPreUnknown, naming the rules known.
    [[nodiscard]] static Result<Pretokenizer> named(std::string_view rule);
    /// Patterns from a file. Errors: TokRegex with the pattern and the place in it.
    [[nodiscard]] static Result<Pretokenizer> fromPatterns(std::span<const std::string> patterns);
    Pretokenizer(Pretokenizer&&) noexcept;
    Pretokenizer& operator=(Pretokenizer&&) noexcept;
    ~Pretokenizer();

    /// Pieces in order, covering all of the text; invalid UTF-8 forms pieces of its own.
    /// Errors: TokRegex when a pattern needs more than its step or memory limit.
    [[nodiscard]] Result<std::vector<ByteRange>> split(std::string_view text) const;

  private:
    struct Pattern;
    explicit Pretokenizer(std::vector<Pattern> patterns);
    std::vector<Pattern> patterns_;
};

}  // namespace lacuna
