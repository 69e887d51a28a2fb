#include "engine/format/convert.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/convert_metadata.h"
#include "engine/format/convert_plan.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

namespace lacuna {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

/// Row of the source that becomes row `row`.
std::int64_t sourceRow(const ConvertJob& job, std::int64_t row) {
    if (job.permutedHead == 0) return row;
    const std::int64_t head = job.permutedHead;
    const std::int64_t within = row % head;
    return row - within + within % 2 * (head / 2) + within / 2;
}

/// Encodes and writes the rows of one job in batches.
class JobWriter {
  public:
    JobWriter(GgufWriter& writer, const ConvertJob& job) : writer_(writer), job_(job) {}

    [[nodiscard]] Status run(const std::stop_token& stop) {
        if (job_.pieces.empty()) return writer_.append(std::as_bytes(std::span(job_.values)));
        for (const WeightMatrix& piece : job_.pieces) LACUNA_TRY_STATUS(writePiece(piece, stop));
        return {};
    }

  private:
    [[nodiscard]] Status writePiece(const WeightMatrix& piece, const std::stop_token& stop) {
        const auto columns = static_cast<std::size_t>(piece.columns);
        const std::size_t bytesOfRow = static_cast<std::size_t>(rowBytes(job_.plan.type, columns));
        const std::size_t batch = std::max<std::size_t>(1, kBatchBytes / bytesOfRow);
        std::vector<float> row(columns);
        std::vector<std::byte> encoded;
        for (std::int64_t at = 0; at < piece.rows; ++at) {
            LACUNA_TRY_STATUS(readRow(piece, sourceRow(job_, at), row));
            encoded.resize(encoded.size() + bytesOfRow);
            encodeRow(job_.plan.type, row, encoded.data() + encoded.size() - bytesOfRow);
            if (encoded.size() < batch * bytesOfRow && at + 1 < piece.rows) continue;
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "the conversion was cancelled");
            LACUNA_TRY_STATUS(writer_.append(encoded));
            encoded.clear();
        }
        return {};
    }
    [[nodiscard]] Status readRow(const WeightMatrix& piece, std::int64_t index,
                                 std::vector<float>& row) const {
        const std::uint64_t stride = rowBytes(piece.type, row.size());
        decodeRow(piece.type, piece.data + static_cast<std::uint64_t>(index) * stride, row);
        return checkRange(piece, row);
    }
    /// F16 and the scale of Q8_0 end at 65504; what does not fit would become infinite without a
    /// word.
    [[nodiscard]] Status checkRange(const WeightMatrix& piece,
                                    const std::vector<float>& row) const {
        const float limit = job_.plan.type == DType::F16    ? 65504.0F
                            : job_.plan.type == DType::Q8_0 ? 65504.0F * 127.0F
                                                            : INFINITY;
        for (const float value : row)
            if (!(std::fabs(value) <= limit))
                return fail(ErrorCode::ModelNonFinite,
                            format("tensor {} holds {}, which does not fit {}; choose bf16 or f32",
                                   printable(piece.name), static_cast<double>(value),
                                   info(job_.plan.type).name));
        return {};
    }

    GgufWriter& writer_;
    const ConvertJob& job_;
};

std::vector<GgufPlan> plansOf(const std::vector<ConvertJob>& jobs) {
    std::vector<GgufPlan> plans;
    for (const ConvertJob& job : jobs) plans.push_back(job.plan);
    return plans;
}

Result<ConvertReport> writeAll(GgufWriter writer, const TensorSource& source,
                               const std::vector<ConvertJob>& jobs, const ConvertOptions& options) {
    std::uint64_t total = 0;
    ConvertReport report;
    for (const ConvertJob& job : jobs) {
        total += job.plan.bytes();
        if (job.plan.type == DType::F16 && options.type != DType::F16) ++report.keptWider;
    }
    report.tensors = jobs.size();
    std::uint64_t done = 0;
    for (const ConvertJob& job : jobs) {
        LACUNA_TRY_STATUS(JobWriter(writer, job).run(options.stop));
        done += job.plan.bytes();
        if (options.progress)
            options.progress(static_cast<double>(done) / static_cast<double>(total));
    }
    LACUNA_TRY_STATUS(source.checkUnchanged());
    LACUNA_TRY_STATUS(writer.commit());
    report.bytes = writer.bytesWritten();
    return report;
}

Result<ConvertReport> convertOpened(const ModelContainer& model,
                                    const std::filesystem::path& target,
                                    const ConvertOptions& options) {
    LACUNA_TRY_STATUS(checkConvertible(model.spec));
    // Loading the weights checks every shape before anything is written.
    LACUNA_TRY(const Weights weights,
               loadWeights(model.spec, model.source(), model.kind, options.stop));
    LACUNA_TRY(const GgufMetadata metadata, metadataForGguf(model, options));
    const std::vector<ConvertJob> jobs = planConversion(model.spec, weights, options.type);
    LACUNA_TRY(GgufWriter writer, GgufWriter::create(target, metadata, plansOf(jobs)));
    return writeAll(std::move(writer), model.source(), jobs, options);
}

}  // namespace

Result<ConvertReport> convertToGguf(const std::filesystem::path& folder,
                                    const std::filesystem::path& target,
                                    const ConvertOptions& options) {
    if (!isModelFolder(folder))
        return fail(
            ErrorCode::InvalidArgument,
            format("{} is no model folder; one with config.json and safetensors is converted",
                   printableName(folder)));
    LACUNA_TRY_STATUS(checkNotAmong(target, modelFiles(folder)));
    LACUNA_TRY(const ModelContainer model, openModel(folder));
    return orChanged(convertOpened(model, target, options), model.source());
}

}  // namespace lacuna
