#pragma once
/// \file
/// Lossless coding of stored rows: bytes with one table for all of them, and components that were
/// divided by a step and rounded, with a table for each ratio of deviation to step. Asymmetric
/// numeral systems (Duda 2013, arXiv:1311.2540) in eight interleaved lanes of 32 bits with words
/// of 16. Tables are computed with additions, products, quotients and square roots of doubles only,
/// so that they are identical on every machine. Pure functions, any thread. docs/stored-caches.md,
/// "The uniform step".

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

/// Symbols 0 .. n-1, at most 256. Lookups are fastest if the likeliest symbols come first.
class SymbolTable {
  public:
    /// `frequencies` sum to 2^15; a symbol of frequency 0 cannot be coded.
    /// @pre 1 to 256 frequencies with that sum
    explicit SymbolTable(std::span<const std::uint32_t> frequencies);
    [[nodiscard]] std::uint32_t start(std::size_t symbol) const { return starts_[symbol]; }
    [[nodiscard]] std::uint32_t frequency(std::size_t symbol) const {
        return starts_[symbol + 1] - starts_[symbol];
    }
    /// First slot of a symbol and number of its slots.
    struct Span {
        std::uint16_t start = 0;
        std::uint16_t frequency = 0;
    };
    [[nodiscard]] Span spanOf(std::size_t symbol) const { return spans_[symbol]; }
    /// Symbol that a slot belongs to, with the slots of that symbol. @pre slot < 2^15
    struct Found {
        std::size_t symbol = 0;
        Span span;
    };
    [[nodiscard]] Found at(std::uint32_t slot) const {
        const Span* const spans = spans_.data();
        std::size_t symbol = coarse_.data()[slot >> kCoarseShift];
        Span span = spans[symbol];
        // Usually the first symbol with any of these 32 slots.
        while (slot - span.start >= span.frequency) span = spans[++symbol];
        return {symbol, span};
    }
    [[nodiscard]] std::size_t symbols() const { return starts_.size() - 1; }

  private:
    static constexpr int kCoarseShift = 5;
    static constexpr std::size_t kCoarse = std::size_t{1} << (kProbabilityBits - kCoarseShift);
    std::vector<std::uint32_t> starts_;           ///< [symbols + 1]
    std::vector<Span> spans_;                     ///< [symbols]
    std::array<std::uint8_t, kCoarse> coarse_{};  ///< symbol of the first slot of each group of 32
};

/// Writes `bytes` in the format read by unpackBytes: entropy-coded, or raw if that is shorter.
void packBytes(std::string& out, std::span<const std::byte> bytes);
/// Fills `out`. Errors: Corrupt.
[[nodiscard]] Status unpackBytes(ByteReader& reader, std::span<std::byte> out);

// Components that are divided by a step.

/// Number of tail shapes of a component: exp(-|x|^b) with b = 2 (normal), 1.5, 1.25 and 1
/// (Laplace).
inline constexpr int kTailShapes = 4;
/// Components whose deviation is less than this share of the step are not coded and decode to zero.
inline constexpr double kMinCodingDeviation = 0.25;
/// |x| / step below which a number becomes zero; larger numbers are rounded with the same
/// threshold.
inline constexpr double kDeadZone = 0.6;

/// Table, range and decoded values for one ratio of deviation to step and one tail shape.
struct StepTable {
    SymbolTable table;                ///< 0, +1, -1, +2, ... +reach, -reach, escape
    int reach = 0;                    ///< largest |q| with a symbol of its own
    std::vector<float> values;        ///< [reach + 1] mean of the numbers rounded to |q|, in steps
    std::vector<float> signedValues;  ///< [symbols] the same for each symbol; 0 for an escape
    std::vector<float> bits;  ///< [reach + 2] cost of |q| including its sign; last: cost of an
                              ///< escape
};
/// Table for a deviation in steps; null below kMinCodingDeviation. Created once per process, shared
/// and read-only. @pre 0 <= shape < kTailShapes, deviation finite
[[nodiscard]] const StepTable* stepTable(double deviation, int shape);

/// Layout of a stream of `tokens` tokens, with one table per component.
struct StepJob {
    std::span<const StepTable* const> tables;  ///< [components]
    std::int64_t tokens = 0;
    std::int64_t stride = 0;  ///< floats between the rows of two tokens
    float step = 1;
};
/// Number of tokens whose numbers of one component are adjacent in the stream.
inline constexpr std::int64_t kStoredBlock = 64;
/// Encodes numbers [tokens, components] with rows `stride` apart. Numbers must be finite.
void encodeSteps(std::string& out, const StepJob& job, const float* numbers);
/// Reference decoder: writes numbers [tokens, stride]. Errors: Corrupt.
[[nodiscard]] Status decodeSteps(ByteReader& reader, const StepJob& job, float* numbers);

/// One decoded number with its position.
struct RareNumber {
    std::int32_t token = 0;  ///< index among the tokens that are decoded together
    std::int32_t component = 0;
    float value = 0;
};
/// Decoded numbers of up to kStoredBlock tokens, as integer multiples of a unit.
struct WholeNumbers {
    static constexpr int kLargest = 32639;
    std::vector<std::int16_t> numbers;  ///< [dense][kStoredBlock]; 0 beyond the last token
    /// Nonzero numbers of the other components, and the remainders of dense numbers beyond
    /// kLargest, with the values of decodeSteps.
    std::vector<RareNumber> rare;
};
/// Units per step of each of the first components; the other components are sparse. Finite and
/// positive.
using UnitsOfStep = std::span<const float>;
/// Like decodeSteps, but rounds to integer units and calls `take(first token, tokens, numbers)` for
/// each block. Corruption may be detected only after all blocks were taken. Errors: Corrupt.
/// `stride` is not used.
[[nodiscard]] Status decodeWhole(
    ByteReader& reader, const StepJob& job, UnitsOfStep units,
    const std::function<void(std::int64_t first, std::int64_t count, WholeNumbers& numbers)>& take);
/// Size of the `numbers` of one component in bits, and the remaining error.
struct StepCost {
    double bits = 0;
    double squaredError = 0;
};
/// Expected share of nonzero numbers in a coded component, 0..1.
[[nodiscard]] double shareBeyondZero(const StepTable& table);
[[nodiscard]] StepCost stepCost(std::span<const float> numbers, double deviation, int shape,
                                double step);

}  // namespace lacuna
