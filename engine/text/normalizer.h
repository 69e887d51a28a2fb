#pragma once
/// \file
/// Normalises a text before it is split: by the steps of a tokenizer file, or like SentencePiece.
/// Immutable after creation; may be used from many threads. Sources: the normalizers of Hugging
/// Face tokenizers; sentencepiece normalizer.cc.

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

/// SentencePiece's precompiled normalisation table, which maps byte sequences to replacements. It
/// consists of a double array of 32-bit units and the replacements, each terminated by a zero byte.
/// Sources: sentencepiece normalizer.cc (layout of the table); Aoe 1989 and darts-clone (units).
class Charsmap {
  public:
    /// Errors: TokConfig if its sizes are inconsistent.
    [[nodiscard]] static Result<Charsmap> parse(std::string_view bytes);

    struct Match {
        std::size_t bytes = 0;  ///< length of the match in the text
        std::string_view replacement;
    };
    /// Returns the longest key of the table at the start of `text`.
    [[nodiscard]] std::optional<Match> longest(std::string_view text) const;
    /// Returns the shortest key of the table at the start of `text`.
    [[nodiscard]] std::optional<Match> shortest(std::string_view text) const;

  private:
    enum class MatchLength { Longest, Shortest };
    Charsmap() = default;
    [[nodiscard]] std::optional<Match> find(std::string_view text, MatchLength length) const;
    [[nodiscard]] std::string_view replacementAt(std::uint32_t offset) const;

    std::vector<std::uint32_t> units_;
    std::string replacements_;
};

/// Applies the normalisation steps of a tokenizer file.
class Normalizer {
  public:
    /// Errors: TokRegex, TokConfig for a corrupt table.
    [[nodiscard]] static Result<Normalizer> create(std::span<const NormalizeStep> steps);
    [[nodiscard]] bool changesNothing() const { return steps_.empty(); }
    /// Invalid UTF-8 is unchanged. Errors: TokRegex if a pattern exceeds its limits, TokTooLong if
    /// the steps expand the text too much, Cancelled.
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

/// Normalises a text like SentencePiece: maps characters by the table, replaces spaces by U+2581
/// and prepends one.
class SentencePieceNormalizer {
  public:
    /// `vocabulary` must outlive this object. @pre its SentencePieceRules are used. Errors:
    /// TokConfig.
    [[nodiscard]] static Result<SentencePieceNormalizer> create(const Vocabulary& vocabulary);

    enum class Prefix { None, Space };
    /// Takes linear time. An invalid byte is kept if byte pieces can spell it, otherwise it becomes
    /// U+FFFD. Errors: TokTooLong if the table expands the text too much, Cancelled.
    [[nodiscard]] Result<std::string> apply(std::string_view text, Prefix prefix,
                                            TextWork& work) const;

  private:
    explicit SentencePieceNormalizer(const SentencePieceRules& rules) : rules_(&rules) {}
    /// Returns the replacement at the start of `text`, and the number of bytes it replaces.
    [[nodiscard]] Charsmap::Match at(std::string_view text) const;

    const SentencePieceRules* rules_;
    std::optional<Charsmap> charsmap_;
    PieceTrie kept_;  // user-defined pieces, which are not normalised
    bool keepInvalid_ = true;
};

}  // namespace lacuna
