#pragma once
/// \file
/// Lossless coding of stored rows: bytes with one table for all of them, and components that were
/// divided by a step and rounded, with a table for each ratio of deviation to step. Asymmetric
/// numeral systems (Duda 2013, arXiv 1311.2540) in eight interleaved lanes of 32 bits with words of
/// 16. Tables are made with additions, products, quotients and square roots of doubles only, so
/// that every machine has the same ones. Pure functions, any thread.
/// docs/stored-caches.md, "The uniform step".

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/byte_reader.h"
#include "engine/base/result.h"

namespace lacuna {

/// Probabilities are multiples of 2^-15.
inline constexpr int kProbabilityBits = 15;

/// Symbols 0 .. n-1, at most 256, the likeliest first where it matters for speed.
class SymbolTable {
  public:
    /// Frequencies that sum to 2^15; a symbol without one cannot be coded.
    /// @pre 1 to 256 of them with that sum
    explicit SymbolTable(std::span<const std::uint32_t> frequencies);
    [[nodiscard]] std::uint32_t start(std::size_t symbol) const { return starts_[symbol]; }
    [[nodiscard]] std::uint32_t frequency(std::size_t symbol) const {
        return starts_[symbol + 1] - starts_[symbol];
    }
    /// Where a symbol's slots begin, and how many there are.
    struct Span {
        std::uint16_t start = 0;
        std::uint16_t frequency = 0;
    };
    [[nodiscard]] Span spanOf(std::size_t symbol) const { return spans_[symbol]; }
    /// Of the symbol that a slot belongs to, which symbol it is, and its slots. @pre slot < 2^15
    struct Found {
        std::size_t symbol = 0;
        Span span;
    };
    [[nodiscard]] Found at(std::uint32_t slot) const {
        const Span* const spans = spans_.data();
        std::size_t symbol = coarse_.data()[slot >> kCoarseShift];
        Span span = spans[symbol];
        // Mostly the first one that has any of these 32 slots.
        while (slot - span.start >= span.frequency) span = spans[++symbol];
        return {symbol, span};
    }
    [[nodiscard]] std::size_t symbols() const { return starts_.size() - 1; }

  private:
    static constexpr int kCoarseShift = 5;
    static constexpr std::size_t kCoarse = std::size_t{1} << (kProbabilityBits - kCoarseShift);
    std::vector<std::uint32_t> starts_;           ///< [symbols + 1]
    std::vector<Span> spans_;                     ///< [symbols]
    std::array<std::uint8_t, kCoarse> coarse_{};  ///< symbol of the first slot of each 32
};

/// Writes `bytes` so that unpackBytes finds them again: with a table, or as they are where that is
/// shorter.
void packBytes(std::string& out, std::span<const std::byte> bytes);
/// Fills `out`. Errors: Corrupt.
[[nodiscard]] Status unpackBytes(ByteReader& reader, std::span<std::byte> out);

// Components that are divided by a step.

/// How the tails of a component fall: exp(-|x|^b) with b of 2 (normal), 1.5, 1.25 and 1 (Laplace).
inline constexpr int kTailShapes = 4;
/// Components whose deviation is a smaller share of the step are not coded and decode to zero.
inline constexpr double kLeastDeviation = 0.25;
/// |x| / step below which a number becomes zero; those above are rounded with the same threshold.
inline constexpr double kDeadZone = 0.6;

/// Table, range and decoded values of one ratio of deviation to step and one shape of tails.
struct StepTable {
    SymbolTable table;          ///< 0, +1, -1, +2, ... +reach, -reach, escape
    int reach = 0;              ///< largest |q| with a symbol of its own
    std::vector<float> values;  ///< [reach + 1] in steps, of |q|: the mean of what is rounded to it
    std::vector<float> signedValues;  ///< [symbols] the same of each symbol; of an escape 0
    std::vector<float> bits;          ///< [reach + 2] of |q|, sign and all; last: of an escape
};
/// The table for a deviation in steps; null below kLeastDeviation. Made once for the whole program,
/// shared, read-only. @pre 0 <= shape < kTailShapes, deviation finite
[[nodiscard]] const StepTable* stepTable(double deviation, int shape);

/// Component-major numbers as the codec holds them: `count` tokens of `components`.
struct StepJob {
    std::span<const StepTable* const> tables;  ///< [components]
    std::int64_t tokens = 0;
    std::int64_t stride = 0;  ///< floats between the rows of two tokens
    float step = 1;
};
/// Tokens whose numbers of one component lie together in the stream.
inline constexpr std::int64_t kStoredBlock = 64;
/// Codes numbers [tokens, components], rows `stride` apart. Numbers must be finite.
void encodeSteps(std::string& out, const StepJob& job, const float* numbers);
/// The plain reference: decodes into numbers [tokens, stride]. Errors: Corrupt.
[[nodiscard]] Status decodeSteps(ByteReader& reader, const StepJob& job, float* numbers);

/// A decoded number on its own.
struct RareNumber {
    std::int32_t token = 0;  ///< of those that are decoded together
    std::int32_t component = 0;
    float value = 0;
};
/// Decoded numbers of up to kStoredBlock tokens, as whole multiples of a unit.
struct WholeNumbers {
    static constexpr int kLargest = 32639;
    std::vector<std::int16_t> numbers;  ///< [dense][kStoredBlock]; 0 where there is no token
    /// Of the other components what is not zero, and of the dense ones what kLargest leaves over:
    /// as decodeSteps has them.
    std::vector<RareNumber> rare;
};
/// How a step of each of the first components counts in units; the others are rare ones. Finite and
/// above 0.
using UnitsOfStep = std::span<const float>;
/// The same as decodeSteps, rounded to whole units, and `take(first token, tokens, numbers)` for
/// each block. Damage may show only after all were taken. Errors: Corrupt. `stride` is not used.
[[nodiscard]] Status decodeWhole(
    ByteReader& reader, const StepJob& job, UnitsOfStep units,
    const std::function<void(std::int64_t first, std::int64_t count, WholeNumbers& numbers)>& take);
/// What `numbers` of one component would take, in bits, and the error that would be left.
struct StepCost {
    double bits = 0;
    double squaredError = 0;
};
/// Of the components that a table codes, the share that is expected not to be zero, 0..1.
[[nodiscard]] double shareBeyondZero(const StepTable& table);
[[nodiscard]] StepCost stepCost(std::span<const float> numbers, double deviation, int shape,
                                double step);

}  // namespace lacuna
