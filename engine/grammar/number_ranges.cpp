#include "engine/grammar/number_ranges.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace lacuna {
namespace {

using Node = std::optional<GrammarNode>;  // nullopt matches no text

constexpr int kMaxExponentText = 9'999;
constexpr int kMaxExponent = 307;  // a mantissa below 10 is finite in 64 bits with any exponent up
                                   // to this
constexpr std::size_t kSignificantDigits = 15;

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}

GrammarNode digitNode(char first, char last) {
    return charsNode({{static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(last)}});
}

GrammarNode anyDigits(int least, int most) {
    return repeatNode(digitNode('0', '9'), least, most);
}

GrammarNode optionalNode(GrammarNode node) {
    return repeatNode(std::move(node), 0, 1);
}

Node choiceOf(std::vector<GrammarNode> choices) {
    if (choices.empty()) return std::nullopt;
    if (choices.size() == 1) return std::move(choices.front());
    return choiceNode(std::move(choices));
}

void addSequence(std::vector<GrammarNode>& choices, std::vector<Node> parts) {
    std::vector<GrammarNode> sequence;
    for (Node& part : parts) {
        if (!part) return;
        sequence.push_back(std::move(*part));
    }
    choices.push_back(sequenceNode(std::move(sequence)));
}

// --- integers; bounds are digit strings ---

/// Numbers with exactly as many digits as both bounds, including leading zeros.
GrammarNode digitsBetween(std::string_view least, std::string_view most) {
    const auto count = static_cast<int>(least.size());
    if (std::ranges::all_of(least, [](char c) { return c == '0'; }) &&
        std::ranges::all_of(most, [](char c) { return c == '9'; }))
        return anyDigits(count, count);
    const char low = least[0];
    const char high = most[0];
    if (low == high)
        return sequenceNode({digitNode(low, low), digitsBetween(least.substr(1), most.substr(1))});
    const std::string nines(least.size() - 1, '9');
    const std::string zeros(least.size() - 1, '0');
    std::vector<GrammarNode> choices{
        sequenceNode({digitNode(low, low), digitsBetween(least.substr(1), nines)}),
        sequenceNode({digitNode(high, high), digitsBetween(zeros, most.substr(1))})};
    if (high - low > 1)
        choices.push_back(
            sequenceNode({digitNode(static_cast<char>(low + 1), static_cast<char>(high - 1)),
                          anyDigits(count - 1, count - 1)}));
    return choiceNode(std::move(choices));
}

bool isBelow(std::string_view a, std::string_view b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// Matches `least` to `most`, without leading zeros. An empty `most` is no upper bound.
Node wholeBetween(const std::string& least, const std::string& most) {
    if (!most.empty() && isBelow(most, least)) return std::nullopt;
    if (least.size() == most.size()) return digitsBetween(least, most);
    std::vector<GrammarNode> choices{digitsBetween(least, std::string(least.size(), '9'))};
    const auto shortest = static_cast<int>(least.size());
    if (most.empty()) {
        choices.push_back(
            sequenceNode({digitNode('1', '9'), anyDigits(shortest, GrammarNode::kUnbounded)}));
        return choiceNode(std::move(choices));
    }
    const auto longest = static_cast<int>(most.size());
    if (longest - shortest > 1)
        choices.push_back(sequenceNode({digitNode('1', '9'), anyDigits(shortest, longest - 2)}));
    choices.push_back(digitsBetween("1" + std::string(most.size() - 1, '0'), most));
    return choiceNode(std::move(choices));
}

std::string plusOne(std::string digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (digits[i] != '9') {
            ++digits[i];
            return digits;
        }
        digits[i] = '0';
    }
    return "1" + digits;
}

/// @pre digits is greater than 0
std::string minusOne(std::string digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (digits[i] != '0') {
            --digits[i];
            break;
        }
        digits[i] = '9';
    }
    const std::size_t first = digits.find_first_not_of('0');
    return first == std::string::npos ? "0" : digits.substr(first);
}

// --- decimals; magnitudes only ---

/// Digits before and after the point, without trailing zeros.
struct Parts {
    std::string whole;
    std::string fraction;
};

Parts partsOf(const Decimal& number) {
    const auto size = static_cast<int>(number.digits.size());
    if (number.exponent <= 0)
        return {"0",
                number.isZero()
                    ? std::string()
                    : std::string(static_cast<std::size_t>(-number.exponent), '0') + number.digits};
    const auto point = static_cast<std::size_t>(number.exponent);
    if (number.exponent >= size)
        return {number.digits + std::string(point - number.digits.size(), '0'), {}};
    return {number.digits.substr(0, point), number.digits.substr(point)};
}

