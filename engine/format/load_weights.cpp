#include "engine/format/load_weights.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/string_format.h"
#include "engine/base/thread_start.h"
#include "engine/format/architectures.h"
#include "engine/format/draft_block.h"
#include "engine/format/load_experts.h"
#include "engine/format/load_latent.h"
#include "engine/format/load_recurrent.h"
#include "engine/format/tensor_names.h"
#include "engine/format/tensor_source.h"
#include "engine/format/weight_finder.h"
#include "engine/format/weights.h"
#include "engine/tensor/row_groups.h"

namespace lacuna {
namespace {

using enum TensorRole;

/// Loads the layers of one model, part by part.
class LayerLoader {
  public:
    LayerLoader(const ModelSpec& spec, WeightFinder& finder)
        : spec_(spec),
          finder_(finder),
          experts_(spec, finder),
          recurrent_(spec, finder),
          latent_(spec, finder) {}
    [[nodiscard]] Result<LayerWeights> load(int index);
    /// Memory of the rearranged matrices that were loaded so far.
    [[nodiscard]] std::vector<std::shared_ptr<LargePages>> releaseRearranged() {
        auto all = experts_.releaseRearranged();
        for (auto& pages : recurrent_.releaseRearranged()) all.push_back(std::move(pages));
        for (auto& pages : latent_.releaseRearranged()) all.push_back(std::move(pages));
        return all;
    }
    [[nodiscard]] std::vector<MixerWeights> takeMixers() { return recurrent_.takeMixers(); }

  private:
    [[nodiscard]] Status projections(LayerWeights& weights, const LayerSpec& layer, int index);
    [[nodiscard]] Status attention(LayerWeights& weights, int index);
    [[nodiscard]] Status qkNorms(LayerWeights& weights, int index);
    [[nodiscard]] Result<std::vector<float>> headGains(TensorRole role, int index, int heads,
                                                       int headDim);
    [[nodiscard]] Status norms(LayerWeights& weights, int index);
    [[nodiscard]] Status normBiases(LayerWeights& weights, int index);
    [[nodiscard]] Status dense(LayerWeights& weights, int index);
    [[nodiscard]] Status layerEmbedding(LayerWeights& weights, int index);
    void multiplyBranches(LayerWeights& weights) const;

