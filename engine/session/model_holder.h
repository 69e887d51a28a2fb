#pragma once
/// \file
/// The model in use: read next to the one before it and swapped in whole, or the one before stays.
/// What conversations are answered with is made here too, because it is cut to the model: caches,
/// compactors, drafters. Owned by the engine thread; called at safe points.

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/base/log.h"
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/running_model.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

class ModelHolder {
  public:
    struct Means {
        const ModelMakers& makers;
        const PrecisionSource& precision;
        const MachineFacts& machine;
        const ConversationSettings& settings;  ///< in force
        EngineDoors& doors;
        Logger& log;
        std::filesystem::path profileFolder = {};  ///< as RunningModel::Options
        bool profilesGiven = false;                ///< they come from give() alone
    };
    /// What `means` refers to must outlive it.
    explicit ModelHolder(Means means) : means_(means) {}

    /// Null while none is in use.
    [[nodiscard]] RunningModel* model() const { return model_.get(); }
    /// Null while none is in use.
    [[nodiscard]] const ModelFacts* facts() const { return model_ ? &model_->facts() : nullptr; }

    /// Answers with ModelLoading, and ModelLoaded or ModelFailed; a cancel ends the reading. When
    /// all is read, `letGo` is called for everything that uses the model before it. Null when the
    /// model before stays.
    [[nodiscard]] const RunningModel* load(const LoadModel& command,
                                           const std::function<void()>& letGo);
    /// Answers with ModelUnloaded, after `letGo`; nothing is said where there is no model.
    void unload(const std::function<void()>& letGo);
    /// Answers with ModelInspected.
    void inspect(const InspectModel& command);

    /// Profiles that count for a model, now or when it is loaded, whatever lies next to its file.
    void give(UseHeadProfiles command) {
        given_.insert_or_assign(command.fingerprint, command.profiles);
    }
    /// Another transformer of the model in use, for `rows` tokens, with what precision=auto stands
    /// for unless another one is named. Errors: as Transformer::create. @pre a model is in use
    [[nodiscard]] Result<std::unique_ptr<Transformer>> makeTransformer(
        int rows, std::optional<Precision> precision = std::nullopt);
    /// What precision=auto stands for from the next answer on; publishes PrecisionChosen. Without
    /// a model nothing happens.
    void use(const AutomaticPrecision& precision);
    /// Seconds that measuring took just now; 0: it was not.
    struct JustMeasured {
        double seconds = 0;     ///< of heads
        double fitSeconds = 0;  ///< of the surrogate
    };
    /// What is known of the model's heads from now on, for it and for `conversations`; publishes
    /// HeadProfilesInForce. @pre a model is in use
    void use(const HeadProfiles& profiles, ConversationStore& conversations,
             const JustMeasured& just);

    /// Brings threads and activations in line with the settings in force, for prompt chunks of at
    /// least `chunk` tokens. Compactors of `conversations` are made again where threads are
    /// replaced. Errors: as RunningModel::adapt. @pre a model is in use
    [[nodiscard]] Status adapt(int chunk, ConversationStore& conversations);
    /// An empty sequence under the settings of a conversation. It refers to this object and to the
    /// model in use. Errors: as Sequence::create, ModelDrafter::create. @pre a model is in use
    [[nodiscard]] Result<std::unique_ptr<Sequence>> makeSequence(ConversationId id);

  private:
    [[nodiscard]] Result<std::unique_ptr<RunningModel>> read(const LoadModel& command);
    [[nodiscard]] AutomaticPrecision automatic(const LoadedModel& model);
    void noteThreads();
    [[nodiscard]] Sequence::CompactorMaker compactorMaker();

    const Means means_;
    std::map<std::string, HeadProfiles> given_;  ///< by fingerprint
    std::unique_ptr<RunningModel> model_;
};

}  // namespace lacuna
