#pragma once
/// \file
/// SentencePiece's precompiled normalisation table: which bytes at a place are replaced by what.
/// A double array of 32-bit units, then the replacements, each ended by a zero byte.
/// Immutable after creation; may be used from many threads.
/// Sources: sentencepiece normalizer.cc (layout of the table); Aoe 1989 and darts-clone (units).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

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

}  // namespace lacuna
