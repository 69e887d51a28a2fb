// The state x of a lane is in [2^16, 2^32). Encoding a symbol with frequency f and first slot s
// replaces x by (x / f) 2^15 + x mod f + s, after writing its low word if x would become too large.
// Decoding is the reverse and reads a word when the state falls below 2^16. Words are read in
// reverse order, so the encoder works from the end to the beginning. After decoding all lanes are
// at 2^16 again, which a corrupt stream is unlikely to reach.

#include "engine/compress/transform/entropy_coder.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/base/byte_writer.h"
#include "engine/base/check.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::uint32_t kLow = 1U << 16;
constexpr std::uint32_t kScale = 1U << kProbabilityBits;
constexpr std::uint32_t kMask = kScale - 1;

tl::unexpected<Error> damaged(const char* what, int line = __builtin_LINE()) {
    return fail(ErrorCode::Corrupt, format("stored cache: {}", what), __FILE__, line);
}

class LaneWriter {
  public:
    LaneWriter() { states_.fill(kLow); }
    /// Symbols must be passed in reverse order.
    void put(std::size_t lane, std::uint32_t start, std::uint32_t frequency) {
        std::uint32_t& x = states_[lane];
        if (x >= std::uint64_t{frequency} << (32 - kProbabilityBits)) {
            words_.push_back(static_cast<std::uint16_t>(x));
            x >>= 16;
        }
        x = ((x / frequency) << kProbabilityBits) + x % frequency + start;
    }
    void finish(std::string& out) {
        putWord(out, static_cast<std::uint32_t>(words_.size()));
        for (const std::uint32_t state : states_) putWord(out, state);
        std::ranges::reverse(words_);
        out.append(reinterpret_cast<const char*>(words_.data()),
                   words_.size() * sizeof(std::uint16_t));
    }
    /// Number of bytes written by finish.
    [[nodiscard]] std::size_t bytes() const { return 4 + 4 * kLanes + 2 * words_.size(); }

  private:
    std::array<std::uint32_t, kLanes> states_{};
    std::vector<std::uint16_t> words_;
};

class LaneReader {
  public:
    [[nodiscard]] static Result<LaneReader> open(ByteReader& reader) {
        LaneReader made;
        const auto words = reader.read<std::uint32_t>();
        if (!words) return damaged("a stream is truncated");
        for (std::uint32_t& state : made.states_) {
            const auto read = reader.read<std::uint32_t>();
            if (!read || *read < kLow) return damaged("a stream begins in an invalid state");
            state = *read;
        }
        const auto bytes = reader.take(std::uint64_t{*words} * sizeof(std::uint16_t));
        if (!bytes) return damaged("a stream is truncated");
        made.at_ = bytes->data();
        made.end_ = bytes->data() + bytes->size();
        return made;
    }
    /// Calls `each(index, symbol)` for `count` symbols of one table, starting with lane 0. While
    /// every lane may still read a word, the only branches depend on symbols.
    template <class Each>
    void takeAll(const SymbolTable& table, std::int64_t count, const Each& each) {
        constexpr auto kAtOnce = static_cast<std::int64_t>(kLanes);
        std::array<std::uint32_t, kLanes> states = states_;
        const std::byte* at = at_;
        std::int64_t i = 0;
        for (; i + kAtOnce <= count && end_ - at >= 2 * kAtOnce; i += kAtOnce)
#pragma GCC unroll 8
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                const std::uint32_t x = states[lane];
                const std::uint32_t slot = x & kMask;
                const auto [symbol, span] = table.at(slot);
                const std::uint32_t next =
                    span.frequency * (x >> kProbabilityBits) + slot - span.start;
                std::uint16_t word;
                std::memcpy(&word, at, sizeof(word));
                const bool low = next < kLow;
                states[lane] = low ? next << 16 | word : next;
                at += low ? sizeof(word) : 0;
                each(i + static_cast<std::int64_t>(lane), symbol);
            }
        states_ = states;
        at_ = at;
        for (; i < count; ++i) each(i, take(static_cast<std::size_t>(i) % kLanes, table));
    }
    [[nodiscard]] std::size_t take(std::size_t lane, const SymbolTable& table) {
        std::uint32_t& x = states_[lane];
        const std::uint32_t slot = x & kMask;
        const auto [symbol, span] = table.at(slot);
        x = span.frequency * (x >> kProbabilityBits) + slot - span.start;
        if (x < kLow) {
            std::uint16_t word = 0;
            if (at_ == end_) {
                short_ = true;
            } else {
                std::memcpy(&word, at_, sizeof(word));
                at_ += sizeof(word);
            }
            x = x << 16 | word;
        }
        return symbol;
    }
    [[nodiscard]] bool done() const {
        return !short_ && at_ == end_ &&
               std::ranges::all_of(states_, [](std::uint32_t x) { return x == kLow; });
    }

  private:
    std::array<std::uint32_t, kLanes> states_{};
    const std::byte* at_ = nullptr;
    const std::byte* end_ = nullptr;
    bool short_ = false;
};

