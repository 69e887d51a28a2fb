#pragma once
/// \file
/// Plain Qt values that widgets show. They are copied freely, hold no pointers into anything and
/// may cross threads; a view knows these types and those of engine/values, and no other of the
/// engine's. Times are nanoseconds of the engine's monotonic clock unless said otherwise.

#include <QByteArray>
#include <QDateTime>
#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <optional>

#include "app/state/change_state.h"
#include "engine/values/compaction_values.h"
#include "engine/values/setting_kinds.h"
#include "engine/values/turn_values.h"

namespace lacuna::app {

// ---------------------------------------------------------------- telemetry

/// One step of the engine: a prefill chunk or a decoded token. Bytes are keys and values.
struct SampleRow {
    qint64 timeNs = 0;
    qint64 turn = 0;  ///< number of the answer in the session, from 1
    qint64 step = 0;  ///< safe point within the turn
    qint64 conversation = 0;
    qint64 revision = 0;  ///< configuration the step ran under
    EngineState phase = EngineState::Idle;
    int tokens = 0;            ///< processed in this step
    double stepMs = 0;         ///< compaction excluded
    qint64 contextTokens = 0;  ///< logical length of the cache
    qint64 slotsTotal = 0;     ///< over layers and heads
    int slotsLargestHead = 0;
    int heads = 0;            ///< key-value heads over all layers; 0: not known
    qint64 logicalBytes = 0;  ///< what an uncompressed cache would hold
    qint64 liveBytes = 0;     ///< valid slots
    qint64 scaleBytes = 0;    ///< of those: scales and biases that codes are read with
    qint64 exactBytes = 0;    ///< of those: rows in 16 bits next to rotated codes
    qint64 allocatedBytes = 0;
    qint64 compactions = 0;  ///< so far, of this cache
    qint64 rssBytes = 0;     ///< resident memory of the process
    bool compressionEnabled = false;
    bool compactionDue = false;
    int comparedSlots = 0;   ///< per head, as they are held against the trigger
    int targetSlots = 0;     ///< per head after a compaction now; 0 when compression is off
    int triggerSlots = 0;    ///< per head; a compaction fires above it; 0 when compression is off
    qint64 targetBytes = 0;  ///< the same two as bytes over all heads; 0 when compression is off
    qint64 triggerBytes = 0;
    /// Tokens of the answer decoded so far per second of its decoding; 0: too few tokens yet.
    double answerRate = 0;

