#pragma once
/// \file
/// Runs the steps by which a tokenizer file changes a text before it is cut. Immutable after
/// creation; `apply` may be called from many threads.
/// Source: the normalizers of Hugging Face tokenizers.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/charsmap.h"
#include "engine/text/pattern.h"
#include "engine/text/text_steps.h"
#include "engine/text/text_work.h"

namespace lacuna {

class Normalizer {
  public:
    /// Errors: TokRegex, TokConfig for a damaged table.
    [[nodiscard]] static Result<Normalizer> create(std::span<const NormalizeStep> steps);
    [[nodiscard]] bool changesNothing() const { return steps_.empty(); }
    /// Invalid UTF-8 stays as it is. Errors: TokRegex when a pattern needs more than its limits,
    /// TokTooLong when the steps make too much of the text, Cancelled.
    [[nodiscard]] Result<std::string> apply(std::string_view text, TextWork& work) const;

  private:
    struct Step {
        NormalizeStep what;
        std::optional<Pattern> pattern;
        std::optional<Charsmap> charsmap;
    };
    explicit Normalizer(std::vector<Step> steps) : steps_(std::move(steps)) {}
    [[nodiscard]] static Result<std::string> applyStep(const Step& step, std::string_view text,
                                                       TextWork& work);
    std::vector<Step> steps_;
};

}  // namespace lacuna