/// Returns frequencies that sum to 2^15, at least 1 for every positive share.
std::vector<std::uint32_t> frequenciesOf(std::span<const double> shares) {
    double total = 0;
    for (const double share : shares) total += share;
    std::vector<std::uint32_t> out(shares.size());
    std::int64_t sum = 0;
    std::size_t largest = 0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
        if (!(shares[i] > 0)) continue;
        out[i] = std::max(1U, static_cast<std::uint32_t>(shares[i] / total * kScale));
        sum += out[i];
        if (out[i] > out[largest]) largest = i;
    }
    // The likeliest symbol absorbs the rounding error and the minimum frequencies.
    std::int64_t surplus = std::int64_t{kScale} - sum;
    while (surplus < 0 && out[largest] <= static_cast<std::uint64_t>(-surplus)) {
        surplus += out[largest] / 2;
        out[largest] -= out[largest] / 2;
        largest = static_cast<std::size_t>(std::ranges::max_element(out) - out.begin());
    }
    out[largest] = static_cast<std::uint32_t>(out[largest] + surplus);
    return out;
}

enum class Packing : std::uint8_t { Raw = 0, Table = 1, Same = 2 };

/// Writes the set of bytes that occur, then their frequencies.
void putFrequencies(std::string& out, std::span<const std::uint32_t> frequencies) {
    std::array<std::uint64_t, 4> there{};
    for (std::size_t i = 0; i < 256; ++i)
        if (frequencies[i] > 0) there[i / 64] |= std::uint64_t{1} << i % 64;
    for (const std::uint64_t word : there) putWord(out, word);
    for (const std::uint32_t frequency : frequencies)
        if (frequency > 0) putWord(out, static_cast<std::uint16_t>(frequency));
}

Result<std::vector<std::uint32_t>> readFrequencies(ByteReader& reader) {
    std::vector<std::uint32_t> out(256);
    std::array<std::uint64_t, 4> there{};
    for (std::uint64_t& word : there) {
        const auto read = reader.read<std::uint64_t>();
        if (!read) return damaged("a table is truncated");
        word = *read;
    }
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < 256; ++i) {
        if ((there[i / 64] >> i % 64 & 1) == 0) continue;
        const auto read = reader.read<std::uint16_t>();
        if (!read || *read == 0) return damaged("a table is truncated");
        out[i] = *read;
        sum += *read;
    }
    if (sum != kScale) return damaged("the frequencies of a table do not sum to 1");
    return out;
}

// Tables for step coding.

constexpr int kClasses = 64;     // deviations of 2^-2 steps and more, six classes per octave
constexpr int kMostReach = 127;  // 255 values of q have a symbol, besides the escape
constexpr double kClassRatio = 1.122462048309373;  // 2^(1/6)

/// e^-x for x >= 0 by a series and squarings; bitwise identical on every machine with IEEE doubles.
double fallingExponential(double x) {
    if (x > 80) return 0;
    const double small = -x / 1024;
    double sum = 1;
    for (int i = 8; i > 0; --i) sum = 1 + sum * small / i;
    for (int i = 0; i < 10; ++i) sum *= sum;
    return sum;
}

