#pragma once
/// \file
/// A loaded model with its compute threads, activations and cache factories. A new one is built
/// aside and then swapped in, so that a failed load leaves the old one usable. Owned by the engine
/// thread.

#include <filesystem>
#include <functional>
#include <memory>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/head_profile.h"
#include "engine/generate/drafter.h"
#include "engine/generate/sequence.h"
#include "engine/generate/token_constraint.h"
#include "engine/model/transformer.h"
#include "engine/model/weight_placement.h"
#include "engine/session/jobs/automatic_precision.h"
#include "engine/settings/config_check.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

/// Factories for models and their forward pass; tests substitute their own.
struct ModelMakers {
    std::function<Result<std::shared_ptr<const LoadedModel>>(const std::filesystem::path&,
                                                             const LoadOptions&)>
        load = [](const std::filesystem::path& path, const LoadOptions& options) {
            return loadToRun(path, options);
        };
    std::function<Result<std::unique_ptr<Transformer>>(std::shared_ptr<const LoadedModel>,
                                                       ThreadPool&, Transformer::Options)>
        transformer = [](std::shared_ptr<const LoadedModel> model, ThreadPool& pool,
                         Transformer::Options options) {
            return Transformer::create(std::move(model), pool, options);
        };
};

class RunningModel {
  public:
    struct Options {
        int niceness = 0;  ///< niceness of the compute threads, relative to the engine thread
        /// Resolves precision=auto; called once, when the setting is first `auto`.
        std::function<AutomaticPrecision(const LoadedModel&)> automatic;
        std::filesystem::path profileFolder = {};  ///< profiles stored nowhere else
    };

    /// Errors: as Transformer::create.
    [[nodiscard]] static Result<std::unique_ptr<RunningModel>> create(
        std::shared_ptr<const LoadedModel> model, const ModelMakers& makers, Options options,
        const EngineConfig& config, const MachineFacts& machine);

    /// Adapts threads, activations and precision to `config`. If the threads are replaced,
    /// `threadsReplaced` is called while the old ones still exist, to renew references to them. On
    /// error nothing is changed.
    [[nodiscard]] Status adapt(const EngineConfig& config, const MachineFacts& machine,
                               const std::function<void()>& threadsReplaced);

    /// Loads a smaller model for speculative decoding. On error nothing is changed. Errors: those
    /// of loading, Incompatible for another vocabulary, as Transformer::create.
    [[nodiscard]] Status addDraft(std::shared_ptr<const LoadedModel> draft);
    /// Returns null if there is none.
    [[nodiscard]] const DraftModel* draft() const { return draft_.get(); }

    /// Returns the model's draft block; null if it has none or `draft_source` never asked for it.
    [[nodiscard]] const DraftModel* draftBlock() const { return draftBlock_.get(); }

    /// Returns the constraint for the answer format in the rules; null if any text is accepted.
    /// Errors: those of formGrammar and VocabularyTries::create; Cancelled if `stop` returns true.
    [[nodiscard]] Result<std::unique_ptr<TokenConstraint>> constraint(
        const AnswerRules& rules, const StopRequested& stop = {});

    [[nodiscard]] const LoadedModel& loaded() const { return *loaded_; }
    [[nodiscard]] std::shared_ptr<const LoadedModel> shared() const { return loaded_; }
    [[nodiscard]] const ModelFacts& facts() const { return facts_; }
    /// Returns the measurements of the model's heads, by default those stored next to its file.
    [[nodiscard]] const HeadProfiles& headProfiles() const { return headProfiles_; }
    /// Replaces the profiles loaded from the file. A surrogate given only by its hash is taken from
    /// the loaded or stored one if the hash matches; likewise query centres.
    void use(HeadProfiles profiles);
    /// Returns why a profile is missing although its file exists; may be empty.
    [[nodiscard]] const std::string& headProfileNote() const { return headProfileNote_; }
    [[nodiscard]] Transformer& transformer() { return *transformer_; }
    /// Returns the arithmetic of `transformer()`.
    [[nodiscard]] Precision precision() const { return precision_; }
    /// Returns false if precision=auto resolves to kSafePrecision because there is no measurement.
    [[nodiscard]] bool precisionKnown() const { return precisionKnown_; }
    /// Sets what precision=auto resolves to from the next adapt() on.
    void useAutomatic(const AutomaticPrecision& automatic);
    /// Returns the maximum number of tokens per forward pass.
    [[nodiscard]] int stepRoom() const { return stepRoom_; }
    [[nodiscard]] ThreadPool& pool() { return *pool_; }
    /// Returns how many times the pool was created; references to an older one must be renewed.
    [[nodiscard]] int threadsMade() const { return threadsMade_; }
    /// Returns the requested number of threads; the pool has fewer if the system provided fewer.
    [[nodiscard]] int requestedThreads() const { return requestedThreads_; }

  private:
    RunningModel(std::shared_ptr<const LoadedModel> model, const ModelMakers& makers,
                 Options options);
    [[nodiscard]] Precision precisionFor(const EngineConfig& config);
    [[nodiscard]] std::shared_ptr<const ReconstructionSurrogate> surrogateOf(
        const std::string& hash) const;

    std::shared_ptr<const LoadedModel> loaded_;
    const ModelMakers& makers_;
    const Options options_;
    ModelFacts facts_;
    HeadProfiles headProfiles_;
    std::shared_ptr<const ReconstructionSurrogate> surrogate_;  ///< the newest one, or null
    std::shared_ptr<const QueryCentres> centres_;  ///< the loaded or stored ones, or null
    std::string headProfileNote_;
    std::shared_ptr<const VocabularyTries> tries_;  ///< created for the first constraint
    /// Vocabulary of the newest form, kept because the next answer often uses the same one.
    std::shared_ptr<const ClassedVocabulary> form_;
    AnswerForm formKind_ = AnswerForm::Free;
    std::string formText_;
    std::unique_ptr<ThreadPool> pool_;
    int requestedThreads_ = 0;
    int threadsMade_ = 0;
    std::unique_ptr<DraftModel> draft_;
    std::unique_ptr<DraftModel> draftBlock_;  ///< kept once it was made: drafters refer to it
    std::unique_ptr<Transformer> transformer_;
    int stepRoom_ = 0;
    Precision precision_ = Precision::Fast;  ///< arithmetic in use
    std::optional<Precision> automatic_;  ///< what precision=auto resolves to, once it was resolved
    bool precisionKnown_ = true;          ///< true unless stated otherwise
};

/// Returns the number of compute threads for a setting; 0 means one per physical core.
[[nodiscard]] int computeThreads(const EngineConfig& config, const MachineFacts& machine);

}  // namespace lacuna
