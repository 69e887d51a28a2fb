#include "app/bench/bench_format.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "app/bench/simulated_cache.h"
#include "engine/base/string_format.h"
#include "engine/kv/kv_factory.h"

namespace lacuna {
namespace {

constexpr double kMostMatching = 50;  // limit of am_ratio
constexpr double kMostEviction = 1024;
constexpr double kMostExtra = 4;  // limit of extra_bits

constexpr std::array<std::string_view, 28> kUsual{"t8",
                                                  "t5",
                                                  "t4",
                                                  "t4 calibrated",
                                                  "t4 +0.25",
                                                  "t4 calibrated +0.25",
                                                  "t3",
                                                  "t3 calibrated",
                                                  "t3 +0.25",
                                                  "t3 calibrated +0.25",
                                                  "t2",
                                                  "t2 calibrated",
                                                  "t3/t2 calibrated",
                                                  "q8_0",
                                                  "q4_0",
                                                  "q4_0 rotated",
                                                  "ggml-q8_0",
                                                  "ggml-q4_0",
                                                  "ggml-q4_0 rotated",
                                                  "u4 calibrated",
                                                  "u3 calibrated",
                                                  "u2 calibrated",
                                                  "t4 plain",
                                                  "t3 plain",
                                                  "t3 preserve",
                                                  "t3 qjl",
                                                  "t4 am 8x",
                                                  "t3 am 8x"};

/// Key or value part of a format.
struct NamedCode {
    RowCoding coding;
    std::optional<KvRowType> stored;  ///< row type of a real cache
};

std::optional<int> digitAfter(std::string_view text, std::string_view letter) {
    if (!text.starts_with(letter) || text.size() != letter.size() + 1) return std::nullopt;
    const char digit = text.back();
    return digit >= '1' && digit <= '8' ? std::optional(digit - '0') : std::nullopt;
}

std::optional<NamedCode> codeNamed(std::string_view text) {
    const auto code = [](RowCode kind, int bits, bool rotated) {
        return NamedCode{.coding = {.code = kind, .bits = bits, .rotated = rotated}, .stored = {}};
    };
    if (const auto bits = digitAfter(text, "u")) return code(RowCode::Uniform, *bits, false);
    if (text == "ggml-q8_0") return code(RowCode::Blocks, 8, false);
    if (text == "ggml-q4_0") return code(RowCode::Blocks, 4, false);
    std::optional<NamedCode> found;
    if (const auto bits = digitAfter(text, "t")) found = code(RowCode::Rotated, *bits, true);
    if (text == "q8_0") found = code(RowCode::Affine, 8, false);
    if (text == "q4_0") found = code(RowCode::Affine, 4, false);
    if (found) found->stored = kvTypeFromName(text).value();
    return found;
}

std::vector<std::string_view> wordsOf(std::string_view text) {
    std::vector<std::string_view> words;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        if (end > 0) words.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return words;
}

/// Parses "8x", "2.5x".
std::optional<double> ratioOf(std::string_view text) {
    if (!text.ends_with('x')) return std::nullopt;
    const std::string number(text.substr(0, text.size() - 1));
    char* end = nullptr;
    const double ratio = std::strtod(number.c_str(), &end);
    if (number.empty() || *end != '\0') return std::nullopt;
    return ratio;
}

/// Parser for the words of a name.
class NameReader {
  public:
    explicit NameReader(std::string_view name) : name_(name), words_(wordsOf(name)) {}

    [[nodiscard]] Result<BenchFormat> read() {
        if (words_.empty()) return wrong("it names no format");
        LACUNA_TRY_STATUS(readCodes(words_.front()));
        for (at_ = 1; at_ < words_.size(); ++at_) LACUNA_TRY_STATUS(readWord(words_[at_]));
        return finished();
    }