/// |x|^b, with x scaled so that the deviation is 1 (by the root of the quotient of Gamma(1/b) and
/// Gamma(3/b)).
double tailPower(double x, int shape) {
    switch (shape) {
        case 0:
            return x * x;
        case 1:
            return x * std::sqrt(x);
        case 2:
            return x * std::sqrt(std::sqrt(x));
        default:
            return x;
    }
}
constexpr std::array<double, kTailShapes> kTailScale{1.4142135623730951, 1.1636657335448184,
                                                     0.9681194292180849, 0.7071067811865476};

double densityAt(double x, int shape) {
    return fallingExponential(tailPower(x / kTailScale[static_cast<std::size_t>(shape)], shape));
}

StepTable makeStepTable(double deviation, int shape) {
    const int reach = std::clamp(static_cast<int>(8 * deviation) + 3, 4, kMostReach);
    const int samples = deviation < 1 ? 64 : 16;
    std::vector<double> mass(static_cast<std::size_t>(reach) + 2);
    StepTable out{.table = SymbolTable(std::array{kScale}),
                  .reach = reach,
                  .values = {},
                  .signedValues = {},
                  .bits = {}};
    out.values.resize(static_cast<std::size_t>(reach) + 1);
    for (int q = 0; q <= reach; ++q) {
        // [from, to) in steps; the bin of zero has two sides.
        const double from = q == 0 ? 0 : q - 1 + kDeadZone;
        const double width = q == 0 ? kDeadZone : 1;
        double sum = 0;
        double moment = 0;
        for (int i = 0; i < samples; ++i) {
            const double x = from + width * (i + 0.5) / samples;
            const double density = densityAt(x / deviation, shape);
            sum += density;
            moment += density * x;
        }
        mass[static_cast<std::size_t>(q)] = 2 * sum * width / samples;
        out.values[static_cast<std::size_t>(q)] =
            q == 0 ? 0.0F : static_cast<float>(sum > 0 ? moment / sum : from + width / 2);
    }
    // Escape: values beyond the reach, including those that the density does not predict.
    double total = 0;
    for (const double m : mass) total += m;
    mass.back() = total / kScale;
    std::vector<double> shares{mass[0]};
    for (std::size_t q = 1; q <= static_cast<std::size_t>(reach); ++q) {
        const double side = std::max(mass[q] / 2, total / kScale);
        shares.insert(shares.end(), {side, side});
    }
    shares.push_back(mass.back());
    const auto frequencies = frequenciesOf(shares);
    out.table = SymbolTable(frequencies);
    out.signedValues.push_back(0);
    for (std::size_t q = 1; q <= static_cast<std::size_t>(reach); ++q)
        out.signedValues.insert(out.signedValues.end(), {out.values[q], -out.values[q]});
    out.signedValues.push_back(0);
    const auto bitsOf = [&](std::size_t symbol) {
        return static_cast<float>(kProbabilityBits - std::log2(frequencies[symbol]));
    };
    for (std::size_t q = 0; q <= static_cast<std::size_t>(reach); ++q)
        out.bits.push_back(bitsOf(q == 0 ? 0 : 2 * q - 1));
    out.bits.push_back(bitsOf(shares.size() - 1) + 16);
    return out;
}

/// Tables of all classes and shapes.
const std::vector<StepTable>& stepTables() {
    static const std::vector<StepTable> tables = [] {
        std::vector<StepTable> made;
        for (int shape = 0; shape < kTailShapes; ++shape) {
            double deviation = kMinCodingDeviation;
            for (int i = 0; i < kClasses; ++i, deviation *= kClassRatio)
                made.push_back(makeStepTable(deviation * std::sqrt(kClassRatio), shape));
        }
        return made;
    }();
    return tables;
}

/// Rounds x / step.
int rounded(float x, float inverse) {
    const float magnitude = std::fabs(x) * inverse + static_cast<float>(1 - kDeadZone);
    const auto q = static_cast<int>(
        std::min(magnitude, static_cast<float>(std::numeric_limits<std::int16_t>::max())));
    return x < 0 ? -q : q;
}

