#pragma once
/// \file
/// Selects the fastest arithmetic whose mean divergence from exact products stays within a bound,
/// by reading a text with exact and rounded products side by side (docs/generation-loop.md,
/// "Precision"). Measured once per model and kernel set and kept in a file. Runs on the calling
/// thread.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/format/load_model.h"
#include "engine/model/transformer.h"
#include "engine/values/precision.h"

namespace lacuna {

/// Upper bound of the mean divergence caused by rounding, in nats.
inline constexpr double kMaxPrecisionKl = 5e-4;

/// Measurement of one arithmetic against Exact.
struct MeasuredPrecision {
    Precision precision = Precision::Fast;
    double klMean = 0;  ///< KL(exact || this arithmetic) of the next-token distributions, nats
    double top1 = 0;    ///< share of positions with the same top token
    friend bool operator==(const MeasuredPrecision&, const MeasuredPrecision&) = default;
};

struct PrecisionMeasurement {
    std::string model = {};        ///< display name
    std::string fingerprint = {};  ///< fingerprint of the measured model
    std::string kernels = {};      ///< instruction set used for the measurement
    std::int64_t positions = 0;
    std::vector<MeasuredPrecision> measured = {};  ///< fastest first
    friend bool operator==(const PrecisionMeasurement&, const PrecisionMeasurement&) = default;
};

/// Returns the first of `measured` within the bound, Exact if there is none. @pre sorted from
/// fastest to slowest
[[nodiscard]] Precision choosePrecision(std::span<const MeasuredPrecision> measured);
/// "int8 in two terms: mean KL 0.000018 from exact over 300 tokens; int8 0.0033, above 0.0005".
[[nodiscard]] std::string precisionText(const PrecisionMeasurement& measurement);

struct PrecisionMeasuring {
    const LoadedModel& model;
    /// Makes a transformer for this model and forward passes of up to `maxTokens` tokens.
    std::function<Result<std::unique_ptr<Transformer>>(Precision, int maxTokens)> transformer;
    std::function<void(double share)> progress = {};
    std::function<bool()> cancelled = {};  ///< polled within forward passes; true cancels
};
/// Measures in slices, each of which reads a block of the text with every arithmetic. The first
/// half of the text is read as a prompt, the rest token by token as in decoding.
class PrecisionRun {
  public:
    /// The model must outlive the run. Errors: Unsupported (the text has too few tokens),
    /// Cancelled, those of encoding, makeFullCache and Transformer.
    [[nodiscard]] static Result<PrecisionRun> create(PrecisionMeasuring dependencies);
    PrecisionRun(PrecisionRun&&) noexcept;
    PrecisionRun& operator=(PrecisionRun&&) = delete;
    ~PrecisionRun();

    /// Reads the next block. After an error or cancellation the next call reads the block again.
    /// Errors: Cancelled, those of Transformer.
    [[nodiscard]] Status step();
    [[nodiscard]] double share() const;  ///< completed share of the text, 0..1
    [[nodiscard]] bool done() const;
    /// @pre done()
    [[nodiscard]] PrecisionMeasurement measurement() const;

  private:
    struct Impl;
    explicit PrecisionRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};
/// Size of the caches that a PrecisionRun holds at its end.
[[nodiscard]] std::int64_t precisionCacheBytes(const ModelSpec& spec);
/// Performs a complete PrecisionRun. Errors: as its create and step.
[[nodiscard]] Result<PrecisionMeasurement> measurePrecision(const PrecisionMeasuring& dependencies);

[[nodiscard]] OrderedJson precisionJson(const PrecisionMeasurement& measurement);
/// Errors: Config, naming the field.
[[nodiscard]] Result<PrecisionMeasurement> precisionFromJson(const Json& json);

/// The model and kernels that a stored measurement must match.
struct PrecisionSubject {
    std::string fingerprint;
    std::string kernels;
};
[[nodiscard]] std::filesystem::path precisionPath(const std::filesystem::path& folder,
                                                  const PrecisionSubject& subject);
/// Path of a measurement shipped next to a model: model.gguf -> model.precision.json; for a model
/// folder, model.precision.json inside it.
[[nodiscard]] std::filesystem::path shippedPrecisionPath(const std::filesystem::path& model);
/// Returns the shipped measurement for any kernel set, since integer products are the same with all
/// of them; nullopt if there is no file. Errors: as storedPrecision.
[[nodiscard]] Result<std::optional<PrecisionMeasurement>> shippedPrecision(
    const std::filesystem::path& model, const std::string& fingerprint);
/// Errors: Write.
[[nodiscard]] Status writePrecision(const std::filesystem::path& file,
                                    const PrecisionMeasurement& measurement);
/// Returns nullopt if there is no file. Errors: Json, Config, Incompatible (of another model or
/// kernel set), with the file name.
[[nodiscard]] Result<std::optional<PrecisionMeasurement>> storedPrecision(
    const std::filesystem::path& folder, const PrecisionSubject& subject);
/// Creates the folder if necessary. Errors: Write.
[[nodiscard]] Status storePrecision(const std::filesystem::path& folder,
                                    const PrecisionMeasurement& measurement);

}  // namespace lacuna