/// A bound on the digits after the point; missing digits are zeros.
struct FractionBound {
    std::string_view digits;
    bool exclusive = false;

    [[nodiscard]] char first() const { return digits.empty() ? '0' : digits[0]; }
    [[nodiscard]] FractionBound rest() const {
        return {digits.empty() ? digits : digits.substr(1), exclusive};
    }
};

/// Matches at most `count` digits between the bounds; with `mayBeEmpty` also none.
Node fractionDigits(std::optional<FractionBound> least, const std::optional<FractionBound>& most,
                    int count, bool mayBeEmpty) {
    if (least && least->digits.empty() && !least->exclusive) least.reset();
    if (!least && !most) {
        if (count == 0 && !mayBeEmpty) return std::nullopt;
        return anyDigits(mayBeEmpty ? 0 : 1, count);
    }
    std::vector<GrammarNode> choices;
    const bool fits = !least && (!most || !most->digits.empty() || !most->exclusive);
    if (mayBeEmpty && fits) choices.push_back(sequenceNode({}));
    if (count == 0) return choiceOf(std::move(choices));
    if (least && least->digits.empty() && !most) {  // above 0
        choices.push_back(sequenceNode({repeatNode(literalNode("0"), 0, count / 2),
                                        digitNode('1', '9'), anyDigits(0, count - count / 2 - 1)}));
        return choiceOf(std::move(choices));
    }
    const char low = least ? least->first() : '0';
    const char high = most ? most->first() : '9';
    if (low > high) return choiceOf(std::move(choices));
    const auto exactly = [&](char digit, const std::optional<FractionBound>& above,
                             const std::optional<FractionBound>& below) {
        addSequence(choices,
                    {digitNode(digit, digit), fractionDigits(above, below, count - 1, true)});
    };
    const auto below = [](const std::optional<FractionBound>& bound) {
        return bound ? std::optional(bound->rest()) : std::nullopt;
    };
    if (least && most && low == high) {
        exactly(low, below(least), below(most));
        return choiceOf(std::move(choices));
    }
    if (least) exactly(low, below(least), std::nullopt);
    if (most) exactly(high, std::nullopt, below(most));
    const char from = static_cast<char>(low + (least ? 1 : 0));
    const char to = static_cast<char>(high - (most ? 1 : 0));
    if (from <= to) choices.push_back(sequenceNode({digitNode(from, to), anyDigits(0, count - 1)}));
    return choiceOf(std::move(choices));
}

/// Text that may follow the digits before the point.
Node fractionNode(const std::optional<FractionBound>& least,
                  const std::optional<FractionBound>& most) {
    std::vector<GrammarNode> choices;
    const bool above = !least || (least->digits.empty() && !least->exclusive);
    const bool below = !most || !most->digits.empty() || !most->exclusive;
    if (above && below) choices.push_back(sequenceNode({}));
    addSequence(choices,
                {literalNode("."), fractionDigits(least, most, kMaxFractionDigits, false)});
    return choiceOf(std::move(choices));
}

struct Magnitudes {
    NumberBound least = {};
    std::optional<NumberBound> most = {};
};

/// Rounds a bound inwards to the number of digits written after the point.
NumberBound withinFraction(const NumberBound& bound, bool lower) {
    const Parts parts = partsOf(bound.at);
    if (parts.fraction.size() <= kMaxFractionDigits) return bound;
    std::string all = parts.whole + parts.fraction.substr(0, kMaxFractionDigits);
    if (lower) all = plusOne(std::move(all));
    const auto rounded = Decimal::parse(all + "e-" + std::to_string(kMaxFractionDigits));
    return rounded ? NumberBound{*rounded, false} : bound;
}

Node decimalsNode(const Magnitudes& range) {
    const NumberBound low = withinFraction(range.least, true);
    const Parts least = partsOf(low.at);
    const FractionBound above{least.fraction, low.exclusive};
    std::vector<GrammarNode> choices;
    const auto add = [&](Node whole, Node fraction) {
        addSequence(choices, {std::move(whole), std::move(fraction)});
    };
    if (!range.most) {
        add(literalNode(least.whole), fractionNode(above, std::nullopt));
        add(wholeBetween(plusOne(least.whole), {}), fractionNode(std::nullopt, std::nullopt));
        return choiceOf(std::move(choices));
    }
    const NumberBound high = withinFraction(*range.most, false);
    const int order = compare(low.at, high.at);
    if (order > 0 || (order == 0 && (low.exclusive || high.exclusive))) return std::nullopt;
    const Parts most = partsOf(high.at);
    const FractionBound below{most.fraction, high.exclusive};
    if (least.whole == most.whole) {
        add(literalNode(least.whole), fractionNode(above, below));
        return choiceOf(std::move(choices));
    }
    add(literalNode(least.whole), fractionNode(above, std::nullopt));
    add(wholeBetween(plusOne(least.whole), minusOne(most.whole)),
        fractionNode(std::nullopt, std::nullopt));
    add(literalNode(most.whole), fractionNode(std::nullopt, below));
    return choiceOf(std::move(choices));
}

