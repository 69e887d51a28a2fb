#include "engine/session/running_model.h"

#include <algorithm>
#include <utility>

#include "engine/session/read_facts.h"

namespace lacuna {

int computeThreads(const EngineConfig& config, const MachineFacts& machine) {
    return std::max(1, config.threads == 0 ? machine.cores : config.threads);
}

namespace {

/// A chunk of one prompt alongside the newest tokens, and their proposals, of all other answers.
int stepRoomFor(const EngineConfig& config) {
    return std::max(config.prefillChunk, 1) +
           (std::max(config.parallel, 1) - 1) * (1 + std::max(config.draftTokens, 0));
}

}  // namespace

RunningModel::RunningModel(std::shared_ptr<const LoadedModel> model, const ModelMakers& makers,
                           Options options)
    : loaded_(std::move(model)), makers_(makers), options_(options), facts_(factsOf(*loaded_)) {
    facts_.precision = options.precision;
    const ModelSpec& spec = loaded_->spec;
    auto profile = loadHeadProfile(loaded_->path, {spec.fingerprint, spec.layers, spec.kvHeads});
    // A profile that does not fit is none; the heads then share by what their queries show.
    if (!profile)
        headProfileNote_ = describe(profile.error());
    else if (*profile)
        headProfile_ = std::make_shared<const HeadProfile>(std::move(**profile));
}

Result<std::unique_ptr<RunningModel>> RunningModel::create(std::shared_ptr<const LoadedModel> model,
                                                           const ModelMakers& makers,
                                                           Options options,
                                                           const EngineConfig& config,
                                                           const MachineFacts& machine) {
    std::unique_ptr<RunningModel> running(new RunningModel(std::move(model), makers, options));
    LACUNA_TRY_STATUS(running->adapt(config, machine, [] {}));
    return running;
}

Result<std::unique_ptr<TokenConstraint>> RunningModel::constraint(const AnswerRules& rules,
                                                                  const StopAsked& stop) {
    if (rules.kind == AnswerForm::Free) return nullptr;
    const bool known = form_ != nullptr && formKind_ == rules.kind && formText_ == rules.form;
    if (!known) {
        LACUNA_TRY(auto grammar, formGrammar(rules, stop));
        if (tries_ == nullptr) {
            LACUNA_TRY(tries_, VocabularyTries::create(loaded_->tokenizer, stop));
        }
        LACUNA_TRY(form_, ClassedVocabulary::create(std::move(grammar), tries_, stop));
        formKind_ = rules.kind;
        formText_ = rules.form;
    }
    return std::make_unique<GrammarConstraint>(form_);
}

Status RunningModel::addDraft(std::shared_ptr<const LoadedModel> draft) {
    LACUNA_TRY_STATUS(checkDraftVocabulary(*loaded_, *draft));
    auto made = std::make_unique<DraftModel>();
    made->loaded = std::move(draft);
    LACUNA_TRY(made->transformer,
               makers_.transformer(made->loaded, *pool_,
                                   {.precision = options_.precision, .maxTokens = stepRoom_}));
    draft_ = std::move(made);
    facts_.draftPath = draft_->loaded->path.string();
    facts_.draftFingerprint = draft_->loaded->spec.fingerprint;
    return {};
}

Status RunningModel::adapt(const EngineConfig& config, const MachineFacts& machine,
                           const std::function<void()>& threadsReplaced) {
    const int threads = computeThreads(config, machine);
    const bool otherThreads = pool_ == nullptr || threadsAsked_ != threads;
    const int stepRoom = stepRoomFor(config);
    if (!otherThreads && stepRoom == stepRoom_) return {};
    auto pool = otherThreads ? std::make_unique<ThreadPool>(threads, options_.niceness) : nullptr;
    LACUNA_TRY(auto transformer,
               makers_.transformer(loaded_, pool ? *pool : *pool_,
                                   {.precision = options_.precision, .maxTokens = stepRoom}));
    if (draft_ != nullptr) {
        LACUNA_TRY(draft_->transformer,
                   makers_.transformer(draft_->loaded, pool ? *pool : *pool_,
                                       {.precision = options_.precision, .maxTokens = stepRoom}));
    }
    transformer_ = std::move(transformer);  // the old one goes before the threads it used
    stepRoom_ = stepRoom;
    if (!otherThreads) return {};
    std::swap(pool_, pool);
    threadsAsked_ = threads;
    if (pool != nullptr) threadsReplaced();
    return {};
}

}  // namespace lacuna
