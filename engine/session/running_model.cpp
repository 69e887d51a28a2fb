#include "engine/session/running_model.h"

#include <algorithm>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_report.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/query_centres_file.h"
#include "engine/generate/surrogate_file.h"
#include "engine/session/read_facts.h"

namespace lacuna {

int computeThreads(const EngineConfig& config, const MachineFacts& machine) {
    return std::max(1, config.threads == 0 ? machine.cores : config.threads);
}

namespace {

/// Returns room for a chunk of one prompt and for the newest tokens and proposals of all other
/// turns.
int stepRoomFor(const EngineConfig& config) {
    return std::max(config.prefillChunk, 1) +
           (std::max(config.parallel, 1) - 1) * (1 + std::max(config.draftTokens, 0));
}

void addNote(std::string& notes, std::string_view note) {
    if (!notes.empty()) notes += "; ";
    notes += note;
}

}  // namespace

RunningModel::RunningModel(std::shared_ptr<const LoadedModel> model, const ModelMakers& makers,
                           Options options)
    : loaded_(std::move(model)),
      makers_(makers),
      options_(std::move(options)),
      facts_(factsOf(*loaded_, options_.profileFolder)) {
    const ModelSpec& spec = loaded_->spec;
    auto profiles = loadHeadProfiles(loaded_->path, profiledModelOf(spec), options_.profileFolder);
    // A profile that does not fit is ignored; head budgets then depend on their queries.
    if (!profiles)
        headProfileNote_ = describe(profiles.error());
    else
        headProfiles_ = std::move(*profiles);
    auto surrogate = loadSurrogate(loaded_->path, spec, options_.profileFolder);
    if (!surrogate)
        addNote(headProfileNote_, describe(surrogate.error()));
    else
        surrogate_ = std::move(*surrogate);
    headProfiles_.surrogate = surrogate_;
    if (surrogate_ != nullptr) headProfiles_.surrogateHash = surrogate_->hash();
    auto centres = loadQueryCentres(loaded_->path, spec, options_.profileFolder);
    if (!centres)
        addNote(headProfileNote_, describe(centres.error()));
    else
        centres_ = std::move(*centres);
    headProfiles_.centres = centres_;
    if (centres_ != nullptr) headProfiles_.centresHash = centres_->hash();
    facts_.queryCentres = centres_ != nullptr;
    facts_.surrogate = surrogate_ != nullptr;
}

void RunningModel::use(HeadProfiles profiles) {
    headProfiles_ = std::move(profiles);
    headProfileNote_.clear();
    if (headProfiles_.surrogate != nullptr) surrogate_ = headProfiles_.surrogate;
    const std::string& wanted = headProfiles_.surrogateHash;
    headProfiles_.surrogate = surrogateOf(wanted);
    facts_.surrogate = headProfiles_.surrogate != nullptr;
    if (!wanted.empty() && headProfiles_.surrogate == nullptr)
        headProfileNote_ = format(
            "scores were predicted by a surrogate ({}) that is not stored with the model", wanted);
    const std::string& centres = headProfiles_.centresHash;
    headProfiles_.centres.reset();
    if (centres_ != nullptr && centres_->hash() == centres)
        headProfiles_.centres = centres_;
    else if (!centres.empty())
        addNote(headProfileNote_,
                format("query centres ({}) were used that are not stored with the model", centres));
    facts_.queryCentres = headProfiles_.centres != nullptr;
}

/// Returns the surrogate that a recording refers to: the one next to the model, or a stored one.
std::shared_ptr<const ReconstructionSurrogate> RunningModel::surrogateOf(
    const std::string& hash) const {
    if (hash.empty()) return nullptr;
    if (surrogate_ != nullptr && surrogate_->hash() == hash) return surrogate_;
    const auto kept = loadStoredSurrogate(options_.profileFolder, loaded_->spec);
    return kept && *kept != nullptr && (*kept)->hash() == hash ? *kept : nullptr;
}

Result<std::unique_ptr<RunningModel>> RunningModel::create(std::shared_ptr<const LoadedModel> model,
                                                           const ModelMakers& makers,
                                                           Options options,
                                                           const EngineConfig& config,
                                                           const MachineFacts& machine) {
    std::unique_ptr<RunningModel> running(
        new RunningModel(std::move(model), makers, std::move(options)));
    LACUNA_TRY_STATUS(running->adapt(config, machine, [] {}));
    if (!running->automatic_) running->facts_.precision = running->precision_;
    return running;
}

Result<std::unique_ptr<TokenConstraint>> RunningModel::constraint(const AnswerRules& rules,
                                                                  const StopRequested& stop) {
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
                                   {.precision = precision_, .maxTokens = stepRoom_}));
    draft_ = std::move(made);
    facts_.draftPath = draft_->loaded->path.string();
    facts_.draftFingerprint = draft_->loaded->spec.fingerprint;
    return {};
}

void RunningModel::useAutomatic(const AutomaticPrecision& automatic) {
    automatic_ = facts_.precision = automatic.precision;
    facts_.precisionKl = automatic.klMean;
    facts_.precisionNote = automatic.note;
    precisionKnown_ = automatic.known;
}

Precision RunningModel::precisionFor(const EngineConfig& config) {
    return precisionOf(config.precision, [this] {
        if (!automatic_) useAutomatic(options_.automatic(*loaded_));
        return *automatic_;
    });
}

Status RunningModel::adapt(const EngineConfig& config, const MachineFacts& machine,
                           const std::function<void()>& threadsReplaced) {
    const int threads = computeThreads(config, machine);
    const bool otherThreads = pool_ == nullptr || requestedThreads_ != threads;
    const int stepRoom = stepRoomFor(config);
    auto pool = otherThreads ? std::make_unique<ThreadPool>(threads, options_.niceness) : nullptr;
    ThreadPool& used = pool ? *pool : *pool_;
    const Precision precision = precisionFor(config);
    const bool same = !otherThreads && stepRoom == stepRoom_ && precision == precision_;
    const bool wantsBlock =
        config.draftSource == DraftSource::Mtp && loaded_->weights.draft != nullptr;
    const Transformer::Options options{.precision = precision, .maxTokens = stepRoom};
    if (draftBlock_ != nullptr ? !same : wantsBlock) {
        Transformer::Options ofBlock = options;
        ofBlock.draftBlock = true;
        LACUNA_TRY(auto transformer, makers_.transformer(loaded_, used, ofBlock));
        // Drafters refer to the block, so it stays the same object.
        if (draftBlock_ == nullptr)
            draftBlock_ =
                std::make_unique<DraftModel>(DraftModel{.loaded = loaded_, .transformer = nullptr});
        draftBlock_->transformer = std::move(transformer);
    }
    if (same) return {};
    LACUNA_TRY(auto transformer, makers_.transformer(loaded_, used, options));
    if (draft_ != nullptr) {
        LACUNA_TRY(draft_->transformer, makers_.transformer(draft_->loaded, used, options));
    }
    transformer_ = std::move(transformer);  // the old one is destroyed before the threads it used
    stepRoom_ = stepRoom;
    precision_ = precision;
    if (!otherThreads) return {};
    std::swap(pool_, pool);
    requestedThreads_ = threads;
    ++threadsMade_;
    if (pool != nullptr) threadsReplaced();
    return {};
}

}  // namespace lacuna
