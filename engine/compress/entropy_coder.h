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
    /// @pre slot < 2^15
    [[nodiscard]] std::size_t symbolAt(std::uint32_t slot) const {
        std::size_t symbol = coarse_[slot >> kCoarseShift];
        // Mostly the first or the second that begins among these slots: no branch tells which.
        symbol += slot >= starts_[symbol + 1] ? 1 : 0;
        while (slot >= starts_[symbol + 1]) ++symbol;
        return symbol;
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

/// A decoded number that is not zero, of a component that mostly is.
struct RareNumber {
    std::int32_t token = 0;  ///< of those that are taken together
    std::int32_t component = 0;
    float value = 0;
};

/// Component-major numbers as the codec holds them: `count` tokens of `components`.
struct StepJob {
    std::span<const StepTable* const> tables;  ///< [components]
    std::int64_t tokens = 0;
    std::int64_t stride = 0;  ///< floats between the rows of two tokens
    float step = 1;
    /// Where it is there, decoding writes only the first `dense` components and lists of the others
    /// what is not zero, those of a block and component together.
    std::vector<RareNumber>* rare = nullptr;
    std::int64_t dense = 0;
};
/// Tokens whose numbers of one component lie together in the stream.
inline constexpr std::int64_t kStoredBlock = 64;
/// Codes numbers [tokens, components], rows `stride` apart. Numbers must be finite.
void encodeSteps(std::string& out, const StepJob& job, const float* numbers);
/// Decodes `atOnce` tokens after `atOnce` tokens into `numbers` [atOnce, stride] and calls
/// `take(first, count)` each time, with the rare ones of these. Damage may show only after all were
/// taken. Errors: Corrupt.
/// @pre atOnce is a multiple of kStoredBlock, or all of them
[[nodiscard]] Status decodeSteps(
    ByteReader& reader, const StepJob& job, float* numbers, std::int64_t atOnce,
    const std::function<void(std::int64_t first, std::int64_t count)>& take);
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