    const ModelSpec& spec_;
    WeightFinder& finder_;
    ExpertLoader experts_;
    RecurrentLoader recurrent_;
    LatentLoader latent_;
};

Status LayerLoader::projections(LayerWeights& weights, const LayerSpec& layer, int index) {
    const std::int64_t queries =
        std::int64_t{spec_.heads} * layer.headDim * (spec_.attentionGate ? 2 : 1);
    const std::int64_t keys = std::int64_t{layer.kvHeads} * layer.headDim;
    if (finder_.has({QueryKeyValue, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({QueryKeyValue, index}, queries + 2 * keys, spec_.hidden));
        weights.query = rowsOf(fused, 0, queries);
        weights.key = rowsOf(fused, queries, keys);
        weights.value = rowsOf(fused, queries + keys, keys);
        return {};
    }
    LACUNA_TRY(weights.query, finder_.matrix({Query, index}, queries, spec_.hidden));
    if (layer.readsCacheOf) return {};
    LACUNA_TRY(weights.key, finder_.matrix({Key, index}, keys, spec_.hidden));
    if (layer.keysAsValues) return {};
    LACUNA_TRY(weights.value, finder_.matrix({Value, index}, keys, spec_.hidden));
    return {};
}

/// Returns the gains [heads * headDim]: one matrix in GGUF, a tensor for each head in safetensors.
Result<std::vector<float>> LayerLoader::headGains(TensorRole role, int index, int heads,
                                                  int headDim) {
    std::vector<std::vector<float>> rows;
    if (finder_.names().container() == Container::Gguf) {
        LACUNA_TRY(rows, finder_.vectors({role, index}, heads, headDim));
    } else {
        for (int head = 0; head < heads; ++head) {
            LACUNA_TRY(auto row, finder_.vector({role, index, head}, headDim));
            rows.push_back(std::move(row));
        }
    }
    std::vector<float> gains;
    for (const std::vector<float>& row : rows) gains.insert(gains.end(), row.begin(), row.end());
    return gains;
}

Status LayerLoader::qkNorms(LayerWeights& weights, int index) {
    if (spec_.qkNorm == QkNorm::None || spec_.qkNorm == QkNorm::RotatedHeads) return {};
    const LayerSpec layer = spec_.layer(index);
    if (spec_.qkNorm == QkNorm::HeadGains) {
        LACUNA_TRY(weights.queryNorm, headGains(QueryNorm, index, spec_.heads, layer.headDim));
        LACUNA_TRY(weights.keyNorm, headGains(KeyNorm, index, layer.kvHeads, layer.headDim));
        return {};
    }
    const bool full = spec_.qkNorm == QkNorm::FullWidth;
    const std::int64_t queries = full ? std::int64_t{spec_.heads} * layer.headDim : layer.headDim;
    const std::int64_t keys = full ? std::int64_t{layer.kvHeads} * layer.headDim : layer.headDim;
    LACUNA_TRY(weights.queryNorm, finder_.vector({QueryNorm, index}, queries));
    if (layer.readsCacheOf) return {};
    LACUNA_TRY(weights.keyNorm, finder_.vector({KeyNorm, index}, keys));
    return {};
}

Status LayerLoader::attention(LayerWeights& weights, int index) {
    const LayerSpec layer = spec_.layer(index);
    const std::int64_t queries = std::int64_t{spec_.heads} * layer.headDim;
    const std::int64_t keys = std::int64_t{layer.kvHeads} * layer.headDim;
    LACUNA_TRY_STATUS(projections(weights, layer, index));
    LACUNA_TRY(weights.output, finder_.matrix({AttentionOutput, index}, spec_.hidden, queries));
    if (spec_.qkvBias) {
        LACUNA_TRY(weights.queryBias, finder_.vector({QueryBias, index}, queries));
        LACUNA_TRY(weights.keyBias, finder_.vector({KeyBias, index}, keys));
        LACUNA_TRY(weights.valueBias, finder_.vector({ValueBias, index}, keys));
    }
    if (spec_.outputBias) {
        LACUNA_TRY(weights.outputBias, finder_.vector({OutputBias, index}, spec_.hidden));
    }
    return qkNorms(weights, index);
}

Status LayerLoader::normBiases(LayerWeights& weights, int index) {
    if (!spec_.normBias) return {};
    LACUNA_TRY(weights.attentionNormBias, finder_.vector({AttentionNormBias, index}, spec_.hidden));
    if (spec_.parallelResidual) return {};
    LACUNA_TRY(weights.feedForwardNormBias,
               finder_.vector({FeedForwardNormBias, index}, spec_.hidden));
    return {};
}

Status LayerLoader::norms(LayerWeights& weights, int index) {
    const LayerSpec layer = spec_.layer(index);
    if (layer.mixer == LayerMixer::None || layer.mixerOnly) {
        auto& norm = layer.mixerOnly ? weights.attentionNorm : weights.feedForwardNorm;
        LACUNA_TRY(norm, finder_.vector({AttentionNorm, index}, spec_.hidden));
        return {};
    }
    if (spec_.norms != NormPlacement::After) {
        LACUNA_TRY(weights.attentionNorm, finder_.vector({AttentionNorm, index}, spec_.hidden));
        if (!spec_.parallelResidual) {
            LACUNA_TRY(weights.feedForwardNorm,
                       finder_.vector({FeedForwardNorm, index}, spec_.hidden));
        }
    }
    LACUNA_TRY_STATUS(normBiases(weights, index));
    if (spec_.norms == NormPlacement::Before) return {};
    LACUNA_TRY(weights.postAttentionNorm, finder_.vector({PostAttentionNorm, index}, spec_.hidden));
    LACUNA_TRY(weights.postFeedForwardNorm,
               finder_.vector({PostFeedForwardNorm, index}, spec_.hidden));
    return {};
}

Status LayerLoader::dense(LayerWeights& weights, int index) {
    const std::int64_t width = spec_.layer(index).feedForward;
    if (spec_.gated && finder_.has({GateUp, index})) {
        LACUNA_TRY(const WeightMatrix fused,
                   finder_.matrix({GateUp, index}, 2 * width, spec_.hidden));
        weights.gate = rowsOf(fused, 0, width);
        weights.up = rowsOf(fused, width, width);
    } else {
        if (spec_.gated) {
            LACUNA_TRY(weights.gate, finder_.matrix({Gate, index}, width, spec_.hidden));
        }
        LACUNA_TRY(weights.up, finder_.matrix({Up, index}, width, spec_.hidden));
    }
    LACUNA_TRY(weights.down, finder_.matrix({Down, index}, spec_.hidden, width));
    if (!spec_.feedForwardBias) return {};
    if (spec_.gated) {
        LACUNA_TRY(weights.gateBias, finder_.vector({GateBias, index}, width));
    }
    LACUNA_TRY(weights.upBias, finder_.vector({UpBias, index}, width));
    LACUNA_TRY(weights.downBias, finder_.vector({DownBias, index}, spec_.hidden));
    return {};
}

Status LayerLoader::layerEmbedding(LayerWeights& weights, int index) {
    if (finder_.names().architecture().layerOutputScale) {
        LACUNA_TRY(const auto scale, finder_.vector({LayerOutputScale, index}, 1));
        weights.outputScale = scale.front();
    }
    const std::int64_t size = spec_.layerEmbedding;
    if (size == 0) return {};
    LACUNA_TRY(weights.layerGate, finder_.matrix({LayerGate, index}, size, spec_.hidden));
    LACUNA_TRY(weights.layerOutput, finder_.matrix({LayerOutput, index}, spec_.hidden, size));
    LACUNA_TRY(weights.postLayerNorm, finder_.vector({PostLayerNorm, index}, spec_.hidden));
    return {};
}

/// Scales the matrices around the branches by the factors of falcon-h1.
void LayerLoader::multiplyBranches(LayerWeights& weights) const {
    const BranchMultipliers& factors = spec_.recurrent.multipliers;
    for (WeightMatrix* const matrix : {&weights.query, &weights.key, &weights.value})
        matrix->scale *= factors.attentionInput;
    weights.key.scale *= factors.key;
    weights.output.scale *= factors.attentionOutput;
    weights.gate.scale *= factors.gate;
    weights.down.scale *= factors.down;
}

Result<LayerWeights> LayerLoader::load(int index) {
    const LayerSpec layer = spec_.layer(index);
    LayerWeights weights;
    LACUNA_TRY_STATUS(norms(weights, index));
    if (spec_.attends(index))
        LACUNA_TRY_STATUS(spec_.latent ? latent_.load(weights, index) : attention(weights, index));
    if (spec_.isRecurrent(index)) LACUNA_TRY_STATUS(recurrent_.load(weights, index));
    if (!layer.mixerOnly) {
        if (!layer.experts || spec_.experts.parallelToDense)
            LACUNA_TRY_STATUS(dense(weights, index));
        if (layer.experts) LACUNA_TRY_STATUS(experts_.load(weights, index));
    }
    if (spec_.recurrent.any()) multiplyBranches(weights);
    LACUNA_TRY_STATUS(layerEmbedding(weights, index));
    return weights;
}

/// Loads the tables that all layers share. The embeddings are read by row and stay in the file.
Status loadLayerEmbeddings(Weights& weights, const ModelSpec& spec, WeightFinder& finder) {
    if (spec.layerEmbedding == 0) return {};
    const std::int64_t all = std::int64_t{spec.layers} * spec.layerEmbedding;
    LACUNA_TRY(weights.layerEmbedding, finder.matrix({LayerEmbedding}, spec.vocabulary, all));
    LACUNA_TRY(weights.layerProjection, finder.matrix({LayerProjection}, all, spec.hidden));
    LACUNA_TRY(weights.layerProjectionNorm,
               finder.vector({LayerProjectionNorm}, spec.layerEmbedding));
    return {};
}

/// Returns the model's own matrix if another one repeats it: some rows of both are compared.
const WeightMatrix& sharedWith(const WeightMatrix& own, const WeightMatrix& other) {
    constexpr std::int64_t kRows = 64;
    if (own.type != other.type || own.scale != other.scale) return other;
    const std::uint64_t stride = rowBytes(own.type, static_cast<std::uint64_t>(own.columns));
    for (std::int64_t i = 0; i < kRows; ++i) {
        const std::uint64_t at = static_cast<std::uint64_t>(own.rows * i / kRows) * stride;
        if (std::memcmp(own.data + at, other.data + at, static_cast<std::size_t>(stride)) != 0)
            return other;
    }
    return own;
}

/// Loads the block for multi-token prediction.
Result<std::shared_ptr<DraftBlock>> loadDraftBlock(const ModelSpec& spec, const Weights& model,
                                                   const TensorSource& source,
                                                   const DraftNames& block) {
    auto draft = std::make_shared<DraftBlock>(DraftBlock{draftSpecOf(spec), {}});
    WeightFinder finder(source, block.names);
    const int index = block.layer;
    const auto optional = [&](TensorRole role, const WeightMatrix& own) -> Result<WeightMatrix> {
        if (!finder.has({role, index})) return own;
        LACUNA_TRY(const WeightMatrix matrix,
                   finder.matrix({role, index}, spec.vocabulary, spec.hidden));
        return sharedWith(own, matrix);
    };
    LayerSpec& layer = draft->spec.layerSpecs.front();
    layer.experts = finder.has({Router, index});
    // The layer keeps its number in the names of its tensors.
    ModelSpec numbered = draft->spec;
    numbered.layers = index + 1;
    numbered.layerSpecs.assign(static_cast<std::size_t>(numbered.layers), layer);
    LayerLoader loader(numbered, finder);
    Weights& weights = draft->weights;
    LACUNA_TRY(LayerWeights loaded, loader.load(index));
    weights.layers.push_back(std::move(loaded));
    weights.rearranged = loader.releaseRearranged();
    LACUNA_TRY(weights.joining,
               finder.matrix({DraftJoining, index}, spec.hidden, std::int64_t{2} * spec.hidden));
    LACUNA_TRY(weights.embeddingNorm, finder.vector({DraftEmbeddingNorm, index}, spec.hidden));
    LACUNA_TRY(weights.hiddenNorm, finder.vector({DraftHiddenNorm, index}, spec.hidden));
    weights.finalNorm = model.finalNorm;
    if (finder.has({DraftFinalNorm, index})) {
        LACUNA_TRY(weights.finalNorm, finder.vector({DraftFinalNorm, index}, spec.hidden));
    }
    weights.finalNormBias = model.finalNormBias;
    weights.logitBias = model.logitBias;
    LACUNA_TRY(weights.embedding, optional(DraftEmbedding, model.embedding));
    LACUNA_TRY(weights.output, optional(DraftOutput, model.output));
    return draft;
}

}  // namespace

Result<Weights> loadWeights(const ModelSpec& spec, const TensorSource& source, Container container,
                            const std::stop_token& stop) {
    LACUNA_TRY(const Architecture* architecture, findArchitecture(spec.architecture));
    const TensorNames names = TensorNames::of(container, *architecture, source);
    WeightFinder finder(source, names);
    LayerLoader layers(spec, finder);
    Weights weights;
    LACUNA_TRY(weights.embedding, finder.matrix({Embedding}, spec.vocabulary, spec.hidden));
    for (int index = 0; index < spec.layers; ++index) {
        if (stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was cancelled");
        LACUNA_TRY(LayerWeights layer, layers.load(index));
        weights.layers.push_back(std::move(layer));
    }
    weights.rearranged = layers.releaseRearranged();
    weights.mixers = layers.takeMixers();
    LACUNA_TRY_STATUS(loadLayerEmbeddings(weights, spec, finder));
    LACUNA_TRY(weights.finalNorm, finder.vector({FinalNorm}, spec.hidden));
    if (spec.normBias) {
        LACUNA_TRY(weights.finalNormBias, finder.vector({FinalNormBias}, spec.hidden));
    }
    if (spec.logitBias) {
        LACUNA_TRY(weights.logitBias, finder.vector({LogitBias}, spec.vocabulary));
    }
    weights.output = weights.embedding;
    if (!spec.tiedEmbeddings) {
        LACUNA_TRY(weights.output, finder.matrix({Output}, spec.vocabulary, spec.hidden));
    }
    LACUNA_TRY_STATUS(finder.checkAllUsed(spec));
    if (const auto block = draftNamesOf(spec, names, source)) {
        LACUNA_TRY(weights.draft, loadDraftBlock(spec, weights, source, *block));
        for (auto& pages : weights.draft->weights.rearranged)
            weights.rearranged.push_back(std::move(pages));
        weights.draft->weights.rearranged.clear();
    }
    return weights;
}

namespace {

constexpr std::size_t kAlignment = 64;
constexpr std::int64_t kPieceBytes = 1 << 20;  // bytes copied at a time, which bounds the delay of
                                               // a cancel

struct Matrix {
    WeightMatrix* weight;
    bool grouped;
    std::size_t offset = 0;  ///< offset in the copy
};

/// Rows of one matrix, copied by one thread.
struct Piece {
    const Matrix* matrix;
    std::int64_t firstRow;
    std::int64_t rows;
};

std::int64_t rowStride(const WeightMatrix& weight) {
    return static_cast<std::int64_t>(
        rowBytes(weight.type, static_cast<std::uint64_t>(weight.columns)));
}

std::size_t bytesOf(const WeightMatrix& weight, bool grouped) {
    const std::int64_t unit = grouped ? kGroupRows : 1;
    const std::int64_t rows = (weight.rows + unit - 1) / unit * unit;
    return static_cast<std::size_t>(rows * rowStride(weight));
}

/// Returns the memory available without swapping; 0 if the system does not report it.
std::size_t availableMemory() {
    std::ifstream file("/proc/meminfo");
    std::string word;
    std::size_t kibibytes = 0;
    while (file >> word)
        if (word == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
    return 0;
}

/// All matrices to be copied, and the total size of the copies.
class Plan {
  public:
    Plan(Weights& weights, const WeightPlacement& placement) : placement_(placement) {
        const std::byte* const rows = weights.embedding.data;
        const bool tied = rows == weights.output.data;
        addWeights(weights);
        if (tied) add(weights.embedding);
        if (weights.draft == nullptr) return;
        Weights& draft = weights.draft->weights;
        addWeights(draft);
        if (tied && draft.embedding.data == rows) add(draft.embedding);
    }
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] const std::vector<Matrix>& matrices() const { return matrices_; }
    [[nodiscard]] std::vector<Piece> pieces() const;

  private:
    /// Adds all matrices but the embedding, whose rows are read one by one.
    void addWeights(Weights& weights) {
        for (LayerWeights& layer : weights.layers) {
            for (WeightMatrix* matrix : {&layer.query, &layer.key, &layer.value, &layer.output})
                add(*matrix);
            addFeedForward(layer.gate, layer.up, layer.down);
            for (FeedForwardWeights& expert : layer.experts)
                addFeedForward(expert.gate, expert.up, expert.down);
            FeedForwardWeights& shared = layer.sharedExpert;
            addFeedForward(shared.gate, shared.up, shared.down);
            add(layer.layerGate);
            add(layer.layerOutput);
            // Multiplied exactly and small, so plain rows suffice.
            addAs(layer.router, false);
            addAs(layer.sharedExpertGate, false);
            RecurrentWeights& recurrent = layer.recurrent;
            for (WeightMatrix* matrix :
                 {&recurrent.columns, &recurrent.keyColumns, &recurrent.valueColumns,
                  &recurrent.inputGate, &recurrent.gateDown, &recurrent.outputGate,
                  &recurrent.output})
                add(*matrix);
            add(layer.latent.queryDown);
            for (auto* const heads : {&layer.latent.keys, &layer.latent.values})
                for (WeightMatrix& matrix : *heads) add(matrix);
            addAs(recurrent.stepsDown, false);
            addAs(recurrent.steps, false);
            addAs(recurrent.strengths, false);
        }
        add(weights.layerProjection);
        add(weights.joining);
        add(weights.output);
    }
    void addFeedForward(WeightMatrix& gate, WeightMatrix& up, WeightMatrix& down) {
        for (WeightMatrix* matrix : {&gate, &up, &down}) add(*matrix);
    }
    void add(WeightMatrix& weight) {
        addAs(weight, placement_.grouped[static_cast<std::size_t>(weight.type)] &&
                          weight.rows >= kGroupRows && canGroup(weight.type, weight.columns));
    }
    void addAs(WeightMatrix& weight, bool grouped) {
        if (weight.empty()) return;
        const auto [found, fresh] = offsets_.try_emplace({weight.data, grouped}, bytes_);
        matrices_.push_back({&weight, grouped, found->second});
        first_.push_back(fresh);
        if (fresh) bytes_ += (bytesOf(weight, grouped) + kAlignment - 1) / kAlignment * kAlignment;
    }

    const WeightPlacement& placement_;
    std::vector<Matrix> matrices_;
    std::vector<bool> first_;  ///< false for a second view of the same bytes
    std::map<std::pair<const std::byte*, bool>, std::size_t> offsets_;
    std::size_t bytes_ = 0;
};

std::vector<Piece> Plan::pieces() const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i < matrices_.size(); ++i) {
        if (!first_[i]) continue;
        const WeightMatrix& weight = *matrices_[i].weight;
        const std::int64_t wanted = std::max<std::int64_t>(kPieceBytes / rowStride(weight), 1);
        const std::int64_t rows = (wanted + kGroupRows - 1) / kGroupRows * kGroupRows;
        for (std::int64_t row = 0; row < weight.rows; row += rows)
            all.push_back({&matrices_[i], row, std::min(rows, weight.rows - row)});
    }
    return all;
}

/// Releases file pages that are entirely inside a range.
class Releaser {
  public:
    explicit Releaser(std::span<const std::span<const std::byte>> mappings) : mappings_(mappings) {}
    void release(const std::byte* data, std::size_t bytes) const {
        const bool mapped = std::ranges::any_of(mappings_, [&](std::span<const std::byte> file) {
            return data >= file.data() && data + bytes <= file.data() + file.size();
        });
        if (!mapped) return;
        const auto first = (reinterpret_cast<std::uintptr_t>(data) + page_ - 1) / page_ * page_;
        const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page_ * page_;
        if (first < last) ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
    }

