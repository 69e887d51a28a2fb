#pragma once
/// \file
/// Numbers between two bounds as grammar nodes. Bounds are decimal text, so they are exact at any
/// size. Pure functions. Source: RFC 8259, section 6.

#include <optional>
#include <string>
#include <string_view>

#include "engine/grammar/grammar_tree.h"

namespace lacuna {

/// An exact decimal number: 0.DIGITS times 10^exponent.
struct Decimal {
    bool negative = false;
    std::string digits = {};  ///< without leading or trailing zeros; empty for 0
    int exponent = 0;

    /// Parses the number in JSON text; nullopt if the exponent is outside of +-9,999.
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

/// Bounds with more digits before the point are replaced by tighter ones.
inline constexpr int kMaxBoundDigits = 64;
/// Maximum number of digits after the point. Ends runs of digits that a small model would continue
/// indefinitely.
inline constexpr int kMaxFractionDigits = 40;

/// Integers in the range, with any number of digits if it is unbounded; nullopt if there are none.
[[nodiscard]] std::optional<GrammarNode> integersNode(const NumberRange& range);
/// Numbers in the range, as decimals and in scientific notation with one digit before the point.
/// Numbers equal to an exclusive bound in 15 significant digits are excluded, since a 64-bit reader
/// would round them to the bound. Returns nullopt if there are none.
[[nodiscard]] std::optional<GrammarNode> numbersNode(const NumberRange& range);

}  // namespace lacuna
