#pragma once
/// \file
/// Quality tables of the loaded model: stored results, running measurements, and citations shown
/// next to settings ("recall 26 of 29 here ..."). A lacuna-bench process measures and writes the
/// tables; it is suspended while an answer is written. Owned by the GUI thread.

#include <QObject>
#include <QString>
#include <QStringList>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace lacuna {
enum class TableSize;
struct EngineConfig;
struct MachineFacts;
struct ModelFacts;
}  // namespace lacuna

namespace lacuna::app {

struct ProgramEnd;

/// One setting of the table. Unmeasured figures are nullopt or 0.
struct QualityRowView {
    QString method;
    double ratio = 1;            ///< requested ratio; 1 for the full cache
    QString settings;            ///< "method=am am_ratio=4"
    QString refused;             ///< why nothing was measured; empty if measured or still pending
    qint64 items = 0, left = 0;  ///< number of texts measured, and of texts left unchanged
    qint64 open = 0;             ///< number of texts not tried yet
    qint64 answerable = 0, hits = 0;   ///< dialogues answered correctly with the full cache, and
                                       ///< those also with this one
    std::optional<double> rulerShare;  ///< RULER score relative to the full cache
    qint64 questions = 0;              ///< number of RULER questions
    std::optional<double> klMean, klP99, perplexity;
    qint64 positions = 0;                                 ///< measured positions of running text
    double liveBytes = 0, logicalBytes = 0, seconds = 0;  ///< means per text
};

struct QualityTableView {
    bool there = false;
    QString conditions;  ///< data, date and machine of the measurement
    qint64 done = 0, total = 0;
    QualityRowView full;  ///< the full cache on the same texts
    QVector<QualityRowView> rows;
    [[nodiscard]] bool complete() const { return there && total > 0 && done == total; }
};

/// Settings to apply, as (key, text).
using SettingTexts = QVector<std::pair<QString, QString>>;

/// A cache preset, or a format that is not a preset. Unmeasured figures are nullopt or 0.
struct FormatRowView {
    QString name;     ///< "Safe"; the format itself if it is not a preset
    QString key;      ///< key of a preset, "long_chat"
    QString format;   ///< formats of keys and values, "t8/t4"
    QString evicts;   ///< eviction of a preset as measured, "Attention matching 4x"; empty if
                      ///< nothing is evicted
    QString help;     ///< description, or empty
    QString refused;  ///< why this model does not support it, or empty
    SettingTexts settings;
    bool preset = false;
    bool asked = false;   ///< true if the requested settings match it
    bool passes = false;  ///< true if nothing is evicted and the mean divergence is below the bound
    std::optional<double> bitsPerNumber, bytesPerToken, allocatedPerToken;
    std::optional<double> klMean, klP99, top1;
    qint64 answerable = 0, hits = 0;  ///< dialogues answered correctly with the full cache, and
                                      ///< those also with this one
    std::optional<double> tokensPerSecond, ofFull;  ///< ofFull: rate relative to 16 bits
    qint64 texts = 0, open = 0;                     ///< number of texts tried, and not tried yet
    qint64 unsaved = 0;  ///< tried texts that are too short to save memory
    qint64 left = 0;     ///< tried texts without information about this format; excluded from all
                         ///< figures
};
struct FormatsView {
    QString asked;                ///< format in the requested settings, "t8/t4"
    QVector<FormatRowView> rows;  ///< presets, then other measured formats
    QString gate;                 ///< describes the smallest format that passes; empty if unknown
    QString passing;              ///< that format; empty if unknown or if only 16 bits pass
    SettingTexts passingSettings;
};
/// A combination of key and value bits before it is applied.
struct BitsView {
    QString format;   ///< "t6/t4"
    QString refused;  ///< why this model does not support it, or empty
    SettingTexts settings;
    bool asked = false;
    qint64 tokens = 0;                     ///< number of tokens for which the bytes are computed
    qint64 requestedBytes = 0, bytes = 0;  ///< size with the requested settings, and with this
                                           ///< combination
    QString predictedLoss;  ///< quantisation error: measured, predicted, or why neither is
                            ///< available
};

struct QualityProgressView {
    bool running = false;
    bool stopping = false;
    QString paused;              ///< why the measurement is suspended; empty if it is not
    double prepared = 0;         ///< share (0..1) of the texts generated, while `total` is 0
    qint64 done = 0, total = 0;  ///< number of (setting, text) pairs
    double secondsLeft = -1;     ///< negative if unknown
};

class QualityController final : public QObject {
    Q_OBJECT

  public:
    /// Tables offered to the user, in this order.
    enum Size { Small, Whole, Formats };
    /// Bits per number of unquantised rows.
    static constexpr int kPlainBits = 16;

    /// `dataFolder` stores the tables; if empty, they are temporary. lacuna-bench is expected next
    /// to `program`, or next to this executable if it is empty.
    QualityController(const MachineFacts& machine, const QString& dataFolder,
                      const QString& program, QObject* parent = nullptr);
    ~QualityController() override;

    [[nodiscard]] QString modelName() const;
    [[nodiscard]] QualityTableView table(Size size) const;
    [[nodiscard]] const QualityProgressView& progress() const;
    /// The table that is being filled or was filled last.
    [[nodiscard]] Size filling() const;
    /// Returns the reason why nothing can be measured; empty if it can.
    [[nodiscard]] QString disabledReason() const;
    /// Returns why stored tables are not shown, or an empty string.
    [[nodiscard]] QString problem() const;
    /// Fills the table. Stored results are kept unless `startOver` is set. Emits `ended` at the
    /// end.
    void measure(Size size, bool startOver);
    /// Stops the measurement; completed results are kept.
    void stop();

    /// Returns "At 4x recall is 26 of 29 here, ...; measured 2026-11-23 on this machine", or "Not
    /// measured on this model."; empty if nothing is compacted or no model is loaded.
    [[nodiscard]] QString citation(const EngineConfig& config) const;
    /// Returns presets and formats with their measured figures; those matching `asked` are marked.
    [[nodiscard]] FormatsView formats(const EngineConfig& asked) const;
    /// Describes a combination of 1 to 8 bits, or kPlainBits, for keys and values; sizes are for
    /// `tokens` tokens.
    [[nodiscard]] BitsView bits(int keys, int values, const EngineConfig& asked,
                                qint64 tokens) const;
    /// Returns the bits of keys and values; nullopt for formats not defined by bits.
    [[nodiscard]] static std::optional<std::pair<int, int>> bitsOf(const QString& format);
    [[nodiscard]] QString markdown(Size size) const;
    [[nodiscard]] QString csv(Size size) const;

    /// Reads the stored tables of the loaded model.
    void readTables();

    // Input from the other controllers:
    void setModel(const ModelFacts* facts);
    /// Suspends the measurement. `reason` names the answer or measurement with priority; empty
    /// resumes.
    void setPaused(const QString& reason);

    void onEngineEnded(const QString& reason);

  Q_SIGNALS:
    /// Emitted when a table, the progress, or the ability to start has changed.
    void changed();
    /// Emitted when a measurement ended; `sentence` is the result, `problem` is true if it failed.
    void ended(const QString& sentence, bool problem);

  private:
    struct Impl;
    void onProgress(double share);
    void onEnded(const ProgramEnd& end);
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
