#include "engine/quality/layer_loss_run.h"

#include <algorithm>
#include <cmath>
#include <new>
#include <span>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/calibrated_rotations.h"
#include "engine/kv/kv_factory.h"
#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"

namespace lacuna {
namespace {

class DamageReader {
  public:
    DamageReader(Transformer& model, std::span<const TokenId> text, const LayerLossMeasure& measure)
        : model_(model), text_(text), measure_(measure) {}

    [[nodiscard]] Status readWhole() {
        LACUNA_TRY(const auto cache, makeFullCache(spec(), measure_.type));
        return read(*cache, [this](std::span<const float> row) {
            if (!std::ranges::all_of(row, [](float x) { return std::isfinite(x); }))
                return Status(fail(ErrorCode::Unsupported, "its logits are not finite"));
            whole_.insert(whole_.end(), row.begin(), row.end());
            return Status{};
        });
    }
    /// Returns the mean KL with the keys or values of one layer in codes. Values that are parts of
    /// their keys are coded with them and cause no loss of their own.
    [[nodiscard]] Result<double> loss(int layer, bool keys) {
        const bool together = spec().layer(layer).valuesInKeys;
        if (together && !keys) return 0.0;
        const KvQuant codes{measure_.bits, 0};
        KvOptions options;
        options.type = measure_.type;
        options.exactWindow = 0;
        options.layerCaches = LayerCaches::Uniform;
        options.quant = codes;  // gives the shape its rotations
        KvChoice choice = cacheChoice(cacheModelOf(model_.model()), options);
        choice.layers.resize(static_cast<std::size_t>(spec().layers));
        LayerPlan& plan = choice.layers[static_cast<std::size_t>(layer)];
        if (keys) plan.keyQuant = codes;
        if (!keys || together) plan.valueQuant = codes;
        LACUNA_TRY(const auto cache, makeCache(choice));
        double sum = 0;
        std::size_t at = 0;
        LACUNA_TRY_STATUS(read(*cache, [&](std::span<const float> row) {
            sum += rowDivergence(std::span(whole_).subspan(at, row.size()), row).kl;
            at += row.size();
            return Status{};
        }));
        return sum / static_cast<double>(text_.size() - half());
    }

  private:
    [[nodiscard]] const ModelSpec& spec() const { return model_.model().spec; }
    [[nodiscard]] std::size_t half() const { return text_.size() / 2; }

    /// Calls `row` with the logits after each token of the second half.
    template <class Row>
    [[nodiscard]] Status read(KvCache& cache, const Row& row) {
        const auto chunk = static_cast<std::size_t>(measure_.chunk);
        for (std::size_t at = 0; at < text_.size();) {
            // A chunk never spans both halves.
            const std::size_t end = at < half() ? half() : text_.size();
            const auto tokens = text_.subspan(at, std::min(chunk, end - at));
            const BatchRun run{.tokens = tokens,
                               .cache = &cache,
                               .logits = at < half() ? LogitsFor::None : LogitsFor::AllTokens};
            LACUNA_TRY(const auto logits,
                       model_.forward({&run, 1}, {.cancelled = measure_.cancelled}));
            for (std::int64_t i = 0; at >= half() && i < logits.extent(0); ++i)
                LACUNA_TRY_STATUS(row(std::span(logits.data() + i * logits.extent(1),
                                                static_cast<std::size_t>(logits.extent(1)))));
            at += tokens.size();
        }
        return {};
    }

    Transformer& model_;
    const std::span<const TokenId> text_;
    const LayerLossMeasure& measure_;
    std::vector<float> whole_;  ///< [tokens of the second half, vocabulary]
};

Result<LayerLoss> measured(Transformer& model, std::span<const TokenId> text,
                           const LayerLossMeasure& measure) {
    const LoadedModel& loaded = model.model();
    const ModelSpec& spec = loaded.spec;
    const KvQuant codes{measure.bits, 0};
    const CacheModel cache = cacheModelOf(spec);
    for (const KvExtent& one : cache.extents)
        if (one.heads > 0) LACUNA_TRY_STATUS(checkQuants(one, codes, codes));
    if (cache.extents.empty()) LACUNA_TRY_STATUS(checkQuant("key", codes, cache.headDim));
    if (text.size() < 2 || std::cmp_greater(text.size(), spec.context))
        return fail(ErrorCode::InvalidArgument,
                    format("the text has {} tokens; expected 2 to {}", text.size(), spec.context));
    LayerLoss out{.model = spec.name,
                  .fingerprint = spec.fingerprint,
                  .how = format("{} tokens, rotations {}", text.size(),
                                loaded.rotations ? loaded.rotations->hash() : "hadamard"),
                  .bits = measure.bits};
    DamageReader reader(model, text, measure);
    const std::int64_t total = std::int64_t{2} * spec.layers + 1;
    std::int64_t done = 0;
    const auto told = [&] {
        if (measure.progress) measure.progress(++done, total);
    };
    LACUNA_TRY_STATUS(reader.readWhole());
    told();
    for (int layer = 0; layer < spec.layers; ++layer)
        for (const bool keys : {true, false}) {
            LACUNA_TRY(const double nats, reader.loss(layer, keys));
            (keys ? out.keys : out.values).push_back(nats);
            told();
        }
    LACUNA_TRY_STATUS(checkLayerLoss(out));
    return out;
}

}  // namespace

Result<LayerLoss> measureLayerLoss(Transformer& model, std::span<const TokenId> text,
                                   const LayerLossMeasure& measure) {
    try {
        return measured(model, text, measure);
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::NoMemory,
                    format("logits of {} tokens with {} numbers each do not fit",
                           text.size() - text.size() / 2, model.model().spec.vocabulary));
    }
}

}  // namespace lacuna