  private:
    const std::span<const std::span<const std::byte>> mappings_;
    const std::uintptr_t page_ = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
};

void copy(const Piece& piece, LargePages& memory, const Releaser& releaser) {
    const WeightMatrix& weight = *piece.matrix->weight;
    const std::int64_t stride = rowStride(weight);
    const std::byte* from = weight.data + piece.firstRow * stride;
    const std::size_t at = piece.matrix->offset + static_cast<std::size_t>(piece.firstRow * stride);
    std::byte* to = memory.data() + at;
    const auto bytes = static_cast<std::size_t>(piece.rows * stride);
    memory.populate(at, bytes);
    if (piece.matrix->grouped) {
        for (std::int64_t row = 0; row < piece.rows; row += kGroupRows) {
            const auto count = std::min<std::int64_t>(kGroupRows, piece.rows - row);
            groupRows(
                {weight.type, from + row * stride, stride, weight.columns, static_cast<int>(count)},
                to + row * stride);
        }
    } else {
        std::memcpy(to, from, bytes);
    }
    releaser.release(from, bytes);
}

/// Copies on several threads. The calling thread copies as well and reports progress.
class Copier {
  public:
    Copier(std::vector<Piece> pieces, LargePages& memory, const WeightCopying& copying)
        : pieces_(std::move(pieces)), memory_(memory), copying_(copying) {}

