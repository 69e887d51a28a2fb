#pragma once
/// \file
/// Results of measurements as plain Qt values for widgets: the predicted result of a compaction, a
/// comparison of two settings on one prompt, and a sweep of many settings over a conversation.

#include <QMetaType>
#include <QString>
#include <QStringList>
#include <QVector>
#include <array>
#include <optional>
#include <utility>

namespace lacuna::app {

// ---------------------------------------------------------------- compaction preview

enum class PreviewStage { None, Asked, Estimated, Carried };

/// The cache of one conversation: currently, as predicted after a compaction, and as measured after
/// it.
struct PreviewView {
    PreviewStage stage = PreviewStage::None;
    qint64 conversation = 0;
    QString settings;    ///< settings of the prediction: "Method am, AM ratio 4"
    QString problem;     ///< error message if there is no prediction
    bool stale = false;  ///< true if the requested settings have changed since
    bool compacts = false;
    QString reason;  ///< why nothing would be evicted, or a note on the compaction
    qint64 heads = 0, headsFitted = 0;  ///< heads that attention matching would compact, and how
                                        ///< many of them were fitted
    double seconds = 0;                 ///< duration of the prediction
    qint64 slotsNow = 0, slotsEstimated = 0;  ///< sums over layers and heads
    qint64 liveBytesNow = 0, liveBytesEstimated = 0;
    std::optional<double> errorEstimated;  ///< relative output error on held-out queries
    double errorSpread = 0;  ///< standard error of errorEstimated; 0 if all heads were fitted
    /// Share (0..1) of the text's information that would be kept: overall, and in the weakest
    /// passage.
    struct Kept {
        double all = 1, worst = 1;
    };
    std::optional<Kept> keptEstimated;
    bool keptFollows = false;  ///< true while `keptEstimated` is being measured
    /// Actual result of the compaction that was predicted.
    struct Outcome {
        qint64 slots = 0, liveBytes = 0;
        std::optional<double> error;
        std::optional<Kept> kept = std::nullopt;
        double seconds = 0;
    };
    std::optional<Outcome> result;
};

/// Predicted loss of one AM ratio for the text of a conversation.
struct RatioLoss {
    double ratio = 0;
    std::optional<double> error;  ///< relative output error on held-out queries
    double spread = 0;            ///< standard error of `error`; 0 if all heads were fitted
    /// Share of the text's information that would be kept, if measured.
    std::optional<PreviewView::Kept> kept = std::nullopt;
    bool measured = false;  ///< true once `kept` was measured, or could not be
    QString refusal;        ///< why nothing would be compacted; empty if it would
};

/// Predicted losses for all ratios of the slider, computed before any of them is applied.
struct PredictedLossView {
    qint64 conversation = 0;
    int done = 0, total = 0;    ///< number of ratios; both 0 before the first trial
    QVector<RatioLoss> points;  ///< measured ratios in ascending order
    QString problem;            ///< error message if the losses cannot be predicted

    /// A predicted error and the measured ratios around it.
    struct Figure {
        double error = 0;
        double below = 0;   ///< nearest measured ratio that is not larger; 1 stands for the full
                            ///< cache
        double above = 0;   ///< nearest measured ratio that is not smaller, equal to `below` for an
                            ///< exact match; 0 if there is none, so that `error` is a lower bound
        double spread = 0;  ///< standard error of a ratio measured on a subset of the heads
        std::optional<PreviewView::Kept> kept = std::nullopt;  ///< set only if measured at exactly
                                                               ///< this ratio

        [[nodiscard]] bool tried() const { return below == above; }
    };

