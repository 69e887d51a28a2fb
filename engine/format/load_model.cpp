#include "engine/format/load_model.h"

#include <algorithm>
#include <future>
#include <system_error>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/string_format.h"
#include "engine/format/load_weights.h"
#include "engine/format/model_container.h"
#include "engine/format/printable.h"
#include "engine/format/tokenizer_files.h"

namespace lacuna {
namespace {

namespace fs = std::filesystem;

struct ChosenTemplate {
    ChatTemplate compiled;
    std::string note;
};

/// Returns the built-in template whose tokens this vocabulary has.
std::string_view builtinFor(const Tokenizer& tokenizer) {
    return tokenizer.find("<|start_header_id|>") ? "llama-3" : "chatml";
}

/// Returns the file's own template if it exists and is supported, otherwise a built-in one, with
/// the reason.
Result<ChosenTemplate> chooseTemplate(const std::optional<std::string>& text,
                                      const Tokenizer& tokenizer) {
    std::string note = "the model has no chat template";
    if (text) {
        auto own = ChatTemplate::compile(*text);
        if (own) return ChosenTemplate{std::move(*own), ""};
        note = format("the model's own chat template is not understood ({})", own.error().what);
    }
    const std::string_view name = builtinFor(tokenizer);
    LACUNA_TRY(ChatTemplate builtin, ChatTemplate::builtin(name));
    return ChosenTemplate{std::move(builtin), format("{}; the built-in {} is used", note, name)};
}

StopRequested askedBy(const std::stop_token& stop) {
    return [stop] { return stop.stop_requested(); };
}

Result<Tokenizer> tokenizerOf(const ModelContainer& model, const std::stop_token& stop) {
    auto data = model.kind == Container::Gguf ? tokenizerFromGguf(*model.gguf)
                                              : tokenizerFromFolder(model.path);
    if (!data) return tl::unexpected<Error>(std::move(data).error());
    return Tokenizer::create(std::move(*data), askedBy(stop));
}

Status checkVocabulary(const ModelSpec& spec, const Tokenizer& tokenizer) {
    if (tokenizer.vocabularySize() <= spec.vocabulary) return {};
    return fail(ErrorCode::ModelVocab,
                format("the tokenizer has {} tokens; the model has rows for {}",
                       tokenizer.vocabularySize(), spec.vocabulary));
}

/// Reports progress and notices a stop between the steps of loading.
class Steps {
  public:
    explicit Steps(const LoadOptions& options) : options_(options) {}
    [[nodiscard]] Status reach(double share) const {
        if (options_.stop.stop_requested())
            return fail(ErrorCode::Cancelled, "loading was cancelled");
        if (options_.progress) options_.progress(share);
        return {};
    }

  private:
    const LoadOptions& options_;
};

constexpr double kOpened = 0.2;
constexpr double kPlaced = 0.8;

Result<LargePages> placed(Weights& weights, const TensorSource& source,
                          const LoadOptions& options) {
    WeightCopying copying{.progress = {}, .stop = options.stop, .mappings = source.mappings()};
    for (const auto& pages : weights.rearranged)
        copying.mappings.emplace_back(pages->data(), pages->size());
    if (options.progress)
        copying.progress = [&options](double share) {
            options.progress(kOpened + share * (kPlaced - kOpened));
        };
    LACUNA_TRY(LargePages memory, placeWeights(weights, options.placement, copying));
    if (memory.size() > 0) weights.rearranged.clear();  // everything was copied
    return memory;
}

/// Runs in parallel with the weights: building its tables takes one thread as long as small weights
/// take all. If no thread can be started, it is built when requested.
std::future<Result<Tokenizer>> tokenizerNextTo(const ModelContainer& opened,
                                               const std::stop_token& stop) {
    const auto make = [&opened, stop] { return tokenizerOf(opened, stop); };
    try {
        return std::async(std::launch::async, make);
    } catch (const std::system_error&) {
        return std::async(std::launch::deferred, make);
    }
}

Result<std::shared_ptr<const LoadedModel>> assemble(ModelContainer& opened,
                                                    const LoadOptions& options) {
    const Steps steps(options);
    LACUNA_TRY_STATUS(steps.reach(kOpened));
    auto tokenizing = tokenizerNextTo(opened, options.stop);
    LACUNA_TRY(Weights weights,
               loadWeights(opened.spec, opened.source(), opened.kind, options.stop));
    if (opened.spec.recurrent.any())
        opened.spec.mixers =
            std::make_shared<const std::vector<MixerWeights>>(std::move(weights.mixers));
    LACUNA_TRY(LargePages weightMemory, placed(weights, opened.source(), options));
    LACUNA_TRY_STATUS(steps.reach(kPlaced));
    LACUNA_TRY(Tokenizer tokenizer, tokenizing.get());
    LACUNA_TRY_STATUS(checkVocabulary(opened.spec, tokenizer));
    LACUNA_TRY_STATUS(steps.reach(0.9));
    LACUNA_TRY(auto templateText, templateTextOf(opened));
    LACUNA_TRY(ChosenTemplate chosen, chooseTemplate(templateText, tokenizer));
    LACUNA_TRY_STATUS(opened.source().checkUnchanged());
    std::unique_ptr<TensorSource> source;
    if (opened.gguf) {
        source = std::move(opened.gguf);
    } else {
        source = std::move(opened.safetensors);
    }
    auto model = std::make_shared<LoadedModel>(
        LoadedModel{std::move(opened.path), std::move(opened.spec), std::move(weights),
                    std::move(tokenizer), std::move(templateText), std::move(chosen.compiled),
                    std::move(chosen.note), std::move(source), std::move(weightMemory)});
    if (options.finish) options.finish(*model);
    LACUNA_TRY_STATUS(steps.reach(1.0));
    return model;
}

}  // namespace

Result<std::shared_ptr<const LoadedModel>> loadModel(const fs::path& path,
                                                     const LoadOptions& options) {
    LACUNA_TRY_STATUS(Steps(options).reach(0.0));
    LACUNA_TRY(ModelContainer opened, openModel(path));
    const fs::path name = opened.path;
    auto model = assemble(opened, options);
    if (!model && model.error().code != ErrorCode::Cancelled)
        LACUNA_TRY_STATUS(opened.source().checkUnchanged());  // a changed file explains the error
    if (!model && model.error().code != ErrorCode::Cancelled)
        return tl::unexpected<Error>(withPrefix(std::move(model).error(), printableName(name)));
    return model;
}

Result<Tokenizer> loadTokenizer(const fs::path& path, std::stop_token stop) {
    std::error_code ignored;
    if (fs::is_directory(path, ignored) || path.extension() == ".json") {
        LACUNA_TRY(TokenizerData data, tokenizerFromFolder(path));
        return Tokenizer::create(std::move(data), askedBy(stop));
    }
    LACUNA_TRY(const GgufFile file, GgufFile::open(path));
    auto data = tokenizerFromGguf(file);
    LACUNA_TRY_STATUS(file.checkUnchanged());
    if (!data)
        return tl::unexpected<Error>(withPrefix(std::move(data).error(), printableName(path)));
    return Tokenizer::create(std::move(*data), askedBy(stop));
}

}  // namespace lacuna
