#pragma once
/// \file
/// A loaded model with what it runs on: compute threads, activations, makers of caches. Made aside
/// and swapped in whole, so that a failed load leaves the old one answering. Owned by the engine
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
#include "engine/session/automatic_precision.h"
#include "engine/settings/config_check.h"
#include "engine/settings/engine_config.h"
#include "engine/settings/facts.h"

namespace lacuna {

/// How models and their forward pass are made; tests put in their own.
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
        int niceness = 0;  ///< of the compute threads, added to that of the engine thread
        /// What precision=auto stands for; called once, when the setting first is that.
        std::function<AutomaticPrecision(const LoadedModel&)> automatic;
        std::filesystem::path profileFolder = {};  ///< where profiles are kept that lie nowhere
                                                   ///< else
    };

    /// Errors: as Transformer::create.
    [[nodiscard]] static Result<std::unique_ptr<RunningModel>> create(
        std::shared_ptr<const LoadedModel> model, const ModelMakers& makers, Options options,
        const EngineConfig& config, const MachineFacts& machine);

    /// Brings threads, activations and precision in line with `config`. When the threads are
    /// replaced, `threadsReplaced` is called while the old ones still stand, to renew what refers
    /// to them. On error nothing changed.
    [[nodiscard]] Status adapt(const EngineConfig& config, const MachineFacts& machine,
                               const std::function<void()>& threadsReplaced);

    /// Reads a smaller model alongside this one, to guess what it will draw. On error nothing
    /// changed. Errors: those of loading, Incompatible for another vocabulary, as
    /// Transformer::create.
    [[nodiscard]] Status addDraft(std::shared_ptr<const LoadedModel> draft);
    /// Null when there is none.
    [[nodiscard]] const DraftModel* draft() const { return draft_.get(); }

    /// What the form of the rules asks of an answer; null when every text will do.
    /// Errors: those of formGrammar and VocabularyTries::create; Cancelled once `stop` says so.
    [[nodiscard]] Result<std::unique_ptr<TokenConstraint>> constraint(const AnswerRules& rules,
                                                                      const StopAsked& stop = {});

    [[nodiscard]] const LoadedModel& loaded() const { return *loaded_; }
    [[nodiscard]] std::shared_ptr<const LoadedModel> shared() const { return loaded_; }
    [[nodiscard]] const ModelFacts& facts() const { return facts_; }
    /// What was measured of the model's heads (next to its file).
    [[nodiscard]] const HeadProfiles& headProfiles() const { return headProfiles_; }
    /// In place of what lies next to the file. A surrogate that is only named by its hash is the
    /// one there, or the one that was kept, if it has that; likewise query centres.
    void use(HeadProfiles profiles);
    /// Why one is missing although a file lies there, or empty.
    [[nodiscard]] const std::string& headProfileNote() const { return headProfileNote_; }
    [[nodiscard]] Transformer& transformer() { return *transformer_; }
    /// The arithmetic of `transformer()`.
    [[nodiscard]] Precision precision() const { return precision_; }
    /// False where precision=auto stands for kSafePrecision because nothing was measured.
    [[nodiscard]] bool precisionKnown() const { return precisionKnown_; }
    /// From the next adapt() on, precision=auto stands for this.
    void useAutomatic(const AutomaticPrecision& automatic);
    /// Tokens of one forward pass.
    [[nodiscard]] int stepRoom() const { return stepRoom_; }
    [[nodiscard]] ThreadPool& pool() { return *pool_; }
    /// Times the pool was made; what refers to an older one is to be made again.
    [[nodiscard]] int threadsMade() const { return threadsMade_; }
    /// What the pool was made for; it has fewer where the system gave fewer.
    [[nodiscard]] int threadsAsked() const { return threadsAsked_; }

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
    std::shared_ptr<const ReconstructionSurrogate> surrogate_;  ///< the newest, or null
    std::shared_ptr<const QueryCentres> centres_;               ///< likewise, or kept, or null
    std::string headProfileNote_;
    std::shared_ptr<const VocabularyTries> tries_;  ///< made for the first constraint
    /// That of the newest form, which is often that of the next answer, too.
    std::shared_ptr<const ClassedVocabulary> form_;
    AnswerForm formKind_ = AnswerForm::Free;
    std::string formText_;
    std::unique_ptr<ThreadPool> pool_;
    int threadsAsked_ = 0;
    int threadsMade_ = 0;
    std::unique_ptr<DraftModel> draft_;
    std::unique_ptr<Transformer> transformer_;
    int stepRoom_ = 0;
    Precision precision_ = Precision::Fast;  ///< in use
    std::optional<Precision> automatic_;     ///< what precision=auto stands for, once asked
    bool precisionKnown_ = true;             ///< as long as nothing else was said of it
};

/// Compute threads for a setting: 0 means one for each physical core.
[[nodiscard]] int computeThreads(const EngineConfig& config, const MachineFacts& machine);

}  // namespace lacuna
