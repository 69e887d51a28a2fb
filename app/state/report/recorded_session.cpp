// A recording contains safe points, but times only for steps and compactions. Start and end times
// of turns are derived from the steps of their conversation between these points. Rows for charts
// and timeline are produced by SessionFeed, as in a live session.

#include "app/state/report/recorded_session.h"
#include "app/state/list_text.h"

#include <QDateTime>
#include <QHash>
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/number_format.h"
#include "app/state/telemetry/retention_rows.h"
#include "app/state/telemetry/session_feed.h"
#include "app/state/view_rows.h"
#include "engine/report/recorder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna::app {

namespace {

constexpr qint64 kNsPerMs = 1'000'000;
constexpr qsizetype kTitleLength = 60;

/// Start and end of a turn; `end` is in the far future if it never ended.
struct TurnTimes {
    qint64 begin = 0;
    qint64 end = std::numeric_limits<qint64>::max();
};

qint64 firstTime(const Recording& recording) {
    qint64 first = std::numeric_limits<qint64>::max();
    const auto take = [&first](const auto& list) {
        for (const auto& one : list) first = std::min<qint64>(first, one.timeNs);
    };
    if (!recording.samples.empty()) {
        const StepSample& step = recording.samples.front();
        first = step.timeNs - static_cast<qint64>(step.stepMs * kNsPerMs);
    }
    take(recording.compactions);
    take(recording.generations);
    take(recording.quality);
    if (recording.startedNs > 0) first = std::min<qint64>(first, recording.startedNs);
    return first == std::numeric_limits<qint64>::max() ? 0 : first;
}

std::vector<TurnTimes> turnTimes(const Recording& recording, qint64 first) {
    std::vector<TurnTimes> all;
    std::size_t from = 0;
    qint64 newest = first;  // Latest time of the events before the turn.
    for (const RecordedTurn& turn : recording.turns) {
        while (from < recording.samples.size() && recording.samples[from].at < turn.started.at)
            newest = std::max<qint64>(newest, recording.samples[from++].timeNs);
        TurnTimes times{.begin = newest};
        std::optional<qint64> last;
        for (std::size_t i = from; i < recording.samples.size(); ++i) {
            const StepSample& step = recording.samples[i];
            if (turn.finished && turn.finished->at < step.at) break;
            if (step.conversation != turn.started.conversation) continue;
            if (!last)
                times.begin =
                    std::max(newest, step.timeNs - static_cast<qint64>(step.stepMs * kNsPerMs));
            last = step.timeNs;
        }
        if (turn.finished) times.end = std::max(last.value_or(times.begin), times.begin);
        all.push_back(times);
    }
    return all;
}

QString oneLineTitle(const std::string& question) {
    const QString text = toQt(question).simplified();
    return text.size() <= kTitleLength ? text
                                       : QString(text.left(kTitleLength - 1) + QChar(0x2026));
}

MessageRole speakerOf(const std::string& role) {
    if (role == "system") return MessageRole::System;
    return role == "assistant" ? MessageRole::Model : MessageRole::Person;
}

}  // namespace

struct RecordedSession::Impl {
    std::shared_ptr<const Recording> recording;
    QString name;
    qint64 first = 0;
    std::vector<TurnTimes> times;  ///< by turn
    QVector<Conversation> conversations;
    QVector<qint64> moments;
    QVector<Mark> marks;
    MetricsStore metrics;
    QVector<EventRow> timeline;
    bool proportional = false;
    QHash<qint64, QVector<qsizetype>> stepsOf;  ///< indices into Recording::samples by conversation
    struct RetentionSample {
        qint64 timeNs = 0;
        std::size_t place = 0;  ///< index into Recording::retention
        QVector<qint64> lostBy;
    };
    QHash<qint64, QVector<RetentionSample>> held;  ///< by conversation, in time order

    Impl(std::shared_ptr<const Recording> given, QString file)
        : recording(std::move(given)),
          name(std::move(file)),
          first(firstTime(*recording)),
          times(turnTimes(*recording, first)) {
        findConversations();
        findMoments();
        publishToFeed();
        followRetention();
    }

    [[nodiscard]] qint64 inSession(qint64 timeNs) const { return std::max(timeNs, first); }

