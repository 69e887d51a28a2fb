#pragma once
/// \file
/// Plain Qt values shown by widgets. They can be copied, hold no pointers and may cross threads.
/// Views depend only on these types and those of engine/values. Times are nanoseconds of the
/// engine's monotonic clock unless noted otherwise.

#include <QByteArray>
#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <numeric>
#include <optional>

#include "app/state/settings/change_state.h"
#include "engine/values/compaction_values.h"
#include "engine/values/setting_kinds.h"
#include "engine/values/turn_values.h"

namespace lacuna::app {

// ---------------------------------------------------------------- telemetry

/// One step of the engine: a prefill chunk or a decoded token. Bytes are keys and values.
struct SampleRow {
    qint64 timeNs = 0;
    qint64 turn = 0;  ///< number of the turn in the session, counted from 1
    qint64 step = 0;  ///< safe point within the turn
    qint64 conversation = 0;
    qint64 revision = 0;  ///< revision of the configuration that the step used
    EngineState phase = EngineState::Idle;
    int tokens = 0;            ///< tokens processed in this step
    double stepMs = 0;         ///< compaction excluded
    qint64 contextTokens = 0;  ///< logical length of the cache
    qint64 slotsTotal = 0;     ///< sum over layers and heads
    int slotsLargestHead = 0;
    int heads = 0;            ///< key-value heads over all layers; 0 if unknown
    qint64 logicalBytes = 0;  ///< size of an uncompressed cache with the same tokens
    qint64 liveBytes = 0;     ///< size of the valid slots
    qint64 scaleBytes = 0;    ///< part of liveBytes: scales and biases of quantised rows
    qint64 exactBytes = 0;    ///< part of liveBytes: 16-bit rows kept next to rotated codes
    qint64 allocatedBytes = 0;
    qint64 stateBytes = 0;       ///< states of recurrent layers
    qint64 checkpointBytes = 0;  ///< checkpoints of these states
    qint64 compactions = 0;      ///< compactions of this cache so far
    qint64 rssBytes = 0;         ///< resident memory of the process
    bool compressionEnabled = false;
    bool compactionDue = false;
    int comparedSlots = 0;  ///< slots per head that are compared with triggerSlots
    int targetSlots = 0;    ///< slots per head after a compaction now; 0 if compression is off
    int triggerSlots = 0;   ///< slots per head above which a compaction starts; 0 if compression is
                            ///< off
    qint64 targetBytes = 0;  ///< targetSlots and triggerSlots in bytes over all heads; 0 if
                             ///< compression is off
    qint64 triggerBytes = 0;
    /// Decoding rate of the current answer in tokens per second; 0 if too few tokens were decoded
    /// yet.
    double answerRate = 0;

    /// Mean over all heads; 0 if unknown.
    [[nodiscard]] double slotsPerHead() const {
        return heads > 0 ? static_cast<double>(slotsTotal) / heads : 0;
    }
};

/// A compaction report with its position in the session.
struct CompactionRow : CompactionReport {
    qint64 number = 0;  ///< number in the session, counted from 1; shared key of chart and timeline
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 step = 0;
    qint64 conversation = 0;
    qint64 revision = 0;
    double configuredRatio = 0;  ///< ratio of tokens to slots requested by the settings; 0 if none
};

/// The result of one configuration change.
struct ConfigRow {
    qint64 timeNs = 0;
    qint64 revision = 0;
    bool applied = false;                ///< false if rejected
    std::optional<qint64> conversation;  ///< conversation with its own settings; nullopt for the
                                         ///< shared settings
    QString summary;                     ///< "AM ratio 2 to 4", or the reason of a rejection
    QString rule;                        ///< "AM-RANGE" when rejected
    double amRatio = 0;                  ///< value in effect afterwards
    std::optional<int> budget;           ///< slots per head in effect afterwards
};

/// Program: a line of the program's log that no other event explains.
enum class EventKind { Model, Turn, Config, Compaction, Notice, Error, Program };

/// One line of the timeline.
struct EventRow {
    qint64 timeNs = 0;
    QDateTime when;  ///< local wall-clock time
    EventKind kind = EventKind::Notice;
    bool problem = false;   ///< rejected or failed; marked by an icon and a word in addition to
                            ///< colour
    QString title;          ///< one line: "compaction 41 done, 36.1 ms, 8,190 to 2,048 slots"
    QString detail;         ///< further lines for the detail pane, or empty
    qint64 compaction = 0;  ///< CompactionRow::number, or 0 if unrelated to a compaction
    qint64 revision = 0;    ///< configuration revision, or 0
};

/// Which tokens of one conversation the cache still holds, per token and per head.
struct RetentionView {
    qint64 conversation = 0;
    int layers = 0;
    int heads = 0;  ///< key-value heads of a layer; if the layers differ, the largest number
    QVector<int> layerHeads;    ///< [layers] key-value heads if the layers differ, otherwise empty;
                                ///< 0: the layer has no rows of its own
    QVector<int> cacheLayers;   ///< [layers] layer whose rows a layer reads; empty: its own
    QVector<int> slotElements;  ///< [layers] elements of a slot if the layers differ
    int sinks = 0, recent = 0;  ///< number of protected tokens at the beginning and the end
    QVector<float> share;  ///< [tokens] share (0..1) of all layers and heads that hold the token
    QVector<quint16> holders;  ///< [layers, tokens] number of heads in the layer that hold the
                               ///< token
    QVector<float> weight;     ///< [tokens] number of tokens represented by its slots; empty if all
                               ///< are 1
    QVector<float> keyLength;  ///< [tokens] key norm relative to the head's mean; empty if unknown
    QVector<int> slots;        ///< [heads of all layers] number of slots that hold a token
    qint64 liveBytes = 0;      ///< total size of all slots
    QString text;              ///< text of all tokens; control tokens are spelled out
    QVector<qsizetype> starts;  ///< [tokens + 1] offsets of the tokens in `text`
    /// [tokens] CompactionRow::number of the compaction that evicted the token from every head;
    /// negative if that or an earlier unobserved compaction did; 0 if the token is still held.
    QVector<qint64> lostBy;
    /// Token range of the passage that lost most in the latest measured compaction; empty if not
    /// measured.
    qsizetype weakestFirst = 0, weakestEnd = 0;
    double weakestKept = 1;  ///< share (0..1) of that passage's information that is kept

