#include "app/bench/stored_cache_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <vector>

#include "app/bench/perplexity.h"
#include "engine/base/string_format.h"
#include "engine/generate/cache_shape.h"
#include "engine/kv/row_format.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"
#include "engine/quality/grid_table.h"

namespace lacuna {
namespace {

/// CPU time of this thread, which depends little on other load on the machine.
double threadSeconds() {
    std::timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double secondsOf(const std::function<void()>& work) {
    const double begin = threadSeconds();
    work();
    return threadSeconds() - begin;
}

class StoredCacheRun {
  public:
    StoredCacheRun(Transformer& model, const PageCodec& codec, const StoredCacheMeasure& measure)
        : model_(model), codec_(codec), measure_(measure) {}

    [[nodiscard]] Status window(std::span<const TokenId> text) {
        const auto context = static_cast<std::size_t>(measure_.context);
        LACUNA_TRY(const auto whole, makeFullCache(spec(), measure_.type));
        LACUNA_TRY_STATUS(feed(*whole, text.first(context), text.size(), nullptr));
        const TokenRun run{0, measure_.context};
        Result<std::vector<std::byte>> page;
        encodeSeconds_.push_back(secondsOf([&] { page = codec_.encode(*whole, run); }));
        if (!page) return tl::unexpected<Error>(page.error());
        bytes_ += static_cast<std::int64_t>(page->size());
        std::unique_ptr<KvCache> stored;
        // The first decoding of all is a warm-up.
        for (int i = decodeSeconds_.empty() ? -1 : 0; i < measure_.repeat; ++i) {
            LACUNA_TRY(stored, makeFullCache(spec(), measure_.type));
            Status decoded;
            const double seconds = secondsOf([&] { decoded = codec_.decode(*page, run, *stored); });
            LACUNA_TRY_STATUS(decoded);
            if (i >= 0) decodeSeconds_.push_back(seconds);
        }
        compareRows(*whole, *stored);
        return follow(*whole, *stored, text.subspan(context - 1));
    }

    [[nodiscard]] StoredCacheFigures figures() const {
        const double rowBytes = 2.0 * static_cast<double>(elementsPerToken(plainShapeOf(spec())));
        const auto windows = static_cast<double>(encodeSeconds_.size());
        const double megabytes = rowBytes * measure_.context / 1e6;
        StoredCacheFigures out;
        out.tokens = measure_.context;
        out.windows = static_cast<std::int64_t>(encodeSeconds_.size());
        out.bytesPerToken = static_cast<double>(bytes_) / (windows * measure_.context);
        out.ratio = rowBytes / out.bytesPerToken;
        if (rows_ > 0) {
            out.cosineKeys = cosines_[0] / static_cast<double>(rows_);
            out.cosineValues = cosines_[1] / static_cast<double>(rows_);
        }
        out.divergence = divergenceFigures(kl_, sameTop_);
        const auto positions = static_cast<double>(std::max<std::size_t>(1, kl_.size()));
        out.perplexityChange = std::exp((nllStored_ - nllFull_) / positions) - 1;
        out.encodeMbPerSecond = megabytes / medianOf(encodeSeconds_);
        out.decodeMbPerSecond = megabytes / medianOf(decodeSeconds_);
        return out;
    }

  private:
    [[nodiscard]] const ModelSpec& spec() const { return model_.model().spec; }

    /// Writes the logits of all tokens to `logits` unless it is null.
    [[nodiscard]] Status feed(KvCache& cache, std::span<const TokenId> tokens, std::size_t end,
                              std::vector<float>* logits) {
        const auto chunk = static_cast<std::size_t>(measure_.chunk);
        for (std::size_t at = 0; at < tokens.size(); at += chunk) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = &cache,
                               .logits = logits != nullptr ? LogitsFor::AllTokens : LogitsFor::None,
                               .promptEnd = Position(static_cast<std::int32_t>(end))};
            LACUNA_TRY(const auto rows,
                       model_.forward({&run, 1}, {.cancelled = measure_.cancelled}));
            if (logits != nullptr)
                logits->insert(logits->end(), rows.data(), rows.data() + rows.size());
        }
        return {};
    }

    void compareRows(const KvCache& whole, const KvCache& stored) {
        const KvShape& shape = whole.shape();
        const int first = measure_.firstCompared;
        const int count = measure_.context - measure_.lastCompared - first;
        if (count <= 0) return;
        for (int layer = 0; layer < shape.layers; ++layer) {
            const KvExtent extent = shape.extent(LayerIndex(layer));
            for (int head = 0; head < extent.heads; ++head) {
                const KvHeadView a = whole.head(LayerIndex(layer), HeadIndex(head));
                const KvHeadView b = stored.head(LayerIndex(layer), HeadIndex(head));
                cosines_[0] += cosines(a, b, extent.keyDim, readKeys, first, count);
                cosines_[1] += cosines(a, b, extent.valueDim, readValues, first, count);
                rows_ += count;
            }
        }
    }