    void findConversations() {
        for (const RecordedTurn& turn : recording->turns) {
            const qint64 id = turn.started.conversation.value;
            proportional = proportional ||
                           (turn.finished && !turn.finished->text.empty() && turn.marks.empty());
            const bool known = std::any_of(conversations.begin(), conversations.end(),
                                           [id](const Conversation& one) { return one.id == id; });
            if (known) continue;
            const std::vector<ChatMessage>& asked = turn.started.messages;
            conversations.push_back(
                {id, asked.empty() ? QString() : oneLineTitle(asked.back().content)});
        }
    }

    void findMoments() {
        moments.push_back(first);
        for (std::size_t i = 0; i < recording->samples.size(); ++i) {
            const StepSample& step = recording->samples[i];
            stepsOf[step.conversation.value].push_back(static_cast<qsizetype>(i));
            moments.push_back(inSession(step.timeNs));
        }
        for (const TurnTimes& turn : times) {
            moments.push_back(turn.begin);
            marks.push_back({turn.begin, Mark::Kind::Question});
            if (turn.end != std::numeric_limits<qint64>::max()) moments.push_back(turn.end);
        }
        for (const CompactionHappened& one : recording->compactions) {
            moments.push_back(inSession(one.timeNs));
            if (compacted(outcomeOf(one.report)))
                marks.push_back({inSession(one.timeNs), Mark::Kind::Compaction});
        }
        for (const ConfigApplied& one : recording->generations)
            moments.push_back(inSession(one.timeNs));
        std::sort(moments.begin(), moments.end());
        moments.erase(std::unique(moments.begin(), moments.end()), moments.end());
        std::sort(marks.begin(), marks.end(),
                  [](const Mark& a, const Mark& b) { return a.timeNs < b.timeNs; });
    }

    /// An event to replay into SessionFeed; steps are replayed separately.
    struct TimedEvent {
        qint64 timeNs = 0;
        std::function<void(SessionFeed&)> publish;
    };
    /// Returns all events in time order. Replaying them updates `inEffect`.
    [[nodiscard]] std::vector<TimedEvent> timedEvents(ConversationSettings& inEffect) const {
        std::vector<TimedEvent> all;
        addModels(all);
        addKeptBytes(all);
        for (const ConfigApplied& one : recording->generations)
            all.push_back({one.timeNs, [&one, &inEffect](SessionFeed& feed) {
                               inEffect.take(one.conversation, one.own, one.config);
                               feed.onApplied(one);
                           }});
        for (const ConfigRejected& one : recording->rejections)
            all.push_back({one.timeNs, [&one](SessionFeed& feed) { feed.onRejected(one); }});
        for (std::size_t i = 0; i < recording->turns.size(); ++i) {
            const RecordedTurn& turn = recording->turns[i];
            all.push_back(
                {times[i].begin, [&turn](SessionFeed& feed) { feed.onTurnStarted(turn.started); }});
            if (turn.finished)
                all.push_back({times[i].end, [&turn](SessionFeed& feed) {
                                   feed.onTurnFinished(*turn.finished);
                               }});
        }
        for (const CompactionHappened& one : recording->compactions)
            all.push_back({one.timeNs, [&one](SessionFeed& feed) { feed.onCompaction(one); }});
        for (const QualitySampled& one : recording->quality)
            all.push_back({one.timeNs, [&one](SessionFeed& feed) { feed.onQuality(one); }});
        for (const SpanRestored& one : recording->restores)
            all.push_back(
                {timeOf(one.at), [&one](SessionFeed& feed) { feed.onSpanRestored(one); }});
        std::stable_sort(all.begin(), all.end(), [](const TimedEvent& a, const TimedEvent& b) {
            return a.timeNs < b.timeNs;
        });
        return all;
    }

    /// Inserts a load before the first turn of each model; it lasts until the next turn of another
    /// model.
    void addModels(std::vector<TimedEvent>& all) const {
        const auto load = [&all](qint64 time, const ModelFacts* model) {
            all.push_back({time, [model](SessionFeed& feed) {
                               feed.onLoaded(ModelLoaded{.facts = *model});
                           }});
        };
        const auto answered = [this](const ModelFacts* model) {
            return std::any_of(recording->turns.begin(), recording->turns.end(),
                               [model](const RecordedTurn& turn) {
                                   return turn.fingerprint == model->fingerprint;
                               });
        };
        for (const ModelFacts* model : modelsOf(*recording))
            if (!answered(model)) load(first, model);
        const ModelFacts* inEffect = nullptr;
        for (std::size_t i = 0; i < recording->turns.size(); ++i) {
            const ModelFacts* model = modelOf(*recording, recording->turns[i]);
            if (model == nullptr || model == inEffect) continue;
            inEffect = model;
            load(times[i].begin - 1, model);
        }
    }