    [[nodiscard]] int headsOf(int layer) const {
        return layerHeads.isEmpty() ? heads : layerHeads[layer];
    }
    /// Relative cost of a slot of a layer.
    [[nodiscard]] int elementsOf(int layer) const {
        return layer < slotElements.size() ? slotElements[layer] : 1;
    }
    /// Number of heads of all earlier layers.
    [[nodiscard]] int headsBefore(int layer) const {
        if (layerHeads.isEmpty()) return layer * heads;
        return std::accumulate(layerHeads.begin(), layerHeads.begin() + layer, 0);
    }
    [[nodiscard]] bool inWeakestPassage(qsizetype token) const {
        return token >= weakestFirst && token < weakestEnd;
    }
    [[nodiscard]] qsizetype tokens() const { return share.size(); }
    [[nodiscard]] QString piece(qsizetype token) const {
        return token + 1 < starts.size()
                   ? text.mid(starts[token], starts[token + 1] - starts[token])
                   : QString();
    }
};

/// A sample of live quality monitoring, which compares the compacted cache with an uncompressed
/// one.
struct QualityRow {
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 conversation = 0;
    qint64 revision = 0;
    qint64 contextTokens = 0;           ///< context length of the conversation at that time
    double kl = 0;                      ///< divergence in nats
    bool sameTop = false;               ///< true if both caches predict the same most likely token
    std::optional<double> outputError;  ///< relative error, measured on a few heads
    double costShare = 0;               ///< share (0..1) of the time since the previous sample
    qint64 shadowBytes = 0;             ///< size of the uncompressed cache used for comparison
};

/// Figures of one turn, shown in throughput charts and below the answer.
struct TurnRow {
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 conversation = 0;
    qint64 promptTokens = 0, reusedTokens = 0, answerTokens = 0, compactions = 0;
    double prefillSeconds = 0, decodeSeconds = 0, firstTokenSeconds = 0;
    /// Tokens that would be read to regenerate the answer; nullopt if unknown, for example after a
    /// restart.
    std::optional<qint64> regenerateTokens = std::nullopt;
    /// Tokens before the user message that would be recomputed after an edit of it; nullopt if
    /// unknown.
    std::optional<qint64> editTokens = std::nullopt;
    qint64 restoredTokens = 0;  ///< evicted tokens restored automatically for this turn
    QString finish;             ///< "stop", "cancelled", "length", ...
};

/// Returns the decoding rate of a complete answer in tokens per second, compactions included; 0 if
/// the answer is too short. All displays use this figure.
[[nodiscard]] inline double answerRate(const TurnRow& row) {
    return row.decodeSeconds > 0 && row.answerTokens > 1
               ? static_cast<double>(row.answerTokens) / row.decodeSeconds
               : 0;
}

/// Size of the prefix cache at one time.
struct StoredRow {
    qint64 timeNs = 0;
    qint64 memoryBytes = 0;
    qint64 diskBytes = 0;
};

// ---------------------------------------------------------------- conversations

enum class MessageRole { System, Person, Model };
enum class LineState { Done, Waiting, Streaming, Stopped, Failed };

/// One of several texts attached to a message.
struct AttachedPart {
    QString name;
    qsizetype first = 0, length = 0;  ///< character range in the message's attached text
    friend bool operator==(const AttachedPart&, const AttachedPart&) = default;
};

/// Reasoning that a model wrote before its answer.
struct Thought {
    QString text;        ///< without marks; empty if there was none
    double seconds = 0;  ///< time that the model spent on it
    qint64 tokens = 0;   ///< 0 if unknown, as for a remote engine
};

struct ChatLine {
    qint64 id = 0;
    MessageRole speaker = MessageRole::Person;
    QString text;        ///< as typed by the user or streamed by the model
    QString attachment;  ///< name of a pasted or attached text that is part of the message; empty
                         ///< if none
    QString attachmentText;
    LineState state = LineState::Done;
    QString problem;  ///< error message if Failed, or the reason why an answer ended early
    std::optional<TurnRow> figures;
    QString model = {};  ///< name of the model that wrote the answer; empty if unknown
    QVector<AttachedPart> parts = {};  ///< parts of the attached text if there are several;
                                       ///< otherwise empty
    Thought thought = {};              ///< not part of the message as sent
};

/// Returns the message as sent: the attached text followed by the typed text.
[[nodiscard]] inline QString messageText(const ChatLine& line) {
    if (line.attachmentText.isEmpty()) return line.text;
    if (line.text.isEmpty()) return line.attachmentText;
    return line.attachmentText + QStringLiteral("\n\n") + line.text;
}

/// Returns the rate of the last answer in tokens per second; 0 if unknown.
[[nodiscard]] inline double answerRate(const QVector<ChatLine>& lines) {
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        if (line->speaker != MessageRole::Model) continue;
        const bool known =
            line->figures && line->figures->decodeSeconds > 0 && line->figures->answerTokens > 1;
        return known
                   ? static_cast<double>(line->figures->answerTokens) / line->figures->decodeSeconds
                   : 0;
    }
    return 0;
}

