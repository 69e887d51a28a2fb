#include "engine/format/convert.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/format/convert_metadata.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/tensor/block_formats.h"

// Readers of arch llama rotate neighbours (2i, 2i+1), while Hugging Face rotates halves (i, i +
// dim/2); so the rows of Q and K of every head are interleaved here. Readers of qwen2 and qwen3
// rotate halves.

namespace lacuna {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

/// One tensor of the result and where its rows come from.
struct Job {
    GgufPlan plan;
    const TensorInfo* source = nullptr;  ///< null: `values` is the content
    std::vector<float> values;
    int permutedHead = 0;  ///< head size when rows are interleaved, else 0
    [[nodiscard]] std::uint64_t rows() const {
        return plan.shape.size() > 1 ? plan.shape.front() : 1;
    }
    [[nodiscard]] std::uint64_t columns() const { return plan.shape.back(); }
};

/// Row of the source that becomes row `row`.
std::uint64_t sourceRow(const Job& job, std::uint64_t row) {
    if (job.permutedHead == 0) return row;
    const auto head = static_cast<std::uint64_t>(job.permutedHead);
    const std::uint64_t within = row % head;
    return row - within + within % 2 * (head / 2) + within / 2;
}

/// Rows must be whole blocks; those that are not keep 16 bits.
DType storedType(DType wanted, const TensorInfo& tensor) {
    if (tensor.shape.size() < 2) return DType::F32;
    return tensor.shape.back() % info(wanted).blockLength == 0 ? wanted : DType::F16;
}

std::vector<Job> planJobs(const ModelContainer& model, DType type) {
    std::vector<Job> jobs;
    const ModelSpec& spec = model.spec;
    if (spec.rope.scaling == RopeSpec::Scaling::Llama3) {
        Job factors;
        factors.values = llama3Factors(spec.rope);
        factors.plan = {tensorName(Container::Gguf, TensorRole::RopeFactors),
                        DType::F32,
                        {factors.values.size()}};
        jobs.push_back(std::move(factors));
    }
    const bool interleave = spec.architecture == "llama";
    for (const TensorInfo& tensor : model.source().tensors()) {
        const auto named = roleOfTensor(Container::HuggingFace, tensor.name);
        if (!named || (named->role == TensorRole::Output && spec.tiedEmbeddings)) continue;
        Job job;
        job.source = &tensor;
        job.plan = {tensorName(Container::Gguf, named->role, named->layer.value_or(0)),
                    storedType(type, tensor), tensor.shape};
        if (interleave && (named->role == TensorRole::Query || named->role == TensorRole::Key))
            job.permutedHead = spec.headDim;
        jobs.push_back(std::move(job));
    }
    return jobs;
}

/// Encodes and writes the rows of one job in batches.
class JobWriter {
  public:
    JobWriter(GgufWriter& writer, const Job& job) : writer_(writer), job_(job) {}

    [[nodiscard]] Status run(const std::stop_token& stop) {
        const auto columns = static_cast<std::size_t>(job_.columns());
        const std::size_t bytesOfRow = static_cast<std::size_t>(rowBytes(job_.plan.type, columns));
        const std::size_t batch = std::max<std::size_t>(1, kBatchBytes / bytesOfRow);
        std::vector<float> row(columns);
        std::vector<std::byte> encoded;
        for (std::uint64_t at = 0; at < job_.rows(); ++at) {
            LACUNA_TRY_STATUS(readRow(at, row));
            encoded.resize(encoded.size() + bytesOfRow);
            encodeRow(job_.plan.type, row, encoded.data() + encoded.size() - bytesOfRow);
            if (encoded.size() < batch * bytesOfRow && at + 1 < job_.rows()) continue;
            if (stop.stop_requested())
                return fail(ErrorCode::Cancelled, "the conversion was cancelled");
            LACUNA_TRY_STATUS(writer_.append(encoded));
            encoded.clear();
        }
        return {};
    }

  private:
    [[nodiscard]] Status readRow(std::uint64_t index, std::vector<float>& row) const {
        if (job_.source == nullptr) {
            row = job_.values;
            return {};
        }
        const std::uint64_t stride = rowBytes(job_.source->type, job_.columns());
        decodeRow(job_.source->type, job_.source->data + sourceRow(job_, index) * stride, row);
        return checkRange(row);
    }
    /// F16 and the scale of Q8_0 end at 65504; what does not fit would become infinite without a
    /// word.
    [[nodiscard]] Status checkRange(const std::vector<float>& row) const {
        const float limit = job_.plan.type == DType::F16    ? 65504.0F
                            : job_.plan.type == DType::Q8_0 ? 65504.0F * 127.0F
                                                            : INFINITY;
        for (const float value : row)
            if (!(std::fabs(value) <= limit))
                return fail(ErrorCode::ModelNonFinite,
                            format("tensor {} holds {}, which does not fit {}; choose bf16 or f32",
                                   printable(job_.source->name), static_cast<double>(value),
                                   info(job_.plan.type).name));
        return {};
    }

    GgufWriter& writer_;
    const Job& job_;
};

std::vector<GgufPlan> plansOf(const std::vector<Job>& jobs) {
    std::vector<GgufPlan> plans;
    for (const Job& job : jobs) plans.push_back(job.plan);
    return plans;
}

Result<ConvertReport> writeAll(GgufWriter writer, const TensorSource& source,
                               const std::vector<Job>& jobs, const ConvertOptions& options) {
    std::uint64_t total = 0;
    ConvertReport report;
    for (const Job& job : jobs) {
        total += job.plan.bytes();
        if (job.plan.shape.size() > 1 && job.plan.type != options.type) ++report.keptWider;
    }
    report.tensors = jobs.size();
    std::uint64_t done = 0;
    for (const Job& job : jobs) {
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

}  // namespace

Result<ConvertReport> convertToGguf(const std::filesystem::path& folder,
                                    const std::filesystem::path& target,
                                    const ConvertOptions& options) {
    if (!isModelFolder(folder))
        return fail(
            ErrorCode::InvalidArgument,
            format("{} is no model folder; one with config.json and safetensors is converted",
                   printableName(folder)));
    LACUNA_TRY(const ModelContainer model, openModel(folder));
    // Loading the weights checks every shape before anything is written.
    LACUNA_TRY_STATUS(
        loadWeights(model.spec, model.source(), model.kind, options.stop).map([](const Weights&) {
        }));
    LACUNA_TRY(const GgufMetadata metadata, metadataForGguf(model, options));
    const std::vector<Job> jobs = planJobs(model, options.type);
    LACUNA_TRY(GgufWriter writer, GgufWriter::create(target, metadata, plansOf(jobs)));
    return writeAll(std::move(writer), model.source(), jobs, options);
}

}  // namespace lacuna
