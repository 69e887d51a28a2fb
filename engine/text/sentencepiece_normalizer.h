#pragma once
/// \file
/// Prepares a text as SentencePiece does: characters by the table, spaces as U+2581, one before the
/// text. Immutable after creation; may be used from many threads.
/// Source: sentencepiece normalizer.cc.

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"
#include "engine/text/charsmap.h"
#include "engine/text/piece_trie.h"
#include "engine/text/text_work.h"
#include "engine/text/vocabulary.h"

namespace lacuna {

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