    [[nodiscard]] Status run(int threads) {
        {
            std::vector<std::jthread> others;
            others.reserve(static_cast<std::size_t>(threads));
            for (int i = 1; i < threads; ++i) {
                auto other = startThread([this] { work(false); });
                if (!other) break;  // the existing threads do all of it
                others.push_back(std::move(*other));
            }
            work(true);
        }
        if (copying_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "loading was cancelled");
        return {};
    }

  private:
    void work(bool reports) {
        for (std::size_t i = next_++; i < pieces_.size(); i = next_++) {
            if (copying_.stop.stop_requested()) return;
            copy(pieces_[i], memory_, releaser_);
            if (reports && copying_.progress)
                copying_.progress(static_cast<double>(i) / static_cast<double>(pieces_.size()));
        }
    }

    const std::vector<Piece> pieces_;
    LargePages& memory_;
    const WeightCopying& copying_;
    const Releaser releaser_{copying_.mappings};
    std::atomic<std::size_t> next_{0};
};

bool wouldFit(std::size_t bytes, double keepFree) {
    if (keepFree <= 0) return true;
    return static_cast<double>(bytes) <= (1.0 - keepFree) * static_cast<double>(availableMemory());
}

}  // namespace

Result<LargePages> placeWeights(Weights& weights, const WeightPlacement& placement,
                                const WeightCopying& copying) {
    if (!placement.resident) return LargePages();
    const Plan plan(weights, placement);
    // Pages of rearranged matrices are released as they are copied.
    std::size_t released = 0;
    for (const auto& pages : weights.rearranged) released += pages->size();
    if (!wouldFit(plan.bytes() - std::min(plan.bytes(), released), placement.keepFree))
        return LargePages();
    LACUNA_TRY(LargePages memory, LargePages::allocate(plan.bytes()));
    const unsigned cores = std::max(std::thread::hardware_concurrency(), 1U);
    Copier copier(plan.pieces(), memory, copying);
    LACUNA_TRY_STATUS(
        copier.run(placement.threads > 0 ? placement.threads : static_cast<int>(cores)));
    const Releaser releaser(copying.mappings);  // handles pages that two pieces share
    for (const Matrix& matrix : plan.matrices()) {
        releaser.release(matrix.weight->data, bytesOf(*matrix.weight, false));
        matrix.weight->data = memory.data() + matrix.offset;
        matrix.weight->order = matrix.grouped ? RowLayout::Groups : RowLayout::Plain;
    }
    memory.joinPages();
    return memory;
}

}  // namespace lacuna