    /// Older reports contain only the final sizes.
    void addKeptBytes(std::vector<TimedEvent>& all) const {
        const auto keep = [&all](qint64 time, qint64 memory, qint64 disk) {
            all.push_back({time, [memory, disk](SessionFeed& feed) {
                               PrefixCacheChanged changed;
                               changed.stats.bytes = memory;
                               changed.disk.bytes = disk;
                               feed.onPrefixes(changed);
                           }});
        };
        for (const KeptBytes& one : recording->keptBytes)
            keep(one.timeNs, one.memoryBytes, one.diskBytes);
        if (recording->keptBytes.empty() && recording->kept)
            keep(moments.back(), recording->kept->stats.bytes, recording->kept->disk.bytes);
    }
    /// Returns the time of the latest step before a safe point.
    [[nodiscard]] qint64 timeOf(SafePoint at) const {
        qint64 time = first;
        for (const StepSample& step : recording->samples) {
            if (at < step.at) break;
            time = std::max<qint64>(time, step.timeNs);
        }
        return time;
    }

    void publishToFeed() {
        ConversationSettings inEffect(recording->initialConfig);
        SessionFeed feed(inEffect);
        qint64 now = first;
        QObject::connect(&feed, &SessionFeed::samplesArrived, &feed,
                         [this](const QVector<SampleRow>& rows) { metrics.addSamples(rows); });
        QObject::connect(&feed, &SessionFeed::compactionArrived, &feed,
                         [this](const CompactionRow& row) { metrics.addCompactions({row}); });
        QObject::connect(&feed, &SessionFeed::qualityArrived, &feed,
                         [this](const QualityRow& row) { metrics.addQuality({row}); });
        QObject::connect(&feed, &SessionFeed::configArrived, &feed,
                         [this](const ConfigRow& row) { metrics.addConfigs({row}); });
        QObject::connect(&feed, &SessionFeed::turnArrived, &feed, [this, &now](TurnRow row) {
            row.timeNs = now;
            metrics.addTurns({row});
        });
        QObject::connect(&feed, &SessionFeed::cachesDropped, &feed,
                         [this, &now](qint64) { metrics.dropCaches(now); });
        QObject::connect(&feed, &SessionFeed::storedArrived, &feed, [this, &now](StoredRow row) {
            row.timeNs = now;
            metrics.addStored(row);
        });
        QObject::connect(&feed, &SessionFeed::restoredArrived, &feed,
                         [this, &now](RestoredRow row) {
                             row.timeNs = now;
                             metrics.addRestored(row);
                         });
        QObject::connect(&feed, &SessionFeed::eventArrived, &feed, [this, &now](EventRow row) {
            row.timeNs = now;
            row.when =
                QDateTime::fromMSecsSinceEpoch(recording->startedUnixMs + (now - first) / kNsPerMs);
            timeline.push_back(row);
        });
        const std::vector<TimedEvent> told = timedEvents(inEffect);
        auto next = told.begin();
        const auto publishUntil = [&](qint64 time) {
            for (; next != told.end() && next->timeNs < time; ++next) {
                now = inSession(next->timeNs);
                next->publish(feed);
            }
        };
        for (const StepSample& step : recording->samples) {
            publishUntil(step.timeNs);
            feed.onSample(step);
        }
        publishUntil(std::numeric_limits<qint64>::max());
        feed.flush();
    }

    /// Derives the compaction that evicted each token from successive snapshots.
    void followRetention() {
        RetentionHistory history;
        auto compaction = metrics.compactions().begin();
        for (std::size_t place = 0; place < recording->retention.size(); ++place) {
            const RecordedRetention& one = recording->retention[place];
            for (;
                 compaction != metrics.compactions().end() && compaction->row.timeNs <= one.timeNs;
                 ++compaction)
                if (compacted(outcomeOf(compaction->row)))
                    history.compacted(compaction->row.conversation, compaction->row.number);
            const RetentionView view =
                history.noted(viewOf(snapshotOf(recording->retention, place)));
            held[one.conversation.value].push_back({one.timeNs, place, view.lostBy});
        }
    }

    /// Returns the index of the last turn started before `timeNs`, optionally of one conversation;
    /// -1 if there is none.
    [[nodiscard]] int turnAt(std::optional<qint64> conversation, qint64 timeNs) const {
        int found = -1;
        for (std::size_t i = 0; i < times.size(); ++i) {
            const qint64 id = recording->turns[i].started.conversation.value;
            if (times[i].begin <= timeNs && (!conversation || *conversation == id))
                found = static_cast<int>(i);
        }
        return found;
    }

