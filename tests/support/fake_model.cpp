#include "tests/support/fake_model.h"

#include "engine/base/hash.h"
#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/kv/row_format.h"

namespace lacuna::test {
namespace {

constexpr TokenId kStart = 256;
constexpr TokenId kEnd = 257;
constexpr int kVocabulary = 258;

std::string utf8(int codepoint) {
    if (codepoint < 0x80) return std::string(1, static_cast<char>(codepoint));
    return {static_cast<char>(0xC0 | (codepoint >> 6)),
            static_cast<char>(0x80 | (codepoint & 0x3F))};
}

/// Returns the GPT-2 alphabet: printable bytes map to themselves, the others to 256 and up.
std::vector<std::string> bytePieces() {
    std::vector<std::string> pieces;
    int next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable =
            (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
        pieces.push_back(utf8(printable ? byte : next++));
    }
    return pieces;
}

Tokenizer fakeTokenizer() {
    TokenizerData data;
    data.pieces = bytePieces();
    data.pieces.emplace_back("<|im_start|>");
    data.pieces.emplace_back("<|im_end|>");
    data.kinds.assign(data.pieces.size(), TokenKind::Normal);
    data.kinds[kStart] = data.kinds[kEnd] = TokenKind::Control;
    data.preTokenizer = "gpt-2";
    data.eos = kEnd;
    auto tokenizer = Tokenizer::create(std::move(data));
    LACUNA_REQUIRE(tokenizer.has_value(), "the fake tokenizer is sound");
    return std::move(*tokenizer);
}

}  // namespace

std::shared_ptr<const LoadedModel> fakeLoadedModel(const FakeModelOptions& options) {
    ModelSpec spec;
    spec.architecture = "fake";
    spec.name = options.name;
    spec.fileType = "F32";
    spec.layers = options.layers;
    if (options.window > 0) {
        spec.window = options.window;
        spec.layerSpecs.resize(static_cast<std::size_t>(options.layers));
        spec.layerSpecs[0].sliding = true;
    }
    spec.heads = options.heads;
    spec.kvHeads = options.kvHeads;
    spec.headDim = options.headDim;
    spec.hidden = options.heads * options.headDim;
    spec.vocabulary = kVocabulary;
    spec.context = options.context;
    spec.fingerprint = format("fingerprint of {}", options.name);
    spec.parameters = 1000;
    spec.weightBytes = spec.residentBytes = 4000;
    const std::string& text = options.templateText;
    auto chat = text.empty() ? ChatTemplate::builtin("chatml") : ChatTemplate::compile(text);
    LACUNA_REQUIRE(chat.has_value(), "the template is sound");
    return std::make_shared<const LoadedModel>(
        LoadedModel{.path = options.name,
                    .spec = std::move(spec),
                    .weights = {},
                    .tokenizer = fakeTokenizer(),
                    .templateText = text.empty() ? std::nullopt : std::optional(text),
                    .chatTemplate = std::move(*chat),
                    .templateNote = "",
                    .source = nullptr});
}

/// keys[0] of each head is the token id; the other elements give keys various directions and
/// lengths.
void FakeTransformer::fill(const BatchRun& run, std::vector<float>& keys,
                           std::vector<float>& values) const {
    const KvShape& shape = run.cache->shape();
    keys.clear();
    values.clear();
    for (const TokenId token : run.tokens) {
        for (int head = 0; head < shape.kvHeads; ++head) {
            RandomStream random(static_cast<std::uint64_t>(token),
                                static_cast<std::uint64_t>(head));
            for (int d = 0; d < shape.keyDim; ++d)
                keys.push_back(d == 0 ? static_cast<float>(token)
                                      : static_cast<float>(40 * random.normal()));
            for (int d = 0; d < shape.valueDim; ++d)
                values.push_back(static_cast<float>(random.normal()));
        }
    }
}

/// Adds the logits of the newest tokens; each row sees the slots up to its own.
void FakeTransformer::computeLogits(const KvCache& cache, int rows) {
    const KvHeadView head = cache.head(LayerIndex(0), HeadIndex(0));
    const std::size_t first = logits_.size();
    logits_.resize(first + static_cast<std::size_t>(rows) * kVocabulary);
    const auto keyDim = static_cast<std::size_t>(cache.shape().keyDim);
    std::vector<float> keys(static_cast<std::size_t>(head.slots) * keyDim);
    readKeys(head, cache.shape().keyDim, 0, head.slots, keys.data());
    std::uint64_t hash = 0;
    for (int slot = 0; slot < head.slots; ++slot) {
        const std::int64_t position = head.positions == nullptr ? slot : head.positions[slot];
        const auto token = static_cast<std::int64_t>(keys[static_cast<std::size_t>(slot) * keyDim]);
        hash = randomBits(hash, static_cast<std::uint64_t>(position),
                          static_cast<std::uint64_t>(token));
        const int row = slot - (head.slots - rows);
        if (row < 0) continue;
        const std::int64_t seen = cache.offset().value - (rows - 1 - row);
        fillRow(std::span(logits_).subspan(first + static_cast<std::size_t>(row) * kVocabulary,
                                           kVocabulary),
                hash, seen);
    }
}

void FakeTransformer::fillRow(std::span<float> row, std::uint64_t hash, std::int64_t seen) const {
    RandomStream random(hash, 1);
    for (float& logit : row) logit = static_cast<float>(2 * random.normal());
    row[kStart] = row[kEnd] = -20;
    const bool surprise = options_.surpriseEvery > 0 && seen % options_.surpriseEvery == 0;
    if (options_.period > 0 && !surprise)
        row[static_cast<std::size_t>('a' + seen % options_.period)] = 12;
    if (options_.endEvery > 0 && seen % options_.endEvery == 0) row[kEnd] = 100;
}

void FakeTransformer::append(const BatchRun& run, LayerIndex layer) const {
    const auto count = static_cast<int>(run.tokens.size());
    const KvShape& shape = run.cache->shape();
    std::vector<float> keys;
    std::vector<float> values;
    fill(run, keys, values);
    run.cache->writeLayer(
        layer, View<const float, 3>(keys.data(), {count, shape.kvHeads, shape.keyDim}),
        View<const float, 3>(values.data(), {count, shape.kvHeads, shape.valueDim}));
    if (run.observer == nullptr) return;
    std::vector<float> queries(static_cast<std::size_t>(count * options_.heads * shape.keyDim),
                               0.5F);
    for (int i = 0; options_.tellingQueries && i < count * options_.heads; ++i) {
        const int token = i / options_.heads;
        float* query = queries.data() + i * shape.keyDim;
        query[0] = static_cast<float>(run.cache->offset().value + token);
        query[1] = static_cast<float>(run.tokens[static_cast<std::size_t>(token)]);
    }
    run.observer->observeQueries(
        layer, View<const float, 3>(queries.data(), {count, options_.heads, shape.keyDim}),
        run.cache->offset());
}

Result<View<const float, 2>> FakeTransformer::forward(std::span<const BatchRun> runs,
                                                      const ForwardOptions& options) {
    const std::int64_t number = forwards_++;
    if (before) LACUNA_TRY_STATUS(before(number));
    std::size_t begun = 0;
    const auto abandon = [&](tl::unexpected<Error> error) {
        for (std::size_t i = 0; i < begun; ++i) runs[i].cache->abortAppend();
        return error;
    };
    for (const BatchRun& run : runs) {
        if (auto ready = run.cache->beginAppend(static_cast<int>(run.tokens.size())); !ready)
            return abandon(tl::unexpected<Error>(std::move(ready).error()));
        ++begun;
        if (refuse && refuse(run))
            return abandon(fail(ErrorCode::NoMemory, "no memory for one of the runs"));
    }
    for (int layer = 0; layer < model_->spec.layers; ++layer) {
        if (inside) inside(number);
        if (options.cancelled && options.cancelled())
            return abandon(fail(ErrorCode::Cancelled, "the step was cancelled"));
        for (const BatchRun& run : runs) append(run, LayerIndex(layer));
    }
    logits_.clear();
    stepSizes_.push_back(0);
    for (const BatchRun& run : runs) {
        const auto count = static_cast<int>(run.tokens.size());
        run.cache->commitAppend();
        chunkSizes_.push_back(count);
        stepSizes_.back() += count;
        if (run.logits != LogitsFor::None)
            computeLogits(*run.cache, run.logits == LogitsFor::AllTokens ? count : 1);
    }
    const auto rows = static_cast<std::int64_t>(logits_.size()) / kVocabulary;
    return View<const float, 2>(logits_.data(), {rows, kVocabulary});
}

ModelMakers FakeModels::makers() {
    ModelMakers makers;
    makers.load = [this](const std::filesystem::path& path,
                         const LoadOptions& load) -> Result<std::shared_ptr<const LoadedModel>> {
        ++loads;
        if (load.progress) load.progress(0.5);
        if (load.stop.stop_requested()) return fail(ErrorCode::Cancelled, "loading was stopped");
        if (path == "missing") return fail(ErrorCode::NotFound, "missing: there is no such file");
        FakeModelOptions named = options;
        named.name = path.string();
        return fakeLoadedModel(named);
    };
    makers.transformer = [this](std::shared_ptr<const LoadedModel> model, ThreadPool&,
                                Transformer::Options) -> Result<std::unique_ptr<Transformer>> {
        auto transformer = std::make_unique<FakeTransformer>(std::move(model), options);
        transformer->before = before;
        transformer->inside = inside;
        transformer->refuse = refuse;
        return transformer;
    };
    return makers;
}

}  // namespace lacuna::test