    template <class Read>
    static double cosines(const KvHeadView& a, const KvHeadView& b, int dim, const Read& read,
                          int first, int count) {
        const auto size = static_cast<std::size_t>(dim);
        std::vector<float> x(size * static_cast<std::size_t>(count));
        std::vector<float> y(x.size());
        read(a, dim, first, count, x.data());
        read(b, dim, first, count, y.data());
        double sum = 0;
        for (std::size_t row = 0; row < x.size(); row += size) {
            double xy = 0;
            double xx = 0;
            double yy = 0;
            for (std::size_t i = row; i < row + size; ++i) {
                xy += double{x[i]} * double{y[i]};
                xx += double{x[i]} * double{x[i]};
                yy += double{y[i]} * double{y[i]};
            }
            sum += xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : (xx == yy ? 1 : 0);
        }
        return sum;
    }

    /// `text` begins with the newest stored token, whose row both caches recompute from the tokens
    /// before it.
    [[nodiscard]] Status follow(KvCache& whole, KvCache& stored, std::span<const TokenId> text) {
        const std::size_t end = static_cast<std::size_t>(measure_.context) + text.size() - 1;
        std::array<std::vector<float>, 2> logits;
        LACUNA_TRY_STATUS(whole.rollback(1));
        LACUNA_TRY_STATUS(stored.rollback(1));
        const auto fed = text.first(text.size() - 1);
        LACUNA_TRY_STATUS(feed(whole, fed, end, logits.data()));
        LACUNA_TRY_STATUS(feed(stored, fed, end, &logits[1]));
        const std::size_t width = logits[0].size() / fed.size();
        for (std::size_t i = 0; i < fed.size(); ++i) {
            const auto a = std::span(logits[0]).subspan(i * width, width);
            const auto b = std::span(logits[1]).subspan(i * width, width);
            const RowDivergence row = rowDivergence(a, b);
            kl_.push_back(row.kl);
            sameTop_ += row.sameTop() ? 1 : 0;
            nllFull_ += negativeLogLikelihood(a, text[i + 1]);
            nllStored_ += negativeLogLikelihood(b, text[i + 1]);
        }
        return {};
    }

    Transformer& model_;
    const PageCodec& codec_;
    const StoredCacheMeasure& measure_;
    std::int64_t bytes_ = 0;
    std::vector<double> encodeSeconds_, decodeSeconds_;
    std::array<double, 2> cosines_{};
    std::int64_t rows_ = 0;
    std::vector<double> kl_;
    std::int64_t sameTop_ = 0;
    double nllFull_ = 0;
    double nllStored_ = 0;
};

}  // namespace

Result<StoredCacheFigures> measureStoredCache(Transformer& model, const PageCodec& codec,
                                              std::span<const TokenId> text,
                                              const StoredCacheMeasure& measure) {
    const int limit = model.model().spec.context;
    if (measure.context < 2 || measure.after < 1 || measure.windows < 1 ||
        measure.context > limit - measure.after)
        return fail(ErrorCode::InvalidArgument,
                    format("{} stored and {} measured tokens exceed the model's context of {}",
                           measure.context, measure.after, limit));
    const std::size_t size =
        static_cast<std::size_t>(measure.context) + static_cast<std::size_t>(measure.after);
    if (text.size() < size)
        return fail(ErrorCode::InvalidArgument,
                    format("the text has {} tokens, but {} to store and {} to measure are needed",
                           text.size(), measure.context, measure.after));
    const std::size_t windows =
        std::min(static_cast<std::size_t>(measure.windows), text.size() / size);
    StoredCacheRun run(model, codec, measure);
    for (std::size_t w = 0; w < windows; ++w) {
        if (measure.progress)
            measure.progress(static_cast<std::int64_t>(w), static_cast<std::int64_t>(windows));
        LACUNA_TRY_STATUS(run.window(text.subspan(w * size, size)));
    }
    return run.figures();
}

OrderedJson storedCacheJson(const StoredCacheFigures& figures) {
    const auto orNull = [](const std::optional<double>& figure) {
        return figure ? OrderedJson(*figure) : OrderedJson();
    };
    return {{"tokens", figures.tokens},
            {"bytes_per_token", figures.bytesPerToken},
            {"ratio_end_to_end", figures.ratio},
            {"cosine_k", orNull(figures.cosineKeys)},
            {"cosine_v", orNull(figures.cosineValues)},
            {"kl_mean", figures.divergence.klMean},
            {"kl_p99", figures.divergence.klP99},
            {"perplexity_change", figures.perplexityChange},
            {"encode_mb_per_s", figures.encodeMbPerSecond},
            {"decode_mb_per_s", figures.decodeMbPerSecond},
            {"windows", figures.windows},
            {"positions", figures.divergence.positions},
            {"top1", figures.divergence.top1}};
}

}  // namespace lacuna
