#pragma once
/// \file
/// Owns the loaded model. A new model is read while the previous one stays loaded, and replaces it
/// only when complete. Objects that depend on the model are created here too: caches, compactors,
/// drafters. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/log.h"
#include "engine/session/engine_io.h"
#include "engine/session/running_model.h"
#include "engine/session/sequence_pool.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class ModelHolder {
  public:
    struct Dependencies {
        const ModelMakers& makers;
        const PrecisionSource& precision;
        const MachineFacts& machine;
        const ConversationSettings& settings;  ///< current settings
        EngineIo& io;
        Logger& log;
        std::filesystem::path profileFolder = {};  ///< as in RunningModel::Options
        bool profilesGiven = false;                ///< profiles come only from give()
    };
    /// All objects that `dependencies` refers to must outlive this one.
    explicit ModelHolder(Dependencies dependencies) : dependencies_(dependencies) {}

    /// Returns null if no model is loaded.
    [[nodiscard]] RunningModel* model() const { return model_.get(); }
    /// Returns null if no model is loaded.
    [[nodiscard]] const ModelFacts* facts() const { return model_ ? &model_->facts() : nullptr; }

    /// Posts ModelLoading, then ModelLoaded or ModelFailed; a cancel ends the reading. Once
    /// everything is read, calls `release`, which drops all references to the previous model.
    /// Returns null if the previous model stays.
    [[nodiscard]] const RunningModel* load(const LoadModel& command,
                                           const std::function<void()>& release);
    /// Posts ModelUnloaded after calling `release`; does nothing if no model is loaded.
    void unload(const std::function<void()>& release);
    /// Answered by ModelInspected.
    void inspect(const InspectModel& command);

    /// Sets the profiles of a model, which override the file next to it, either at once or when it
    /// is loaded.
    void give(UseHeadProfiles command) {
        given_.insert_or_assign(command.fingerprint, command.profiles);
    }
    /// Creates another transformer of the loaded model for `rows` tokens; the default precision is
    /// what precision=auto resolves to. Errors: as Transformer::create. @pre a model is loaded
    [[nodiscard]] Result<std::unique_ptr<Transformer>> makeTransformer(
        int rows, std::optional<Precision> precision = std::nullopt);
    /// Sets what precision=auto resolves to from the next turn on and publishes PrecisionChosen.
    /// Does nothing if no model is loaded.
    void use(const AutomaticPrecision& precision);
    /// Durations in seconds of measurements just finished; 0 if there was none.
    struct JustMeasured {
        double seconds = 0;     ///< of the head measurement
        double fitSeconds = 0;  ///< of the surrogate fit
    };
    /// Applies head profiles to the model and to `conversations`; publishes HeadProfilesInEffect.
    /// @pre a model is loaded
    void use(const HeadProfiles& profiles, SequencePool& conversations, const JustMeasured& just);

    /// Adapts threads and activations to the current settings, for prompt chunks of at least
    /// `chunk` tokens. If threads are replaced, the compactors of `conversations` are recreated.
    /// Errors: as RunningModel::adapt. @pre a model is loaded
    [[nodiscard]] Status adapt(int chunk, SequencePool& conversations);
    /// Creates an empty sequence under the settings of a conversation. It refers to this object and
    /// to the loaded model. Errors: as Sequence::create, ModelDrafter::create. @pre a model is
    /// loaded
    [[nodiscard]] Result<std::unique_ptr<Sequence>> makeSequence(ConversationId id);
    /// Gives a conversation without a draft model the drafter that its settings name. Errors: as
    /// BlockDrafter::create. @pre a model is loaded and adapted to the settings
    [[nodiscard]] Status chooseDrafter(Sequence& sequence, ConversationId id);

  private:
    [[nodiscard]] Result<std::unique_ptr<RunningModel>> read(const LoadModel& command);
    [[nodiscard]] AutomaticPrecision automatic(const LoadedModel& model);
    void noteThreads();
    [[nodiscard]] Sequence::CompactorMaker compactorMaker();

    const Dependencies dependencies_;
    std::map<std::string, HeadProfiles> given_;  ///< profiles by fingerprint
    std::unique_ptr<RunningModel> model_;
};

}  // namespace lacuna