  private:
    [[nodiscard]] tl::unexpected<Error> wrong(std::string_view why) const {
        return fail(
            ErrorCode::InvalidArgument,
            format(
                "the table of formats has no row \"{}\": {}. Rows are t1 to t8, q8_0, q4_0, "
                "ggml-q8_0, ggml-q4_0, u1 to u8, or two of them as keys/values, followed by words: "
                "rotated, calibrated, plain, preserve, qjl, simulated, am 8x, l2 8x, +0.25",
                name_, why));
    }
    [[nodiscard]] Status readCodes(std::string_view text) {
        const std::size_t slash = text.find('/');
        const auto keys = codeNamed(text.substr(0, slash));
        const auto values =
            slash == std::string_view::npos ? keys : codeNamed(text.substr(slash + 1));
        if (!keys || !values) return wrong("its first word is not a format");
        keys_ = *keys;
        values_ = *values;
        keys_.coding.scale = CodeScale::Unbiased;
        return {};
    }
    [[nodiscard]] Status readWord(std::string_view word) {
        if (word == "rotated") return turn(KvRotation::Hadamard);
        if (word == "calibrated") return turn(KvRotation::Calibrated);
        if (word == "plain") return scaleKeys(CodeScale::Plain);
        if (word == "preserve") return scaleKeys(CodeScale::Preserve);
        if (word == "qjl") return sketchKeys();
        if (word == "am") return compact(CompactionMethod::AttentionMatching, kMostMatching);
        if (word == "l2") return compact(CompactionMethod::Eviction, kMostEviction);
        if (word.starts_with('+')) return addBits(word.substr(1));
        if (word != "simulated") return wrong(format("\"{}\" is not a known word", word));
        simulated_ = true;
        return {};
    }
    [[nodiscard]] Status turn(KvRotation rotation) {
        if (turned_) return wrong("it is rotated twice");
        turned_ = true;
        const bool rotatedCodes =
            keys_.coding.code == RowCode::Rotated && values_.coding.code == RowCode::Rotated;
        if (rotatedCodes && rotation == KvRotation::Hadamard)
            return wrong("its codes are already rotated");
        made_.rotation = rotation;
        for (NamedCode* side : {&keys_, &values_}) {
            if (side->coding.rotated) continue;
            side->coding.rotated = true;
            simulated_ = true;
        }
        return {};
    }
    [[nodiscard]] Status scaleKeys(CodeScale scale) {
        if (keys_.coding.code != RowCode::Rotated || keys_.coding.scale != CodeScale::Unbiased)
            return wrong("only keys of t1 to t8 can have one of plain, preserve and qjl");
        keys_.coding.scale = scale;
        simulated_ = true;
        return {};
    }
    [[nodiscard]] Status sketchKeys() {
        LACUNA_TRY_STATUS(scaleKeys(CodeScale::Plain));
        if (keys_.coding.bits < 2) return wrong("qjl takes one bit for the sketch and leaves none");
        keys_.coding.code = RowCode::Sketched;
        return {};
    }
    [[nodiscard]] Status compact(CompactionMethod method, double most) {
        const auto ratio = at_ + 1 < words_.size() ? ratioOf(words_[at_ + 1]) : std::nullopt;
        if (!ratio || !(*ratio > 1 && *ratio <= most))
            return wrong(
                format("a ratio above 1x and up to {:g}x has to follow {}", most, words_[at_]));
        if (made_.method != CompactionMethod::None) return wrong("it is compacted twice");
        made_.method = method;
        made_.ratio = *ratio;
        ++at_;
        return {};
    }
    [[nodiscard]] Status addBits(std::string_view text) {
        const std::string number(text);
        char* end = nullptr;
        const double extra = std::strtod(number.c_str(), &end);
        if (number.empty() || *end != '\0' || !(extra > 0 && extra <= kMostExtra))
            return wrong(format("a number above 0 and up to {:g} has to follow the +", kMostExtra));
        made_.extraBits = extra;
        return {};
    }
    [[nodiscard]] Result<BenchFormat> finished() {
        made_.name = name_;
        const bool simulated = simulated_ || !keys_.stored || !values_.stored;
        const auto rotated = [](const NamedCode& side) {
            return side.coding.code == RowCode::Rotated;
        };
        if (made_.extraBits > 0 && (simulated || (!rotated(keys_) && !rotated(values_))))
            return wrong("extra bits need rotated codes that a cache supports");
        if (simulated && made_.method != CompactionMethod::None)
            return wrong("simulated codes cannot be compacted");
        if (simulated) {
            made_.rows = SimulatedRows{.keys = keys_.coding, .values = values_.coding};
        } else {
            made_.keys = *keys_.stored;
            made_.values = *values_.stored;
        }
        return made_;
    }

    std::string_view name_;
    std::vector<std::string_view> words_;
    std::size_t at_ = 0;
    BenchFormat made_;
    NamedCode keys_, values_;
    bool simulated_ = false, turned_ = false;
};

}  // namespace

Result<BenchFormat> benchFormatNamed(std::string_view name) {
    return NameReader(name).read();
}

std::span<const std::string_view> defaultBenchFormats() {
    return kUsual;
}

ShadowSetting benchSetting(const BenchFormat& format, const KvOptions& base) {
    ShadowSetting setting{.kv = base, .budgetShare = std::nullopt};
    if (format.rows) setting.rows = std::make_shared<const SimulatedTrialRows>(*format.rows);
    KvOptions& kv = setting.kv;
    kv.rotation = format.rotation;
    kv.method = format.method;
    if (format.rows) return setting;
    kv.type = format.keys.type;
    kv.quant = format.keys.quant;
    if (format.extraBits > 0) kv.extraBits = format.extraBits;
    if (format.values == format.keys)
        kv.values.reset();
    else
        kv.values = format.values;
    // Measured texts are compacted at any length, as far as the table demands.
    kv.compactionFloor = 0;
    kv.lossLimit.level = LossLimit::Level::Off;
    if (format.method == CompactionMethod::AttentionMatching) kv.amRatio = format.ratio;
    if (format.method == CompactionMethod::Eviction) setting.budgetShare = 1 / format.ratio;
    return setting;
}

}  // namespace lacuna
