#include "engine/format/cut_layers.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <string>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/gguf.h"
#include "engine/format/gguf_writer.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLayerPrefix = "blk.";

/// A split name: "blk.12.attn_q.weight" is layer 12 and "attn_q.weight".
struct LayerName {
    int layer = 0;
    std::string_view rest;
};
std::optional<LayerName> layerName(std::string_view name) {
    if (!name.starts_with(kLayerPrefix)) return std::nullopt;
    name.remove_prefix(kLayerPrefix.size());
    LayerName found;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), found.layer);
    if (error != std::errc() || end == name.data() + name.size() || *end != '.')
        return std::nullopt;
    found.rest = name.substr(static_cast<std::size_t>(end - name.data()) + 1);
    return found;
}

Status checkLayers(std::span<const int> keep, int layers) {
    if (keep.empty())
        return fail(ErrorCode::InvalidArgument, "no layer is named; name at least one");
    std::set<int> seen;
    for (const int layer : keep) {
        if (layer < 0 || layer >= layers)
            return fail(ErrorCode::InvalidArgument,
                        format("there is no layer {}; the model has 0 to {}", layer, layers - 1));
        if (!seen.insert(layer).second)
            return fail(ErrorCode::InvalidArgument, format("layer {} is named twice", layer));
    }
    return {};
}

Status checkAlike(const ModelContainer& model) {
    if (model.gguf == nullptr)
        return fail(ErrorCode::Unsupported,
                    "layers can only be cut from a GGUF file; convert the folder first");
    if (model.gguf->parts() > 1)
        return fail(ErrorCode::Unsupported,
                    "the model is split into several files; merge them first");
    if (model.spec.layerEmbedding > 0)
        return fail(ErrorCode::Unsupported,
                    "layers cannot be cut from a model whose layers have embeddings of their own");
    for (int layer = 1; layer < model.spec.layers; ++layer)
        if (model.spec.layer(layer) != model.spec.layer(0))
            return fail(ErrorCode::Unsupported,
                        format("layer {} is of another kind than layer 0; only models whose layers "
                               "are alike can be cut",
                               layer));
    return {};
}

/// Copies all entries unchanged except the layer count.
GgufMetadata metadataFor(const GgufFile& file, std::string_view countKey, std::size_t layers) {
    const GgufHeader& header = file.header();
    GgufMetadata metadata;
    for (std::size_t i = 0; i < header.metadata.size(); ++i) {
        const GgufEntry& entry = header.metadata[i];
        if (entry.key == countKey) {
            metadata.addUnsigned(countKey, static_cast<std::uint32_t>(layers));
            continue;
        }
        if (entry.key == "general.alignment") continue;  // the writer adds its own
        const std::uint64_t end = i + 1 < header.metadata.size()
                                      ? header.metadata[i + 1].offset
                                      : header.tensors.front().recordOffset;
        metadata.addEntry(file.headerBytes().subspan(static_cast<std::size_t>(entry.offset),
                                                     static_cast<std::size_t>(end - entry.offset)));
    }
    return metadata;
}

struct CutTensor {
    const TensorInfo* source = nullptr;
    GgufPlan plan;
};

/// Returns the tensors in source order without those of dropped layers.
std::vector<CutTensor> cutTensors(const GgufFile& file, std::span<const int> keep) {
    std::vector<CutTensor> tensors;
    for (const TensorInfo& tensor : file.tensors()) {
        std::string name = tensor.name;
        if (const auto layer = layerName(tensor.name)) {
            const auto kept = std::ranges::find(keep, layer->layer);
            if (kept == keep.end()) continue;
            name = format("{}{}.{}", kLayerPrefix, kept - keep.begin(), layer->rest);
        }
        tensors.push_back({&tensor, {std::move(name), tensor.type, tensor.shape}});
    }
    return tensors;
}

Result<CutReport> cutOpened(const ModelContainer& model, const fs::path& target,
                            std::span<const int> keep) {
    LACUNA_TRY_STATUS(checkAlike(model));
    LACUNA_TRY_STATUS(checkLayers(keep, model.spec.layers));
    const GgufFile& file = *model.gguf;
    LACUNA_TRY(const auto architecture,
               needed(file.getText("general.architecture"), "general.architecture"));
    const std::vector<CutTensor> tensors = cutTensors(file, keep);
    if (tensors.size() < keep.size())
        return fail(ErrorCode::Unsupported, "the file has tensors of unsupported types");
    std::vector<GgufPlan> plans;
    for (const CutTensor& tensor : tensors) plans.push_back(tensor.plan);
    LACUNA_TRY(GgufWriter writer,
               GgufWriter::create(
                   target, metadataFor(file, format("{}.block_count", architecture), keep.size()),
                   std::move(plans)));
    for (const CutTensor& tensor : tensors)
        LACUNA_TRY_STATUS(
            writer.append({tensor.source->data, static_cast<std::size_t>(tensor.source->bytes)}));
    LACUNA_TRY_STATUS(file.checkUnchanged());
    LACUNA_TRY_STATUS(writer.commit());
    return CutReport{.layersBefore = model.spec.layers,
                     .layers = static_cast<int>(keep.size()),
                     .bytes = writer.bytesWritten()};
}

}  // namespace

Result<CutReport> cutLayers(const fs::path& source, const fs::path& target,
                            std::span<const int> keep) {
    LACUNA_TRY_STATUS(checkNotAmong(target, modelFiles(source)));
    LACUNA_TRY(const ModelContainer model, openModel(source));
    return orChanged(cutOpened(model, target, keep), model.source());
}

}  // namespace lacuna