// --- scientific notation ---

/// e and an exponent from `least` to `most`, with an optional sign and leading zero as most
/// programs write it.
Node exponentNode(int least, int most) {
    if (least > most) return std::nullopt;
    const auto between = [](int from, int to) -> Node {
        if (from > to) return std::nullopt;
        std::vector<GrammarNode> choices;
        if (from <= 9)
            addSequence(choices,
                        {optionalNode(literalNode("0")),
                         wholeBetween(std::to_string(from), std::to_string(std::min(to, 9)))});
        if (to > 9)
            addSequence(choices,
                        {wholeBetween(std::to_string(std::max(from, 10)), std::to_string(to))});
        return choiceOf(std::move(choices));
    };
    std::vector<GrammarNode> signs;
    addSequence(signs, {optionalNode(literalNode("+")), between(std::max(least, 0), most)});
    addSequence(signs, {literalNode("-"), between(std::max(1, -most), -least)});
    std::vector<GrammarNode> all;
    addSequence(all, {charsNode({{'E', 'E'}, {'e', 'e'}}), choiceOf(std::move(signs))});
    return choiceOf(std::move(all));
}

NumberBound mantissaOf(const NumberBound& bound) {
    NumberBound mantissa = bound;
    mantissa.at.exponent = 1;
    return mantissa;
}

Node scientificNode(const Magnitudes& range) {
    const NumberBound one{*Decimal::parse("1"), false};
    const NumberBound ten{*Decimal::parse("10"), true};
    if (range.most && range.most->at.isZero()) return std::nullopt;
    const bool hasLeast = !range.least.at.isZero();
    // For the exponents of the bounds, the mantissa is bounded as well.
    const int first = hasLeast ? range.least.at.exponent - 1 : -kMaxExponent - 1;
    const int last = range.most ? range.most->at.exponent - 1 : kMaxExponent + 1;
    std::vector<GrammarNode> choices;
    const auto add = [&](const NumberBound& least, const NumberBound& most, int from, int to) {
        const int lowest = std::max(from, -kMaxExponent);
        const int highest = std::min(to, kMaxExponent);
        if (lowest <= highest)
            addSequence(choices, {decimalsNode({least, most}), exponentNode(lowest, highest)});
    };
    if (hasLeast && range.most && first == last) {
        add(mantissaOf(range.least), mantissaOf(*range.most), first, last);
        return choiceOf(std::move(choices));
    }
    if (hasLeast) add(mantissaOf(range.least), ten, first, first);
    if (range.most) add(one, mantissaOf(*range.most), last, last);
    add(one, ten, first + 1, last - 1);
    return choiceOf(std::move(choices));
}

// --- signed ranges ---

Decimal negated(Decimal number) {
    number.negative = !number.negative && !number.isZero();
    return number;
}

/// Returns the part of a range with the given sign, as magnitudes; nullopt if it is empty.
std::optional<Magnitudes> magnitudesOf(const NumberRange& range, bool negative) {
    const auto& inner = negative ? range.most : range.least;
    const auto& outer = negative ? range.least : range.most;
    const auto turned = [&](const NumberBound& bound) {
        return NumberBound{negative ? negated(bound.at) : bound.at, bound.exclusive};
    };
    Magnitudes part{.least = {.exclusive = negative}, .most = std::nullopt};
    if (inner) {
        const NumberBound bound = turned(*inner);
        if (!bound.at.negative && !(bound.at.isZero() && !bound.exclusive)) part.least = bound;
    }
    if (outer) {
        part.most = turned(*outer);
        if (part.most->at.negative) return std::nullopt;
    }
    return part;
}

/// Converts an exclusive bound other than 0 to the adjacent inclusive one with 15 digits.
NumberBound inclusive(const NumberBound& bound, bool lower) {
    if (!bound.exclusive || bound.at.isZero()) return bound;
    std::string digits = bound.at.digits;
    digits.resize(std::max(digits.size(), kSignificantDigits), '0');
    const bool cut = digits.find_first_not_of('0', kSignificantDigits) != std::string::npos;
    digits.resize(kSignificantDigits);
    int exponent = bound.at.exponent;
    if (lower) {
        digits = plusOne(std::move(digits));
        if (digits.size() > kSignificantDigits) ++exponent;
    } else if (!cut) {
        digits = minusOne(std::move(digits));
        if (digits.size() < kSignificantDigits) digits += '9', --exponent;
    }
    digits.erase(digits.find_last_not_of('0') + 1);
    return {Decimal{false, std::move(digits), exponent}, false};
}