struct ConversationRow {
    qint64 id = 0;
    QString title;
    int messages = 0;
    bool answering = false;
    bool ownSettings = false;  ///< true if it has its own cache settings
    bool isPrivate = false;    ///< true if its text is not shared with other conversations through
                               ///< the prefix cache
    qint64 changed = 0;  ///< time of the last change in ms since 1970; 0 if unchanged since it was
                         ///< created
    QString settings;    ///< settings of its last answer, "method am, AM ratio 4"; empty for the
                         ///< defaults
};

// ---------------------------------------------------------------- settings

/// One setting as the panel shows it. Values as text use the command-line syntax.
struct SettingView {
    QString key;
    QString label;
    QString unit;
    QString help;
    SettingGroup group = SettingGroup::Run;
    SettingKind kind = SettingKind::Integer;
    double minimum = 0, maximum = 0, step = 1;
    double sliderMaximum = 4096;  ///< maximum of the slider; the number field accepts larger values
    bool first = false;           ///< shown above the groups
    QStringList choices;          ///< values as written in settings
    QStringList choiceWords;      ///< display text of each choice
    bool ofConversation = false;  ///< true if a conversation may have its own value
    SettingTiming when = SettingTiming::Live;
    SettingValue requested, effective;
    QString typed;  ///< input that could not be parsed; empty if `requested` is valid
    ChangeState state = ChangeState::Settled;
    QString sentence;    ///< reason for a rejection, or when a pending change takes effect
    QString rule;        ///< "AM-RANGE"
    QString nearest;     ///< value of the "use" button; empty if none
    QString nearestKey;  ///< setting changed by that button; differs from `key` only if two
                         ///< settings conflict
    QString idleReason;  ///< why the value currently has no effect ("method is none"); empty if it
                         ///< has
    QString idleBrief;   ///< short form of idleReason for narrow layouts
    QString meaning;     ///< effective value for this model and the reason; empty if the value is
                         ///< literal
    qint64 revision = 0;

    [[nodiscard]] QString requestedText() const;
    [[nodiscard]] QString effectiveText() const;
    /// Returns `requested` as shown by slider and field; 0 if off or not a number.
    [[nodiscard]] double number() const;
    /// Converts a number from a slider or field to a value of this setting. @pre the setting is
    /// neither a choice nor a list
    [[nodiscard]] SettingValue valueOf(double number) const;
};

/// State of the configuration as a whole.
struct ConfigStatus {
    ChangeState state = ChangeState::Settled;
    qint64 requestedRevision = 0;
    qint64 effectiveRevision = 0;
    QString sentence;
    double acknowledgeMs = 0;  ///< time from submission to the last reply
};

// ---------------------------------------------------------------- model and machine

enum class ModelState { None, Loading, Ready, Failed };