    /// Returns the latest step of a conversation completed by `timeNs`; null if there is none.
    [[nodiscard]] const StepSample* stepAt(qint64 conversation, qint64 timeNs) const {
        const QVector<qsizetype> steps = stepsOf.value(conversation);
        const auto after = std::upper_bound(
            steps.begin(), steps.end(), timeNs, [this](qint64 time, qsizetype step) {
                return time < recording->samples[static_cast<std::size_t>(step)].timeNs;
            });
        return after == steps.begin()
                   ? nullptr
                   : &recording->samples[static_cast<std::size_t>(*std::prev(after))];
    }

    /// Returns the part of a turn's answer written by `timeNs`.
    [[nodiscard]] ChatLine answerAt(std::size_t place, qint64 timeNs) const {
        const RecordedTurn& turn = recording->turns[place];
        ChatLine line;
        line.speaker = MessageRole::Model;
        line.model = modelNameOf(turn);
        line.state = LineState::Waiting;
        if (!turn.finished) {
            line.problem = SessionFeed::tr("The report was written before this answer ended.");
            return line;
        }
        const TurnFinished& finished = *turn.finished;
        if (timeNs >= times[place].end) {
            line.text = toQt(finished.text);
            line.state = finished.error                               ? LineState::Failed
                         : finished.reason == FinishReason::Cancelled ? LineState::Stopped
                                                                      : LineState::Done;
            if (finished.error) line.problem = toQt(lacuna::describe(*finished.error));
            line.figures = rowOf(finished, times[place].end);
            return line;
        }
        const std::size_t bytes = writtenBytes(place, timeNs);
        line.text = toQt(std::string_view(finished.text).substr(0, bytes));
        if (bytes > 0) line.state = LineState::Streaming;
        return line;
    }

