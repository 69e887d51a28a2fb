#include "engine/session/model_holder.h"

#include <algorithm>
#include <stop_token>
#include <utility>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/generate/block_drafter.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/drafter.h"
#include "engine/kv/kv_factory.h"
#include "engine/session/read_facts.h"

namespace lacuna {

const RunningModel* ModelHolder::load(const LoadModel& command,
                                      const std::function<void()>& release) {
    EngineIo& io = dependencies_.io;
    const std::int64_t begin = io.clock().nowNs();
    const EngineState before = io.state();
    const std::string path = command.path.string();
    io.enter(EngineState::Loading);
    auto made = read(command);
    if (!made) {
        dependencies_.log.warn(
            "session", format("model not loaded path={} error={}", path, describe(made.error())));
        io.post(ModelFailed{.path = path,
                            .error = std::move(made).error(),
                            .previousStillLoaded = model_ != nullptr});
        io.enter(before);
        return nullptr;
    }
    release();
    model_.reset();
    model_ = std::move(*made);
    const double seconds = secondsSince(io.clock(), begin);
    dependencies_.log.info("session", format("model loaded path={} seconds={:.2f}", path, seconds));
    if (const auto given = given_.find(model_->facts().fingerprint); given != given_.end())
        model_->use(given->second);
    else if (dependencies_.profilesGiven)
        model_->use({});
    io.post(ModelLoaded{.facts = model_->facts(), .seconds = seconds});
    io.post(HeadProfilesInEffect{.fingerprint = model_->facts().fingerprint,
                                 .profiles = model_->headProfiles(),
                                 .at = io.at()});
    noteThreads();
    if (std::string unused = model_->loaded().spec.unusedKeysNote(); !unused.empty())
        io.post(Notice{std::move(unused)});
    return model_.get();
}

void ModelHolder::unload(const std::function<void()>& release) {
    if (!model_) return;
    release();
    model_.reset();
    dependencies_.io.post(ModelUnloaded{});
    dependencies_.io.enter(EngineState::NoModel);
}

void ModelHolder::inspect(const InspectModel& command) {
    const auto inspection =
        inspectModel(command.path, dependencies_.machine, dependencies_.settings.shared(),
                     dependencies_.precision.folder);
    ModelInspected answer;
    if (inspection) {
        answer.page = modelPage(command.path, *inspection);
    } else {
        answer.page.path = command.path.string();
        answer.error = inspection.error();
    }
    dependencies_.io.post(std::move(answer));
}

Result<std::unique_ptr<RunningModel>> ModelHolder::read(const LoadModel& command) {
    const EngineConfig& config = dependencies_.settings.shared();
    std::stop_source stop;
    const std::stop_callback outer(dependencies_.io.stop(), [&stop] { stop.request_stop(); });
    if (!command.draft.empty()) LACUNA_TRY_STATUS(checkWithDraft(config));
    LoadOptions options;
    options.stop = stop.get_token();
    options.measured = dependencies_.profileFolder;
    options.progress = [&](double share) {
        dependencies_.io.post(ModelLoading{.path = command.path.string(), .share = share});
        if (dependencies_.io.cancelRequested()) stop.request_stop();
    };
    LACUNA_TRY(auto loaded, dependencies_.makers.load(command.path, options));
    const ModelFacts facts = factsOf(*loaded, dependencies_.profileFolder);
    if (const auto checked = check(config, &facts, dependencies_.machine); !checked)
        return tl::unexpected<Error>(withPrefix(violationsError(checked.error()),
                                                format("the settings do not fit {}", facts.name)));
    LACUNA_TRY(auto running,
               RunningModel::create(
                   std::move(loaded), dependencies_.makers,
                   {.niceness = 0,
                    .automatic = [this](const LoadedModel& model) { return automatic(model); },
                    .profileFolder = dependencies_.profileFolder},
                   config, dependencies_.machine));
    if (command.draft.empty()) return running;
    LACUNA_TRY(auto draft, dependencies_.makers.load(command.draft, options));
    LACUNA_TRY_STATUS(running->addDraft(std::move(draft)));
    return running;
}

Result<std::unique_ptr<Transformer>> ModelHolder::makeTransformer(
    int rows, std::optional<Precision> precision) {
    return dependencies_.makers.transformer(
        model_->shared(), model_->pool(),
        {.precision = precision.value_or(model_->facts().precision), .maxTokens = rows});
}

void ModelHolder::use(const AutomaticPrecision& precision) {
    if (!model_) return;
    model_->useAutomatic(precision);
    dependencies_.io.post(PrecisionChosen{precision.precision, precision.klMean, precision.note});
}

void ModelHolder::use(const HeadProfiles& profiles, SequencePool& conversations,
                      const JustMeasured& just) {
    model_->use(profiles);
    const HeadProfiles& now = model_->headProfiles();
    conversations.forEach([&now](Sequence& sequence) { sequence.compactor().use(now); });
    dependencies_.io.post(HeadProfilesInEffect{.fingerprint = model_->facts().fingerprint,
                                               .profiles = now,
                                               .at = dependencies_.io.at(),
                                               .seconds = just.seconds,
                                               .fitSeconds = just.fitSeconds});
}

void ModelHolder::noteThreads() {
    const int has = model_->pool().threads();
    if (has >= model_->requestedThreads()) return;
    dependencies_.io.post(
        Notice{format("The system gave {} of {} compute threads; answers are slower.", has,
                      model_->requestedThreads())});
}

Status ModelHolder::adapt(int chunk, SequencePool& conversations) {
    EngineConfig room = dependencies_.settings.shared();
    room.prefillChunk = std::max(room.prefillChunk, chunk);
    const std::string known = model_->facts().precisionNote;
    LACUNA_TRY_STATUS(model_->adapt(room, dependencies_.machine, [&] {
        conversations.forEach(
            [this](Sequence& sequence) { sequence.replaceCompactor(compactorMaker()); });
        noteThreads();
    }));
    const ModelFacts& facts = model_->facts();
    if (facts.precisionNote != known)
        dependencies_.io.post(
            PrecisionChosen{facts.precision, facts.precisionKl, facts.precisionNote});
    return {};
}

AutomaticPrecision ModelHolder::automatic(const LoadedModel& model) {
    AutomaticPrecision found = automaticPrecision(dependencies_.precision, model);
    for (std::string& sentence : found.messages) dependencies_.io.post(Notice{std::move(sentence)});
    return found;
}

Result<std::unique_ptr<Sequence>> ModelHolder::makeSequence(ConversationId id) {
    const auto makeCache = [this, id] {
        return makeCacheFor(cacheModelOf(model_->facts()), dependencies_.settings.of(id).kv);
    };
    LACUNA_TRY(auto sequence, Sequence::create(makeCache, compactorMaker()));
    if (model_->draft() == nullptr) return sequence;
    LACUNA_TRY(auto drafter,
               ModelDrafter::create(*model_->draft(), dependencies_.settings.of(id).kv.type));
    sequence->setDrafter(std::move(drafter));
    return sequence;
}

Status ModelHolder::chooseDrafter(Sequence& sequence, ConversationId id) {
    if (model_->draft() != nullptr) return {};
    const EngineConfig& config = dependencies_.settings.of(id);
    const DraftModel* const block =
        config.draftSource == DraftSource::Mtp ? model_->draftBlock() : nullptr;
    if (block == nullptr) {
        sequence.setDrafter(nullptr);
    } else if (sequence.drafter() == nullptr) {
        LACUNA_TRY(auto drafter, BlockDrafter::create(*block, config.kv.type));
        sequence.setDrafter(std::move(drafter));
    }
    return {};
}

Sequence::CompactorMaker ModelHolder::compactorMaker() {
    return [this](const KvShape& shape) {
        CompactorModel model = compactorModel(
            model_->loaded(), dependencies_.settings.shared().sampling.seed.value_or(0),
            model_->headProfiles());
        model.profileNote = model_->headProfileNote();
        model.nextId = [this] { return dependencies_.io.nextCompaction(); };
        model.backgroundThreads = model_->pool().threads();
        model.lossInPauses = true;
        return std::make_unique<Compactor>(model, shape, model_->pool(), dependencies_.io.clock());
    };
}

}  // namespace lacuna
