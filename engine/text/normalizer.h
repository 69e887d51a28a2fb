#pragma once
/// \file
/// How a text is changed before it is cut: by the steps of a tokenizer file, or as SentencePiece
/// does. Immutable after creation; may be used from many threads. Sources: the normalizers of
/// Hugging Face tokenizers; sentencepiece normalizer.cc.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/text/pattern.h"
#include "engine/text/text_steps.h"
#include "engine/text/text_work.h"
#include "engine/text/token_models.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

/// SentencePiece's precompiled normalisation table: which bytes at a place are replaced by what.
/// A double array of 32-bit units, then the replacements, each ended by a zero byte. Sources:
/// sentencepiece normalizer.cc (layout of the table); Aoe 1989 and darts-clone (units).
class Charsmap {
  public:
    /// Errors: TokConfig when the sizes in it do not fit.
    [[nodiscard]] static Result<Charsmap> parse(std::string_view bytes);

    struct Match {
        std::size_t bytes = 0;  ///< of the text
        std::string_view replacement;
    };
    /// The longest key of the table at the start of `text`.
    [[nodiscard]] std::optional<Match> longest(std::string_view text) const;
    /// The shortest one.
    [[nodiscard]] std::optional<Match> shortest(std::string_view text) const;

  private:
    enum class Wanted { Longest, Shortest };
    Charsmap() = default;
    [[nodiscard]] std::optional<Match> find(std::string_view text, Wanted wanted) const;
    [[nodiscard]] std::string_view replacementAt(std::uint32_t offset) const;

    std::vector<std::uint32_t> units_;
    std::string replacements_;
};

/// Runs the steps by which a tokenizer file changes a text.
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

/// Prepares a text as SentencePiece does: characters by the table, spaces as U+2581, one before the
/// text.
class SentencePieceNormalizer {
  public:
    /// `vocabulary` must outlive this. @pre its SentencePieceRules are used. Errors: TokConfig.
    [[nodiscard]] static Result<SentencePieceNormalizer> create(const Vocabulary& vocabulary);

    enum class Prefix { None, Space };
    /// Linear. An invalid byte stays where byte pieces can spell it, and else becomes U+FFFD.
    /// Errors: TokTooLong when the table makes too much of the text, Cancelled.
    [[nodiscard]] Result<std::string> apply(std::string_view text, Prefix prefix,
                                            TextWork& work) const;

  private:
    explicit SentencePieceNormalizer(const SentencePieceRules& rules) : rules_(&rules) {}
    /// What one place becomes, and how many bytes of the text that takes.
    [[nodiscard]] Charsmap::Match at(std::string_view text) const;

    const SentencePieceRules* rules_;
    std::optional<Charsmap> charsmap_;
    PieceTrie kept_;  // user-defined pieces, which stay as they are
    bool keepInvalid_ = true;
};

}  // namespace lacuna