    [[nodiscard]] std::size_t writtenBytes(std::size_t place, qint64 timeNs) const {
        const RecordedTurn& turn = recording->turns[place];
        const std::string& text = turn.finished->text;
        const auto within = [&text](std::int64_t bytes) {
            auto end = std::min(static_cast<std::size_t>(bytes), text.size());
            while (end > 0 && end < text.size() &&
                   (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U)
                --end;
            return end;
        };
        if (!turn.marks.empty()) {
            const auto after = std::upper_bound(
                turn.marks.begin(), turn.marks.end(), timeNs,
                [](qint64 time, const AnswerMark& mark) { return time < mark.timeNs; });
            return after == turn.marks.begin() ? 0 : within(std::prev(after)->bytes);
        }
        qint64 before = 0, all = 0;
        for (const qsizetype step : stepsOf.value(turn.started.conversation.value)) {
            const StepSample& sample = recording->samples[static_cast<std::size_t>(step)];
            if (sample.timeNs <= times[place].begin || sample.timeNs > times[place].end ||
                sample.phase != EngineState::Decode)
                continue;
            all += sample.tokens;
            if (sample.timeNs <= timeNs) before += sample.tokens;
        }
        if (all == 0) return 0;
        return within(static_cast<std::int64_t>(text.size()) * before / all);
    }

    /// Returns the name of the model that answered a turn; empty if unknown.
    [[nodiscard]] QString modelNameOf(const RecordedTurn& turn) const {
        const ModelFacts* const model = modelOf(*recording, turn);
        return model == nullptr ? QString() : toQt(model->name);
    }

    /// Fills in figures and model of an earlier answer that is message `index` of a later turn.
    void describe(ChatLine& line, qint64 conversation, std::size_t index,
                  std::size_t before) const {
        for (std::size_t i = before; i-- > 0;) {
            const RecordedTurn& turn = recording->turns[i];
            if (turn.started.conversation.value != conversation || !turn.finished) continue;
            if (turn.kept + turn.started.messages.size() != index) continue;
            line.figures = rowOf(*turn.finished, times[i].end);
            line.model = modelNameOf(turn);
            return;
        }
    }

    [[nodiscard]] QVector<ChatLine> linesAt(qint64 conversation, qint64 timeNs) const {
        const int found = turnAt(conversation, timeNs);
        if (found < 0) return {};
        const auto place = static_cast<std::size_t>(found);
        QVector<ChatLine> lines;
        const std::vector<ChatMessage> messages = messagesOf(*recording, recording->turns[place]);
        for (std::size_t i = 0; i < messages.size(); ++i) {
            ChatLine line;
            line.id = lines.size() + 1;
            line.speaker = speakerOf(messages[i].role);
            line.text = toQt(messages[i].content);
            if (line.speaker == MessageRole::Model) describe(line, conversation, i, place);
            lines.push_back(line);
        }
        lines.push_back(answerAt(place, timeNs));
        lines.back().id = lines.size();
        return lines;
    }

    /// Returns the model of the turn at a time, before the first turn that of the first; null if
    /// there are no turns.
    [[nodiscard]] const ModelFacts* modelAt(qint64 timeNs) const {
        if (recording->turns.empty()) return nullptr;
        const int turn = std::max(turnAt(std::nullopt, timeNs), 0);
        return modelOf(*recording, recording->turns[static_cast<std::size_t>(turn)]);
    }

    [[nodiscard]] RetentionView retentionAt(qint64 conversation, qint64 timeNs) const {
        const StepSample* step = stepAt(conversation, timeNs);
        const QVector<RetentionSample> all = held.value(conversation);
        if (step == nullptr || all.isEmpty()) return {};
        const auto later = std::upper_bound(
            all.begin(), all.end(), timeNs,
            [](qint64 time, const RetentionSample& one) { return time < one.timeNs; });
        const auto tokens = static_cast<qsizetype>(step->kv.tokens);
        const ModelFacts* const model = modelAt(timeNs);
        std::optional<RetentionView> base, text;
        if (later != all.begin()) {
            base = viewOf(snapshotOf(recording->retention, std::prev(later)->place), model);
            base->lostBy = std::prev(later)->lostBy;
        }
        if (later != all.end())
            text = viewOf(snapshotOf(recording->retention, later->place), model);
        RetentionView view = grown(base, text, tokens);
        view.liveBytes = step->kv.liveBytes;
        return view;
    }

    /// Extrapolates the snapshot `base` to `tokens` tokens. All later tokens are held by every
    /// head; their text comes from the later snapshot `text`.
    static RetentionView grown(const std::optional<RetentionView>& base,
                               const std::optional<RetentionView>& text, qsizetype tokens) {
        const qsizetype known = base ? base->tokens() : 0;
        const auto sameText = [&] {
            return text && text->tokens() >= tokens &&
                   (!base ||
                    (known <= text->tokens() && base->text.left(base->starts.value(known)) ==
                                                    text->text.left(text->starts.value(known))));
        };
        const bool grows = tokens > known && sameText();
        if (!grows) return base ? cut(*base, std::min(known, tokens)) : RetentionView();
        RetentionView view = cut(*text, tokens);
        for (qsizetype token = 0; token < tokens; ++token) {
            const bool old = token < known;
            view.share[token] = old ? base->share.at(token) : 1.0F;
            view.lostBy[token] = old ? base->lostBy.value(token) : 0;
            for (int layer = 0; layer < view.layers; ++layer)
                view.holders[layer * tokens + token] =
                    old ? base->holders.at(layer * known + token)
                        : static_cast<quint16>(view.headsOf(layer));
        }
        view.weight.clear();
        if (base && !base->weight.isEmpty()) {
            view.weight = base->weight;
            view.weight.resize(tokens);
            std::fill(view.weight.begin() + known, view.weight.end(), 1.0F);
        }
        view.slots = base ? base->slots : QVector<int>(view.headsBefore(view.layers), 0);
        for (int& slots : view.slots) slots += static_cast<int>(tokens - known);
        return view;
    }

    /// Returns the first `tokens` tokens of a view.
    static RetentionView cut(RetentionView view, qsizetype tokens) {
        const qsizetype all = view.tokens();
        view.lostBy.resize(all);
        if (tokens >= all) return view;
        QVector<quint16> holders;
        for (int layer = 0; layer < view.layers; ++layer)
            holders += view.holders.mid(layer * all, tokens);
        view.holders = holders;
        for (QVector<float>* figures : {&view.share, &view.weight, &view.keyLength})
            if (!figures->isEmpty()) figures->resize(tokens);
        view.lostBy.resize(tokens);
        view.starts.resize(tokens + 1);
        view.text.truncate(view.starts.back());
        return view;
    }

    /// Returns the rate of the complete answer, as shown below it; 0 if there is none.
    [[nodiscard]] double answerRate(int turn) const {
        if (turn < 0 || !recording->turns[static_cast<std::size_t>(turn)].finished) return 0;
        return lacuna::app::answerRate(
            rowOf(*recording->turns[static_cast<std::size_t>(turn)].finished, 0));
    }

    [[nodiscard]] EngineView engineAt(qint64 conversation, qint64 timeNs) const {
        EngineView view;
        const int turn = turnAt(std::nullopt, timeNs);
        const EngineConfig& config =
            turn < 0 ? recording->initialConfig
                     : recording->turns[static_cast<std::size_t>(turn)].started.config;
        const ModelFacts* model = modelAt(timeNs);
        view.contextLimit = config.context > 0 ? config.context
                            : model != nullptr ? model->context
                                               : 0;
        view.threads = config.threads;
        view.activity = EngineState::Idle;
        const StepSample* step = stepAt(conversation, timeNs);
        if (step == nullptr) return view;
        SampleRow row = rowOf(*step);
        if (model != nullptr) row.heads = cacheHeads(*model);
        const bool ended = turn < 0 || times[static_cast<std::size_t>(turn)].end <= timeNs;
        view.activity = ended ? EngineState::Idle : row.phase;
        view.decodeTokensPerSecond = ended ? answerRate(turn)
                                     : row.phase == EngineState::Decode && row.stepMs > 0
                                         ? 1e3 * row.tokens / row.stepMs
                                         : 0;
        view.contextTokens = row.contextTokens;
        view.logicalBytes = row.logicalBytes;
        view.liveBytes = row.liveBytes;
        view.allocatedBytes = row.allocatedBytes;
        view.stateBytes = row.stateBytes;
        view.checkpointBytes = row.checkpointBytes;
        view.rssBytes = row.rssBytes;
        view.slotsLargestHead = row.slotsLargestHead;
        view.slotsPerHead = row.slotsPerHead();
        view.revision = row.revision;
        view.compressionActive = row.compressionEnabled;
        view.compressionLine =
            row.compressionEnabled
                ? SessionFeed::tr("Compactions until then: %1").arg(countText(row.compactions))
                : SessionFeed::tr("Compression was off.");
        return view;
    }
};

RecordedSession::RecordedSession(std::shared_ptr<const Recording> recording, QString name)
    : m_impl(std::make_unique<const Impl>(std::move(recording), std::move(name))) {}

RecordedSession::~RecordedSession() = default;

const QString& RecordedSession::name() const {
    return m_impl->name;
}
QString RecordedSession::models() const {
    QStringList names;
    for (const ModelFacts* model : modelsOf(*m_impl->recording)) names << toQt(model->name);
    return listed(names);
}
const std::shared_ptr<const Recording>& RecordedSession::recording() const {
    return m_impl->recording;
}
const QVector<RecordedSession::Conversation>& RecordedSession::conversations() const {
    return m_impl->conversations;
}
const QVector<qint64>& RecordedSession::moments() const {
    return m_impl->moments;
}
const QVector<RecordedSession::Mark>& RecordedSession::marks() const {
    return m_impl->marks;
}
const MetricsStore& RecordedSession::metrics() const {
    return m_impl->metrics;
}
const QVector<EventRow>& RecordedSession::timeline() const {
    return m_impl->timeline;
}
QString RecordedSession::missingNote() const {
    QStringList said;
    if (m_impl->proportional)
        said << SessionFeed::tr(
            "This report has no token times; answers are shown in proportion to their tokens.");
    if (m_impl->recording->retention.empty() && !m_impl->recording->samples.empty())
        said << SessionFeed::tr("It has no cache contents; words are not tinted.");
    return said.join(QLatin1Char(' '));
}
qint64 RecordedSession::conversationAt(qint64 timeNs) const {
    const int turn = m_impl->turnAt(std::nullopt, timeNs);
    if (turn >= 0)
        return m_impl->recording->turns[static_cast<std::size_t>(turn)].started.conversation.value;
    return conversations().isEmpty() ? 0 : conversations().front().id;
}
QVector<ChatLine> RecordedSession::linesAt(qint64 conversation, qint64 timeNs) const {
    return m_impl->linesAt(conversation, timeNs);
}
RetentionView RecordedSession::retentionAt(qint64 conversation, qint64 timeNs) const {
    RetentionView view = m_impl->retentionAt(conversation, timeNs);
    view.conversation = conversation;
    return view;
}
EngineView RecordedSession::engineAt(qint64 conversation, qint64 timeNs) const {
    return m_impl->engineAt(conversation, timeNs);
}

}  // namespace lacuna::app
