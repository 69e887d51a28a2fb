#include "engine/report/recorder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/base/clock.h"

namespace lacuna {
namespace {

/// Drops every second item if there are more than `most`; keeps the first.
template <class T>
void thin(std::vector<T>& items, std::size_t most) {
    if (items.size() <= most) return;
    for (std::size_t i = 1; 2 * i < items.size(); ++i) items[i] = std::move(items[2 * i]);
    items.resize((items.size() + 1) / 2);
}

/// Upper bound of the memory for retention, about 20 MB.
constexpr std::size_t kMostRetentionCells = 4'000'000;

std::size_t cellsOf(const RecordedRetention& one) {
    return one.slots.size() + one.holderRuns.size() + one.weightRuns.size() + one.lengths.size() +
           one.text.size() / sizeof(int);
}

}  // namespace

const ModelFacts* modelOf(const Recording& recording, const RecordedTurn& turn) {
    if (turn.fingerprint.empty()) return nullptr;
    if (recording.model && recording.model->fingerprint == turn.fingerprint)
        return &*recording.model;
    const auto earlier =
        std::ranges::find(recording.earlierModels, turn.fingerprint, &ModelFacts::fingerprint);
    return earlier == recording.earlierModels.end() ? nullptr : &*earlier;
}

std::vector<const ModelFacts*> modelsOf(const Recording& recording) {
    std::vector<const ModelFacts*> models;
    for (const ModelFacts& one : recording.earlierModels) models.push_back(&one);
    if (recording.model) models.push_back(&*recording.model);
    return models;
}

std::vector<ChatMessage> messagesOf(const Recording& recording, const RecordedTurn& turn) {
    const RecordedTurn* one = &turn;
    std::vector<ChatMessage> messages(one->kept + one->started.messages.size());
    std::copy(one->started.messages.begin(), one->started.messages.end(),
              messages.begin() + static_cast<std::ptrdiff_t>(one->kept));
    for (std::size_t missing = one->kept; missing > 0; missing = std::min(missing, one->kept)) {
        one = &recording.turns[one->continues];
        for (std::size_t i = one->kept; i < missing; ++i)
            messages[i] = one->started.messages[i - one->kept];
    }
    return messages;
}

Command commandOf(const ConfigApplied& applied) {
    if (!applied.conversation) return SetConfig{applied.revision, applied.config};
    return SetCacheSettings{
        applied.revision, *applied.conversation,
        applied.own ? std::optional(cacheSettingsOf(applied.config)) : std::nullopt};
}

Recorder::Recorder(MachineFacts machine, EngineConfig initialConfig, std::int64_t startedUnixMs,
                   std::size_t maxSamples)
    : maxSamples_(std::max<std::size_t>(maxSamples, 2)) {
    recording_.machine = std::move(machine);
    recording_.initialConfig = std::move(initialConfig);
    recording_.startedUnixMs = startedUnixMs;
    recording_.startedNs = SteadyClock().nowNs();
}

void Recorder::add(const Event& event) {
    std::visit(
        [this](const auto& one) {
            if constexpr (requires { this->on(one); }) on(one);
        },
        event);
}

/// The previous model is kept if it answered a turn, because a report lists all such models.
void Recorder::on(const ModelLoaded& event) {
    std::vector<ModelFacts>& earlier = recording_.earlierModels;
    const auto same = [](const std::string& fingerprint) {
        return [&fingerprint](const auto& one) { return one.fingerprint == fingerprint; };
    };
    if (recording_.model && recording_.model->fingerprint != event.facts.fingerprint &&
        std::ranges::any_of(recording_.turns, same(recording_.model->fingerprint)))
        earlier.push_back(*recording_.model);
    std::erase_if(earlier, same(event.facts.fingerprint));
    recording_.model = event.facts;
    modelLoaded_ = true;
}

/// The facts are kept, since this model answered the previous turns.
void Recorder::on(const ModelUnloaded&) {
    modelLoaded_ = false;
}

void Recorder::on(const PrecisionChosen& event) {
    if (!recording_.model) return;
    recording_.model->precision = event.precision;
    recording_.model->precisionKl = event.klMean;
    recording_.model->precisionNote = event.note;
}

/// The head profiles become part of the recording, because the files next to models may change.
void Recorder::on(const HeadProfilesInEffect& event) {
    recording_.commands.push_back({event.at, UseHeadProfiles{event.fingerprint, event.profiles}});
    if (recording_.model && recording_.model->fingerprint == event.fingerprint)
        recording_.model->surrogate = event.profiles.surrogate != nullptr;
}

void Recorder::on(const TurnStarted& event) {
    RecordedTurn turn;
    turn.started = event;
    if (modelLoaded_ && recording_.model) turn.fingerprint = recording_.model->fingerprint;
    LastTurn& last = lastTurns_[turn.started.conversation];
    shareMessages(turn, last);
    recording_.turns.push_back(std::move(turn));
    // `last` is updated after push_back, so that it stays valid if an allocation fails.
    const RecordedTurn& added = recording_.turns.back();
    last.messages.resize(added.kept);
    last.turn = recording_.turns.size() - 1;
    last.answered = 0;
    for (std::size_t i = 0; i < added.started.messages.size(); ++i)
        last.messages.push_back({last.turn, i});
}

/// Removes the messages that a turn shares with the last one of its conversation.
void Recorder::shareMessages(RecordedTurn& turn, const LastTurn& last) const {
    std::vector<ChatMessage>& messages = turn.started.messages;
    const std::size_t newest = messages.empty() ? 0 : messages.size() - 1;
    const std::size_t most = std::min(last.messages.size(), newest);
    while (turn.kept < most && messageAt(last.messages[turn.kept]) == messages[turn.kept])
        ++turn.kept;
    if (turn.kept > 0) turn.continues = last.turn;
    // A new vector is made, because erase() would not release memory.
    const auto own = messages.begin() + static_cast<std::ptrdiff_t>(turn.kept);
    messages = std::vector<ChatMessage>(std::make_move_iterator(own),
                                        std::make_move_iterator(messages.end()));
}

void Recorder::on(const TurnFinished& event) {
    if (event.turn == 0) return;  // it never began
    if (event.reason == FinishReason::Cancelled)
        recording_.commands.push_back({event.at, CancelTurn{event.conversation}});
    const auto turn = std::ranges::find_if(
        recording_.turns, [&](const RecordedTurn& one) { return one.started.turn == event.turn; });
    if (turn != recording_.turns.end()) turn->finished = event;
}

void Recorder::on(const ConfigApplied& event) {
    recording_.generations.push_back(event);
    recording_.commands.push_back({event.at, commandOf(event)});
}

/// Recodings that end after a step, or fail, do so again in a replay without a command.
void Recorder::on(const CacheRecoded& event) {
    if (event.inPause)
        recording_.commands.push_back({event.at, FinishRecoding{event.conversation}});
}

void Recorder::on(const CompactionHappened& event) {
    newestNs_ = std::max(newestNs_, event.timeNs);
    recording_.compactions.push_back(event);
    recording_.compactions.back().retention.reset();
    if (event.retention) on(*event.retention);
    if (event.report.cause == CompactionCause::Manual)
        recording_.commands.push_back({event.at, CompactNow{event.conversation}});
}

void Recorder::on(const PrefixCacheChanged& event) {
    recording_.kept = event;
    std::vector<KeptBytes>& sizes = recording_.keptBytes;
    const KeptBytes now{.timeNs = newestNs_ > 0 ? newestNs_ : recording_.startedNs,
                        .memoryBytes = event.stats.bytes,
                        .diskBytes = event.disk.bytes};
    if (!sizes.empty() && sizes.back().memoryBytes == now.memoryBytes &&
        sizes.back().diskBytes == now.diskBytes)
        return;
    sizes.push_back(now);
    thin(sizes, maxSamples_);
}

/// An operation that changed nothing is not replayed.
void Recorder::on(const SpanRestored& event) {
    if (!event.ended) return;
    recording_.restores.push_back(event);
    if (event.error || event.offered || event.count == 0) return;
    recording_.commands.push_back({event.at, BringBack{.conversation = event.conversation,
                                                       .first = event.first,
                                                       .count = event.count,
                                                       .spans = event.spans,
                                                       .restored = event.restoredTokens,
                                                       .forQuestion = event.forQuestion}});
}

void Recorder::on(const TokenText& event) {
    const auto last = lastTurns_.find(event.conversation);
    if (last != lastTurns_.end())
        last->second.answered += static_cast<std::int64_t>(event.text.size());
}

/// The text of a step is published before the step itself.
void Recorder::markAnswer(const StepSample& event) {
    const auto last = lastTurns_.find(event.conversation);
    if (last == lastTurns_.end() || event.phase == EngineState::Idle) return;
    std::vector<AnswerMark>& marks = recording_.turns[last->second.turn].marks;
    if (last->second.answered > (marks.empty() ? 0 : marks.back().bytes))
        marks.push_back({event.timeNs, last->second.answered});
}

void Recorder::on(const RetentionSnapshot& event) {
    if (event.row.tokens == 0) return;
    ++recording_.retentionSeen;
    std::vector<RecordedRetention>& all = recording_.retention;
    addRetention(all, event, newestNs_);
    retentionCells_ += cellsOf(all.back());
    while (retentionCells_ > kMostRetentionCells && all.size() > 1) {
        thinRetention(all);
        retentionCells_ = 0;
        for (const RecordedRetention& one : all) retentionCells_ += cellsOf(one);
    }
}

/// Pins set at the start of a turn are part of the turn, so only the answers to PinText are
/// recorded.
void Recorder::on(const TextPinned& event) {
    if (event.error || !event.asked) return;
    recording_.commands.push_back({event.at, PinText{.conversation = event.conversation,
                                                     .messages = {},
                                                     .pins = {},
                                                     .spans = event.spans}});
}

void Recorder::on(const StepSample& event) {
    newestNs_ = std::max(newestNs_, event.timeNs);
    markAnswer(event);
    ++recording_.samplesSeen;
    std::vector<StepSample>& samples = recording_.samples;
    samples.push_back(event);
    thin(samples, maxSamples_);
}

void Recorder::on(const QualitySampled& event) {
    ++recording_.qualitySeen;
    recording_.quality.push_back(event);
    thin(recording_.quality, maxSamples_);
}

}  // namespace lacuna