struct ModelView {
    ModelState state = ModelState::None;
    QString name;
    QString path;
    QString architecture;
    QString fileType;
    QString licence;
    QString fingerprint;
    QString templateNote;
    QString problem;        ///< error message of the last failed load
    QString precisionNote;  ///< precision chosen by precision=auto and the reason; empty if unknown
    double loadShare = 0;   ///< progress 0..1 while loading
    double precisionShare = -1;  ///< progress 0..1 while the required precision is measured;
                                 ///< otherwise negative
    double loadSeconds = 0;
    qint64 parameters = 0, weightBytes = 0;
    int layers = 0, heads = 0, kvHeads = 0, headDim = 0, vocabulary = 0, context = 0;
    QString layerHeads;  ///< key heads by layer if the layers differ, otherwise empty
};

/// Description of a model file as sections of labelled lines; see engine/session/model_page.h.
struct ModelPageView {
    struct Line {
        QString label, value;
    };
    struct Section {
        QString title;
        QVector<Line> lines;
    };
    QString path;
    QString heading;
    QString problem;  ///< why it cannot be read or loaded; empty if it can
    QString verdict;  ///< one-sentence summary of its memory plan
    QVector<Section> sections;
};

struct MachineView {
    QString cpu;
    QString isa;
    QString system;
    int cores = 1;
    qint64 memoryBytes = 0;
};

struct PrefillView {
    qint64 conversation = 0;
    qint64 done = 0, total = 0, reused = 0;  ///< number of tokens
    double tokensPerSecond = 0;
    double secondsLeft = 0;
};

/// A remote engine that answers in place of the local one. Values that it does not report are
/// absent.
struct RemoteView {
    QString name;     ///< name given to the connection by the user
    QString family;   ///< "vLLM"; empty if unknown
    QString address;  ///< without a key
    QString model;
    QString problem;  ///< why it is unreachable or reports no figures; empty if neither applies
    std::optional<double> cacheShare;  ///< share (0..1) of its cache in use
    std::optional<double> answerRate;  ///< tokens per second over all of its answers
    std::optional<qint64> running, waiting;
    std::optional<qint64> liveBytes, allocatedBytes;
    std::optional<qint64> contextTokens;  ///< prompt and answer tokens of the latest answer
    std::optional<qint64> contextLimit;
};

/// Work of the local engine other than answering.
enum class EngineJob {
    None,
    Compaction,   ///< background compaction
    Recoding,     ///< converts a cache to another number format
    Estimate,     ///< predicts the result of a compaction
    RatioTrials,  ///< measures the ratios of the slider
    Comparison,
    Sweep,
    QualityTable,
    Calibration,
    HeadProfileJob,
    PrecisionMeasuring
};

/// Contents of the status bar and the context meter.
struct EngineView {
    /// Set while a remote engine answers; the remaining members then describe the idle local
    /// engine.
    std::optional<RemoteView> remote;
    /// nullopt once the engine thread has ended.
    std::optional<EngineState> activity = EngineState::NoModel;
    bool compressionActive = false;
    QString compressionLine;  ///< "Compression idle: 1,912 of 2,112 slots before the next
                              ///< compaction"
    qint64 contextTokens = 0;
    qint64 contextLimit = 0;
    qint64 logicalBytes = 0, liveBytes = 0, allocatedBytes = 0, rssBytes = 0;
    qint64 stateBytes = 0, checkpointBytes = 0;  ///< of recurrent layers
    /// Size of the prefix cache; prefixBytesAlone excludes rows shared with the caches of
    /// conversations.
    qint64 prefixBytes = 0, prefixBytesAlone = 0, prefixEntries = 0;
    double slotsPerHead = 0;  ///< mean over all heads; 0 if unknown
    int slotsLargestHead = 0;
    int threads = 0;
    qint64 revision = 0;
    qint64 samplesDropped = 0;
    double decodeTokensPerSecond = 0;  ///< decoding rate of the shown conversation's latest answer
    EngineJob job = EngineJob::None;   ///< shown if no answer is being computed
};

/// A chart rendered for a report.
struct ChartImage {
    QString name;  ///< file name without extension: "kv-bytes"
    QString caption;
    QByteArray png;
};

}  // namespace lacuna::app

Q_DECLARE_METATYPE(lacuna::app::ConfigStatus)
Q_DECLARE_METATYPE(lacuna::app::ModelView)
Q_DECLARE_METATYPE(lacuna::app::ModelPageView)
Q_DECLARE_METATYPE(lacuna::app::EngineView)
Q_DECLARE_METATYPE(lacuna::app::PrefillView)
Q_DECLARE_METATYPE(lacuna::app::RetentionView)
Q_DECLARE_METATYPE(lacuna::app::ConversationRow)