std::optional<std::string> wholeLeast(const NumberBound& bound) {
    if (bound.at.exponent > kMaxBoundDigits) return std::nullopt;
    const Parts parts = partsOf(bound.at);
    const bool above = !parts.fraction.empty() || bound.exclusive;
    return above ? plusOne(parts.whole) : parts.whole;
}

std::optional<std::string> wholeMost(const NumberBound& bound) {
    if (bound.at.exponent > kMaxBoundDigits) return std::string(kMaxBoundDigits, '9');
    const Parts parts = partsOf(bound.at);
    if (!parts.fraction.empty() || !bound.exclusive) return parts.whole;
    if (parts.whole == "0") return std::nullopt;
    return minusOne(parts.whole);
}

Node wholeMagnitudes(const Magnitudes& range) {
    const auto least = wholeLeast(range.least);
    if (!least) return std::nullopt;
    if (!range.most) return wholeBetween(*least, {});
    const auto most = wholeMost(*range.most);
    return most ? wholeBetween(*least, *most) : std::nullopt;
}

Node magnitudesNode(const Magnitudes& range) {
    Magnitudes inner{inclusive(range.least, true), range.most};
    if (inner.most) inner.most = inclusive(*inner.most, false);
    std::vector<GrammarNode> choices;
    if (inner.least.at.exponent <= kMaxBoundDigits) {
        Magnitudes plain = inner;
        if (plain.most && plain.most->at.exponent > kMaxBoundDigits)
            plain.most = NumberBound{*Decimal::parse(std::string(kMaxBoundDigits, '9')), false};
        addSequence(choices, {decimalsNode(plain)});
    }
    addSequence(choices, {scientificNode(inner)});
    const bool exclusive = range.least.exclusive || (range.most && range.most->exclusive);
    if (exclusive) addSequence(choices, {wholeMagnitudes(range)});  // integers are compared exactly
    return choiceOf(std::move(choices));
}

Node signedNode(const NumberRange& range, Node (*part)(const Magnitudes&)) {
    std::vector<GrammarNode> choices;
    if (const auto below = magnitudesOf(range, true))
        addSequence(choices, {literalNode("-"), part(*below)});
    if (const auto above = magnitudesOf(range, false)) addSequence(choices, {part(*above)});
    return choiceOf(std::move(choices));
}

}  // namespace

std::optional<Decimal> Decimal::parse(std::string_view text) {
    Decimal number;
    if (text.starts_with('-')) {
        number.negative = true;
        text.remove_prefix(1);
    }
    const std::size_t end = std::min(text.find_first_of("eE"), text.size());
    int exponent = 0;
    if (end < text.size()) {
        std::string_view power = text.substr(end + 1);
        if (power.starts_with('+')) power.remove_prefix(1);
        const auto [stop, error] =
            std::from_chars(power.data(), power.data() + power.size(), exponent);
        if (error != std::errc() || stop != power.data() + power.size() ||
            std::abs(exponent) > kMaxExponentText)
            return std::nullopt;
    }
    int before = 0;
    bool afterPoint = false;
    for (const char c : text.substr(0, end)) {
        if (c == '.') {
            afterPoint = true;
            continue;
        }
        if (!isDigit(c)) return std::nullopt;
        number.digits += c;
        if (!afterPoint) ++before;
    }
    const std::size_t first = std::min(number.digits.find_first_not_of('0'), number.digits.size());
    number.digits.erase(0, first);
    number.digits.erase(number.digits.find_last_not_of('0') + 1);
    if (number.digits.empty()) return Decimal{};
    number.exponent = before - static_cast<int>(first) + exponent;
    return number;
}

int compare(const Decimal& a, const Decimal& b) {
    if (a.isZero() && b.isZero()) return 0;
    if (a.isZero()) return b.negative ? 1 : -1;
    if (b.isZero()) return a.negative ? -1 : 1;
    if (a.negative != b.negative) return a.negative ? -1 : 1;
    int order =
        a.exponent != b.exponent ? (a.exponent < b.exponent ? -1 : 1) : a.digits.compare(b.digits);
    order = (order > 0) - (order < 0);
    return a.negative ? -order : order;
}

std::optional<GrammarNode> integersNode(const NumberRange& range) {
    return signedNode(range, wholeMagnitudes);
}

std::optional<GrammarNode> numbersNode(const NumberRange& range) {
    return signedNode(range, magnitudesNode);
}

}  // namespace lacuna
