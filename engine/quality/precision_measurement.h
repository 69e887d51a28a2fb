#pragma once
/// \file
/// Which arithmetic a model bears: a text is read with exact products and with rounded ones side by
/// side, and the fastest arithmetic whose mean divergence from exact stays within a bound is taken
/// (docs/generation-loop.md, "Precision"). Measured once for each model and kernel set and kept in
/// a file. Runs on the calling thread.

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

/// Nats: what rounding may cost on average and go unnoticed.
inline constexpr double kMostPrecisionKl = 5e-4;

/// One arithmetic against Exact.
struct MeasuredPrecision {
    Precision precision = Precision::Fast;
    double klMean = 0;  ///< KL(exact || it) of the next-token distributions, nats
    double top1 = 0;    ///< share of positions with the same likeliest token
    friend bool operator==(const MeasuredPrecision&, const MeasuredPrecision&) = default;
};

struct PrecisionMeasurement {
    std::string model = {};        ///< its name, for people
    std::string fingerprint = {};  ///< of the model that was measured
    std::string kernels = {};      ///< instruction set it was measured with
    std::int64_t positions = 0;
    std::vector<MeasuredPrecision> measured = {};  ///< fastest first
    friend bool operator==(const PrecisionMeasurement&, const PrecisionMeasurement&) = default;
};

/// The first of `measured`, which come fastest first, that keeps the bound; Exact where none does.
[[nodiscard]] Precision choosePrecision(std::span<const MeasuredPrecision> measured);
/// "int8 in two terms: mean KL 0.000018 from exact over 300 tokens; int8 0.0033, above 0.0005".
[[nodiscard]] std::string precisionSentence(const PrecisionMeasurement& measurement);

struct PrecisionMeasuring {
    const LoadedModel& model;
    /// A forward pass of the model for at most so many tokens.
    std::function<Result<std::unique_ptr<Transformer>>(Precision, int maxTokens)> transformer;
    std::function<void(double share)> progress = {};
    std::function<bool()> cancelled = {};  ///< asked within forward passes; true ends it
};
/// A measurement in slices, each of which reads a block of the text with every arithmetic. The
/// first half of the text is read as a prompt, the rest as answers are.
class PrecisionRun {
  public:
    /// The model must outlive the run. Errors: Unsupported (the text has too few tokens),
    /// Cancelled, those of encoding, makeWholeCache, Transformer.
    [[nodiscard]] static Result<PrecisionRun> create(PrecisionMeasuring means);
    PrecisionRun(PrecisionRun&&) noexcept;
    PrecisionRun& operator=(PrecisionRun&&) = delete;
    ~PrecisionRun();

    /// Reads the next block; one that fails or is cancelled is read again by the next call.
    /// Errors: Cancelled, those of Transformer.
    [[nodiscard]] Status step();
    [[nodiscard]] double share() const;  ///< of the text, 0..1
    [[nodiscard]] bool done() const;
    /// @pre done()
    [[nodiscard]] PrecisionMeasurement measurement() const;

  private:
    struct Impl;
    explicit PrecisionRun(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};
/// Bytes of the caches that a PrecisionRun holds at its end.
[[nodiscard]] std::int64_t precisionCacheBytes(const ModelSpec& spec);
/// All slices of a PrecisionRun. Errors: as its create and step.
[[nodiscard]] Result<PrecisionMeasurement> measurePrecision(const PrecisionMeasuring& means);

[[nodiscard]] OrderedJson precisionJson(const PrecisionMeasurement& measurement);
/// Errors: Config, naming the field.
[[nodiscard]] Result<PrecisionMeasurement> precisionFromJson(const Json& json);

/// What a kept measurement must fit.
struct PrecisionSubject {
    std::string fingerprint;
    std::string kernels;
};
[[nodiscard]] std::filesystem::path precisionPath(const std::filesystem::path& folder,
                                                  const PrecisionSubject& subject);
/// The file next to a model that ships a measurement: model.gguf -> model.precision.json, in a
/// folder model.precision.json.
[[nodiscard]] std::filesystem::path shippedPrecisionPath(const std::filesystem::path& model);
/// What that file holds, whichever kernel set it was measured with: integer products are the same
/// with all of them. Nothing where there is no file. Errors: as keptPrecision.
[[nodiscard]] Result<std::optional<PrecisionMeasurement>> shippedPrecision(
    const std::filesystem::path& model, const std::string& fingerprint);
/// Errors: Write.
[[nodiscard]] Status writePrecision(const std::filesystem::path& file,
                                    const PrecisionMeasurement& measurement);
/// Nothing when there is none. Errors: Json, Config, Incompatible (of another model or kernel set),
/// with the file's name.
[[nodiscard]] Result<std::optional<PrecisionMeasurement>> keptPrecision(
    const std::filesystem::path& folder, const PrecisionSubject& subject);
/// Makes the folder where there is none. Errors: Write.
[[nodiscard]] Status keepPrecision(const std::filesystem::path& folder,
                                   const PrecisionMeasurement& measurement);

}  // namespace lacuna
