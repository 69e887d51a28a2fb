#pragma once
/// \file
/// What measurements of settings come to, as plain Qt values that widgets show: the estimate of a
/// compaction, two settings compared on one prompt, many swept over a conversation.

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <array>
#include <optional>
#include <utility>

namespace lacuna::app {

// ---------------------------------------------------------------- what if

enum class PreviewStage { None, Asked, Estimated, Came };

/// Cache of one conversation: now, after a compaction as estimated, and as it came.
struct PreviewView {
    PreviewStage stage = PreviewStage::None;
    qint64 conversation = 0;
    QString settings;    ///< "Method am, AM ratio 4": the estimate is for these
    QString problem;     ///< why there is no estimate, as a sentence
    bool stale = false;  ///< the settings asked for have changed since
    bool compacts = false;
    QString reason;                     ///< why nothing would go, or what to know of the compaction
    qint64 heads = 0, headsFitted = 0;  ///< that attention matching would shrink; tried
    double seconds = 0;                 ///< that the estimate took
    qint64 slotsNow = 0, slotsEstimated = 0;  ///< over layers and heads
    qint64 liveBytesNow = 0, liveBytesEstimated = 0;
    std::optional<double> errorEstimated;  ///< relative output error on held-out queries
    double errorSpread = 0;                ///< its standard error; 0 where all heads were tried
    /// Of the text's information, what would be kept, and of that of its weakest passage; 0..1.
    struct Kept {
        double all = 1, worst = 1;
    };
    std::optional<Kept> keptEstimated;
    bool keptFollows = false;  ///< it is being measured
    /// Of the compaction it was made for.
    struct Outcome {
        qint64 slots = 0, liveBytes = 0;
        std::optional<double> error;
        std::optional<Kept> kept = std::nullopt;
        double seconds = 0;
    };
    std::optional<Outcome> came;
};

/// What one AM ratio is thought to cost the text of a conversation.
struct RatioDamage {
    double ratio = 0;
    std::optional<double> error;  ///< relative output error on held-out queries
    double spread = 0;            ///< its standard error; 0 where all heads were tried
    /// Of the text's information, where that was measured.
    std::optional<PreviewView::Kept> kept = std::nullopt;
    bool measured = false;  ///< or could not be
    QString refusal;        ///< why nothing would be compacted; empty: it would
};

/// The same for all ratios of the slider, before any of them is applied.
struct DamageView {
    qint64 conversation = 0;
    int done = 0, total = 0;      ///< ratios; 0 of 0: nothing was tried yet
    QVector<RatioDamage> points;  ///< those that were tried, rising
    QString problem;              ///< why it cannot be found out, as a sentence

    /// An error, and the ratios it was tried at.
    struct Figure {
        double error = 0;
        double below = 0;   ///< the nearest tried that is no larger; 1: the whole cache
        double above = 0;   ///< the nearest that is no smaller, `below` where that is the one asked
                            ///< for; 0: none, so that `error` is the least it costs
        double spread = 0;  ///< standard error of one that was tried on some heads alone
        std::optional<PreviewView::Kept> kept = std::nullopt;  ///< measured at this very ratio

        [[nodiscard]] bool tried() const { return below == above; }
    };

    [[nodiscard]] bool running() const { return problem.isEmpty() && done < total; }
    /// Between two that were tried, by the logarithm of the ratio; beyond the last one that would
    /// be compacted, what that costs at least. None where nothing is known of so small a ratio.
    [[nodiscard]] std::optional<Figure> figureAt(double ratio) const;
    /// The smallest ratio tried that the text is too short for, where `ratio` is no smaller, or the
    /// largest that would gain nothing, where it is no larger; null: neither.
    [[nodiscard]] const RatioDamage* refusedAt(double ratio) const;
    /// Where it was tried itself, else null.
    [[nodiscard]] const RatioDamage* at(double ratio) const;
    [[nodiscard]] RatioDamage* at(double ratio);
};

// ---------------------------------------------------------------- comparison

struct ComparedSide {
    QString settings;  ///< "Method am, AM ratio 4"; empty: as the program starts
    QString text;
    QString finish;  ///< "stop", "length"
    qint64 tokens = 0, compactions = 0, evictions = 0;
    double compactionMs = 0;
    qint64 liveBytes = 0, logicalBytes = 0, allocatedBytes = 0;
    double ratio = 0;                                              ///< logical to live bytes
    double prefillSeconds = 0, decodeSeconds = 0, decodeRate = 0;  ///< rate: tokens per second
    /// From an uncompressed cache fed the same tokens; none where nothing was evicted.
    std::optional<double> klMean, klP99, top1;
    qint64 positions = 0;
    QString whyNoDivergence;
};

/// One prompt answered under two settings.
struct ComparisonView {
    QString problem;  ///< sentence; then nothing below counts
    bool cancelled = false;
    qint64 promptTokens = 0;
    std::array<ComparedSide, 2> sides;
    /// First token at which the answers differ, from 0, and its text in each; an empty text: that
    /// answer has ended.
    struct Parting {
        qint64 token = 0;
        std::array<QString, 2> pieces;
    };
    std::optional<Parting> parted;
};

// ---------------------------------------------------------------- sweep

struct SweptSetting {
    QString method, asked;         ///< "am", "4x"
    qint64 answers = 0;            ///< of the conversation, measured
    qint64 refused = 0;            ///< from which nothing was evicted; in no figure
    double liveShare = 0;          ///< live of logical bytes, 0..1
    double klMean = 0, klP99 = 0;  ///< nats
    double top1 = 0;               ///< share of positions with the same likeliest token
    double perplexityChange = 0;
    std::optional<double> outputError;
    double compactionMs = 0;  ///< median
    bool onFront = false;     ///< no other has both fewer live bytes and less divergence
    /// While a sweep runs, some have not been tried on any answer yet.
    [[nodiscard]] bool tried() const { return answers + refused > 0; }
    QVector<std::pair<QString, QString>> values;  ///< key and text that bring it into force
    QString whyNoValues;                          ///< when there are none
};

struct SweepView {
    QString problem;
    bool cancelled = false;
    qint64 conversation = 0;
    QVector<SweptSetting> rows;
};

/// What to sweep, as a person writes it.
struct SweepAsk {
    QStringList methods;  ///< "am", "keydiff"
    QString ratios;       ///< "2, 4, 8"; may be empty
    QString budgets;      ///< "512, 1024" slots per head; may be empty
};

// ---------------------------------------------------------------- progress

enum class Measuring { Nothing, Comparison, Sweep };

struct MeasuringView {
    Measuring what = Measuring::Nothing;
    qint64 done = 0, total = 0;  ///< tokens of both answers at most, or settings on answers
    double seconds = 0;          ///< since it began
    bool cancelling = false;
};

}  // namespace lacuna::app

Q_DECLARE_METATYPE(lacuna::app::PreviewView)
Q_DECLARE_METATYPE(lacuna::app::ComparisonView)
Q_DECLARE_METATYPE(lacuna::app::SweepView)