std::size_t symbolOf(int q) {
    return q > 0 ? 2 * static_cast<std::size_t>(q) - 1 : 2 * static_cast<std::size_t>(-q);
}

}  // namespace

SymbolTable::SymbolTable(std::span<const std::uint32_t> frequencies) {
    starts_.reserve(frequencies.size() + 1);
    std::uint32_t sum = 0;
    for (const std::uint32_t frequency : frequencies) {
        starts_.push_back(sum);
        sum += frequency;
    }
    starts_.push_back(sum);
    for (std::size_t i = 0; i < frequencies.size(); ++i)
        spans_.push_back(
            {static_cast<std::uint16_t>(starts_[i]), static_cast<std::uint16_t>(frequencies[i])});
    LACUNA_REQUIRE(sum == kScale && frequencies.size() <= 256, "a table's frequencies sum to one");
    std::size_t symbol = 0;
    for (std::size_t i = 0; i < coarse_.size(); ++i) {
        while (i << kCoarseShift >= starts_[symbol + 1]) ++symbol;
        coarse_[i] = static_cast<std::uint8_t>(symbol);
    }
}

void packBytes(std::string& out, std::span<const std::byte> bytes) {
    std::vector<double> counts(256);
    for (const std::byte b : bytes) ++counts[static_cast<std::size_t>(b)];
    const auto present = std::ranges::count_if(counts, [](double n) { return n > 0; });
    if (present == 1) {
        putWord(out, Packing::Same);
        putWord(out, bytes.front());
        return;
    }
    if (present > 1) {
        const auto frequencies = frequenciesOf(counts);
        const SymbolTable table(frequencies);
        LaneWriter lanes;
        for (std::size_t i = bytes.size(); i-- > 0;) {
            const auto symbol = static_cast<std::size_t>(bytes[i]);
            lanes.put(i % kLanes, table.start(symbol), table.frequency(symbol));
        }
        const std::size_t tableBytes = 32 + 2 * static_cast<std::size_t>(present);
        if (tableBytes + lanes.bytes() < bytes.size()) {
            putWord(out, Packing::Table);
            putFrequencies(out, frequencies);
            lanes.finish(out);
            return;
        }
    }
    putWord(out, Packing::Raw);
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

Status unpackBytes(ByteReader& reader, std::span<std::byte> out) {
    const auto packing = reader.read<std::uint8_t>();
    if (!packing) return damaged("the bytes are truncated");
    switch (static_cast<Packing>(*packing)) {
        case Packing::Raw: {
            const auto bytes = reader.take(out.size());
            if (!bytes) return damaged("the bytes are truncated");
            std::ranges::copy(*bytes, out.begin());
            return {};
        }
        case Packing::Same: {
            const auto value = reader.read<std::uint8_t>();
            if (!value) return damaged("the bytes are truncated");
            std::ranges::fill(out, static_cast<std::byte>(*value));
            return {};
        }
        case Packing::Table: {
            LACUNA_TRY(const auto frequencies, readFrequencies(reader));
            const SymbolTable table(frequencies);
            LACUNA_TRY(LaneReader lanes, LaneReader::open(reader));
            lanes.takeAll(table, static_cast<std::int64_t>(out.size()),
                          [out](std::int64_t i, std::size_t symbol) {
                              out[static_cast<std::size_t>(i)] = static_cast<std::byte>(symbol);
                          });
            if (!lanes.done()) return damaged("the bytes do not end where they should");
            return {};
        }
    }
    return damaged("the packing of the bytes is unknown");
}

const StepTable* stepTable(double deviation, int shape) {
    if (!(deviation >= kMinCodingDeviation)) return nullptr;
    // Finds the class by products alone, as the tables are computed.
    int index = 0;
    for (double edge = kMinCodingDeviation * kClassRatio; index + 1 < kClasses && deviation >= edge;
         edge *= kClassRatio)
        ++index;
    return &stepTables()[static_cast<std::size_t>(shape * kClasses + index)];
}

void encodeSteps(std::string& out, const StepJob& job, const float* numbers) {
    LaneWriter lanes;
    std::vector<std::int16_t> escapes;
    const float inverse = 1.0F / job.step;
    const auto components = static_cast<std::int64_t>(job.tables.size());
    const std::int64_t blocks = (job.tokens + kStoredBlock - 1) / kStoredBlock;
    for (std::int64_t block = blocks; block-- > 0;) {
        const std::int64_t first = block * kStoredBlock;
        const std::int64_t count = std::min(kStoredBlock, job.tokens - first);
        for (std::int64_t c = components; c-- > 0;) {
            const StepTable& step = *job.tables[static_cast<std::size_t>(c)];
            for (std::int64_t t = count; t-- > 0;) {
                const int q = rounded(numbers[(first + t) * job.stride + c], inverse);
                const bool escaped = std::abs(q) > step.reach;
                const std::size_t symbol = escaped ? step.table.symbols() - 1 : symbolOf(q);
                if (escaped) escapes.push_back(static_cast<std::int16_t>(q));
                lanes.put(static_cast<std::size_t>(t) % kLanes, step.table.start(symbol),
                          step.table.frequency(symbol));
            }
        }
    }
    std::ranges::reverse(escapes);
    putWord(out, static_cast<std::uint32_t>(escapes.size()));
    out.append(reinterpret_cast<const char*>(escapes.data()),
               escapes.size() * sizeof(std::int16_t));
    lanes.finish(out);
}

namespace {

/// Decodes symbols of one component after another.
class StepReader {
  public:
    [[nodiscard]] static Result<StepReader> open(ByteReader& reader) {
        const auto count = reader.read<std::uint32_t>();
        if (!count) return damaged("a stream is truncated");
        const auto escapes = reader.take(std::uint64_t{*count} * sizeof(std::int16_t));
        if (!escapes) return damaged("a stream is truncated");
        LACUNA_TRY(const LaneReader lanes, LaneReader::open(reader));
        return StepReader(lanes, *escapes);
    }
    /// Calls `each(token, symbol)` for `count` tokens.
    template <class Each>
    void symbols(const SymbolTable& table, std::int64_t count, const Each& each) {
        lanes_.takeAll(table, count, each);
    }
    /// Value of a symbol in steps.
    [[nodiscard]] float numberOf(const StepTable& of, std::size_t symbol) {
        return symbol + 1 < of.table.symbols() ? of.signedValues[symbol] : escape();
    }
    [[nodiscard]] Status finished() const {
        if (missing_) return damaged("a number outside the table is missing");
        if (!lanes_.done() || escapes_.remaining() != 0)
            return damaged("a stream does not end where it should");
        return {};
    }

  private:
    StepReader(LaneReader lanes, std::span<const std::byte> escapes)
        : lanes_(lanes), escapes_(escapes) {}
    [[nodiscard]] float escape() {
        const auto q = escapes_.read<std::int16_t>();
        missing_ = missing_ || !q;
        return static_cast<float>(q.value_or(0));
    }
    LaneReader lanes_;
    ByteReader escapes_;
    bool missing_ = false;
};

/// The symbols of a component in integer units.
struct WholeSymbols {
    std::vector<std::int16_t> units;  ///< [symbols]
    std::size_t plain = 0;            ///< `units` is exact for symbols below this one
};

std::int16_t wholeUnits(float number) {
    return static_cast<std::int16_t>(
        std::lrint(std::clamp(number, -static_cast<float>(WholeNumbers::kLargest),
                              static_cast<float>(WholeNumbers::kLargest))));
}

WholeSymbols wholeSymbolsOf(const StepTable& table, float unitsOfStep) {
    WholeSymbols out;
    out.plain = table.table.symbols() - 1;
    for (std::size_t symbol = 0; symbol < table.signedValues.size(); ++symbol) {
        const float number = table.signedValues[symbol] * unitsOfStep;
        // Larger numbers have later symbols.
        if (std::fabs(number) > WholeNumbers::kLargest) out.plain = std::min(out.plain, symbol);
        out.units.push_back(wholeUnits(number));
    }
    return out;
}

}  // namespace

Status decodeSteps(ByteReader& reader, const StepJob& job, float* numbers) {
    LACUNA_TRY(StepReader steps, StepReader::open(reader));
    const auto components = static_cast<std::int64_t>(job.tables.size());
    for (std::int64_t first = 0; first < job.tokens; first += kStoredBlock)
        for (std::int64_t c = 0; c < components; ++c) {
            const StepTable& of = *job.tables[static_cast<std::size_t>(c)];
            float* const to = numbers + first * job.stride + c;
            steps.symbols(of.table, std::min(kStoredBlock, job.tokens - first),
                          [&](std::int64_t t, std::size_t symbol) {
                              to[t * job.stride] = steps.numberOf(of, symbol) * job.step;
                          });
        }
    return steps.finished();
}

Status decodeWhole(ByteReader& reader, const StepJob& job, UnitsOfStep units,
                   const std::function<void(std::int64_t first, std::int64_t count,
                                            WholeNumbers& numbers)>& take) {
    LACUNA_TRY(StepReader steps, StepReader::open(reader));
    std::vector<WholeSymbols> dense;
    for (std::size_t c = 0; c < units.size(); ++c)
        dense.push_back(wholeSymbolsOf(*job.tables[c], units[c]));
    WholeNumbers out;
    out.numbers.resize(units.size() * static_cast<std::size_t>(kStoredBlock));
    for (std::int64_t first = 0; first < job.tokens; first += kStoredBlock) {
        const std::int64_t count = std::min(kStoredBlock, job.tokens - first);
        if (count < kStoredBlock) std::ranges::fill(out.numbers, std::int16_t{0});
        out.rare.clear();
        for (std::size_t c = 0; c < job.tables.size(); ++c) {
            const StepTable& of = *job.tables[c];
            const auto isRare = [&](std::int64_t t, float number) {
                out.rare.push_back({static_cast<std::int32_t>(t), static_cast<std::int32_t>(c),
                                    number * job.step});
            };
            if (c >= units.size()) {
                steps.symbols(of.table, count, [&](std::int64_t t, std::size_t symbol) {
                    if (symbol != 0) isRare(t, steps.numberOf(of, symbol));
                });
                continue;
            }
            const std::int16_t* const whole = dense[c].units.data();
            const std::size_t plain = dense[c].plain;
            std::int16_t* const to =
                out.numbers.data() + c * static_cast<std::size_t>(kStoredBlock);
            steps.symbols(of.table, count, [&](std::int64_t t, std::size_t symbol) {
                to[t] = whole[symbol];
                if (symbol < plain) return;
                // Escape, or too large for an integer number.
                const float number = steps.numberOf(of, symbol);
                to[t] = wholeUnits(number * units[c]);
                if (std::fabs(number * units[c]) > WholeNumbers::kLargest)
                    isRare(t, number - static_cast<float>(to[t]) / units[c]);
            });
        }
        take(first, count, out);
    }
    return steps.finished();
}

double shareBeyondZero(const StepTable& table) {
    return 1 - static_cast<double>(table.table.frequency(0)) / kScale;
}

StepCost stepCost(std::span<const float> numbers, double deviation, int shape, double step) {
    StepCost cost;
    const StepTable* const table = stepTable(deviation / step, shape);
    const auto inverse = static_cast<float>(1 / step);
    for (const float x : numbers) {
        const int q = table == nullptr ? 0 : std::abs(rounded(x, inverse));
        double back = 0;
        if (table != nullptr) {
            const auto place = static_cast<std::size_t>(std::min(q, table->reach + 1));
            cost.bits += double{table->bits[place]};
            back = step * (q > table->reach ? q : double{table->values[place]});
        }
        const double gap = std::fabs(double{x}) - back;
        cost.squaredError += gap * gap;
    }
    return cost;
}

}  // namespace lacuna
