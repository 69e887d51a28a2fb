#pragma once
/// \file
/// Numbers between two bounds as grammar nodes. Bounds are decimal text, so that they are exact at
/// any size. Pure functions. Source: RFC 8259, section 6.

#include <optional>
#include <string>
#include <string_view>

#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// An exact decimal number: 0.DIGITS times 10 to the power of `exponent`.
struct Decimal {
    bool negative = false;
    std::string digits = {};  ///< neither leading nor trailing zeros; empty: the number is 0
    int exponent = 0;

    /// The number that JSON text spells; nothing where the exponent is beyond +-9,999.
    [[nodiscard]] static std::optional<Decimal> parse(std::string_view text);
    [[nodiscard]] bool isZero() const { return digits.empty(); }
    [[nodiscard]] bool isWhole() const {
        return exponent >= 0 && digits.size() <= static_cast<std::size_t>(exponent);
    }
};
/// -1, 0 or 1.
[[nodiscard]] int compare(const Decimal& a, const Decimal& b);

struct NumberBound {
    Decimal at = {};
    bool exclusive = false;
};
struct NumberRange {
    std::optional<NumberBound> least = {};
    std::optional<NumberBound> most = {};
};

/// Bounds with more digits than this before the point are replaced by narrower ones.
inline constexpr int kMaxBoundDigits = 64;
/// Digits after the point of one number. They end a run of digits that a small model would not end.
inline constexpr int kMaxFractionDigits = 40;

/// Whole numbers of the range, without a limit to their digits where it has no bound. Nothing
/// where the range has none.
[[nodiscard]] std::optional<GrammarNode> wholeNumbersNode(const NumberRange& range);
/// Numbers of the range, as decimals and in scientific notation with one digit before the point.
/// Numbers within 15 significant digits of an exclusive bound are left out: a reader that keeps
/// them in 64 bits would take them for the bound. Nothing where the range has none.
[[nodiscard]] std::optional<GrammarNode> numbersNode(const NumberRange& range);

}  // namespace lacuna