    [[nodiscard]] bool running() const { return problem.isEmpty() && done < total; }
    /// Interpolates between measured ratios on a logarithmic scale. Above the largest usable ratio,
    /// returns its error as a lower bound. nullopt if nothing is known yet.
    [[nodiscard]] std::optional<Figure> figureAt(double ratio) const;
    /// Returns the smallest refused ratio that is at least `ratio`, since smaller ratios gain
    /// nothing either; null if there is none.
    [[nodiscard]] const RatioLoss* refusedAt(double ratio) const;
    /// Returns the point measured at exactly this ratio, or null.
    [[nodiscard]] const RatioLoss* at(double ratio) const;
    [[nodiscard]] RatioLoss* at(double ratio);

  private:
    /// Returns the index in `points` of exactly this ratio, or -1.
    [[nodiscard]] qsizetype indexOf(double ratio) const;
};

// ---------------------------------------------------------------- comparison

struct ComparedSide {
    QString settings;  ///< "Method am, AM ratio 4"; empty for the defaults
    QString text;
    QString finish;  ///< "stop", "length"
    qint64 tokens = 0, compactions = 0, evictions = 0;
    double compactionMs = 0;
    qint64 liveBytes = 0, logicalBytes = 0, allocatedBytes = 0;
    double ratio = 0;  ///< logical bytes divided by live bytes
    double prefillSeconds = 0, decodeSeconds = 0, decodeRate = 0;  ///< decodeRate in tokens per
                                                                   ///< second
    /// Divergence from an uncompressed cache fed the same tokens; nullopt if nothing was evicted.
    std::optional<double> klMean, klP99, top1;
    qint64 positions = 0;
    QString divergenceBlocker;
};

/// One prompt answered under two settings.
struct ComparisonView {
    QString problem;  ///< error message; if set, the members below are invalid
    bool cancelled = false;
    qint64 promptTokens = 0;
    std::array<ComparedSide, 2> sides;
    /// The first differing token, counted from 0, and its text in each answer. The text is empty if
    /// the answer has ended there.
    struct AnswerDivergence {
        qint64 token = 0;
        std::array<QString, 2> pieces;
    };
    std::optional<AnswerDivergence> divergence;
};

// ---------------------------------------------------------------- sweep

struct SweptSetting {
    QString method, asked;  ///< "am", "4x"
    qint64 answers = 0;     ///< number of the conversation's answers measured
    qint64 refused = 0;     ///< answers in which nothing was evicted; excluded from all figures
    double liveShare = 0;   ///< live bytes divided by logical bytes, 0..1
    double klMean = 0, klP99 = 0;  ///< nats
    double top1 = 0;               ///< share of positions with the same most likely token
    double perplexityChange = 0;
    std::optional<double> outputError;
    double compactionMs = 0;  ///< median
    bool onFront = false;     ///< true if no other setting has both fewer live bytes and lower
                              ///< divergence
    /// Returns true if the setting was applied to at least one answer; false for later ones while a
    /// sweep runs.
    [[nodiscard]] bool tried() const { return answers + refused > 0; }
    QVector<std::pair<QString, QString>> values;  ///< (key, text) pairs that apply this setting
    QString valuesBlocker;                        ///< why `values` is empty
};

struct SweepView {
    QString problem;
    bool cancelled = false;
    qint64 conversation = 0;
    QVector<SweptSetting> rows;
};

/// Input of a sweep as typed by the user.
struct SweepAsk {
    QStringList methods;  ///< "am", "keydiff"
    QString ratios;       ///< "2, 4, 8"; may be empty
    QString budgets;      ///< "512, 1024" slots per head; may be empty
};

// ---------------------------------------------------------------- progress

enum class Measuring { Nothing, Comparison, Sweep };

struct MeasuringView {
    Measuring what = Measuring::Nothing;
    qint64 done = 0, total = 0;  ///< maximum tokens of both answers, or (setting, answer) pairs
    double seconds = 0;          ///< since the start
    bool cancelling = false;
};

}  // namespace lacuna::app

Q_DECLARE_METATYPE(lacuna::app::PreviewView)
Q_DECLARE_METATYPE(lacuna::app::ComparisonView)
Q_DECLARE_METATYPE(lacuna::app::SweepView)