    /// Mean over all heads; 0: not known.
    [[nodiscard]] double slotsPerHead() const {
        return heads > 0 ? static_cast<double>(slotsTotal) / heads : 0;
    }
};

/// A compaction as it was reported, with its place in the session.
struct CompactionRow : CompactionReport {
    qint64 number = 0;  ///< from 1 in the session; the key shared by chart and timeline
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 step = 0;
    qint64 conversation = 0;
    qint64 revision = 0;
    double configuredRatio = 0;  ///< asked for by the settings then: tokens to slots; 0 when none
};

/// One configuration change that reached an end.
struct ConfigRow {
    qint64 timeNs = 0;
    qint64 revision = 0;
    bool applied = false;                ///< false: rejected
    std::optional<qint64> conversation;  ///< whose own they are; nobody: those of all
    QString summary;                     ///< "AM ratio 2 to 4" or the sentence of the rejection
    QString rule;                        ///< "AM-RANGE" when rejected
    double amRatio = 0;                  ///< in force after it
    std::optional<int> budget;           ///< in force after it, slots per head
};

enum class EventKind { Model, Turn, Config, Compaction, Notice, Error };

/// One line of the timeline.
struct EventRow {
    qint64 timeNs = 0;
    QDateTime when;  ///< wall clock, local
    EventKind kind = EventKind::Notice;
    bool problem = false;   ///< rejected, failed, error: shown with a sign and a word as well as a
                            ///< colour
    QString title;          ///< one line: "compaction 41 done, 36.1 ms, 8,190 to 2,048 slots"
    QString detail;         ///< further lines for the detail pane; may be empty
    qint64 compaction = 0;  ///< CompactionRow::number, or 0
    qint64 revision = 0;    ///< configuration, or 0
};

/// What the cache of one conversation still holds: of each token, and in each head.
struct RetentionView {
    qint64 conversation = 0;
    int layers = 0, heads = 0;  ///< key-value heads
    int sinks = 0, recent = 0;  ///< tokens the settings protect at either end
    QVector<float> share;       ///< [tokens] 0..1 of all layers and heads that hold it
    QVector<quint16> holders;   ///< [layers, tokens] heads of the layer that hold it
    QVector<float> weight;      ///< [tokens] how many tokens its slots answer for; empty: one each
    QVector<float> keyLength;   ///< [tokens] key length to the head's mean; empty: not known
    QVector<int> slots;         ///< [layers, heads] that hold a token
    qint64 liveBytes = 0;       ///< of all slots
    QString text;               ///< of all tokens; control tokens are spelled out
    QVector<qsizetype> starts;  ///< [tokens + 1] places of the tokens in `text`
    /// [tokens] CompactionRow::number since which nothing holds it; negative: that one or an
    /// earlier one, which nobody watched; 0: something holds it.
    QVector<qint64> lostBy;
    /// The passage of which the newest measured compaction kept least, a range of tokens; empty:
    /// not measured.
    qsizetype weakestFirst = 0, weakestEnd = 0;
    double weakestKept = 1;  ///< 0..1 of the information of that passage

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

/// A sample of live quality: the compacted cache alongside an uncompressed one.
struct QualityRow {
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 conversation = 0;
    qint64 revision = 0;
    qint64 contextTokens = 0;           ///< of the conversation when it was measured
    double kl = 0;                      ///< nats
    bool sameTop = false;               ///< the likeliest next token is the same
    std::optional<double> outputError;  ///< of a few heads, relative
    double costShare = 0;               ///< of the time since the sample before, 0..1
    qint64 shadowBytes = 0;             ///< of the uncompressed cache next to it
};

/// Figures of one answer, for throughput charts and the strip under it.
struct TurnRow {
    qint64 timeNs = 0;
    qint64 turn = 0;
    qint64 conversation = 0;
    qint64 promptTokens = 0, reusedTokens = 0, answerTokens = 0, compactions = 0;
    double prefillSeconds = 0, decodeSeconds = 0, firstTokenSeconds = 0;
    /// Tokens that another answer to this question would read; nothing: not known, as after a
    /// restart.
    std::optional<qint64> againTokens = std::nullopt;
    /// In front of the question, that another one in its place would read again; likewise.
    std::optional<qint64> editTokens = std::nullopt;
    qint64 restoredTokens = 0;  ///< forgotten ones that came back for the question by itself
    QString finish;             ///< "stop", "cancelled", "length", ...
};

/// The rate of a whole answer, the same wherever it is shown: its tokens by the time of its
/// decoding, compactions included; 0: too short for one.
[[nodiscard]] inline double answerRate(const TurnRow& row) {
    return row.decodeSeconds > 0 && row.answerTokens > 1
               ? static_cast<double>(row.answerTokens) / row.decodeSeconds
               : 0;
}

/// What is kept of texts that were read, at one time.
struct StoredRow {
    qint64 timeNs = 0;
    qint64 memoryBytes = 0;
    qint64 diskBytes = 0;
};

// ---------------------------------------------------------------- chat

enum class Speaker { System, Person, Model };
enum class LineState { Done, Waiting, Streaming, Stopped, Failed };

/// One of several texts that are attached to a message.
struct AttachedPart {
    QString name;
    qsizetype first = 0, length = 0;  ///< its characters in the attached text of the message
    friend bool operator==(const AttachedPart&, const AttachedPart&) = default;
};

struct ChatLine {
    qint64 id = 0;
    Speaker speaker = Speaker::Person;
    QString text;        ///< as written by the person or streamed by the model
    QString attachment;  ///< name of a pasted or attached text, part of the message; empty: none
    QString attachmentText;
    LineState state = LineState::Done;
    QString problem;  ///< sentence when Failed, or why an answer ended early
    std::optional<TurnRow> figures;
    QString model = {};                ///< name of the model that wrote an answer; empty: not known
    QVector<AttachedPart> parts = {};  ///< of the attached text where it is several; else empty
};

/// The message as it is sent: what was attached, then the words.
[[nodiscard]] inline QString messageText(const ChatLine& line) {
    if (line.attachmentText.isEmpty()) return line.text;
    if (line.text.isEmpty()) return line.attachmentText;
    return line.attachmentText + QStringLiteral("\n\n") + line.text;
}

/// Tokens a second of the last answer; 0: not known.
[[nodiscard]] inline double answerRate(const QVector<ChatLine>& lines) {
    for (auto line = lines.crbegin(); line != lines.crend(); ++line) {
        if (line->speaker != Speaker::Model) continue;
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
    bool ownSettings = false;  ///< it has cache settings of its own
    bool isPrivate = false;    ///< nothing of it is stored for other conversations
    qint64 changed = 0;        ///< last time, ms since 1970; 0: not since it was begun
    QString settings;  ///< "method am, AM ratio 4": of its last answer; empty: as the program
                       ///< starts
};

// ---------------------------------------------------------------- settings

/// One setting as the panel shows it. Texts of values have the form that the command line takes.
struct KnobView {
    QString key;
    QString label;
    QString unit;
    QString help;
    KnobGroup group = KnobGroup::Run;
    KnobKind kind = KnobKind::Integer;
    double minimum = 0, maximum = 0, step = 1;
    double sliderMost = 4096;     ///< largest value a slider reaches; a number field goes on
    bool first = false;           ///< stands above the groups
    QStringList choices;          ///< as settings write them
    QStringList choiceWords;      ///< the same in words, one for each
    bool ofConversation = false;  ///< a conversation may have its own value
    KnobWhen when = KnobWhen::Live;
    SettingValue requested, effective;
    QString typed;  ///< text asked for that could not be read; empty: `requested` is
    ChangeState state = ChangeState::Settled;
    QString sentence;    ///< why rejected, or when a pending change takes effect
    QString rule;        ///< "AM-RANGE"
    QString nearest;     ///< value of the "use" button; empty: none
    QString nearestKey;  ///< setting that button changes; this one unless two settings contradict
    QString idleReason;  ///< why the value has no effect now ("method is none"); empty: it has
    QString idleBrief;   ///< the same in a word or two, where there is no room for more
    QString meaning;     ///< what the value stands for with this model, and why; empty: itself
    qint64 revision = 0;

    [[nodiscard]] QString requestedText() const;
    [[nodiscard]] QString effectiveText() const;
    /// `requested` as slider and field show it; 0: off, or no number.
    [[nodiscard]] double number() const;
    /// A number of a slider or field as a value of this setting. @pre it is no choice and no list
    [[nodiscard]] SettingValue valueOf(double number) const;
};

/// The configuration as a whole.
struct ConfigStatus {
    ChangeState state = ChangeState::Settled;
    qint64 requestedRevision = 0;
    qint64 effectiveRevision = 0;
    QString sentence;
    double acknowledgeMs = 0;  ///< from submit to the last answer
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
    QString problem;             ///< sentence when the last load failed
    QString precisionNote;       ///< what precision=auto stands for and why; empty: not known
    double loadShare = 0;        ///< 0..1 while loading
    double precisionShare = -1;  ///< 0..1 while the precision it needs is measured; else below 0
    double loadSeconds = 0;
    qint64 parameters = 0, weightBytes = 0;
    int layers = 0, heads = 0, kvHeads = 0, headDim = 0, vocabulary = 0, context = 0;
};

/// What a model file is, as sections of labelled lines; see engine/session/model_page.h.
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
    QString problem;  ///< why it would not load, or cannot be read; empty: it loads
    QString verdict;  ///< what its memory plan comes to, a sentence
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
    qint64 done = 0, total = 0, reused = 0;  ///< tokens
    double tokensPerSecond = 0;
    double secondsLeft = 0;
};

/// An engine elsewhere that answers in place of the local one. What it does not report is absent.
struct RemoteView {
    QString name;     ///< of the connection, as a person calls it
    QString family;   ///< "vLLM"; empty: not known
    QString address;  ///< without a key
    QString model;
    QString problem;  ///< why it is not reached now, or shows no figures; empty: all is well
    std::optional<double> cacheShare;  ///< of its cache in use, 0..1
    std::optional<double> answerRate;  ///< tokens a second, of all it writes
    std::optional<qint64> running, waiting;
    std::optional<qint64> liveBytes, allocatedBytes;
    std::optional<qint64> contextTokens;  ///< of the newest answer: prompt and answer
    std::optional<qint64> contextLimit;
};

/// Work of the local engine that is not an answer.
enum class EngineJob {
    None,
    Compaction,   ///< in the background
    Recoding,     ///< of a cache into another number format
    Estimate,     ///< of a compaction
    RatioTrials,  ///< of the ratios of the slider
    Comparison,
    Sweep,
    QualityTable,
    Calibration,
    HeadMeasuring,
    PrecisionMeasuring
};

/// The status bar and the context meter.
struct EngineView {
    /// Set: it answers; what stands below is of the local engine, which rests.
    std::optional<RemoteView> remote;
    /// Nothing: its thread has ended.
    std::optional<EngineState> activity = EngineState::NoModel;
    bool compressionActive = false;
    QString compressionLine;  ///< "Compression idle: 1,912 of 2,112 slots before the next
                              ///< compaction"
    qint64 contextTokens = 0;
    qint64 contextLimit = 0;
    qint64 logicalBytes = 0, liveBytes = 0, allocatedBytes = 0, rssBytes = 0;
    /// Of the prefix cache; without rows that caches of conversations hold as well.
    qint64 prefixBytes = 0, prefixBytesAlone = 0, prefixEntries = 0;
    double slotsPerHead = 0;  ///< mean over all heads; 0: not known
    int slotsLargestHead = 0;
    int threads = 0;
    qint64 revision = 0;
    qint64 samplesDropped = 0;
    double decodeTokensPerSecond = 0;  ///< of the newest answer: tokens by time of its decoding
    EngineJob job = EngineJob::None;   ///< shown while no answer is computed
};

/// A chart rendered for a report.
struct ChartImage {
    QString name;  ///< file stem: "kv-bytes"
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
